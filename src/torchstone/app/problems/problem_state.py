"""Progress and review state of each problem, as the mastery map needs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from torchstone.bank import Bank, Problem, ProblemSpec
from torchstone.study import Standing

if TYPE_CHECKING:
    # Only their shapes are needed; importing the store would import SQLAlchemy.
    from torchstone.store import Progress, ReviewCard, Store


@dataclass(frozen=True, kw_only=True)
class ProblemState:
    """The progress with one problem and its place in the review schedule.

    Attributes:
        progress: All that happened with it.
        card: Its review card; None before the first review.
        undone_at: When one of its reviews was undone last; None when none ever was.
        now: The moment, in the learner's time zone.
    """

    progress: Progress
    card: ReviewCard | None
    undone_at: datetime | None
    now: datetime

    @cached_property
    def is_due(self) -> bool:
        """Return whether it is to be written again today."""
        if self.card is None:
            return False
        return day_of(self.card.due, self.now) <= self.now.date()

    @property
    def is_open(self) -> bool:
        """Return whether what is handed in now is evidence of a review."""
        return self.card is None or self.is_due

    @cached_property
    def evidence_since(self) -> datetime | None:
        """Return the moment after which evidence counts; None when all of history does.

        What is handed in before the date proves that it was not yet forgotten, and no more. What
        an undone review was decided from is spent: else the next look would decide it again.
        """
        moments = []
        if self.card is not None:
            day = self.card.due.astimezone(self.now.tzinfo)
            moments += [
                self.card.reviewed_at,
                day.replace(hour=0, minute=0, second=0, microsecond=0),
            ]
        if self.undone_at is not None:
            moments.append(self.undone_at)
        return max(moments, default=None)

    @property
    def is_tried(self) -> bool:
        """Return whether anything was done with it here."""
        known = self.progress
        return bool(known.attempts or known.hints or known.started_at or known.solution_seen_at)

    @property
    def is_over(self) -> bool:
        """Return whether it was ever accepted or given up."""
        return self.progress.is_accepted or self.progress.solution_seen_at is not None

    @property
    def is_settled(self) -> bool:
        """Return whether it was accepted or given up, and no new proof is wanted.

        What is opened then is no evidence of anything: hints, editorial and solutions are free.
        """
        is_wanted_anew = self.card is None and self.undone_at is not None
        return self.is_over and not self.is_due and not is_wanted_anew


def item_of(problem: Problem) -> str:
    """Name a problem as the review log does."""
    return f"problem:{problem.id}"


def local_now() -> datetime:
    """Read the clock in the learner's time zone: what is due later today is due today."""
    return datetime.now().astimezone()


def facts_of(bank: Bank) -> tuple[ProblemSpec, ...]:
    """Return what the map must know of each problem, in the order of the bank."""
    return tuple(problem.spec for problem in bank)


def day_of(moment: datetime, now: datetime) -> date:
    """Return the learner's calendar day of a moment."""
    return moment.astimezone(now.tzinfo).date()


def find_state(store: Store, problem: Problem, now: datetime) -> ProblemState:
    """Read where the learner stands with one problem."""
    item = item_of(problem)
    return ProblemState(
        progress=store.progress(problem.id),
        card=store.review_card(item),
        undone_at=store.last_undo(item),
        now=now,
    )


def find_states(store: Store, bank: Bank, now: datetime) -> dict[str, ProblemState]:
    """Read where the learner stands with every problem that was touched, by its id."""
    progress, cards, undos = store.all_progress(), store.review_cards(), store.last_undos()
    places = {}
    for problem in bank:
        item, known = item_of(problem), progress.get(problem.id)
        if known is not None or item in cards:
            places[problem.id] = ProblemState(
                # A review may be known without its submissions, from another machine.
                progress=known or store.progress(problem.id),
                card=cards.get(item),
                undone_at=undos.get(item),
                now=now,
            )
    return places


def highest_rung(store: Store, place: ProblemState) -> int:
    """Return the highest rung of the hints that counts in the next review."""
    activity = store.activity(place.progress.problem_id, since=place.evidence_since)
    return max((hint.rung for hint in activity.hints), default=0)


def standings(places: Mapping[str, ProblemState]) -> dict[str, Standing]:
    """Return what the map must know of the problems that were touched."""
    return {
        problem_id: Standing(
            accepted=place.progress.is_accepted,
            tried=place.is_tried,
            card=place.card.card if place.card else None,
        )
        for problem_id, place in places.items()
    }
