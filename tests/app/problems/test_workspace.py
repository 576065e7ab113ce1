from pathlib import Path

import pytest

from torchstone.app.home import Home
from torchstone.app.problems.workspace import FileState, file_of, read_workspace, start
from torchstone.core.errors import BadInput, NotFound

pytestmark = pytest.mark.pure


def test_start_writes_the_starter_and_notes_the_beginning(home: Home) -> None:
    started = start(home, "softmax")
    assert started.state is FileState.WRITTEN
    assert started.path == home.workspace / "01_softmax.py"
    assert started.path.read_text() == home.problem("01").starter
    with home.open_store() as store:
        assert store.progress("01").started_at is not None


def test_start_never_overwrites_an_edited_file(home: Home) -> None:
    assert start(home, "01").state is FileState.WRITTEN
    assert start(home, "01").state is FileState.UNTOUCHED
    path = file_of(home, home.problem("01"))
    path.write_text("mine")
    assert start(home, "01").state is FileState.KEPT
    assert path.read_text() == "mine"


def test_start_again_puts_every_earlier_solution_aside(home: Home) -> None:
    path = start(home, "01").path
    kept: list[Path] = []
    for text in ("first", "second"):
        path.write_text(text)
        started = start(home, "01", again=True)
        assert started.state is FileState.WRITTEN
        assert started.put_aside is not None
        kept.append(started.put_aside)
    assert [each.read_text() for each in kept] == ["first", "second"]
    assert path.read_text() == home.problem("01").starter


def test_reading_before_starting_says_how_to_start(home: Home) -> None:
    with pytest.raises(NotFound, match="no solution of problem 01") as caught:
        read_workspace(home, home.problem("01"))
    assert "torchstone start 01" in caught.value.hint("en")


def test_a_folder_in_the_place_of_the_file_is_kept(home: Home) -> None:
    file_of(home, home.problem("01")).mkdir()
    assert start(home, "01").state is FileState.KEPT
    with pytest.raises(BadInput):
        start(home, "01", again=True)
