"""Schedule a review of a question or problem that a report recommends."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from torchstone.app.home import Home
from torchstone.app.interview.reading import report_interview
from torchstone.app.problems.problem_state import find_state, item_of, local_now
from torchstone.app.questions import asking
from torchstone.core.errors import NotFound
from torchstone.study import Evidence, rate, review

_QUESTION = "question:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduled:
    """Date of the next review of a question or a problem.

    Args:
        review: The item of the review log.
    """

    review: str
    due: datetime


def review_step(home: Home, name: str, item: str) -> Scheduled:
    """Record the result of an interview as a review, so that its subject is scheduled.

    An item that is scheduled already keeps its date.

    Raises:
        NotFound: The report of the interview does not recommend this item.
    """
    report = report_interview(home, name)
    step = next((each for each in report["advice"] if each["item"] == item), None)
    if step is None:
        known = ", ".join(each["item"] for each in report["advice"]) or "-"
        raise NotFound("interview.step_unknown", came=item[:60], known=known)
    found: str = step["review"]
    if found.startswith(_QUESTION):
        return Scheduled(review=found, due=_question_due(home, found.removeprefix(_QUESTION)))
    return Scheduled(review=found, due=_problem_due(home, found))


def _question_due(home: Home, question: str) -> datetime:
    # Equivalent to a spoken answer with no key points: it is due soon.
    due = asking.hand_in(home, question, asking.Given(said=())).due
    assert due is not None, "an answer leaves a date"
    return due


def _problem_due(home: Home, number: str) -> datetime:
    problem, now = home.problem(number), local_now()
    with home.open_store() as store:
        state = find_state(store, problem, now)
        if state.card is None:
            evidence = Evidence(
                accepted=False,
                tries=1,
                highest_rung=0,
                solution_seen=False,
                minutes=None,
                planned_minutes=problem.spec.minutes.practice,
            )
            scheduled = review(None, rate(evidence).rating, now)
            store.record_review(
                item_of(problem),
                previous=None,
                rating=rate(evidence).rating,
                evidence=evidence.as_json() | {"submission": None},
                card=scheduled.card,
                due=scheduled.due,
                reviewed_at=now,
            )
            state = find_state(store, problem, now)
    assert state.card is not None, "a review leaves a card"
    return state.card.due
