import os

import pytest

from benchmarks import flakiness
from tests.benchmarks.test_judge import FAULTY, FakeClient

pytestmark = pytest.mark.pure


def test_no_verdict_counts_as_a_wrong_one() -> None:
    outcome = flakiness.judge_once(FakeClient(FAULTY), "01", "")  # type: ignore[arg-type]
    assert (outcome.verdict, outcome.is_right, outcome.interrupted) == ("-", False, 1)
    right = flakiness.Outcome("AC", is_right=True, ms=2.0, interrupted=0)
    row = flakiness.row_of("01", "solution", [right, outcome, right])
    assert row["wrong"] == row["interrupted"] == 1
    assert row["verdicts"] == {"AC": 2, "-": 1}


def test_the_load_shares_the_cores_and_ends() -> None:
    before = os.sched_getaffinity(0)
    one = {min(before)}
    with flakiness.loaded(1, one):
        assert os.sched_getaffinity(0) == one
    assert os.sched_getaffinity(0) == before
