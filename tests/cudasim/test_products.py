"""What is built is kept, found again, and removed when there is too much of it."""

import fcntl
import os
from pathlib import Path

import pytest

from torchstone.cudasim import products
from torchstone.cudasim.products import digest, made_once, prune

pytestmark = pytest.mark.pure


def make(folder: Path) -> bool:
    """Return whether it had to be made."""
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
    folders = [tmp_path / f"program-{number:024x}" for number in range(8)]
    for age, folder in enumerate(folders):
        make(folder)
        os.utime(folder, (age, age))
    # The oldest one is asked for again.
    make(folders[0])
    prune(tmp_path, most=8)
    assert all(folder.is_dir() for folder in folders)
    prune(tmp_path, most=4)
    assert [folder.name for folder in folders if folder.is_dir()] == [
        f"program-{number:024x}" for number in (0, 6, 7)
    ]


def test_building_prunes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products.prune, "__defaults__", (4,))
    for number in range(9):
        make(tmp_path / f"program-{number:024x}")
    left = [path.name for path in tmp_path.iterdir() if path.is_dir()]
    assert len(left) <= 4
    assert f"program-{8:024x}" in left


def test_what_is_not_its_own_stays(tmp_path: Path) -> None:
    strangers = ("program-9.part", "holiday", "program-xyz", f"program-{1:024x}.old")
    for name in strangers:
        (tmp_path / name).mkdir()
    (tmp_path / f"header-{2:024x}").mkdir()
    for number in range(3):
        make(tmp_path / f"program-{number:024x}")
    prune(tmp_path, most=1)
    assert all((tmp_path / name).is_dir() for name in strangers)
    assert not list(tmp_path.glob(f"header-{2:024x}"))


def test_what_somebody_makes_or_asks_for_meanwhile_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    busy, asked, idle = (tmp_path / f"program-{number:024x}" for number in range(3))
    for age, folder in enumerate((busy, asked, idle)):
        make(folder)
        os.utime(folder, (age, age))
    remove = products._remove

    def ask_first(product: Path, age: float) -> None:
        if product == asked:
            make(asked)
        remove(product, age)

    monkeypatch.setattr(products, "_remove", ask_first)
    with open(busy.with_suffix(".lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        prune(tmp_path, most=0)
    assert (busy.is_dir(), asked.is_dir(), idle.is_dir()) == (True, True, False)


def test_parts_do_not_run_into_each_other() -> None:
    assert digest("ab", "c") != digest("a", "bc")
    assert digest("ab", "c") == digest("ab", "c")
