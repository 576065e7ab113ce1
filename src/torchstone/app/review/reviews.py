"""Review list and review log: due dates, reasons and undo."""

from dataclasses import dataclass
from datetime import datetime

from torchstone.app.home import Home
from torchstone.app.judging.submission import JsonObject
from torchstone.app.problems.catalog import title_of
from torchstone.app.problems.problem_state import day_of, item_of, local_now
from torchstone.app.review.after_verdict import settle, settle_all
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
    """Where one problem stands in the review schedule, by its last review that counts.

    Args:
        due: When to write it again.
        strength: The chance to write it unaided now, 0 to 1.
        stability_days: The days after which that chance falls to 90 %.
        difficulty: How hard it is to keep, 1 to 10.
        rating: 1 Again, 2 Hard, 3 Good, 4 Easy.
        reason: Why this rating, in both languages.
        date_reason: Why this date, in both languages.
        evidence: What the rating was decided from.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewList:
    """All reviews to come.

    Args:
        due: What to write again today, weakest first.
        later: The rest, soonest first.
        forecast: The days from today on; what is overdue falls on today.
    """

    due: tuple[ReviewItem, ...]
    later: tuple[ReviewItem, ...]
    forecast: tuple[DayCount, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewLine:
    """One line of a problem's review log.

    Args:
        undone_at: When it was undone; None while it counts.
        can_undo: Whether it is the one that an undo would undo.
    """

    reviewed_at: datetime
    rating: int
    reason: dict[str, str]
    evidence: JsonObject
    due: datetime
    undone_at: datetime | None
    can_undo: bool


def list_reviews(home: Home) -> ReviewList:
    """List what is due and what comes later; what nobody has seen yet is reviewed first."""
    now = local_now()
    with home.open_store() as store:
        settle_all(store, home.bank, now)
        entries = store.last_reviews()
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
        forecast=forecast((item.due for item in items), now),
    )


def review_log(home: Home, name: str) -> tuple[ReviewLine, ...]:
    """List the reviews of a problem, newest first, those that were undone among them."""
    problem = home.problem(name)
    with home.open_store() as store:
        settle(store, problem, local_now())
        entries = store.review_log(item_of(problem))
    last = max((each.reviewed_at for each in entries if each.undone_at is None), default=None)
    return tuple(
        ReviewLine(
            reviewed_at=each.reviewed_at,
            rating=each.rating,
            reason=explain_rating(each.rating, each.evidence),
            evidence=each.evidence,
            due=each.due,
            undone_at=each.undone_at,
            can_undo=each.reviewed_at == last,
        )
        for each in reversed(entries)
    )


def undo_review(home: Home, name: str, *, reviewed_at: datetime | None = None) -> ReviewItem | None:
    """Undo the last review of a problem that counts; the one before it holds again.

    What the review was decided from counts no more: only what is handed in from now on is evidence
    of another one.

    Args:
        home: Where the learner works.
        name: The problem.
        reviewed_at: The review that is meant, so that asking twice undoes one; the last one when
            not given.

    Returns:
        Where the problem stands now; None when no review of it is left.

    Raises:
        BadInput: There is no review to undo, or the one that is meant is not the last.
    """
    problem, now = home.problem(name), local_now()
    item = item_of(problem)
    with home.open_store() as store:
        # An acceptance that nobody has looked at is the last review; the undo must not swallow it.
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
