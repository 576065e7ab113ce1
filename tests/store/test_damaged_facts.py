"""A flipped bit in any text of any table is noticed; a damaged fact does not count."""

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import String

from torchstone.core.errors import StoreError
from torchstone.store import DamagedFact, LeftOut, Store, damage, open_store
from torchstone.store.interviews import Holder, StoredEvent
from torchstone.store.schema import metadata, revisions

pytestmark = pytest.mark.pure

Judge = Callable[..., str]
Review = Callable[..., datetime]
TEXTS = [
    (table.name, column.name)
    for table in (*metadata.sorted_tables, revisions)
    for column in table.columns
    if isinstance(column.type, String)
]
ITEM = "problem:01"


@pytest.fixture
def review(store: Store, make_card: Callable[..., str], clock: Callable[[], datetime]) -> Review:
    """Review an item; return the moment."""

    def run(item: str = ITEM, *, stability: float = 1.5) -> datetime:
        now = clock()
        before = store.review_card(item)
        assert store.record_review(
            item,
            previous=before.card if before else None,
            rating=3,
            evidence={"tries": 2, "reason": "第二次提交时通过。"},
            card=make_card(now + timedelta(days=1), stability=stability),
            due=now + timedelta(days=1),
            reviewed_at=now,
        )
        return now

    return run


def interview(store: Store) -> None:
    """Keep an interview with an event and a draft."""
    name = store.begin_interview({"held": "terminal"}, Holder(pid=1, began=1))
    event = StoredEvent(
        number=1, at="2026-01-01T00:00:00.000Z", kind="begun", elapsed_ms=0, body={"seed": 7},
        previous_hash="0" * 64, hash="1" * 64,
    )  # fmt: skip
    assert store.add_interview_event(name, event)
    store.save_interview_draft(name, "open:dqn", "半句")


def read(path: Path, table: str, column: str) -> bytes:
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        query = f"SELECT {column} FROM {table} ORDER BY rowid LIMIT 1"
        text: bytes = connection.execute(query).fetchone()[0]
    return text


def write(path: Path, table: str, column: str, text: bytes, *, number: int = 1) -> None:
    """Change a stored text as a disk does: the store has no part in it."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        change = f"UPDATE {table} SET {column} = CAST(? AS TEXT) WHERE rowid = ?"
        connection.execute(change, (text, number))


def is_noticed(path: Path) -> bool:
    try:
        with open_store(path) as store:
            return bool(store.find_damages() or store.find_damaged_facts())
    except StoreError:
        return True


@pytest.mark.full
@pytest.mark.parametrize(("table", "column"), TEXTS)
def test_a_flipped_bit_in_any_text_is_noticed(
    store: Store, path: Path, judge: Judge, review: Review, table: str, column: str
) -> None:
    judge()
    store.open_hint("01", 1)
    store.keep_input("01", "small", "softmax(x)")
    review()
    interview(store)
    assert not is_noticed(path)
    text = read(path, table, column)
    assert text, "the test must store a value in every text column"
    for place in {0, len(text) // 2, len(text) - 1}:
        for bit in range(8):
            flipped = bytearray(text)
            flipped[place] ^= 1 << bit
            write(path, table, column, bytes(flipped))
            assert is_noticed(path), f"byte {place}, bit {bit}: {bytes(flipped)!r}"
    write(path, table, column, text)
    assert not is_noticed(path)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("activities", "rung", 2),
        ("activities", "happened_at", 1),
        ("reviews", "rating", 2),
        ("reviews", "due", 1),
        ("reviews", "reviewed_at", 1),
        ("inputs", "kept_at", 1),
    ],
)
def test_a_changed_number_of_a_fact_is_noticed(
    store: Store, path: Path, review: Review, table: str, column: str, value: int
) -> None:
    store.open_hint("01", 1)
    store.keep_input("01", "small", "softmax(x)")
    review()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE {table} SET {column} = ?", (value,))
    (found,) = store.find_damaged_facts()
    assert found.table == table


def test_a_damaged_activity_does_not_count(
    store: Store, path: Path, logged: list[logging.LogRecord]
) -> None:
    store.start_problem("01")
    store.open_hint("01", 1)
    write(path, "activities", "kind", b"stark", number=1)
    damage._log_once.cache_clear()
    for progress in (store.progress("01"), store.all_progress()["01"], store.activity("01")):
        assert progress.started_at is None
        assert [hint.rung for hint in progress.hints] == [1]
    assert len(logged) == 1, "a damaged row is logged once"
    assert store.find_damaged_facts() == [DamagedFact(table="activities", number=1, about="01")]
    store.start_problem("01")
    assert store.progress("01").started_at is not None


def test_a_damaged_review_does_not_count(store: Store, path: Path, review: Review) -> None:
    first, last = review(), review(stability=3.0)
    review("problem:02")
    write(path, "reviews", "evidence", b'{"tries":3}', number=2)
    valid = store.review_card(ITEM)
    assert valid is not None
    assert valid.reviewed_at == first
    assert store.review_cards().keys() == store.last_reviews().keys() == {ITEM, "problem:02"}
    assert store.review_cards()[ITEM] == valid
    assert [entry.reviewed_at for entry in store.review_log(ITEM)] == [first]
    assert not store.undo_review(ITEM, reviewed_at=last)
    assert store.find_damaged_facts() == [DamagedFact(table="reviews", number=2, about=ITEM)]
    review(stability=4.0)
    assert len(store.review_log(ITEM)) == 2


def test_a_damaged_undo_does_not_count(store: Store, path: Path, review: Review) -> None:
    review()
    assert store.undo_review(ITEM)
    assert store.last_undo(ITEM) == store.last_undos()[ITEM]
    assert store.find_damaged_facts() == [], "the moment of the undo comes later"
    write(path, "reviews", "item", b"problem:11")
    assert store.last_undos() == {}
    assert store.last_undo("problem:11") is None


def test_an_export_counts_what_it_leaves_out(
    store: Store, path: Path, judge: Judge, review: Review, tmp_path: Path
) -> None:
    judge()
    store.add_submission("01", "pass", client_key="unfinished")
    for problem_id in ("01", "02", "03"):
        store.start_problem(problem_id)
    review()
    review("problem:02")
    store.keep_input("01", "small", "softmax(x)")
    store.keep_input("01", "large", "softmax(y)")
    none = LeftOut(submissions=0, activities=0, reviews=0, inputs=0)
    assert store.export_progress().left_out == none
    write(path, "submissions", "state", b"dooe")
    write(path, "activities", "problem_id", b"11", number=1)
    write(path, "activities", "problem_id", b"12", number=2)
    write(path, "reviews", "item", b"problem:\xff2", number=2)
    write(path, "inputs", "code", b"softmax(z)", number=2)
    export = store.export_progress()
    assert export.left_out == LeftOut(submissions=1, activities=2, reviews=1, inputs=1)
    assert export.left_out.total == 5
    with open_store(tmp_path / "copy.db") as copy:
        added = copy.import_progress(export.document)
        assert (added.submissions, added.activities, added.reviews, added.inputs) == (0, 1, 1, 1)
        assert copy.export_progress().left_out == none
