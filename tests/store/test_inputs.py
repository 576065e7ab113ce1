"""Kept inputs are facts: the last one about a name counts, and a merge keeps the later one."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from torchstone.core.errors import BadInput
from torchstone.store import Store, open_store

pytestmark = pytest.mark.pure


def kept(store: Store, problem_id: str = "01") -> dict[str, str]:
    return {each.name: each.code for each in store.inputs_of(problem_id)}


def test_inputs_are_kept_replaced_renamed_and_removed(store: Store, path: Path) -> None:
    assert store.keep_input("01", "small", "softmax(x)")
    assert store.keep_input("01", "Large", "x = 1\nsoftmax(x)")
    assert store.keep_input("02", "small", "other(x)")
    assert [each.name for each in store.inputs_of("01")] == ["Large", "small"]
    assert not store.keep_input("01", "small", "softmax(y)"), "another text has the name"
    assert kept(store)["small"] == "softmax(x)"
    assert store.keep_input("01", "small", "softmax(y)", replace=True)
    assert not store.rename_input("01", "small", "Large")
    assert not store.rename_input("01", "absent", "new")
    assert store.rename_input("01", "small", "tiny")
    assert kept(store) == {"Large": "x = 1\nsoftmax(x)", "tiny": "softmax(y)"}
    assert store.drop_input("01", "Large")
    assert not store.drop_input("01", "Large")
    assert (kept(store), kept(store, "02")) == ({"tiny": "softmax(y)"}, {"small": "other(x)"})
    with open_store(path) as again:
        assert kept(again) == {"tiny": "softmax(y)"}
    assert store.keep_input("01", "Large", "back")
    assert kept(store)["Large"] == "back"


def test_a_keep_without_a_change_is_not_recorded(store: Store, path: Path) -> None:
    for _ in range(3):
        assert store.keep_input("01", "small", "softmax(x)")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT COUNT(*) FROM inputs").fetchone() == (1,)


def test_a_clock_that_stands_still_or_goes_back_loses_nothing(path: Path) -> None:
    moments = iter([5, 5, 5, 1, 1])
    begin = datetime.fromisoformat("2026-03-01T00:00:00+00:00")
    with open_store(path, clock=lambda: begin + timedelta(days=next(moments))) as store:
        store.keep_input("01", "small", "first")
        store.keep_input("01", "small", "second", replace=True)
        store.drop_input("01", "small")
        store.keep_input("01", "small", "third")
        store.keep_input("01", "small", "fourth", replace=True)
        assert kept(store) == {"small": "fourth"}


@pytest.mark.parametrize(
    ("name", "code"), [("", "x"), ("n" * 65, "x"), ("n", ""), ("n", "x" * 20_001), ("n", "\ud800")]
)
def test_what_cannot_be_stored_is_refused(store: Store, name: str, code: str) -> None:
    with pytest.raises(ValueError, match=r"characters|Unicode"):
        store.keep_input("01", name, code)
    assert kept(store) == {}


def test_inputs_are_no_work_on_a_problem(store: Store) -> None:
    store.keep_input("01", "small", "softmax(x)")
    assert store.all_progress() == {}


def test_inputs_travel_and_the_later_one_wins(store: Store, tmp_path: Path) -> None:
    for name in ("small", "large", "odd"):
        store.keep_input("01", name, name)
    first = store.export_progress().document
    later = store._clock() + timedelta(minutes=1)
    with open_store(tmp_path / "other.db", clock=lambda: later) as other:
        assert other.import_progress(first).inputs == 3
        assert kept(other) == kept(store)
        other.drop_input("01", "small")
        other.keep_input("01", "large", "changed", replace=True)
        other.rename_input("01", "odd", "uneven")
        second = other.export_progress().document
    assert store.import_progress(second).inputs == 4
    assert kept(store) == {"large": "changed", "uneven": "odd"}
    assert store.import_progress(first).inputs == 0
    assert store.import_progress(second).inputs == 0
    assert kept(store) == {"large": "changed", "uneven": "odd"}


def test_a_document_of_version_2_has_no_inputs(store: Store, tmp_path: Path) -> None:
    store.start_problem("01")
    document = json.loads(store.export_progress().document)
    del document["inputs"]
    document["version"] = 2
    with open_store(tmp_path / "other.db", clock=store._clock) as other:
        summary = other.import_progress(json.dumps(document).encode())
        assert (summary.activities, summary.inputs) == (1, 0)


def test_a_document_with_an_impossible_input_is_refused(store: Store) -> None:
    store.keep_input("01", "small", "softmax(x)")
    for field, value in (("name", ""), ("code", "x" * 20_001), ("kept_at", "2999-01-01T00:00:00Z")):
        document = json.loads(store.export_progress().document)
        document["inputs"][0][field] = value
        with pytest.raises(BadInput):
            store.import_progress(json.dumps(document).encode())


def test_a_damaged_input_does_not_hide_the_others(
    store: Store, path: Path, clock: Callable[[], datetime]
) -> None:
    store.keep_input("01", "small", "first")
    store.keep_input("01", "small", "second", replace=True)
    store.keep_input("01", "large", "other")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE inputs SET code = 'sicond' WHERE number = 2")
    assert kept(store) == {"small": "first", "large": "other"}
    assert [(fact.table, fact.about) for fact in store.find_damaged_facts()] == [("inputs", "01")]
