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
    # For types only; an import of the store would import SQLAlchemy.
    from torchstone.store import Progress, ReviewCard, Store


@dataclass(frozen=True, kw_only=True)
class ProblemState:
    """The progress with one problem and its state in the review schedule.

    Attributes:
        progress: All activities and submissions.
        card: Its review card; None before the first review.
        undone_at: The time of the last undo of a review; None if there is none.
        now: The current time, in the learner's time zone.
    """

    progress: Progress
    card: ReviewCard | None
    undone_at: datetime | None
    now: datetime

    @cached_property
    def is_due(self) -> bool:
        """Return whether a review is due today."""
        if self.card is None:
            return False
        return day_of(self.card.due, self.now) <= self.now.date()

    @property
    def is_open(self) -> bool:
        """Return whether a submission now is evidence of a review."""
        return self.card is None or self.is_due

    @cached_property
    def evidence_since(self) -> datetime | None:
        """Return the moment after which evidence counts; None if all of the history counts.

        A submission before the due date only proves that the learner has not forgotten it yet. The
        evidence of an undone review no longer counts; otherwise the next call would record the
        review again.
        """
        moments = []
        if self.card is not None:
            day = self.card.due.astimezone(self.now.tzinfo)
            moments += [
                self.card.ordered_at,
                day.replace(hour=0, minute=0, second=0, microsecond=0),
            ]
        if self.undone_at is not None:
            moments.append(self.undone_at)
        return max(moments, default=None)

    @property
    def is_tried(self) -> bool:
        """Return whether the learner started, submitted or reviewed it."""
        known = self.progress
        return bool(known.is_submitted or known.hints or known.started_at or known.solution_seen_at)

    @property
    def is_over(self) -> bool:
        """Return whether it was accepted or given up at any time."""
        return self.progress.is_accepted or self.progress.solution_seen_at is not None

    @property
    def is_settled(self) -> bool:
        """Return whether it was accepted or given up, and no review is due.

        Opening hints, editorial and solutions is then no evidence.
        """
        needs_proof = self.card is None and self.undone_at is not None
        return self.is_over and not self.is_due and not needs_proof


def item_of(problem: Problem) -> str:
    """Return the name of a problem in the review log."""
    return f"problem:{problem.id}"


def local_now() -> datetime:
    """Return the current time in the learner's time zone, which defines what is due today."""
    return datetime.now().astimezone()


def facts_of(bank: Bank) -> tuple[ProblemSpec, ...]:
    """Return the facts of each problem that the map needs, in the order of the bank."""
    return tuple(problem.spec for problem in bank)


def day_of(moment: datetime, now: datetime) -> date:
    """Return the learner's calendar day of a moment."""
    return moment.astimezone(now.tzinfo).date()


def find_state(store: Store, problem: Problem, now: datetime) -> ProblemState:
    """Read the learner's state with one problem."""
    item = item_of(problem)
    return ProblemState(
        progress=store.progress(problem.id),
        card=store.review_card(item),
        undone_at=store.last_undo(item),
        now=now,
    )


def find_states(store: Store, bank: Bank, now: datetime) -> dict[str, ProblemState]:
    """Read the learner's state with every touched problem, by problem id."""
    progress, cards, undos = store.all_progress(), store.review_cards(), store.last_undos()
    states = {}
    for problem in bank:
        item, known = item_of(problem), progress.get(problem.id)
        if known is not None or item in cards:
            states[problem.id] = ProblemState(
                # A review from another machine can exist without its submissions.
                progress=known or store.progress(problem.id),
                card=cards.get(item),
                undone_at=undos.get(item),
                now=now,
            )
    return states


def highest_rung(store: Store, state: ProblemState) -> int:
    """Return the highest rung of the hints that counts in the next review."""
    activity = store.activity(state.progress.problem_id, since=state.evidence_since)
    return max((hint.rung for hint in activity.hints), default=0)


def standings_of(states: Mapping[str, ProblemState]) -> dict[str, Standing]:
    """Return the progress of the touched problems in the form that the map needs."""
    return {
        problem_id: Standing(
            accepted=state.progress.is_accepted,
            tried=state.is_tried,
            card=state.card.card if state.card else None,
            proven_at=state.progress.last_accepted_at,
        )
        for problem_id, state in states.items()
    }
