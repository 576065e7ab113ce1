"""The pool: back-pressure, cancellation, and what becomes of a job whose zygote dies."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.judge.left import descendants
from tests.reports import tag
from torchstone.bank.loader import CONTENT, load_problem
from torchstone.core import paths
from torchstone.judge.assignment import assignment_of
from torchstone.judge.events import Emit, Event, Stage, StageReached
from torchstone.judge.order import Order
from torchstone.judge.pool.executor import LocalPool
from torchstone.judge.pool.submission_supervisor import Supervisor
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = pytest.mark.sandbox

PROBLEM = CONTENT / "problems/01_softmax"
SOLUTION = (PROBLEM / "solution.py").read_text(encoding="utf-8")
STUCK = f"{SOLUTION}\nimport time\ntime.sleep(1000)\n"


@pytest.fixture(scope="module")
def worker_pool(strangers: list[int]) -> Iterator[WorkerPool]:
    made = WorkerPool(bank_root=CONTENT, cache=paths.cache_dir(), capacity=2)
    with made.running():
        yield made


@pytest.fixture
def pool(worker_pool: WorkerPool) -> Iterator[LocalPool]:
    made = LocalPool(worker_pool)
    yield made
    made.close()


def order(source: str = SOLUTION, problem: Path = PROBLEM) -> Order:
    assignment = assignment_of(load_problem(problem))
    # What is stuck stays so until a test ends it.
    limits = msgspec.structs.replace(assignment.limits, wall_s=3600.0)
    assignment = replace(assignment, limits=limits)
    return Order(assignment=assignment, source=source, seed=5, groups=("sample",), explain=False)


async def collect(events: AsyncGenerator[Event, None]) -> list[Event]:
    async with aclosing(events):
        return [event async for event in events]


def has_new_process(known: set[int], strangers: list[int]) -> bool:
    return not known.issuperset(descendants(besides=strangers))


async def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that is certain to come; the limit only ends a test that failed."""
    deadline = time.monotonic() + 120
    while not is_so():
        assert time.monotonic() < deadline, "it does not come"
        await asyncio.sleep(0.01)


def verdict(events: list[Event]) -> Any:
    return events[-1].report.verdict


def test_more_jobs_than_slots_wait_and_are_all_judged(pool: LocalPool) -> None:
    async def run() -> tuple[list[list[Event]], int]:
        tasks = [asyncio.create_task(collect(pool.judge(order()))) for _ in range(5)]
        # Each task runs until it has a slot or waits for one, before the first job can end.
        await asyncio.sleep(0)
        waiting = pool.num_waiting
        return await asyncio.gather(*tasks), waiting

    found, waiting = asyncio.run(run())
    assert waiting == 5 - pool.capacity
    assert [verdict(events) for events in found] == ["AC"] * 5
    assert [events[0].ahead for events in found] == [0, 0, 0, 1, 2]
    assert pool.num_waiting == 0


def test_events_come_in_their_order(pool: LocalPool) -> None:
    events = asyncio.run(collect(pool.judge(order())))
    assert [tag(event) for event in events] == [
        "queued", "stage", "started", "stage", "case", "verdict", "done",
    ]  # fmt: skip
    stages = [event for event in events if isinstance(event, StageReached)]
    assert [each.stage for each in stages] == [Stage.PREPARING, Stage.RUNNING]
    times = [each.at_ms for each in (events[0], *stages)]
    assert times == sorted(times)


def test_closing_the_iterator_ends_the_job_and_frees_its_slot(
    pool: LocalPool, strangers: list[int]
) -> None:
    for _ in range(pool.capacity):  # so that every slot has its template
        asyncio.run(collect(pool.judge(order())))
    before = descendants(besides=strangers)

    async def run() -> None:
        for _ in range(3):
            known = set(descendants(besides=strangers))
            events = pool.judge(order(STUCK))
            async for event in events:
                if tag(event) == "started":
                    await until(partial(has_new_process, known, strangers))
                    break
            await events.aclose()

    asyncio.run(run())
    assert verdict(asyncio.run(collect(pool.judge(order())))) == "AC"
    # Two cancelled references make room for one warm one.
    assert len(descendants(besides=strangers)) <= len(before)


def test_a_waiting_job_can_be_cancelled(pool: LocalPool) -> None:
    async def run() -> list[Event]:
        stuck = [pool.judge(order(STUCK)) for _ in range(pool.capacity)]
        for events in stuck:
            async for event in events:
                if tag(event) == "started":
                    break
        waiting = asyncio.create_task(collect(pool.judge(order())))
        await until(lambda: pool.num_waiting == 1)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert pool.num_waiting == 0
        for events in stuck:
            await events.aclose()
        return await collect(pool.judge(order()))

    assert verdict(asyncio.run(run())) == "AC"


@pytest.fixture
def kill_at_start(
    worker_pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> Callable[[int], None]:
    """Return a function that lets the next jobs lose their zygotes as soon as they start.

    They are killed in the thread of the job, which does not go on meanwhile.
    """

    def arrange(num_kills: int) -> None:
        make, left = worker_pool.supervisor, [None] * num_kills

        def supervisor(order: Order, emit: Emit, *, slot: int) -> Supervisor:
            def kill_and_emit(event: Event) -> None:
                if tag(event) == "started" and left:
                    left.pop()
                    for pid in worker_pool.pids:
                        os.kill(pid, signal.SIGKILL)
                emit(event)

            return make(order, kill_and_emit, slot=slot)

        monkeypatch.setattr(
            WorkerPool, "supervisor", lambda _, *args, **kw: supervisor(*args, **kw)
        )

    return arrange


@pytest.mark.full
def test_a_job_whose_zygote_dies_is_judged_again(
    pool: LocalPool, worker_pool: WorkerPool, kill_at_start: Callable[[int], None]
) -> None:
    old = worker_pool.pids
    kill_at_start(1)
    events = [
        event
        for event in asyncio.run(collect(pool.judge(order())))
        if tag(event) in ("started", "interrupted", "done")
    ]
    assert [tag(event) for event in events] == ["started", "interrupted", "started", "done"]
    assert verdict(events) == "AC"
    assert worker_pool.pids != old


@pytest.mark.full
def test_a_job_that_is_interrupted_twice_is_a_fault_of_ours(
    pool: LocalPool, kill_at_start: Callable[[int], None]
) -> None:
    kill_at_start(2)
    events = asyncio.run(collect(pool.judge(order(STUCK))))
    assert verdict(events) == "IE"
    assert [tag(event) for event in events].count("interrupted") == 2
    assert verdict(asyncio.run(collect(pool.judge(order())))) == "AC"
