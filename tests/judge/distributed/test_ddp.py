"""A small data-parallel wrapper is judged: bits, order, overlap and traffic."""

import pytest

from tests.judge.distributed.arena import BANK, judge
from torchstone.bank.schema import Limits
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = [pytest.mark.full, pytest.mark.sandbox]

FOLDER = BANK / "problems/97_ddp"
DDP = {
    "problem_id": "97",
    "folder": FOLDER,
    "names": ("MiniDDP",),
    "probe": (FOLDER / "probe.py").read_text(encoding="utf-8"),
    "content_hash": "ddp",
    "limits": Limits(wall_s=60.0, cpu_s=20.0, memory_mib=1024),
}


def read(name: str) -> str:
    return (FOLDER / f"{name}.py").read_text(encoding="utf-8")


def test_a_right_wrapper_is_accepted(pool: WorkerPool) -> None:
    report = judge(pool, read("solution"), **DDP)
    assert report.verdict == "AC", report


@pytest.mark.gate("full-ready_order*", "full-sum_not_mean*")
@pytest.mark.parametrize(
    ("name", "aspect", "group"),
    [
        ("sum_not_mean", "value", "basic"),
        ("no_initial_broadcast", "value", "basic"),
        ("ready_order", "value", "order"),
        ("blocking_hook", "property", "overlap"),
    ],
)
def test_a_wrong_wrapper_fails_in_its_group(
    pool: WorkerPool, name: str, aspect: str, group: str
) -> None:
    report = judge(pool, read(f"wrong/{name}"), **DDP)
    assert (report.verdict, report.aspect, report.group) == ("WA", aspect, group), report
