"""Spans of work: facts like the others."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest

from torchstone.core.errors import BadInput
from torchstone.store import Store, open_store

pytestmark = pytest.mark.pure

NOW = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "torchstone.db", clock=lambda: NOW) as opened:
        yield opened


def test_a_span_that_is_sent_twice_counts_once(store: Store) -> None:
    for until in (NOW, NOW, NOW - timedelta(minutes=1), NOW + timedelta(minutes=9)):
        store.note_work("01", 60, until=until)
        store.note_work("01", 60, until=until)
    found = store.activity("01")
    assert found.worked_s == 180
    assert found.worked_until == NOW + timedelta(minutes=9)
    assert not store.progress("01").is_submitted


@pytest.mark.parametrize(
    ("spans", "wanted"),
    [
        # One window after another, with the rounding of a window's own spans.
        ([(60, 60), (120, 60), (180, 60)], 180),
        ([(60, 60), (119.1, 60), (178.2, 60)], 180),
        ([(60, 60), (300, 30)], 90),
        # Two windows at the same time, with the same and with shifted spans.
        ([(60, 60), (60.004, 60), (120, 60), (120.004, 60)], 120),
        ([(60, 60), (90, 60), (120, 60), (150, 60)], 150),
        ([(60, 60), (50, 20)], 60),
        ([(60, 20), (60, 60)], 60),
        ([(60, 60), (62, 30)], 62),
        # Three, of which one goes on.
        ([(60, 60), (70, 60), (80, 60), (140, 60)], 140),
    ],
)
def test_overlapping_spans_count_once_and_sequential_ones_add_up(
    store: Store, spans: list[tuple[float, int]], wanted: int
) -> None:
    for until, seconds in reversed(spans):
        store.note_work("01", seconds, until=NOW + timedelta(seconds=until))
    assert store.activity("01").worked_s == wanted
    # Problems have a clock each.
    store.note_work("02", 60, until=NOW + timedelta(seconds=60))
    assert (store.activity("01").worked_s, store.activity("02").worked_s) == (wanted, 60)


def test_a_moment_far_ahead_is_limited(store: Store) -> None:
    store.note_work("01", 60, until=NOW + timedelta(days=900))
    assert store.activity("01").worked_until == NOW + timedelta(days=1)


def test_a_moment_long_ago_neither_closes_the_store_nor_the_export(
    store: Store, tmp_path: Path
) -> None:
    store.note_work("01", 60, until=datetime.min.replace(tzinfo=timezone(timedelta(hours=14))))
    assert store.all_progress()["01"].attempts == 0
    assert store.activity("01").worked_s == 60
    document = store.export_progress().document
    with open_store(tmp_path / "other.db", clock=lambda: NOW) as other:
        assert other.import_progress(document).activities == 1


@pytest.mark.parametrize("seconds", [-1, 0, 3601])
def test_an_impossible_span_is_refused(store: Store, seconds: int) -> None:
    with pytest.raises(ValueError, match="note_work"):
        store.note_work("01", seconds, until=NOW)
    with pytest.raises(ValueError, match="time zone"):
        store.note_work("01", 60, until=datetime(2026, 3, 1))


def test_work_travels_with_the_progress(store: Store, tmp_path: Path) -> None:
    store.note_work("01", 60, until=NOW)
    document = store.export_progress().document
    assert json.loads(document)["version"] == 4
    with open_store(tmp_path / "other.db", clock=lambda: NOW) as other:
        assert other.import_progress(document).activities == 1
        assert other.import_progress(document).activities == 0
        assert other.activity("01").worked_s == 60
        assert other.find_damaged_facts() == []


def test_progress_of_the_first_version_is_read(store: Store) -> None:
    store.start_problem("01")
    document = json.loads(store.export_progress().document) | {"version": 1}
    assert store.import_progress(json.dumps(document).encode()).activities == 0


@pytest.mark.parametrize(("kind", "rung"), [("hint", 5), ("work", 0), ("start", 1), ("work", 3601)])
def test_an_impossible_activity_is_not_imported(store: Store, kind: str, rung: int) -> None:
    store.note_work("01", 60, until=NOW)
    document = json.loads(store.export_progress().document)
    document["activities"][0] |= {"kind": kind, "rung": rung}
    with pytest.raises(BadInput):
        store.import_progress(json.dumps(document).encode())
