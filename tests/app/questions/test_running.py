"""Cells of an answer, run in the sandbox as they stand and edited."""

import pytest

from torchstone.app.home import Home
from torchstone.app.questions import running
from torchstone.app.questions.running import MAX_SOURCE_CHARS, CellError, run_cell
from torchstone.core.errors import BadInput, NotFound

pytestmark = [pytest.mark.sandbox, pytest.mark.torch]

QUESTION, CELL = "2.1.2.1.1", "one storage, two readings"


@pytest.fixture
def home() -> Home:
    return Home()


def source(home: Home) -> str:
    cell = home.questions.topic("2.1.2.1").demo.cell(CELL)
    assert cell is not None
    return cell.source


def test_a_cell_prints_what_is_recorded_and_its_claims_hold(home: Home) -> None:
    found = run_cell(home, QUESTION, CELL)
    assert found.ok
    assert found.stdout == "(4, 1)\n"
    assert found.claims == {"view-shares": True, "write-shows-through": True}


@pytest.mark.full
def test_an_edit_makes_claims_false_and_an_exception_leaves_the_rest_open(home: Home) -> None:
    edited = source(home).replace("x.view(3, 4)", "x.clone().view(3, 4)")
    edited = edited.replace("grid[0, 0] = 100", "grid[9, 9] = 100")
    found = run_cell(home, QUESTION, CELL, edited=edited)
    assert not found.ok
    assert found.claims == {"view-shares": False, "write-shows-through": None}
    assert found.error is not None
    assert (found.error.kind, found.error.type, found.error.line) == ("raised", "IndexError", 4)


@pytest.mark.full
@pytest.mark.parametrize(
    ("edited", "error"),
    [
        ("while True: pass", CellError(kind="time")),
        ("while True: print('x' * 1000)", CellError(kind="output")),
        ("import os; os._exit(3)", CellError(kind="died")),
        ("import os\nos.fork()", "PermissionError"),
        ("import socket\nsocket.socket()", "PermissionError"),
        ("open('/etc/passwd')", "FileNotFoundError"),
        ("x = torch.ones(1 << 30)", "RuntimeError"),
        ("x = (", "SyntaxError"),
    ],
)
def test_harm_ends_the_run_and_is_named(
    home: Home, monkeypatch: pytest.MonkeyPatch, edited: str, error: CellError | str
) -> None:
    monkeypatch.setattr(running, "_LIMITS", running._LIMITS | {"seconds": 1})
    found = run_cell(home, QUESTION, CELL, edited=edited)
    assert not found.ok
    assert found.error is not None
    assert error in (found.error, found.error.type)
    assert set(found.claims.values()) == {None}


def test_what_cannot_be_run_is_refused_with_the_cells_that_there_are(home: Home) -> None:
    with pytest.raises(NotFound, match="and when it will"):
        run_cell(home, QUESTION, "no such cell")
    with pytest.raises(BadInput, match="one storage, two readings"):
        run_cell(home, QUESTION)
    with pytest.raises(BadInput, match=f"{MAX_SOURCE_CHARS} are the most"):
        run_cell(home, QUESTION, CELL, edited="#" * (MAX_SOURCE_CHARS + 1))
    with pytest.raises(BadInput, match="processes"):
        run_cell(home, "8.1.2.2.1")
