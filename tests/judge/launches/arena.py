"""Judge programs against the tiny launched problem of these tests."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from torchstone.bank.schema import Deny, Kind, Limits, Starter
from torchstone.judge.messages import Report
from torchstone.judge.order import Assignment, Order
from torchstone.judge.pool.worker_pool import WorkerPool

BANK = Path(__file__).with_name("bank")
FOLDER = BANK / "problems/94_sum"
SOLUTION = (FOLDER / "solution.py").read_text(encoding="utf-8")
SUM = Assignment(
    problem_id="94",
    folder=FOLDER,
    kind=Kind.SCRIPT,
    names=("train.py",),
    limits=Limits(wall_s=20.0, cpu_s=20.0, memory_mib=2048, disk_mib=16, processes=8),
    deny=Deny(),
    probe=(FOLDER / "probe.py").read_text(encoding="utf-8"),
    content_hash="sum",
    started_by=Starter.TORCHRUN,
)
MAIN = "\nmain()\n"
SUMMED = "    total = torch.tensor(number)\n"


def order(source: str, *groups: str, **changes: Any) -> Order:
    """Return an order; ``changes`` replace entries of the assignment."""
    return Order(
        assignment=replace(SUM, **changes),
        source=source,
        seed=20_261,
        groups=groups or None,
        explain=False,
    )


def judge(pool: WorkerPool, source: str, *groups: str, slot: int = 0, **changes: Any) -> Report:
    """Judge a program."""
    return pool.judge(order(source, *groups, **changes), lambda event: None, slot=slot)


def with_act(act: str) -> str:
    """Return the solution that does something in each rank after it has joined the group."""
    lines = act.replace("\n", "\n    ")
    head = "import multiprocessing as mp, signal, socket, subprocess, time\n"
    return head + SOLUTION.replace(SUMMED, f"    {lines}\n{SUMMED}")
