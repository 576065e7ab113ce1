"""A slow case is graded, and shown, while the next one runs; fast ones go in batches."""

import time

import pytest

from tests.shipped import shipped_bank
from torchstone.core.verdict import Verdict
from torchstone.judge.assignment import assignment_of
from torchstone.judge.events import Case
from torchstone.judge.messages import Report
from torchstone.judge.order import Order
from torchstone.judge.pool.submission_supervisor import BATCHED_MS
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = pytest.mark.sandbox

PROBLEM = shipped_bank().get("01")
SLOW_S = 1.2 * BATCHED_MS / 1000
# Sleeps in each call whose number is in the set; the sample cases take two calls each.
SLEEPING = """
import itertools, time
_right, _calls = softmax, itertools.count()
def softmax(*args, **kwargs):
    if {when}:
        time.sleep({seconds})
    return _right(*args, **kwargs)
"""


def judge(worker_pool: WorkerPool, when: str, *groups: str) -> tuple[Report, list[float]]:
    """Judge the model solution, with pauses; return the moments at which cases were shown."""
    source = PROBLEM.solution.source + SLEEPING.format(when=when, seconds=SLOW_S)
    order = Order(assignment=assignment_of(PROBLEM), source=source, seed=3, groups=groups or None)
    moments: list[float] = []
    report = worker_pool.judge(
        order, lambda event: moments.append(time.monotonic()) if isinstance(event, Case) else None
    )
    return report, moments


def test_a_slow_case_is_shown_before_the_case_after_the_next_begins(
    worker_pool: WorkerPool,
) -> None:
    report, moments = judge(worker_pool, "True", "sample", "small")
    assert report.verdict is Verdict.AC
    assert 4 <= len(moments) <= 9
    assert moments[-1] - moments[0] >= SLOW_S * (len(moments) - 2)


@pytest.mark.full
@pytest.mark.parametrize("when", ["False", "next(_calls) == 0", "next(_calls) % 7 == 0"])
def test_every_case_is_judged_whichever_of_them_are_slow(
    worker_pool: WorkerPool, when: str
) -> None:
    report, moments = judge(worker_pool, when)
    assert report.verdict is Verdict.AC
    assert len(moments) == len(report.cases) == report.planned > 20
