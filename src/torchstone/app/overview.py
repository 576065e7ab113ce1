"""What is proven, what fades, what is due, what comes next; and what was submitted before."""

from dataclasses import dataclass
from datetime import datetime

from torchstone.app.catalog import title_of
from torchstone.app.home import Home
from torchstone.app.judging import Judged, judged_from
from torchstone.app.reviewing import settle
from torchstone.app.standing import facts_of, local_now, standings
from torchstone.core.errors import BadInput, NotFound
from torchstone.core.verdict import State, Verdict
from torchstone.study import DueItem, MapCell, NextProblem, Status, draw_map


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """The map in numbers.

    Args:
        cells: The problems of each part and number of stars, counted.
        due: What to write again today, weakest first.
        next: The one thing to do next; None when all is proven and nothing is due.
        titles: The titles of the problems, by id.
    """

    num_proven: int
    num_tried: int
    num_untouched: int
    cells: tuple[MapCell, ...]
    due: tuple[DueItem, ...]
    next: NextProblem | None
    titles: dict[str, dict[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryLine:
    """One submission of a problem."""

    id: str
    kind: str
    state: State
    verdict: Verdict | None
    time_ms: float | None
    created_at: datetime


def look_over(home: Home) -> Overview:
    """Draw the map; acceptances that no terminal has seen yet are reviewed first."""
    now = local_now()
    with home.open_store() as store:
        for problem in home.bank:
            settle(store, problem, now)
        drawn = draw_map(facts_of(home.bank), standings(store, home.bank), now)
    counts = {status: sum(one.status is status for one in drawn.problems) for status in Status}
    return Overview(
        num_proven=counts[Status.PROVEN],
        num_tried=counts[Status.TRIED],
        num_untouched=counts[Status.UNTOUCHED],
        cells=drawn.cells,
        due=drawn.due,
        next=drawn.next,
        titles={problem.id: title_of(problem) for problem in home.bank},
    )


def list_history(home: Home, name: str, *, limit: int = 50) -> tuple[HistoryLine, ...]:
    """List what was submitted to a problem, newest first."""
    problem = home.problem(name)
    with home.open_store() as store:
        found = store.submissions_of(problem.id, limit=limit)
    return tuple(
        HistoryLine(
            id=each.id,
            kind=each.kind,
            state=each.state,
            verdict=each.verdict,
            time_ms=each.time_ms,
            created_at=each.created_at,
        )
        for each in found
    )


def recall(home: Home, name: str, prefix: str) -> Judged:
    """Find one submission of a problem again, with its report.

    Raises:
        NotFound: There is no such submission of this problem.
        BadInput: It has no verdict.
    """
    problem = home.problem(name)
    with home.open_store() as store:
        submission = store.find_submission(prefix)
    if submission.problem_id != problem.id:
        raise NotFound("store.submission_unknown", id=prefix)
    if submission.report is None:
        raise BadInput("app.no_verdict", id=submission.id, state=submission.state)
    return judged_from(
        problem, submission.report, submission=submission.id, receipt=submission.receipt
    )
