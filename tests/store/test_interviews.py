from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from torchstone.store import open_store
from torchstone.store.interviews import Holder, StoredEvent

pytestmark = pytest.mark.pure

ONE, TWO, THREE = (Holder(pid=pid, began=7) for pid in (1, 2, 3))


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHSTONE_DATA", str(tmp_path))


def event(number: int, kind: str = "noted") -> StoredEvent:
    return StoredEvent(
        number=number, at="2026-01-01T00:00:00.000Z", kind=kind, elapsed_ms=1000 * number,
        body={"text": "注"}, previous_hash="0" * 64, hash="1" * 64,
    )  # fmt: skip


def test_events_are_read_back_in_order_and_no_number_is_used_twice() -> None:
    with open_store() as store:
        name = store.begin_interview({"held": "terminal"}, ONE)
        assert store.add_interview_event(name, event(1))
        assert store.add_interview_event(name, event(2))
        assert not store.add_interview_event(name, event(2, kind="ended"))
    with open_store() as store:
        assert store.interview_events_of(name) == (event(1), event(2))
        (found,) = store.interviews()
        assert (found.id, found.holder, found.elapsed_ms) == (name, ONE, 2000)


def test_one_process_holds_an_interview_until_it_leaves_or_dies() -> None:
    with open_store() as store:
        name = store.begin_interview({}, ONE)
        assert not store.hold_interview(name, TWO, is_alive=lambda holder: True)
        assert store.hold_interview(name, TWO, is_alive=lambda holder: False)
        store.leave_interview(name, ONE)
        assert not store.hold_interview(name, THREE, is_alive=lambda holder: True)
        store.leave_interview(name, TWO)
        assert store.hold_interview(name, THREE, is_alive=lambda holder: True)


def test_the_heartbeat_and_the_last_draft_count() -> None:
    moments = iter(datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=s) for s in range(9))
    with open_store(clock=lambda: next(moments)) as store:
        name = store.begin_interview({}, ONE)
        store.beat_interview(name, 1234)
        store.save_interview_draft(name, "question:1", "one")
        store.save_interview_draft(name, "question:1", "two")
        (found,) = store.interviews()
        assert (found.elapsed_ms, found.last_seen.second) == (1234, 1)
        assert store.interview_draft(name, "question:1") == "two"
        assert store.interview_draft(name, "question:2") == ""


def test_a_deleted_interview_leaves_nothing() -> None:
    with open_store() as store:
        name = store.begin_interview({}, ONE)
        store.add_interview_event(name, event(1))
        store.save_interview_draft(name, "question:1", "one")
        assert store.delete_interview(name)
        assert not store.delete_interview(name)
        assert store.interviews() == ()
        assert store.interview_events_of(name) == ()
        assert store.interview_draft(name, "question:1") == ""
