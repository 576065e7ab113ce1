"""The learner's record with one problem: its state, its last verdict and its proof."""

from dataclasses import dataclass
from datetime import datetime

from torchstone.app.home import Home
from torchstone.app.problems.problem_state import ProblemState, find_state, local_now
from torchstone.core.errors import StoreError
from torchstone.core.verdict import Verdict
from torchstone.judge.messages import read_report
from torchstone.store import Store, SubmissionSummary
from torchstone.study import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class LastVerdict:
    """The last judged submission of a problem, or its last run of the samples."""

    id: str
    verdict: Verdict
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The last accepted submission, with its number of passed cases."""

    id: str
    num_passed: int
    num_planned: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemRecord:
    """Progress of the learner with a problem.

    Args:
        attempts: The number of tries.
        num_submissions: The number of submissions in any state; runs do not count.
        num_runs: The number of runs of the samples.
        last: The last judged submission; a run never is.
        run: The last run of the samples, if it is later than ``last``.
        proof: None if no submission is accepted, or the report of the last accepted one is damaged.
    """

    status: Status
    attempts: int
    num_submissions: int
    num_runs: int
    last: LastVerdict | None
    run: LastVerdict | None
    proof: Proof | None


def find_record(home: Home, name: str) -> ProblemRecord:
    """Read the learner's record with a problem."""
    problem = home.problem(name)
    with home.open_store() as store:
        state = find_state(store, problem, local_now())
        last = store.last_judged(problem.id, kind="submit")
        newest = store.last_judged(problem.id)
        num_submissions = store.count_submissions([problem.id], kind="submit")
        num_runs = store.count_submissions([problem.id], kind="run")
        proof = _find_proof(store, problem.id)
    return ProblemRecord(
        status=_status_of(state),
        attempts=state.progress.attempts,
        num_submissions=num_submissions,
        num_runs=num_runs,
        last=_verdict_of(last),
        run=_verdict_of(newest) if newest is not None and newest.kind == "run" else None,
        proof=proof,
    )


def _status_of(state: ProblemState) -> Status:
    if state.progress.is_accepted:
        return Status.PROVEN
    return Status.TRIED if state.is_tried else Status.UNTOUCHED


def _verdict_of(found: SubmissionSummary | None) -> LastVerdict | None:
    if found is None or found.verdict is None:
        return None
    return LastVerdict(id=found.id, verdict=found.verdict, created_at=found.created_at)


def _find_proof(store: Store, problem_id: str) -> Proof | None:
    found = store.last_judged(problem_id, kind="submit", verdict=Verdict.AC)
    if found is None:
        return None
    try:
        report = read_report(store.get_submission(found.id).report)
    except (StoreError, ValueError):
        # The problem can be opened and written again; `torchstone system` names the damaged row.
        return None
    passed = sum(case.code is Verdict.AC for case in report.cases)
    return Proof(id=found.id, num_passed=passed, num_planned=report.planned)
