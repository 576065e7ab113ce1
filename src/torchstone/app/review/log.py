"""Entries of the review log of one problem or one question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torchstone.store import ReviewEntry

Explain = Callable[[int, Mapping[str, object]], dict[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewLine:
    """One entry of a review log.

    Args:
        undone_at: The time of its undo; None while it is valid.
        can_undo: Whether the next undo applies to it.
    """

    reviewed_at: datetime
    rating: int
    reason: dict[str, str]
    evidence: dict[str, Any]
    due: datetime
    undone_at: datetime | None
    can_undo: bool


def lines_of(entries: Sequence[ReviewEntry], explain: Explain) -> tuple[ReviewLine, ...]:
    """Return the entries, newest first, including undone ones.

    Args:
        entries: Oldest first.
        explain: The function that explains a rating from its evidence.
    """
    last = max((each.reviewed_at for each in entries if each.undone_at is None), default=None)
    return tuple(
        ReviewLine(
            reviewed_at=each.reviewed_at,
            rating=each.rating,
            reason=explain(each.rating, each.evidence),
            evidence=each.evidence,
            due=each.due,
            undone_at=each.undone_at,
            can_undo=each.reviewed_at == last,
        )
        for each in reversed(entries)
    )
