"""Products of variants are kept by all that they depend on."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.shipped import shipped_bank
from torchstone.judge.assignment import assignment_of
from torchstone.judge.build.build_service import BuildService
from torchstone.judge.build.kept_variants import KeptVariants, variant_key

pytestmark = pytest.mark.plain


def compiler(built: list[str]) -> Any:
    """Make a compiler that notes what it builds."""

    def build_variant(source: str, launcher: object) -> dict[str, bytes]:
        built.append(source)
        return {"fast": source.encode()}

    assignment = assignment_of(shipped_bank().get("43"))
    return SimpleNamespace(
        order=SimpleNamespace(assignment=assignment),
        prepare=lambda: {"launcher": b"1"},
        build_variant=build_variant,
    )


def test_the_next_host_builds_no_variant_again(tmp_path: Path) -> None:
    built: list[str] = []
    first = list(BuildService(tmp_path / "simulators", pytest.fail).variants(compiler(built)))
    assert len(built) == len(first) > 5
    again = list(BuildService(tmp_path / "simulators", pytest.fail).variants(compiler(built)))
    assert again == first
    assert len(built) == len(first)


def test_the_key_changes_with_the_source_and_the_launcher() -> None:
    order = compiler([]).order
    keys = {
        variant_key(order, source, launcher)
        for source in ("a", "b")
        for launcher in ({}, {"x": b"1"}, {"x": b"2"})
    }
    assert len(keys) == 6


def test_what_cannot_be_read_is_built_again(tmp_path: Path) -> None:
    kept = KeptVariants(tmp_path)
    assert kept.read("none") is None
    kept.write("key", {"fast": b"1"})
    assert kept.read("key") == {"fast": b"1"}
    (tmp_path / "key").write_bytes(b"\xc1")
    assert kept.read("key") is None


def test_a_disk_that_refuses_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.warns(RuntimeWarning, match="not kept"):
        KeptVariants(tmp_path / "file").write("key", {})


def test_a_file_that_another_host_drops_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = KeptVariants(tmp_path)
    kept.write("first", {"fast": b"1"})
    found = [tmp_path / "dropped", *tmp_path.iterdir()]
    monkeypatch.setattr(Path, "iterdir", lambda self: iter(found))
    kept.write("second", {"fast": b"2"})
    assert kept.read("second") == {"fast": b"2"}
