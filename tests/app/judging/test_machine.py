from pathlib import Path

import pytest

from torchstone.app.home import Home, find_home
from torchstone.app.judging.machine import inspect_system, read_host, stop_host
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
