"""Whether a collective ends whatever this rank does next, and in which order a line runs them."""

from __future__ import annotations

import threading

import pytest
import torch

from torchstone.distributed import World, run_threads
from torchstone.distributed.comm.calls import Call
from torchstone.distributed.comm.queued import Line, QueuedWork
from torchstone.distributed.comm.waiting import is_joined

pytestmark = [pytest.mark.torch]


def test_what_is_left_of_a_work_is_asked_for_when_no_other_one_waits() -> None:
    nothing = torch.empty(0)
    works = [QueuedWork(Call(op="barrier", tensor=nothing, out=nothing), n, "") for n in range(3)]
    may_begin, events = threading.Event(), list[str]()

    def run(work: QueuedWork) -> None:
        may_begin.wait()
        events.append(f"begin {work.number}")

    line = Line(run, lambda: events.append("finish"), "line")
    for work in works:
        line.put(work)
    may_begin.set()
    line.close()
    # The end of the line may ask once more.
    assert events[:4] == ["begin 0", "begin 1", "begin 2", "finish"]
    assert events[4:] in ([], ["finish"])


def test_a_collective_is_joined_when_the_last_rank_has_launched_it() -> None:
    def play(world: World) -> list[bool]:
        comm = world.comm()
        if world.rank == 1:
            comm.duplicate().barrier()
        work = comm.all_reduce(torch.ones(3))
        found = [is_joined(work)]
        if world.rank == 0:
            # The other one comes to it only after the barrier: nobody can go on, and the time ends.
            found.append(is_joined(work, timeout_s=1e-4))
            comm.duplicate().barrier()
            found.append(is_joined(work, timeout_s=1e-4))
        work.wait()
        return found

    assert run_threads(play, 2) == [[False, False, True], [True]]


def test_a_work_that_a_thread_runs_is_joined_before_it_ends() -> None:
    nothing = torch.empty(0)
    works = [QueuedWork(Call(op="barrier", tensor=nothing, out=nothing), n, "") for n in range(2)]
    assert not is_joined(works[0])
    assert not is_joined(works[0], timeout_s=1e-3)
    works[0].joined.set()
    assert is_joined(works[0])
    works[1].end(ValueError("lost"))
    assert is_joined(works[1])
