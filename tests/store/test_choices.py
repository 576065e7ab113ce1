"""Marks and the chosen path are facts: the last one counts, and a merge keeps the later one."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from torchstone.store import Store, open_store

pytestmark = pytest.mark.pure


def test_a_mark_is_removed_by_pressing_again(store: Store) -> None:
    assert store.marked() == frozenset()
    for marked in (True, True, False, False, True):
        store.mark("42op", marked=marked)
    store.mark("01", marked=True)
    assert store.marked() == {"01", "42op"}
    store.mark("42op", marked=False)
    assert store.marked() == {"01"}


def test_the_last_chosen_path_counts(store: Store) -> None:
    assert store.chosen_path() is None
    store.choose_path("first-week")
    store.choose_path("cuda")
    assert store.chosen_path() == "cuda"
    store.choose_path(None)
    assert store.chosen_path() is None


def test_a_choice_without_a_change_is_not_recorded(store: Store, path: Path) -> None:
    for _ in range(3):
        store.mark("01", marked=True)
        store.mark("02", marked=False)
        store.choose_path("cuda")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM activities").fetchone() == (2,)


def test_a_choice_is_no_work_on_a_problem(store: Store) -> None:
    store.mark("01", marked=True)
    store.choose_path("cuda")
    assert store.all_progress() == {}
    assert store.progress("01").started_at is None
    assert store.activity("01").started_at is None


def test_choices_travel_and_the_later_one_wins(store: Store, tmp_path: Path) -> None:
    store.mark("01", marked=True)
    store.mark("02", marked=True)
    store.choose_path("cuda")
    first = store.export_progress().document
    later = store._clock() + timedelta(minutes=1)
    with open_store(tmp_path / "other.db", clock=lambda: later) as other:
        other.import_progress(first)
        assert other.marked() == {"01", "02"}
        assert other.chosen_path() == "cuda"
        other.mark("01", marked=False)
        other.choose_path(None)
        second = other.export_progress().document
    summary = store.import_progress(second)
    assert (summary.activities, store.marked(), store.chosen_path()) == (2, {"02"}, None)
    assert store.import_progress(first).activities == 0


def test_a_document_of_version_1_is_imported(store: Store, tmp_path: Path) -> None:
    store.start_problem("01")
    document = store.export_progress().document
    assert b'"version": 4' in document
    with open_store(tmp_path / "other.db", clock=store._clock) as other:
        assert other.import_progress(document.replace(b'"version": 4', b'"version": 1'))
        assert other.progress("01").started_at is not None


def test_a_damaged_choice_does_not_count(
    store: Store, path: Path, clock: Callable[[], datetime]
) -> None:
    store.mark("01", marked=True)
    store.mark("02", marked=True)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE activities SET problem_id = '03' WHERE number = 1")
    assert store.marked() == {"02"}
    assert [fact.about for fact in store.find_damaged_facts()] == ["03"]
