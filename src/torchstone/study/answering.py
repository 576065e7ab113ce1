"""Rating of an answer to a question, computed from its marks and circumstances."""

import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

import msgspec

from torchstone.core.i18n import both
from torchstone.study.rating import Rated, Rating

# Thresholds as shares of the total weight of a question's key points.
LEAST_HARD, LEAST_GOOD, LEAST_EASY = 0.4, 0.7, 0.9
# A share is a quotient of small integers; 0.7 of 10 must count as 0.7.
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerEvidence:
    """Facts about one answer that determine its rating.

    Args:
        shown_first: Whether the learner looked at the answer before giving one.
        is_aloud: Whether the answer was spoken, and its points were ticked by hand.
        coverage: Share of the weights, after corrections.
        marked_coverage: Share of the weights found by the marker.
        num_credited: Points that the learner added: "I did say that".
        num_denied: Points that the learner removed: "I did not".
        num_taken_back: Misconceptions that the learner rejected.
        num_misconceptions: Misconceptions that remain.
        seconds: Duration; None if unknown.
        planned_minutes: The planned time of the question.
    """

    shown_first: bool
    is_aloud: bool
    coverage: float
    marked_coverage: float
    num_credited: int
    num_denied: int
    num_taken_back: int
    num_misconceptions: int
    seconds: float | None
    planned_minutes: float

    def __post_init__(self) -> None:
        """Check the ranges of the values."""
        for share in (self.coverage, self.marked_coverage):
            # The negated comparison refuses NaN too.
            if not 0 <= share <= 1:
                raise ValueError(f"AnswerEvidence: coverage is {share}; expected 0 to 1.")
        if self.seconds is not None and not 0 <= self.seconds < math.inf:
            raise ValueError(f"AnswerEvidence: seconds is {self.seconds}; expected 0 or more.")

    def as_json(self) -> dict[str, Any]:
        """Return the evidence as the JSON object of the review log."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakenProgram:
    """Wrong program with a mistake that a question asks about.

    Args:
        problem: The problem.
        submission: Id in the history.
    """

    problem: str
    submission: str

    def as_json(self) -> dict[str, Any]:
        """Return the evidence as the JSON object of the review log."""
        return asdict(self)


def rate_answer(evidence: AnswerEvidence) -> Rated:
    """Compute the rating of an answer.

    Again is an answer that was viewed first, a coverage below 40 %, or a misconception that was not
    taken back. Hard is a coverage below 70 %. Easy is 90 % found by the marker alone, within the
    planned minutes. All other answers are Good, including those with points credited by hand.
    """
    if evidence.shown_first:
        return _rated(Rating.AGAIN, "shown_first")
    percent = round(100 * evidence.coverage)
    if evidence.num_misconceptions:
        return _rated(Rating.AGAIN, "misconception", count=evidence.num_misconceptions)
    if not _reaches(evidence.coverage, LEAST_HARD):
        return _rated(Rating.AGAIN, "little", percent=percent)
    if not _reaches(evidence.coverage, LEAST_GOOD):
        return _rated(Rating.HARD, "part", percent=percent)
    if evidence.is_aloud:
        return _rated(Rating.GOOD, "aloud", percent=percent)
    by_marker = min(evidence.marked_coverage, evidence.coverage)
    if not _reaches(by_marker, LEAST_EASY):
        why = "credited" if evidence.num_credited else "most"
        return _rated(Rating.GOOD, why, percent=percent, count=evidence.num_credited)
    if evidence.seconds is None:
        return _rated(Rating.GOOD, "untimed", percent=percent)
    values = {
        "percent": percent,
        "seconds": math.ceil(evidence.seconds),
        "minutes": f"{evidence.planned_minutes:g}",
    }
    in_time = evidence.seconds <= 60 * evidence.planned_minutes
    return (
        _rated(Rating.EASY, "in_time", **values)
        if in_time
        else _rated(Rating.GOOD, "slow", **values)
    )


def explain_answer_rating(rating: int, evidence: Mapping[str, object]) -> dict[str, str]:
    """Explain the rating of an answer from the evidence in the review log.

    If the current rules give another rating, or the evidence has another form, the explanation says
    that the reason is unknown.
    """
    kinds: tuple[type[AnswerEvidence | MistakenProgram], ...] = (AnswerEvidence, MistakenProgram)
    for kind in kinds:
        with suppress(msgspec.ValidationError):
            rated = _rate(msgspec.convert(evidence, kind))
            if rated.rating == rating:
                return rated.reason
    return both("study.rated.unknown")


def _rate(evidence: AnswerEvidence | MistakenProgram) -> Rated:
    if isinstance(evidence, MistakenProgram):
        return _rated(Rating.AGAIN, "mistaken", problem=evidence.problem)
    return rate_answer(evidence)


def _reaches(share: float, least: float) -> bool:
    return share >= least - _ROUNDING


def _rated(rating: Rating, why: str, **values: object) -> Rated:
    return Rated(rating=rating, reason=both(f"study.answered.{why}", **values))
