"""Where a learner stands with one problem, and what that opens to them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

from torchstone.bank import Bank, Problem, ProblemSpec
from torchstone.study import Standing

if TYPE_CHECKING:
    # Only their shapes are needed; importing the store would import SQLAlchemy.
    from torchstone.store import Progress, ReviewCard, Store


@dataclass(frozen=True, kw_only=True)
class Place:
    """The progress with one problem and its place in the review schedule.

    Attributes:
        progress: All that happened with it.
        card: Its review card; None before the first review.
        now: The moment, in the learner's time zone.
    """

    progress: Progress
    card: ReviewCard | None
    now: datetime

    @cached_property
    def is_due(self) -> bool:
        """Tell whether it is to be written again today."""
        if self.card is None:
            return False
        return self.card.due.astimezone(self.now.tzinfo).date() <= self.now.date()

    @cached_property
    def evidence_since(self) -> datetime | None:
        """Give the moment after which evidence counts; None when all of history does.

        What is handed in before the date proves that it was not yet forgotten, and no more.
        """
        if self.card is None:
            return None
        day = self.card.due.astimezone(self.now.tzinfo).replace(hour=0, minute=0, second=0)
        return max(self.card.reviewed_at, day.replace(microsecond=0))

    @property
    def is_settled(self) -> bool:
        """Tell whether it was accepted or given up, and is not due again.

        What is opened then is no evidence of anything: hints, editorial and solutions are free.
        """
        is_over = self.progress.is_accepted or self.progress.solution_seen_at is not None
        return is_over and not self.is_due

    @property
    def highest_rung(self) -> int:
        """Give the highest rung of the hints that counts."""
        since = self.evidence_since
        opened = [
            hint.rung for hint in self.progress.hints if since is None or hint.opened_at > since
        ]
        return max(opened, default=0)


def item_of(problem: Problem) -> str:
    """Name a problem as the review log does."""
    return f"problem:{problem.id}"


def local_now() -> datetime:
    """Read the clock in the learner's time zone: what is due later today is due today."""
    return datetime.now().astimezone()


def facts_of(bank: Bank) -> tuple[ProblemSpec, ...]:
    """Give what the map must know of each problem, in the order of the bank."""
    return tuple(problem.spec for problem in bank)


def find_place(store: Store, problem: Problem, now: datetime) -> Place:
    """Read where the learner stands with one problem."""
    return Place(
        progress=store.progress(problem.id), card=store.review_card(item_of(problem)), now=now
    )


def standings(store: Store, bank: Bank) -> dict[str, Standing]:
    """Read where the learner stands with every problem that was touched."""
    progress, cards = store.all_progress(), store.review_cards()
    found = {}
    for problem in bank:
        known, card = progress.get(problem.id), cards.get(item_of(problem))
        if known is not None or card is not None:
            found[problem.id] = Standing(
                accepted=known is not None and known.is_accepted,
                tried=known is not None,
                card=card.card if card else None,
            )
    return found
