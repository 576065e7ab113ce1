"""The pool beside a worker pool that fails: every job ends, and every slot comes back."""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Any

import pytest

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.core.errors import JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.assignment import assignment_of
from torchstone.judge.events import Emit, Event
from torchstone.judge.order import JudgeFault, Order
from torchstone.judge.pool.executor import LocalPool

ORDER = Order(
    assignment=assignment_of(load_problem(CONTENT / "problems/01_softmax")), source="", seed=1
)


class Broken:
    """Stand for a worker pool whose zygotes cannot be had any more."""

    capacity = 1
    isolation = Isolation.NONE

    def __init__(self, revive: Callable[[], None] = lambda: None) -> None:
        self.revive = revive

    def supervisor(self, order: Order, emit: Emit, *, slot: int) -> Any:
        raise JudgeFault("\x1b[31mit broke")

    def workers(self, slot: int) -> Any:
        raise JudgeFault("\x1b[31mit broke")


def no_sandbox() -> None:
    raise JudgeUnavailable("judge.zygote_failed", reason="no memory")


async def judge(pool: LocalPool) -> list[Event]:
    async with aclosing(pool.judge(ORDER)) as events:
        return [event async for event in events]


@pytest.mark.parametrize("revive", [lambda: None, no_sandbox], ids=["revived", "not revived"])
def test_a_job_ends_with_a_report_whatever_fails(revive: Callable[[], None]) -> None:
    pool = LocalPool(Broken(revive))  # type: ignore[arg-type]

    async def twice() -> list[Event]:
        await asyncio.wait_for(judge(pool), 10)
        return await asyncio.wait_for(judge(pool), 10)

    events = asyncio.run(twice())
    assert events[-1].report.verdict == "IE"
    assert "\x1b" not in str(events)
    pool.close()


def test_an_expression_is_tried_again_before_the_judge_is_called_unavailable() -> None:
    revived: list[int] = []
    pool = LocalPool(Broken(lambda: revived.append(1)))  # type: ignore[arg-type]
    for _ in range(2):
        with pytest.raises(JudgeUnavailable):
            asyncio.run(asyncio.wait_for(pool.scratch(ORDER, "1"), 10))
    assert len(revived) == 4
    pool.close()
