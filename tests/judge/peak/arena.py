"""Judge programs against a tiny problem whose peak memory the host measures."""

from pathlib import Path

from torchstone.bank.schema import Deny, Kind, Limits
from torchstone.judge.messages import Report
from torchstone.judge.order import Assignment, Order
from torchstone.judge.pool.worker_pool import WorkerPool

BANK = Path(__file__).with_name("bank")
FOLDER = BANK / "problems/96_fill"
SOLUTION = (FOLDER / "solution.py").read_text(encoding="utf-8")
FILL = Assignment(
    problem_id="96",
    folder=FOLDER,
    kind=Kind.FUNCTION,
    names=("fill",),
    limits=Limits(wall_s=20.0, cpu_s=20.0, memory_mib=1024),
    deny=Deny(),
    probe=(FOLDER / "probe.py").read_text(encoding="utf-8"),
    content_hash="fill",
)


def judge(pool: WorkerPool, source: str, *, explain: bool = False) -> Report:
    """Judge a program."""
    order = Order(assignment=FILL, source=source, seed=20_261, explain=explain)
    return pool.judge(order, lambda event: None)
