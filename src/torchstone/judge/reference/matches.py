"""Choice of the wrong variants that explain a learner's wrong answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

# A part of a mistake: in how many calls it must be seen, and how much of the mistake it must be.
PART_CALLS = 3
PART_SHARE = 0.25

# A wrong tensor, or another fault, of one call: the number of the case, its part and the key.
Unit = tuple[int, int, str]


def misconception_of(name: str) -> str:
    """Return the name of the misconception of a file: ``no_shift.2`` is another ``no_shift``."""
    return name.partition(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Compare what a variant gets wrong with what the learner gets wrong.

    Attributes:
        wrong: What the variant gets wrong.
        alike: What both get wrong in the same way.
        is_measured: Whether numbers are alike, and not only the kinds of faults.
        parts: Tensors in which all that the learner gets wrong equals the variant's, and how many
            elements the learner gets wrong there, and the variant.
    """

    name: str
    wrong: frozenset[Unit]
    alike: frozenset[Unit]
    is_measured: bool
    parts: Mapping[Unit, tuple[int, int]]

    @property
    def shared(self) -> frozenset[Unit]:
        """Return what both get wrong in the same way, also where the variant has more wrong."""
        return self.alike or frozenset(self.parts)

    @property
    def num_cases(self) -> int:
        """Return the number of calls that both get wrong in the same way."""
        return len(calls_of(self.shared))

    @property
    def precision(self) -> float:
        """Return how much of what the variant gets wrong the learner gets wrong alike."""
        return len(self.alike) / max(1, len(self.wrong))

    def contains(self, units: Set[Unit]) -> bool:
        """Return whether all this is a part of what the variant gets wrong, and no small one."""
        if units != self.parts.keys() or len(calls_of(units)) < PART_CALLS:
            return False
        own = sum(num_own for num_own, _ in self.parts.values())
        return own >= PART_SHARE * sum(num_variant for _, num_variant in self.parts.values())


def calls_of(units: Iterable[Unit]) -> set[tuple[int, int]]:
    """Return the calls to which these faults belong."""
    return {unit[:2] for unit in units}


def outside(units: Iterable[Unit], calls: Set[tuple[int, int]]) -> set[Unit]:
    """Return the faults that belong to none of these calls."""
    return {unit for unit in units if unit[:2] not in calls}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Name the variants that explain the answers.

    Attributes:
        others: Variants that cannot be told apart from the first one.
        second: A variant that explains faults which the first one does not explain.
    """

    first: Match
    others: tuple[Match, ...] = ()
    second: Match | None = None

    def explains(self, unit: Unit) -> bool:
        """Return whether one of the variants explains a fault, or both together."""
        if self.second is None:
            return unit in self.first.shared
        both = calls_of(self.first.wrong) & calls_of(self.second.wrong)
        return unit in self.first.shared | self.second.shared or unit[:2] in both


class Choice:
    """Choose among the variants that were compared with a learner's answers.

    A variant explains the answers if most of what it gets wrong, the learner gets wrong in the
    same way, and if this is at least half of the learner's faults in the deciding group, or three
    quarters of all faults of both. A second slip of the learner may hide it elsewhere. Where both
    are wrong in one call only, all faults of both must be the same. A variant also explains the
    answers if they make a part of its mistake, as a forward without the backward. Of several
    variants the report names the one that explains the deciding group best. If none explains the
    answers alone, two mistakes may do so together; or a variant explains its own cases, and the
    learner's other faults have another cause.
    """

    def __init__(
        self, wrong: Set[Unit], matches: Sequence[Match], is_inside: Callable[[Unit], bool]
    ) -> None:
        """Take the learner's faults, the variants, and which faults are in the deciding group."""
        self._wrong = wrong
        self._matches = matches
        self._is_inside = is_inside

    def best(self) -> Chosen | None:
        """Choose the variant, if there is one."""
        ranked = sorted(filter(self._explains, self._matches), key=self.rank)
        # A part of two mistakes says of neither that it is made.
        ranked = ranked or self._containing()
        if not ranked and (pair := self._pair()) is not None:
            return self._chosen(pair[0], self._matches, pair[1])
        ranked = ranked or sorted(filter(self._explains_its_own, self._matches), key=self.rank)
        if not ranked:
            return None
        return self._chosen(ranked[0], ranked[1:], self._second(ranked[0]))

    def _chosen(self, first: Match, among: Iterable[Match], second: Match | None) -> Chosen:
        others = [
            each
            for each in among
            if each is not first and (each.alike, each.wrong) == (first.alike, first.wrong)
        ]
        return Chosen(first=first, others=tuple(others), second=second)

    def rank(self, match: Match) -> tuple[float, float, float, float, float, str]:
        """Return the sort key of a variant: the best one is the smallest."""
        return (
            -self._explains(match),
            -match.contains(self._wrong),
            -self._inside(match.alike),
            -self._shared(match),
            -match.precision,
            match.name,
        )

    def _containing(self) -> list[Match]:
        """Return the variant whose mistake the answers make a part of, if it is the only one."""
        found = [match for match in self._matches if match.contains(self._wrong)]
        return found if len(found) == 1 else []

    def _inside(self, units: Iterable[Unit]) -> int:
        """Count what is in the deciding group."""
        return sum(map(self._is_inside, units))

    def _explains(self, match: Match) -> bool:
        if not match.alike:
            return False
        if match.num_cases == 1 or not match.is_measured:
            # One case, or only kinds of faults: nothing else may differ.
            is_same = match.alike == match.wrong == self._wrong
            return is_same or (
                match.num_cases > 1 and self._shared(match) >= 0.5 and not self._conflicts(match)
            )
        if 2 * self._inside(match.alike) < self._inside(self._wrong):
            # The deciding group has a slip of its own, and nearly all else is explained.
            return self._shared(match) >= 0.75 and not self._conflicts(match)
        return match.precision >= 0.6 or (self._shared(match) >= 0.5 and not self._conflicts(match))

    def _explains_its_own(self, match: Match) -> bool:
        """Return whether the learner gets wrong in the same way nearly all that the variant does.

        The learner's other faults have another cause.
        """
        return (
            match.is_measured
            and match.num_cases >= 2
            and match.precision >= 0.75
            and not self._conflicts(match)
        )

    def _conflicts(self, match: Match) -> bool:
        """Return whether both are wrong somewhere in different ways."""
        return bool((match.wrong & self._wrong) - match.alike)

    def _shared(self, match: Match) -> float:
        """Return the part of all faults that both share."""
        return len(match.alike) / max(1, len(match.wrong | self._wrong))

    def _pair(self) -> tuple[Match, Match] | None:
        """Return two variants that are together wrong where the learner is, in the same way.

        The first one explains more of the deciding group.
        """
        alike = [match for match in self._matches if match.alike]
        found = [pair for pair in itertools.permutations(alike, 2) if self._are_both_made(*pair)]
        return min(found, key=lambda pair: tuple(map(self.rank, pair)), default=None)

    def _are_both_made(self, a: Match, b: Match) -> bool:
        # What two mistakes do in one call together neither variant shows.
        both = calls_of(a.wrong) & calls_of(b.wrong)
        own, of_a, of_b = (outside(units, both) for units in (self._wrong, a.wrong, b.wrong))
        return (
            bool(of_a and of_b)
            and of_a | of_b == own
            and of_a <= a.alike
            and of_b <= b.alike
            and 2 * len(own) >= len(self._wrong)
        )

    def _second(self, first: Match) -> Match | None:
        """Return the variant that explains faults which the first one does not explain."""
        rest = self._wrong - first.wrong
        others = [each for each in self._matches if each is not first]
        found = [each for each in others if self._is_second(first, each, rest)]
        return max(found, key=lambda each: (len(each.alike & rest), each.name), default=None)

    def _is_second(self, first: Match, each: Match, rest: Set[Unit]) -> bool:
        alone = outside(each.wrong, calls_of(first.wrong))
        if alone and alone == outside(rest, calls_of(first.wrong)) and alone <= each.alike:
            return True  # nothing else is left, and nothing else differs
        return (
            each.is_measured
            and len(calls_of(each.alike & rest)) >= 2
            and each.precision >= 0.75
            and not each.wrong & first.wrong
        )
