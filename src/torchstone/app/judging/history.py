"""Submission history of a problem, recent submissions, and one submission with its report."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from torchstone.app.home import Home
from torchstone.app.judging.submission import Judged, judged_from
from torchstone.app.problems.catalog import title_of
from torchstone.bank import Problem
from torchstone.core.errors import BadInput, NotFound
from torchstone.core.verdict import State, Verdict
from torchstone.judge.messages import read_report
from torchstone.store import Submission, SubmissionKind, SubmissionSummary

NUM_RECENT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLine:
    """One submission of a problem."""

    id: str
    kind: SubmissionKind
    state: State
    verdict: Verdict | None
    time_ms: float | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentLine(HistoryLine):
    """One submission among those of all problems."""

    problem_id: str
    title: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRecord(RecentLine):
    """One submission with all that is known of it, whatever its state.

    Args:
        judged: What came of it; None before the verdict.
    """

    finished_at: datetime | None
    source: str
    judged: Judged | None


def list_history(
    home: Home, name: str, *, limit: int = 50, before: str | None = None
) -> tuple[HistoryLine, ...]:
    """List what was submitted to a problem, newest first.

    Args:
        home: Where the learner works.
        name: The problem.
        limit: How many at most.
        before: The id of the last one of the page before this one.

    Raises:
        NotFound: ``before`` is no submission.
    """
    problem = home.problem(name)
    with home.open_store() as store:
        found = store.submissions_of(problem.id, limit=limit, before=before)
    return tuple(HistoryLine(**_shared(each)) for each in found)


def count_submissions(home: Home, name: str | None = None) -> int:
    """Count what was submitted to a problem, or what counted as an attempt at any of them.

    That is how much ``list_history`` or ``recent_submissions`` would list without a limit.
    """
    with home.open_store() as store:
        if name is not None:
            return store.count_submissions([home.problem(name).id])
        return store.count_submissions([problem.id for problem in home.bank], kind="submit")


def recent_submissions(home: Home, *, limit: int = NUM_RECENT) -> tuple[RecentLine, ...]:
    """List what was submitted last to any problem, newest first; runs are left out."""
    titles = {problem.id: title_of(problem) for problem in home.bank}
    with home.open_store() as store:
        found = store.recent_submissions(titles, kind="submit", limit=limit)
    return tuple(
        RecentLine(**_shared(each), problem_id=each.problem_id, title=titles[each.problem_id])
        for each in found
    )


def read_submission(home: Home, prefix: str) -> SubmissionRecord:
    """Read one submission by the first digits of its id, with its source and its report.

    Raises:
        NotFound: There is no such submission, or its problem is not in the bank.
        BadInput: Several ids begin like this, or its report is none.
    """
    with home.open_store() as store:
        found = store.find_submission(prefix)
    problem = home.problem(found.problem_id)
    return SubmissionRecord(
        **_shared(found),
        problem_id=problem.id,
        title=title_of(problem),
        finished_at=found.finished_at,
        source=found.source,
        judged=_judged(problem, found, found.report) if found.report else None,
    )


def recall(home: Home, name: str, prefix: str) -> Judged:
    """Find one submission of a problem again, with its report.

    Raises:
        NotFound: There is no such submission of this problem.
        BadInput: It has no verdict, or its report is none.
    """
    problem = home.problem(name)
    with home.open_store() as store:
        submission = store.find_submission(prefix)
    if submission.problem_id != problem.id:
        raise NotFound("store.submission_unknown", id=prefix)
    if submission.report is None:
        raise BadInput("app.no_verdict", id=submission.id, state=submission.state)
    return _judged(problem, submission, submission.report)


def _judged(problem: Problem, found: Submission, stored: object) -> Judged:
    try:
        report = read_report(stored)
    except ValueError as error:
        # No judge writes such a report, but a file of exported progress may hold any.
        raise BadInput("app.report_unreadable", id=found.id) from error
    return judged_from(problem, report, submission=found.id)


def _shared(found: SubmissionSummary) -> dict[str, Any]:
    return {each.name: getattr(found, each.name) for each in fields(HistoryLine)}
