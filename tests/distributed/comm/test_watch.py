import datetime
import threading
import time

import pytest
import torch.distributed as dist

from torchstone.distributed import Deadlock, RankLost
from torchstone.distributed.comm import watch as module
from torchstone.distributed.comm.positions import Position
from torchstone.distributed.comm.watch import Beat, Watch

pytestmark = [pytest.mark.torch]

AT = Position(op="all_reduce", number=3, axis="dp")
OTHER = Position(op="all_gather", number=3, axis="dp")
TIMED_OUT = RuntimeError("Timed out waiting 4000ms")
CLOSED = RuntimeError("Connection closed by peer [127.0.0.1]:1")


@pytest.fixture(autouse=True)
def fast(monkeypatch):
    """Let beats follow each other quickly; a rank is given much longer than one takes."""
    monkeypatch.setattr(module, "INTERVAL_S", 0.02)
    monkeypatch.setattr(module, "PATIENCE", 50)


@pytest.fixture
def store():
    """Return a store that this process hosts."""
    return dist.TCPStore("127.0.0.1", 0, 1, is_master=True, timeout=datetime.timedelta(seconds=30))


@pytest.fixture
def watches(store):
    """Return the watches of two of three ranks."""
    both = [Watch(store, rank, 3) for rank in range(2)]
    yield both
    for each in both:
        each.close()


def _fail_in(watch, position):
    with pytest.raises(LookupError), watch.waiting(position):
        raise LookupError


def test_ranks_that_live_in_unlike_collectives_are_a_deadlock(store, watches):
    third = Watch(store, 2, 3)
    with watches[1].waiting(OTHER), third.waiting(AT):
        found = watches[0].explain(AT, TIMED_OUT)
        # A connection is closed by the rank whose time is up first.
        again = watches[0].explain(AT, CLOSED)
    third.close()
    for each in (found, again):
        assert isinstance(each, Deadlock)
        assert "rank 1 is in all_gather #3, ranks 0, 2 in all_reduce #3" in str(each)
    assert str(found).endswith("The backend said: Timed out waiting 4000ms")
    assert found.__cause__ is TIMED_OUT


def test_a_rank_that_has_never_told_anything_is_lost(watches):
    with watches[1].waiting(AT):
        found = watches[0].explain(AT, TIMED_OUT)
    assert isinstance(found, RankLost)
    assert "all_reduce #3: rank 2 says nothing, ranks 0, 1 are in all_reduce" in str(found)


def test_a_rank_that_computes_is_past_its_last_collective(store, watches):
    third = Watch(store, 2, 3)
    with third.waiting(AT):
        pass
    found = watches[0].explain(OTHER, TIMED_OUT)
    third.close()
    assert isinstance(found, Deadlock)
    assert "rank 1 has been in no collective" in str(found)
    assert "rank 2 is past all_reduce #3" in str(found)


def test_a_rank_that_has_left_has_ended_and_one_that_has_failed_stays_where_it_was(store, watches):
    third = Watch(store, 2, 3)
    third.close()
    _fail_in(watches[1], OTHER)
    watches[1].close()
    found = watches[0].explain(AT, TIMED_OUT)
    assert isinstance(found, RankLost)
    assert "rank 1 in all_gather #3" in str(found)
    assert "rank 2 has ended" in str(found)


def test_a_store_that_does_not_answer_holds_nobody(watches, monkeypatch):
    release = threading.Event()
    monkeypatch.setattr(module, "_ANSWER_S", 0.05)

    class Stopped:
        def check(self, keys):
            release.wait()
            return False

    watches[0]._reading = Stopped()
    found = watches[0].explain(AT, TIMED_OUT)
    release.set()
    assert isinstance(found, RankLost)
    assert "ranks 1, 2 say nothing" in str(found)


def test_a_store_whose_host_is_gone_says_nothing_of_the_others(watches):
    class Gone:
        def check(self, keys):
            raise dist.DistNetworkError("gone")

    watches[0]._reading = Gone()
    assert "ranks 1, 2 say nothing" in str(watches[0].explain(AT, CLOSED))


def _tell(store, rank, number, **more):
    """Write a beat of a rank that has no watch here."""
    beat = Beat(number=number, state="is past all_reduce #2 of dp", **more)
    store.set(f"watch/{rank}", module._encode(beat))


def _look_long_ago(watch):
    """Let a watch have waited long, and have looked at the others; then wait for their beats."""
    sample = watch._read()
    watch._since_s = time.monotonic() - 200
    watch._samples = [(time.monotonic() - 100, sample)]
    while watch._read()[1].number == sample[1].number:
        assert watch._thread.is_alive()


def test_who_has_waited_long_has_looked_before_and_answers_at_once(store, watches, monkeypatch):
    _tell(store, 2, 7)
    with watches[0].waiting(AT), watches[1].waiting(AT):
        while 1 not in watches[0]._read():
            assert watches[1]._thread.is_alive()
        _look_long_ago(watches[0])
        slept = []
        monkeypatch.setattr(module.time, "sleep", slept.append)
        found = watches[0].explain(AT, TIMED_OUT)
    assert slept == [0]
    assert isinstance(found, RankLost)
    assert "rank 2 says nothing, ranks 0, 1 are in all_reduce #3" in str(found)


def test_a_rank_that_lived_until_now_is_lost_when_its_connection_is_closed(store, watches):
    _tell(store, 2, 7)
    with watches[0].waiting(AT), watches[1].waiting(AT):
        while 1 not in watches[0]._read():
            assert watches[1]._thread.is_alive()
        _look_long_ago(watches[0])
        # Its last word came after that look.
        _tell(store, 2, 8)
        found = watches[0].explain(AT, CLOSED)
    assert isinstance(found, RankLost)
    assert "rank 2 says nothing" in str(found)


def test_who_waits_looks_at_the_others(watches):
    with watches[0].waiting(AT):
        while not watches[0]._samples:
            assert watches[0]._thread.is_alive()
    assert 1 in watches[0]._samples[0][1]
    assert watches[1]._samples == []
