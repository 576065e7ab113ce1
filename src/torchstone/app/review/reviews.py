"""Review list and review log: due dates, reasons and undo."""

from dataclasses import dataclass
from datetime import datetime

from torchstone.app.home import Home
from torchstone.app.judging.submission import JsonObject
from torchstone.app.problems.catalog import title_of
from torchstone.app.problems.problem_state import day_of, item_of, local_now
from torchstone.app.questions.question_state import find_question_states
from torchstone.app.review.after_verdict import settle, settle_all
from torchstone.app.review.log import ReviewLine, lines_of
from torchstone.app.review.question_reviews import QuestionQueue, list_question_reviews
from torchstone.bank import Problem
from torchstone.core.errors import BadInput
from torchstone.store import ReviewEntry
from torchstone.study import (
    CurvePoint,
    DayCount,
    explain_date,
    explain_rating,
    forecast,
    forgetting_curve,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewItem:
    """The state of one problem in the review schedule, by its last valid review.

    Args:
        due: The next due date.
        strength: The chance to solve it unaided now, 0 to 1.
        stability_days: The days until that chance falls to 90 %.
        difficulty: The difficulty of the problem, 1 to 10.
        rating: 1 Again, 2 Hard, 3 Good, 4 Easy.
        reason: The reason of the rating, in both languages.
        date_reason: The reason of the date, in both languages.
        evidence: The evidence of the rating.
        curve: The chance from the day of the review on.
    """

    problem_id: str
    title: dict[str, str]
    due: datetime
    reviewed_at: datetime
    strength: float
    stability_days: float
    difficulty: float | None
    rating: int
    reason: dict[str, str]
    date_reason: dict[str, str]
    evidence: JsonObject
    curve: tuple[CurvePoint, ...]

    @property
    def number(self) -> str:
        """Return the number under which it is listed."""
        return self.problem_id


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewList:
    """All scheduled reviews.

    Args:
        due: The problems due today, weakest first.
        later: The other problems, soonest first.
        forecast: The days from today on; an overdue review counts for today.
        questions: The questions, which are reviewed beside the problems.
    """

    due: tuple[ReviewItem, ...]
    later: tuple[ReviewItem, ...]
    forecast: tuple[DayCount, ...]
    questions: QuestionQueue


def list_reviews(home: Home) -> ReviewList:
    """List due and later reviews; first record the missing reviews of acceptances."""
    now = local_now()
    with home.open_store() as store:
        settle_all(store, home.bank, now)
        entries = store.last_reviews()
        asked = list_question_reviews(home, find_question_states(store, now))
    items = [
        _item(problem, entries[item_of(problem)], now)
        for problem in home.bank
        if item_of(problem) in entries
    ]
    due = [item for item in items if day_of(item.due, now) <= now.date()]
    later = [item for item in items if day_of(item.due, now) > now.date()]
    return ReviewList(
        due=tuple(sorted(due, key=lambda item: item.strength)),
        later=tuple(sorted(later, key=lambda item: item.due)),
        forecast=forecast([*(item.due for item in items), *asked.dates], now),
        questions=asked,
    )


def review_log(home: Home, name: str) -> tuple[ReviewLine, ...]:
    """List the reviews of a problem, newest first, including undone ones."""
    problem = home.problem(name)
    with home.open_store() as store:
        settle(store, problem, local_now())
        entries = store.review_log(item_of(problem))
    return lines_of(entries, explain_rating)


def undo_review(home: Home, name: str, *, reviewed_at: datetime | None = None) -> ReviewItem | None:
    """Undo the last valid review of a problem; the previous review is then valid again.

    The evidence of the undone review no longer counts: only later submissions are evidence of
    another review.

    Args:
        home: The learner's home.
        name: The problem.
        reviewed_at: The moment of the review to undo, so that two equal requests undo one review;
            the last review by default.

    Returns:
        The new state of the problem; None if it has no review left.

    Raises:
        BadInput: There is no review to undo, or the given review is not the last one.
    """
    problem, now = home.problem(name), local_now()
    item = item_of(problem)
    with home.open_store() as store:
        # Record the missing review of an acceptance first: it is the last review, and is undone.
        settle(store, problem, now)
        if not store.undo_review(item, reviewed_at=reviewed_at):
            raise BadInput("app.no_review", problem=problem.id)
        entry = store.last_reviews().get(item)
    return _item(problem, entry, now) if entry else None


def _item(problem: Problem, entry: ReviewEntry, now: datetime) -> ReviewItem:
    why = explain_date(entry.card, now)
    return ReviewItem(
        problem_id=problem.id,
        title=title_of(problem),
        due=entry.due,
        reviewed_at=entry.reviewed_at,
        strength=why.retrievability,
        stability_days=why.stability_days,
        difficulty=why.difficulty,
        rating=entry.rating,
        reason=explain_rating(entry.rating, entry.evidence),
        date_reason=why.sentence,
        evidence=entry.evidence,
        curve=forgetting_curve(entry.card),
    )
