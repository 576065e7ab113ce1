import os
import stat
from pathlib import Path

import pytest

from torchstone.app.problems.files import staged
from torchstone.core.errors import BadInput

pytestmark = pytest.mark.pure


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


def test_the_file_changes_only_when_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with staged(path, b"new"):
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert names(tmp_path) == ["a"]


def test_a_block_that_fails_leaves_the_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), staged(path, b"new"):
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["a"]


@pytest.mark.parametrize("mode", [0o600, 0o755, 0o444])
def test_a_file_gets_the_mode_that_is_asked_for(tmp_path: Path, mode: int) -> None:
    with staged(tmp_path / "a", b"", mode=mode):
        pass
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


def test_a_new_file_gets_the_mode_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    with staged(tmp_path / "a", b""):
        pass
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("place", ["absent/a", "folder", "plain/a"])
def test_a_place_that_cannot_be_written_is_named(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "plain").touch()
    with pytest.raises(BadInput) as caught, staged(tmp_path / place, b"new"):
        pass
    assert caught.value.code == "app.file_unwritable"
    assert str(tmp_path / place) in caught.value.message("en")
    assert names(tmp_path) == ["folder", "plain"]
    assert os.listdir(tmp_path / "folder") == []
