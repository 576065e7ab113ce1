"""Judge programs against the tiny problem of these tests, whose submissions start workers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from torchstone.bank.schema import Deny, Kind, Limits
from torchstone.judge.messages import Report
from torchstone.judge.order import Assignment, Order
from torchstone.judge.pool.worker_pool import WorkerPool

BANK = Path(__file__).with_name("bank")
FOLDER = BANK / "problems/95_squares"
SOLUTION = (FOLDER / "solution.py").read_text(encoding="utf-8")
SQUARES = Assignment(
    problem_id="95",
    folder=FOLDER,
    kind=Kind.LOADER,
    names=("squares",),
    limits=Limits(wall_s=20.0, cpu_s=20.0, memory_mib=600, processes=4),
    deny=Deny(),
    probe=(FOLDER / "probe.py").read_text(encoding="utf-8"),
    content_hash="squares",
)


def order(source: str, *groups: str, explain: bool = False, **changes: Any) -> Order:
    """Return the order of a judgement; ``changes`` replace entries of the assignment."""
    return Order(
        assignment=replace(SQUARES, **changes),
        source=source,
        seed=20_261,
        groups=groups or None,
        explain=explain,
    )


def judge(pool: WorkerPool, source: str, *groups: str, slot: int = 0, **changes: Any) -> Report:
    """Judge a program."""
    return pool.judge(order(source, *groups, **changes), lambda event: None, slot=slot)
