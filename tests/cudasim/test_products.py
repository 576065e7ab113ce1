"""What is built is kept, found again, and removed when there is too much of it."""

import os
from pathlib import Path

import pytest

from torchstone.cudasim import products
from torchstone.cudasim.products import digest, made_once, prune

pytestmark = pytest.mark.pure


def make(folder: Path) -> bool:
    """Tell whether it had to be made."""
    with made_once(folder) as making:
        if making is not None:
            (making / "product").write_text(folder.name, encoding="ascii")
        return making is not None


def test_a_product_is_made_once(tmp_path: Path) -> None:
    assert make(tmp_path / "program-1")
    assert not make(tmp_path / "program-1")
    assert (tmp_path / "program-1" / "product").read_text("ascii") == "program-1"


def test_what_was_not_finished_is_made_again(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), made_once(tmp_path / "program-1"):
        raise KeyboardInterrupt
    assert make(tmp_path / "program-1")


def test_what_was_asked_for_longest_ago_goes_first(tmp_path: Path) -> None:
    folders = [tmp_path / f"program-{number}" for number in range(8)]
    for age, folder in enumerate(folders):
        make(folder)
        os.utime(folder, (age, age))
    # The oldest one is asked for again.
    make(folders[0])
    prune(tmp_path, most=8)
    assert all(folder.is_dir() for folder in folders)
    prune(tmp_path, most=4)
    assert [folder.name for folder in folders if folder.is_dir()] == [
        "program-0", "program-6", "program-7",
    ]  # fmt: skip
    assert len(list(tmp_path.glob("*.lock"))) == 3


def test_building_prunes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products.prune, "__defaults__", (4,))
    for number in range(9):
        make(tmp_path / f"program-{number}")
    assert len(list(tmp_path.glob("program-?"))) <= 4
    assert (tmp_path / "program-8").is_dir()


def test_what_is_being_made_stays(tmp_path: Path) -> None:
    (tmp_path / "program-9.part").mkdir()
    for number in range(3):
        make(tmp_path / f"program-{number}")
    prune(tmp_path, most=1)
    assert (tmp_path / "program-9.part").is_dir()


def test_parts_do_not_run_into_each_other() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("ab", "c") == digest("ab", "c")
