"""What torch does wrong after a fork is no verdict: the job is judged again, and then it is IE."""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing

import pytest

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.core import paths
from torchstone.core.verdict import Verdict
from torchstone.judge.assignment import assignment_of
from torchstone.judge.events import Done, Event, Interrupted
from torchstone.judge.order import JudgeFault, Order, raise_fault_of_torch
from torchstone.judge.pool.executor import LocalPool
from torchstone.judge.pool.worker_pool import WorkerPool

ASSIGNMENT = assignment_of(load_problem(CONTENT / "problems/01_softmax"))
TEXT = (
    'pool INTERNAL ASSERT FAILED at "/pytorch/aten/src/ATen/ParallelOpenMP.cpp":64, please report'
)


@pytest.mark.pure
@pytest.mark.parametrize(
    "error", [None, "text", {}, {"message": 1}, {"message": "x INTERNAL ASSERT FAILED at y.cpp"}]
)
def test_no_other_exception_is_a_fault_of_torch(error: object) -> None:
    raise_fault_of_torch(error)


@pytest.mark.pure
@pytest.mark.parametrize("before", ["", "Caught RuntimeError in replica 1.\nTraceback: ...\n"])
def test_the_text_is_found_inside_another_one(before: str) -> None:
    with pytest.raises(JudgeFault, match="pool of threads"):
        raise_fault_of_torch({"message": f"{before}{TEXT}"})


@pytest.fixture(scope="module")
def pool() -> Iterator[LocalPool]:
    worker_pool = WorkerPool(bank_root=CONTENT, cache=paths.cache_dir(), capacity=1)
    with worker_pool.running():
        made = LocalPool(worker_pool)
        yield made
        made.close()


@pytest.mark.full
@pytest.mark.sandbox
@pytest.mark.parametrize("place", ["load", "call"])
def test_it_is_judged_again_and_then_a_fault_of_the_judge(pool: LocalPool, place: str) -> None:
    raising = f"raise RuntimeError({TEXT!r})"
    source = f"def softmax(x, dim=-1):\n    {raising}\n"
    source += raising if place == "load" else ""
    order = Order(assignment=ASSIGNMENT, source=source, seed=5, groups=("sample",), explain=False)

    async def collect() -> list[Event]:
        async with aclosing(pool.judge(order)) as events:
            return [event async for event in events]

    events = asyncio.run(collect())
    assert sum(isinstance(event, Interrupted) for event in events) == 2
    last = events[-1]
    assert isinstance(last, Done)
    assert last.report is not None
    assert last.report.verdict is Verdict.IE
