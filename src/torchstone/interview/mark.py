"""``Mark``: the automatic score of an answer, and its evidence."""

from __future__ import annotations

from typing import Literal

import msgspec

MOST_PERCENT = 100
_SCALE = 10_000
# Weights of groups of cases; missing groups are skipped.
GROUP_WEIGHTS = {
    "sample": 0.1,
    "small": 0.2,
    "edge": 0.2,
    "scale": 0.1,
    "layout": 0.1,
    "large": 0.1,
    "grad": 0.2,
}


class Stated(msgspec.Struct, frozen=True, kw_only=True):
    """Key point, criterion, claim, group of cases or misconception, with the evidence for it."""

    id: str
    quote: str = ""


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """Automatic score of an answer.

    Attributes:
        points: Score in ten-thousandths, an integer so that its serialization is unique.
        by: Scoring method.
        found: Statements found, with quotes of the answer.
        missed: Statements not found.
        mistakes: Misconceptions found.
        refusal: Reason why the answer was not marked, such as ``list_of_words``.
        verdict: Verdict of the judge on a program.
        is_unsure: Whether a person should review it: a discussion marked by key points.
    """

    points: int
    by: Literal["marker", "judge", "set"]
    found: tuple[Stated, ...] = ()
    missed: tuple[str, ...] = ()
    mistakes: tuple[Stated, ...] = ()
    refusal: str | None = None
    verdict: str | None = None
    is_unsure: bool = False

    @property
    def score(self) -> float:
        """Return the score, 0 to 1."""
        return self.points / _SCALE


def to_points(score: float) -> int:
    """Convert a score, clamped to [0, 1], to ten-thousandths."""
    return round(_SCALE * min(max(score, 0.0), 1.0))


def prose_score(coverage: float, num_mistakes: int) -> float:
    """Return the score of prose: its coverage minus 0.5 per misconception."""
    return min(max(coverage - 0.5 * num_mistakes, 0.0), 1.0)


def set_score(said: frozenset[str], right: frozenset[str]) -> float:
    """Return the F1 score of a predicted set."""
    if not said and not right:
        return 1.0
    return 2 * len(said & right) / (len(said) + len(right))


def program_score(verdict: str, passed: dict[str, bool]) -> float:
    """Return the score of a program: the weighted share of passed groups."""
    if verdict == "AC":
        return 1.0
    if verdict == "FORBIDDEN_OP" or not passed:
        return 0.0
    # A group without a specific weight counts as a small one.
    weights = {name: GROUP_WEIGHTS.get(name, 0.2) for name in passed}
    earned = sum(weights[name] for name, is_passed in passed.items() if is_passed)
    return earned / sum(weights.values())
