"""``Mark``: how the machine scored one answer, and on what evidence."""

from __future__ import annotations

from typing import Literal

import msgspec

MOST_PERCENT = 100
_SCALE = 10_000
# The weights of the groups of cases; those that a problem lacks are left out.
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
    """A key point, criterion, claim, group of cases or misconception, and what shows it."""

    id: str
    quote: str = ""


class Mark(msgspec.Struct, frozen=True, kw_only=True):
    """The machine's score of an answer.

    Attributes:
        points: The score in ten-thousandths, a whole number so that its text is certain.
        by: What scored it.
        found: What the answer states, in its own words.
        missed: What it does not state.
        mistakes: Misconceptions that it states.
        refusal: Why it was not read, such as ``list_of_words``.
        verdict: The judge's verdict on a program.
        is_unsure: Whether a person should read it: a discussion that was marked by key points.
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
    """Return a score, clamped to 0 to 1, in ten-thousandths."""
    return round(_SCALE * min(max(score, 0.0), 1.0))


def prose_score(coverage: float, num_mistakes: int) -> float:
    """Return the score of prose: the weights found, less half for each misconception."""
    return min(max(coverage - 0.5 * num_mistakes, 0.0), 1.0)


def set_score(said: frozenset[str], right: frozenset[str]) -> float:
    """Return F1 of a predicted set."""
    if not said and not right:
        return 1.0
    return 2 * len(said & right) / (len(said) + len(right))


def program_score(verdict: str, passed: dict[str, bool]) -> float:
    """Return the score of a program: the weights of the groups that passed."""
    if verdict == "AC":
        return 1.0
    if verdict == "FORBIDDEN_OP" or not passed:
        return 0.0
    # A group without a weight of its own counts as a small one.
    weights = {name: GROUP_WEIGHTS.get(name, 0.2) for name in passed}
    earned = sum(weights[name] for name, is_passed in passed.items() if is_passed)
    return earned / sum(weights.values())
