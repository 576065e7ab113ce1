"""The pool: back-pressure, cancellation, and what becomes of a job whose zygote dies."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest

from tests.judge.left import descendants
from tests.reports import tag
from torchstone.bank.loader import CONTENT, load_problem
from torchstone.core import paths
from torchstone.judge.assignment import assignment_of
from torchstone.judge.events import Event
from torchstone.judge.order import Order
from torchstone.judge.pool.executor import LocalPool
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = pytest.mark.sandbox

PROBLEM = CONTENT / "problems/01_softmax"
SOLUTION = (PROBLEM / "solution.py").read_text(encoding="utf-8")
SLOW = f"{SOLUTION}\nimport time\ntime.sleep(0.3)\n"
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
    return Order(assignment=assignment, source=source, seed=5, groups=("sample",), explain=False)


async def collect(events: AsyncGenerator[Event, None]) -> list[Event]:
    async with aclosing(events):
        return [event async for event in events]


def verdict(events: list[Event]) -> Any:
    return events[-1].report.verdict


def test_more_jobs_than_slots_wait_and_are_all_judged(pool: LocalPool) -> None:
    async def run() -> tuple[list[list[Event]], int]:
        tasks = [asyncio.create_task(collect(pool.judge(order(SLOW)))) for _ in range(5)]
        await asyncio.sleep(0.1)
        waiting = pool.num_waiting
        return await asyncio.gather(*tasks), waiting

    found, waiting = asyncio.run(run())
    assert waiting == 5 - pool.capacity
    assert [verdict(events) for events in found] == ["AC"] * 5
    assert [events[0].ahead for events in found] == [0, 0, 0, 1, 2]
    assert pool.num_waiting == 0


def test_events_come_in_their_order(pool: LocalPool) -> None:
    events = asyncio.run(collect(pool.judge(order())))
    assert [tag(event) for event in events] == ["queued", "started", "case", "verdict", "done"]


def test_closing_the_iterator_ends_the_job_and_frees_its_slot(
    pool: LocalPool, strangers: list[int]
) -> None:
    for _ in range(pool.capacity):  # so that every slot has its template
        asyncio.run(collect(pool.judge(order())))
    before = descendants(besides=strangers)

    async def run() -> None:
        for _ in range(3):
            events = pool.judge(order(STUCK))
            async for event in events:
                if tag(event) == "started":
                    await asyncio.sleep(0.05)
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
        await asyncio.sleep(0.05)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        assert pool.num_waiting == 0
        for events in stuck:
            await events.aclose()
        return await collect(pool.judge(order()))

    assert verdict(asyncio.run(run())) == "AC"


def kill(worker_pool: WorkerPool) -> None:
    for pid in worker_pool.pids:
        os.kill(pid, signal.SIGKILL)


def test_a_job_whose_zygote_dies_is_judged_again(pool: LocalPool, worker_pool: WorkerPool) -> None:
    old = worker_pool.pids

    async def run() -> list[Event]:
        events = []
        async for event in pool.judge(order(SLOW)):
            if tag(event) == "started" and not events:
                kill(worker_pool)
            if tag(event) in ("started", "interrupted", "done"):
                events.append(event)
        return events

    events = asyncio.run(run())
    assert [tag(event) for event in events] == ["started", "interrupted", "started", "done"]
    assert verdict(events) == "AC"
    assert worker_pool.pids != old


def test_a_job_that_is_interrupted_twice_is_a_fault_of_ours(
    pool: LocalPool, worker_pool: WorkerPool
) -> None:
    async def run() -> list[Event]:
        events = []
        async for event in pool.judge(order(STUCK)):
            events.append(event)
            if tag(event) == "started":
                kill(worker_pool)
        return events

    events = asyncio.run(run())
    assert verdict(events) == "IE"
    assert [tag(event) for event in events].count("interrupted") == 2
    assert verdict(asyncio.run(collect(pool.judge(order())))) == "AC"
