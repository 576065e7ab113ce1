"""A machine that stands still is not charged to a submission, and one that sleeps still ends."""

from dataclasses import replace

import pytest

from tests.reports import tag
from tests.shipped import shipped_bank
from torchstone.bank.schema import Limits
from torchstone.core.verdict import Verdict
from torchstone.judge.assignment import assignment_of
from torchstone.judge.messages import Report
from torchstone.judge.order import Dead, Order, Outcome
from torchstone.judge.pool.submission_processes import SubmissionProcesses
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = pytest.mark.sandbox

PROBLEM = shipped_bank().get("01")
RIGHT = PROBLEM.solution.source
SHORT = Limits(wall_s=0.5, cpu_s=5.0, memory_mib=256)
WORK = "import time\nend = time.process_time() + 1.5\nwhile time.process_time() < end: pass\n"


def judge(worker_pool: WorkerPool, source: str) -> tuple[Report, list[str]]:
    """Return the report and the kinds of the events."""
    order = Order(
        assignment=replace(assignment_of(PROBLEM), limits=SHORT),
        source=source,
        seed=3,
        groups=("sample",),
        explain=False,
    )
    kinds: list[str] = []
    report = worker_pool.judge(order, lambda event: kinds.append(tag(event)))
    return report, kinds


@pytest.mark.full
@pytest.mark.parametrize(
    "act",
    [
        "time.sleep(1000)",
        "while True: time.sleep(0.001)",
        "lock = threading.Lock(); lock.acquire(); lock.acquire()",
        "os.read(os.pipe()[0], 1)",
    ],
)
def test_a_program_that_waits_for_ever_hangs_and_is_judged_twice(
    worker_pool: WorkerPool, act: str
) -> None:
    report, kinds = judge(worker_pool, f"{RIGHT}\nimport os, threading, time\n{act}\n")
    assert report.verdict == "HUNG"
    assert "0.5 s" in str(report.detail)
    assert kinds == ["stage", "started", "stage", "interrupted", "started", "verdict"]


def test_a_program_that_waits_while_it_answers_hangs_in_its_group(worker_pool: WorkerPool) -> None:
    source = RIGHT.replace("def softmax(", "def right(") + (
        "\n\ndef softmax(*args, **kwargs):\n    import time\n    time.sleep(1000)\n"
    )
    report, _ = judge(worker_pool, source)
    assert (report.verdict, report.group) == ("HUNG", "sample")


@pytest.mark.full
def test_a_busy_loop_uses_up_its_cpu_time_and_is_judged_once(worker_pool: WorkerPool) -> None:
    report, kinds = judge(worker_pool, f"{RIGHT}\nwhile True: pass\n")
    assert report.verdict == "TLE"
    assert "5 s of CPU time" in str(report.detail)
    assert kinds == ["stage", "started", "stage", "verdict"]


def test_a_right_answer_that_takes_long_by_the_wall_clock_is_accepted(
    worker_pool: WorkerPool,
) -> None:
    # Three times the limit of idle time: it works all the while, or waits for a processor.
    report, _ = judge(worker_pool, f"{WORK}{RIGHT}")
    assert report.verdict == "AC"
    assert (report.cpu_s or 0.0) > 1.5


def test_a_stall_that_passes_is_not_charged(
    worker_pool: WorkerPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    load, stalls = SubmissionProcesses.load, [1]

    def load_after_a_stall(processes: SubmissionProcesses) -> None:
        if stalls:
            stalls.pop()
            raise Dead(
                Outcome(code=Verdict.HUNG, detail={"en": "idle", "zh": "空闲"}, is_idle=True)
            )
        load(processes)

    monkeypatch.setattr(SubmissionProcesses, "load", load_after_a_stall)
    report, kinds = judge(worker_pool, RIGHT)
    assert report.verdict == "AC"
    assert [kind for kind in kinds if kind != "case"] == [
        "stage",
        "started",
        "interrupted",
        "started",
        "stage",
        "verdict",
    ]
    assert report.planned == len(report.cases) == kinds.count("case")
