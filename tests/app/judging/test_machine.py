import base64
import hashlib
import importlib.metadata
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.test_damage import flip
from torchstone.app.home import Home, find_home
from torchstone.app.judging.machine import (
    DamageReport,
    find_damage,
    inspect_system,
    read_host,
    stop_host,
)
from torchstone.core import paths
from torchstone.core.isolation import Isolation

pytestmark = pytest.mark.pure


def test_the_report_says_what_is_missing_in_both_languages(home: Home) -> None:
    found = inspect_system(home)
    assert found.torch
    assert found.num_problems == len(home.bank)
    assert (found.isolation is Isolation.FULL) == (not found.obstacles)
    for obstacle in found.obstacles:
        assert obstacle.message["en"] != obstacle.message["zh"]


def test_looking_at_the_host_does_not_start_one(home: Home) -> None:
    assert not read_host(home).runs
    assert not stop_host(home)


def test_the_settings_say_how_weak_a_wall_may_be(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHSTONE_ISOLATION", "full")
    found = inspect_system(find_home())
    assert found.wanted is Isolation.FULL
    assert found.judges == (found.isolation is Isolation.FULL and found.compiler is not None)


def test_a_bank_of_ones_own_is_named_by_a_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHSTONE_BANK", str(tmp_path))
    assert find_home().bank_root == tmp_path.resolve()
    assert len(find_home().bank) == 0


def test_a_damaged_row_is_listed(home: Home, record: Callable[..., str]) -> None:
    assert find_damage(home) == DamageReport(submissions=(), facts=(), files=())
    intact, damaged = record(), record()
    flip(paths.data_dir() / "torchstone.db", damaged, "source")
    found = find_damage(home)
    assert [(each.id, each.parts) for each in found.submissions] == [(damaged, ("source",))]
    assert intact != damaged


def test_looking_for_damage_creates_no_database(home: Home) -> None:
    find_damage(home)
    assert list(paths.data_dir().iterdir()) == []


def test_a_changed_file_of_the_bank_is_listed(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = []
    for name, text in (("content/a.md", "as it was"), ("content/b.md", "as it was"), ("c.py", "")):
        path = tmp_path / "torchstone" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        digest = base64.urlsafe_b64encode(hashlib.sha256(b"as it was").digest()).rstrip(b"=")
        record.append(f"torchstone/{name},sha256={digest.decode()},9")
    info = tmp_path / "torchstone-0.dist-info"
    info.mkdir()
    (info / "RECORD").write_text("\n".join(record) + "\n")
    (info / "METADATA").write_text("Name: torchstone\nVersion: 0\n")
    package = importlib.metadata.PathDistribution(info)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda name: package)
    assert find_damage(home).files == ()
    (tmp_path / "torchstone/content/a.md").write_text("as it wbs")
    (tmp_path / "torchstone/content/b.md").unlink()
    assert [Path(name).name for name in find_damage(home).files] == ["a.md", "b.md"]
