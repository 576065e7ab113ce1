"""Review rating computed from the learner's actions."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import IntEnum
from typing import Any

import msgspec

from torchstone.core.i18n import both

# The third rung shows the shape of the solution; a learner who opens it does not know the method.
REVEALING_RUNG = 3
LAST_RUNG = 4
GOOD_TRIES = 2


class Rating(IntEnum):
    """The ratings of a review; the numbers are those of FSRS."""

    AGAIN = 1
    HARD = 2
    GOOD = 3
    EASY = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The learner's actions between one review of a problem and the next.

    Args:
        accepted: Whether a submission was accepted.
        tries: Tries up to the acceptance, inclusive; a program that cannot be loaded is none.
        highest_rung: The highest opened rung of the hints; 0 for none.
        solution_seen: Whether the learner viewed the solution before the acceptance.
        minutes: The minutes of work up to the acceptance, see ``gather_evidence``; None if they
            are unknown.
        planned_minutes: The planned time of the problem.
    """

    accepted: bool
    tries: int
    highest_rung: int
    solution_seen: bool
    minutes: float | None
    planned_minutes: float

    def __post_init__(self) -> None:
        """Check the ranges of the values."""
        if self.tries < int(self.accepted):
            raise ValueError(
                f"Evidence: tries is {self.tries}; expected at least {int(self.accepted)}."
            )
        if not 0 <= self.highest_rung <= LAST_RUNG:
            raise ValueError(f"Evidence: rung is {self.highest_rung}; expected 0 to {LAST_RUNG}.")
        # The negated comparison refuses NaN too.
        if self.minutes is not None and not 0 <= self.minutes < math.inf:
            raise ValueError(f"Evidence: minutes is {self.minutes}; expected a number from 0 up.")
        if not 0 < self.planned_minutes < math.inf:
            raise ValueError(f"Evidence: planned_minutes is {self.planned_minutes}; expected > 0.")

    def as_json(self) -> dict[str, Any]:
        """Return the evidence as the JSON object of the review log."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rated:
    """A rating and its reason, a sentence in both languages."""

    rating: Rating
    reason: dict[str, str]


def rate(evidence: Evidence) -> Rated:
    """Compute the rating; more tries, hints or minutes never improve it.

    Easy is an acceptance at the first try, without a hint, within the planned minutes. Good is an
    acceptance within two tries. Hard takes more tries or the third hint. Again is a viewed solution
    or no acceptance.
    """
    if evidence.solution_seen:
        return _rated(Rating.AGAIN, "solution_seen")
    if not evidence.accepted:
        return _rated(Rating.AGAIN, "not_accepted", tries=evidence.tries)
    if evidence.highest_rung >= REVEALING_RUNG:
        return _rated(Rating.HARD, "revealing_hint", rung=evidence.highest_rung)
    if evidence.tries > GOOD_TRIES:
        return _rated(Rating.HARD, "many_tries", tries=evidence.tries)
    if evidence.tries > 1:
        return _rated(Rating.GOOD, "second_try")
    if evidence.highest_rung > 0:
        return _rated(Rating.GOOD, "first_try_with_hint", rung=evidence.highest_rung)
    if evidence.minutes is None:
        return _rated(Rating.GOOD, "first_try_untimed")
    values = {
        "minutes": f"{math.ceil(evidence.minutes)}",
        "planned": f"{evidence.planned_minutes:g}",
    }
    if evidence.minutes > evidence.planned_minutes:
        return _rated(Rating.GOOD, "first_try_slow", **values)
    return _rated(Rating.EASY, "first_try_in_time", **values)


def explain_rating(rating: int, evidence: Mapping[str, object]) -> dict[str, str]:
    """Explain the rating of a review from the evidence in the review log.

    A recorded rating does not change. If the current rules give another rating, or the evidence has
    another version, the explanation says that the reason is unknown.
    """
    try:
        rated = rate(msgspec.convert(evidence, Evidence))
    except msgspec.ValidationError:
        return both("study.rated.unknown")
    return rated.reason if rated.rating == rating else both("study.rated.unknown")


def best_rating(evidence: Evidence) -> Rating:
    """Return the best achievable rating of a problem: that of an acceptance at the next try."""
    return rate(replace(evidence, accepted=True, tries=evidence.tries + 1)).rating


def _rated(rating: Rating, why: str, **values: object) -> Rated:
    return Rated(rating=rating, reason=both(f"study.rated.{why}", **values))
