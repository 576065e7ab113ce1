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
    """One submission of a problem.

    Args:
        is_try: Whether it counts as a try at the problem, like those of a rating.
    """

    id: str
    kind: SubmissionKind
    state: State
    verdict: Verdict | None
    time_ms: float | None
    created_at: datetime
    is_try: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentLine(HistoryLine):
    """One submission in the list over all problems."""

    problem_id: str
    title: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRecord(RecentLine):
    """One submission with all stored fields, in any state.

    Args:
        judged: The judged report; None before the verdict.
    """

    finished_at: datetime | None
    source: str
    judged: Judged | None


def list_history(
    home: Home,
    name: str,
    *,
    kind: SubmissionKind | None = None,
    limit: int = 50,
    before: str | None = None,
) -> tuple[HistoryLine, ...]:
    """List the submissions of a problem, newest first.

    Args:
        home: The learner's home.
        name: The problem.
        kind: Submissions alone, or runs of the samples alone; both by default.
        limit: The maximal number.
        before: The id of the last submission of the previous page.

    Raises:
        NotFound: ``before`` is not a submission.
    """
    problem = home.problem(name)
    with home.open_store() as store:
        found = store.submissions_of(problem.id, kind=kind, limit=limit, before=before)
    return tuple(HistoryLine(**_shared(each)) for each in found)


def count_submissions(
    home: Home, name: str | None = None, *, kind: SubmissionKind = "submit"
) -> int:
    """Count the submissions of a problem, or of all problems, without runs of the samples.

    ``list_history`` and ``recent_submissions`` return as many entries without a limit.
    """
    problems = home.bank if name is None else [home.problem(name)]
    with home.open_store() as store:
        return store.count_submissions([problem.id for problem in problems], kind=kind)


def recent_submissions(home: Home, *, limit: int = NUM_RECENT) -> tuple[RecentLine, ...]:
    """List the last submissions over all problems, newest first; runs are excluded."""
    titles = {problem.id: title_of(problem) for problem in home.bank}
    with home.open_store() as store:
        found = store.recent_submissions(titles, kind="submit", limit=limit)
    return tuple(
        RecentLine(**_shared(each), problem_id=each.problem_id, title=titles[each.problem_id])
        for each in found
    )


def read_submission(home: Home, prefix: str) -> SubmissionRecord:
    """Read one submission by a prefix of its id, with source and report.

    Raises:
        NotFound: No submission has this prefix, or its problem is not in the bank.
        BadInput: Several ids have this prefix, or the stored report is not valid.
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
    """Read one judged submission of a problem, with its report.

    Raises:
        NotFound: The problem has no such submission.
        BadInput: The submission has no verdict, or the stored report is not valid.
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
        # The judge writes no such report, but an imported file can contain any.
        raise BadInput("app.report_unreadable", id=found.id) from error
    return judged_from(problem, report, kind=found.kind, submission=found.id)


def _shared(found: SubmissionSummary) -> dict[str, Any]:
    return {each.name: getattr(found, each.name) for each in fields(HistoryLine)}
