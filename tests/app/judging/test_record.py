"""The record of a problem: a run of the samples is never its verdict nor its proof."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.reports import make_case, stored_report
from torchstone.app.home import Home
from torchstone.app.judging.record import LastVerdict, ProblemRecord, Proof, find_record
from torchstone.judge.messages import plain
from torchstone.store.schema import submissions
from torchstone.study import Status

pytestmark = pytest.mark.pure


def run_samples(home: Home, key: str, verdict: str = "AC") -> str:
    with home.open_store() as store:
        added = store.add_submission("01", "pass\n", kind="run", client_key=key)
        assert store.claim(added, "host")
        assert store.record_verdict(added, stored_report("01", verdict), {})
    return added


def told(last: LastVerdict | None) -> tuple[str, str] | None:
    return None if last is None else (last.id, last.verdict)


def test_an_untouched_problem_has_an_empty_record(home: Home) -> None:
    assert find_record(home, "01") == ProblemRecord(
        status=Status.UNTOUCHED,
        attempts=0,
        num_submissions=0,
        num_runs=0,
        last=None,
        run=None,
        proof=None,
    )


def test_a_run_that_passes_is_no_submission_no_verdict_and_no_proof(home: Home) -> None:
    run = run_samples(home, "run")
    found = find_record(home, "softmax")
    assert (found.status, found.attempts, found.num_submissions) == (Status.UNTOUCHED, 0, 0)
    assert (found.last, found.proof, found.num_runs) == (None, None, 1)
    assert told(found.run) == (run, "AC")


def test_the_last_verdict_is_that_of_the_last_submission(
    home: Home, record: Callable[..., str]
) -> None:
    record(verdict="RTE")
    wrong = record(verdict="WA")
    found = find_record(home, "01")
    assert (found.status, found.num_submissions, found.run) == (Status.TRIED, 2, None)
    assert told(found.last) == (wrong, "WA")
    run = run_samples(home, "run")
    found = find_record(home, "01")
    assert (told(found.last), told(found.run)) == ((wrong, "WA"), (run, "AC"))
    # A submission takes the place of the runs before it.
    record(verdict="CE")
    found = find_record(home, "01")
    assert (found.run, found.num_runs, found.attempts) == (None, 1, 2)
    with home.open_store() as store:
        store.add_submission("01", "pass\n", client_key="waiting")
    assert find_record(home, "01").last == found.last


def test_a_proof_stays_after_a_wrong_answer(home: Home, record: Callable[..., str]) -> None:
    cases = [plain(make_case(index)) for index in range(27)]
    record()
    proof = record(cases=cases, planned=27)
    record(verdict="WA")
    found = find_record(home, "01")
    assert found.status is Status.PROVEN
    assert found.proof == Proof(id=proof, num_passed=27, num_planned=27)
    assert found.last is not None
    assert found.last.verdict == "WA"
    assert find_record(home, "02").proof is None


@pytest.mark.parametrize(
    "damage", [{"report": '{"verdict": "AC"}'}, {"source": "changed"}, {"report": "{"}]
)
def test_a_damaged_proof_does_not_close_the_problem(
    home: Home, record: Callable[..., str], damage: dict[str, Any]
) -> None:
    record()
    with home.open_store() as store, store._engine.begin() as connection:
        connection.execute(submissions.update().values(**damage))
    found = find_record(home, "01")
    assert (found.status, found.proof) == (Status.PROVEN, None)
