"""A flipped bit in a stored text is noticed by whoever reads it."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.reports import given_up
from torchstone.core.errors import StoreError
from torchstone.store import Damage, Store, open_store

pytestmark = pytest.mark.pure

Judge = Callable[..., str]
TEXTS = ["source", "report", "receipt"]


def flip(path: Path, submission: str, column: str, *, bit: int = 0, place: int = 1) -> None:
    """Flip one bit of a stored text, as a disk does: the store has no part in it."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.text_factory = bytes
        connection.execute("PRAGMA ignore_check_constraints = ON")
        where = (submission,)
        query = f"SELECT {column} FROM submissions WHERE id = ?"
        text = bytearray(connection.execute(query, where).fetchone()[0])
        text[place] ^= 1 << bit
        change = f"UPDATE submissions SET {column} = CAST(? AS TEXT) WHERE id = ?"
        connection.execute(change, (bytes(text), submission))


@pytest.mark.parametrize("bit", [0, 7], ids=["a letter", "no UTF-8"])
@pytest.mark.parametrize("column", [*TEXTS, "problem_id", "kind", "source_hash", "result_hash"])
def test_whoever_reads_a_damaged_row_is_told_which(
    store: Store, path: Path, judge: Judge, column: str, bit: int
) -> None:
    intact, damaged = judge(), judge()
    assert store.find_damages() == []
    flip(path, damaged, column, bit=bit)
    for read in (store.get_submission, store.find_submission):
        with pytest.raises(StoreError, match=damaged) as told:
            read(damaged)
        assert told.value.code == "store.row_damaged"
        assert damaged in told.value.message("zh")
        assert read(intact).id == intact
    (found,) = store.find_damages()
    assert found.id == damaged
    wanted = "result" if column in ("report", "receipt", "result_hash") else "source"
    assert found.parts == (wanted,)


@pytest.mark.parametrize("column", ["verdict", "state"])
def test_a_verdict_or_a_state_that_is_none_is_damage(
    store: Store, path: Path, judge: Judge, column: str
) -> None:
    damaged = judge()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(f"UPDATE submissions SET {column} = 'A@'")
    with pytest.raises(StoreError, match=damaged):
        store.submissions_of("01")
    assert store.find_damages() == [Damage(id=damaged, problem_id="01", parts=("result",))]


def test_every_way_to_an_end_keeps_a_row_intact(store: Store, judge: Judge) -> None:
    judge("01", "WA", time_ms=None)
    judge("01", "AC", time_ms=7)
    queued, running, cancelled, given = (
        store.add_submission("01", "π = 试金石\r\n", client_key=key) for key in "abcd"
    )
    store.claim(running, "host")
    assert store.release(running, "host")
    assert store.cancel(cancelled)
    for _ in range(2):
        store.claim(given, "host")
        store.mark_interrupted(given, given_up)
    assert store.find_damages() == []
    for each in (queued, running, cancelled, given):
        assert store.get_submission(each).id == each


def test_a_damaged_submission_is_not_exported(
    store: Store, path: Path, judge: Judge, tmp_path: Path
) -> None:
    intact, damaged = judge(), judge()
    flip(path, damaged, "source")
    with open_store(tmp_path / "copy.db") as copy:
        copy.import_progress(store.export_progress().document)
        assert [line.id for line in copy.submissions_of("01")] == [intact]
        assert copy.find_damages() == []
