"""Choice of the wrong variants that explain a learner's wrong answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

# For a part of a mistake: minimum number of calls, and minimum share of the mistake's elements.
PART_CALLS = 3
PART_SHARE = 0.25

# A wrong tensor, or another fault, of one call: case index, part index and key.
Unit = tuple[int, int, str]


def misconception_of(name: str) -> str:
    """Return the misconception's name from a file's name: ``no_shift.2`` gives ``no_shift``."""
    return name.partition(".")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Comparison of a variant's faults with the learner's.

    Attributes:
        wrong: Faults of the variant.
        alike: Faults that both have in the same way.
        is_measured: Whether numbers are alike, and not only the kinds of faults.
        parts: Tensors in which all wrong elements of the learner equal the variant's, with the
            number of wrong elements of the learner and of the variant.
    """

    name: str
    wrong: frozenset[Unit]
    alike: frozenset[Unit]
    is_measured: bool
    parts: Mapping[Unit, tuple[int, int]]

    @property
    def shared(self) -> frozenset[Unit]:
        """Return the faults that both have in the same way, or else the tensors in ``parts``."""
        return self.alike or frozenset(self.parts)

    @property
    def num_cases(self) -> int:
        """Return the number of calls that both get wrong in the same way."""
        return len(calls_of(self.shared))

    @property
    def precision(self) -> float:
        """Return the share of the variant's faults that the learner has in the same way."""
        return len(self.alike) / max(1, len(self.wrong))

    def contains(self, units: Set[Unit]) -> bool:
        """Return whether these faults are all a part, and no small one, of the variant's faults."""
        if units != self.parts.keys() or len(calls_of(units)) < PART_CALLS:
            return False
        own = sum(num_own for num_own, _ in self.parts.values())
        return own >= PART_SHARE * sum(num_variant for _, num_variant in self.parts.values())


def calls_of(units: Iterable[Unit]) -> set[tuple[int, int]]:
    """Return the calls to which faults belong."""
    return {unit[:2] for unit in units}


def outside(units: Iterable[Unit], calls: Set[tuple[int, int]]) -> set[Unit]:
    """Return the faults that belong to none of the calls."""
    return {unit for unit in units if unit[:2] not in calls}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """Variants that explain the answers.

    Attributes:
        others: Variants that cannot be distinguished from the first one.
        second: A variant that explains faults which the first one does not explain.
    """

    first: Match
    others: tuple[Match, ...] = ()
    second: Match | None = None

    def explains(self, unit: Unit) -> bool:
        """Return whether one of the variants, or both together, explain a fault."""
        if self.second is None:
            return unit in self.first.shared
        both = calls_of(self.first.wrong) & calls_of(self.second.wrong)
        return unit in self.first.shared | self.second.shared or unit[:2] in both


class Choice:
    """Choice among the variants that were compared with a learner's answers.

    A variant explains the answers if the learner has most of its faults in the same way, and if
    these are at least half of the learner's faults in the deciding group, or three quarters of all
    faults of both. (Another mistake of the learner may hide faults elsewhere.) If both are wrong in
    one call only, all faults of both must be equal. A variant also explains the answers if they are
    a part of its mistake, such as a wrong forward without the wrong backward. Of several variants
    the report names the one that explains the deciding group best. If none explains the answers
    alone, two variants may do so together; or a variant explains its own cases, and the learner's
    other faults have another cause.
    """

    def __init__(
        self, wrong: Set[Unit], matches: Sequence[Match], is_inside: Callable[[Unit], bool]
    ) -> None:
        """Store the learner's faults, the variants, and a test for faults in the deciding group."""
        self._wrong = wrong
        self._matches = matches
        self._is_inside = is_inside

    def best(self) -> Chosen | None:
        """Return the variants that explain the answers, or None."""
        ranked = sorted(filter(self._explains, self._matches), key=self.rank)
        # If the answers are a part of two mistakes, neither is named.
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
        """Return the variant of whose mistake the answers are a part, if it is the only one."""
        found = [match for match in self._matches if match.contains(self._wrong)]
        return found if len(found) == 1 else []

    def _inside(self, units: Iterable[Unit]) -> int:
        """Return the number of faults in the deciding group."""
        return sum(map(self._is_inside, units))

    def _explains(self, match: Match) -> bool:
        if not match.alike:
            return False
        if match.num_cases == 1 or not match.is_measured:
            # One case, or only kinds of faults: all faults must be equal.
            is_same = match.alike == match.wrong == self._wrong
            return is_same or (
                match.num_cases > 1 and self._shared(match) >= 0.5 and not self._conflicts(match)
            )
        if 2 * self._inside(match.alike) < self._inside(self._wrong):
            # The deciding group has a mistake of its own, and nearly all else is explained.
            return self._shared(match) >= 0.75 and not self._conflicts(match)
        return match.precision >= 0.6 or (self._shared(match) >= 0.5 and not self._conflicts(match))

    def _explains_its_own(self, match: Match) -> bool:
        """Return whether the learner has nearly all of the variant's faults in the same way.

        The learner's other faults then have another cause.
        """
        return (
            match.is_measured
            and match.num_cases >= 2
            and match.precision >= 0.75
            and not self._conflicts(match)
        )

    def _conflicts(self, match: Match) -> bool:
        """Return whether a fault of both differs."""
        return bool((match.wrong & self._wrong) - match.alike)

    def _shared(self, match: Match) -> float:
        """Return the share of all faults of both that are alike."""
        return len(match.alike) / max(1, len(match.wrong | self._wrong))

    def _pair(self) -> tuple[Match, Match] | None:
        """Return two variants that together have the learner's faults, in the same way.

        The first one explains more of the deciding group.
        """
        alike = [match for match in self._matches if match.alike]
        found = [pair for pair in itertools.permutations(alike, 2) if self._are_both_made(*pair)]
        return min(found, key=lambda pair: tuple(map(self.rank, pair)), default=None)

    def _are_both_made(self, a: Match, b: Match) -> bool:
        # Neither variant shows what two mistakes in one call cause together.
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
            return True  # no fault is left over, and none differs
        return (
            each.is_measured
            and len(calls_of(each.alike & rest)) >= 2
            and each.precision >= 0.75
            and not each.wrong & first.wrong
        )
