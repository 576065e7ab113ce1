"""Comparison of a learner's wrong answers with those of the wrong variants of the bank."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torchstone.judge.child.protocol.records import Answer
from torchstone.judge.kit import Case, Grade, ProblemCode, Product, grade
from torchstone.judge.kit.problem import Planned
from torchstone.judge.reference.alike import (
    alike_at,
    has_atomic_race,
    is_measured,
    is_value,
    part_of,
)
from torchstone.judge.reference.matches import Choice, Chosen, Match, Unit, misconception_of
from torchstone.judge.reference.trials import JudgedCase, Trial, split_case

# Larger cases are skipped, because a variant may be slow on purpose.
SMALL = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Misconception:
    """A variant with the learner's answers, and the number of such cases.

    Attributes:
        program: The variant's file without suffix; a misconception may have several files.
        case: A case that both get wrong in the same way, in the deciding group if possible.
        keys: The faults of this case that both have.
        alternatives: Other variants with the same answers.
        also: A variant that explains other cases.
        unexplained: The cases with other faults, in the order of the plan.
    """

    name: str
    program: str
    num_cases: int
    case: int
    keys: frozenset[str]
    alternatives: tuple[str, ...] = ()
    also: str | None = None
    unexplained: tuple[Planned, ...] = ()


class Comparison:
    """Comparison of the learner's wrong answers with those of wrong variants, key by key.

    ``matches.Choice`` determines when a variant explains the answers.
    """

    def __init__(self, code: ProblemCode, judged: Iterable[JudgedCase]) -> None:
        """Select the cases to compare from the learner's answers."""
        self.code = code
        answered = [each for each in judged if each.answer]
        self._group = _deciding_group(answered)
        self.small = self._compared(answered)
        self.has_large = any(num_elements(each.case) > SMALL for each in self.small)
        self._trials = {each.planned.index: list(split_case(code, each)) for each in self.small}
        self._wrong = {
            unit: trial
            for index, trials in self._trials.items()
            for part, trial in enumerate(trials)
            for unit in _units(index, part, trial)
        }
        self._is_racy = any(
            has_atomic_race(trial) for trials in self._trials.values() for trial in trials
        )
        self._matches: dict[str, Match] = {}

    def _compared(self, answered: list[JudgedCase]) -> list[JudgedCase]:
        """Return the cases that variants answer, without those that measure peak memory.

        Large ones are included only if no small one of the deciding group is wrong: a variant may
        be slow.
        """
        answered = [each for each in answered if not each.case.is_alone]
        small = [each for each in answered if num_elements(each.case) <= SMALL]
        inside = [each for each in answered if each.planned.group == self._group]
        if any(each in small and each.grade.findings for each in inside):
            return small
        return small + [each for each in inside if each not in small and each.grade.findings]

    @property
    def can_tell(self) -> bool:
        """Return whether there is a wrong case to compare."""
        return bool(self._wrong)

    def add(self, name: str, answers: Iterable[tuple[JudgedCase, Answer]]) -> None:
        """Compare a variant's answers to some of the cases, in order."""
        wrong: set[Unit] = set()
        same: set[Unit] = set()
        measured = False
        parts: dict[Unit, tuple[int, int]] = {}
        others: set[Unit] = set()
        is_racy = False
        for judged, answer in answers:
            index = judged.planned.index
            graded = Answered(
                judged.planned, judged.case, answer, _grade(self.code, judged, answer)
            )
            for part, (own, trial) in enumerate(
                zip(self._trials[index], split_case(self.code, graded), strict=False)
            ):
                units = _units(index, part, trial)
                wrong |= set(units)
                is_racy |= has_atomic_race(trial)
                for unit in units:
                    if unit in self._wrong and alike_at(unit[2], own, trial):
                        same.add(unit)
                        measured |= is_measured(unit[2], own)
                    elif unit in self._wrong and is_value(unit[2], own):
                        others.add(unit)
                    if unit in self._wrong and (sizes := part_of(unit[2], own, trial)):
                        parts[unit] = sizes
        if is_racy and self._is_racy:
            # Values of a program with such a race differ between runs.
            same |= others
        match = Match(
            name=name,
            wrong=frozenset(wrong),
            alike=frozenset(same),
            is_measured=measured,
            parts=parts,
        )
        # A misconception may have several programs; the best match among them counts.
        known = self._matches.get(misconception_of(name))
        rank = self._choice().rank
        if known is None or rank(match) < rank(known):
            self._matches[misconception_of(name)] = match

    def best(self) -> Misconception | None:
        """Return the misconception that explains the answers, or None."""
        chosen = self._choice().best()
        if chosen is None:
            return None
        first, second = chosen.first, chosen.second
        case = self._shown_case(first)
        return Misconception(
            name=misconception_of(first.name),
            program=first.name,
            num_cases=first.num_cases,
            case=case,
            keys=frozenset(
                self._trials[index][part].prefix + key
                for index, part, key in first.shared
                if index == case
            ),
            alternatives=tuple(misconception_of(each.name) for each in chosen.others),
            also=None if second is None else misconception_of(second.name),
            unexplained=self._unexplained(chosen),
        )

    def _choice(self) -> Choice:
        return Choice(self._wrong.keys(), list(self._matches.values()), self._is_inside)

    def _is_inside(self, unit: Unit) -> bool:
        """Return whether a fault is in the deciding group."""
        return self._trials[unit[0]][0].group == self._group

    def _unexplained(self, chosen: Chosen) -> tuple[Planned, ...]:
        """Return the compared cases with a fault that no variant explains."""
        found = {unit[0] for unit in self._wrong if not chosen.explains(unit)}
        return tuple(each.planned for each in self.small if each.planned.index in found)

    def _shown_case(self, match: Match) -> int:
        """Return the index of a case that both get wrong in the same way.

        Cases of the deciding group come first, then those whose worst fault is shared.
        """

        def rank(index: int) -> tuple[bool, bool, tuple[int, int], int]:
            faults = [
                (fault.rank, (index, part, fault.key) in match.shared)
                for part, trial in enumerate(self._trials[index])
                for fault in trial.findings
            ]
            worst, is_shared = min(faults, key=lambda each: (each[0], not each[1]))
            return self._trials[index][0].group != self._group, not is_shared, worst, index

        return min({unit[0] for unit in match.shared}, key=rank)


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer to a case, and its grade."""

    planned: Planned
    case: Case
    answer: Answer
    grade: Grade


def shared_faults(code: ProblemCode, own: JudgedCase, answer: Answer) -> frozenset[str]:
    """Return the keys of the learner's faults in a case that a variant has in the same way."""
    variant = Answered(own.planned, own.case, answer, _grade(code, own, answer))
    return frozenset(
        mine.prefix + key
        for mine, other in zip(split_case(code, own), split_case(code, variant), strict=False)
        for key in {each.key for each in mine.findings} & {each.key for each in other.findings}
        if alike_at(key, mine, other) or part_of(key, mine, other)
    )


def _grade(code: ProblemCode, judged: JudgedCase, answer: Answer) -> Grade:
    return grade(code.expect(judged.case), answer)


def first_wrong(judged: Iterable[JudgedCase], most: int) -> list[JudgedCase]:
    """Return at most ``most`` wrong cases, those of the deciding group before others."""
    wrong = [each for each in judged if each.grade.findings]
    group = _deciding_group(wrong)
    ordered = sorted(wrong, key=lambda each: (each.planned.group != group, each.planned.index))
    return sorted(ordered[:most], key=lambda each: each.planned.index)


def _deciding_group(judged: Iterable[JudgedCase]) -> str:
    """Return the group of the first wrong case."""
    wrong = [each.planned for each in judged if each.grade.findings]
    return min(wrong, key=lambda each: each.index).group if wrong else ""


def _units(index: int, part: int, trial: Trial) -> list[Unit]:
    return [(index, part, key) for key in dict.fromkeys(each.key for each in trial.findings)]


def num_elements(case: Case) -> int:
    """Return the number of tensor elements in all requests of a case."""
    shapes = [shape for step in case.steps for shape in _shapes(step.data)]
    return sum(map(math.prod, shapes))


def _shapes(tree: Any) -> Iterator[Sequence[int]]:
    """Yield the shapes of the tensors in nested lists, tuples and dicts."""
    if isinstance(tree, torch.Tensor):
        yield tree.shape
    elif isinstance(tree, Product):
        yield torch.broadcast_shapes(tree.left.shape, tree.right.shape)
    elif isinstance(tree, dict):
        for item in tree.values():
            yield from _shapes(item)
    elif isinstance(tree, (list, tuple)):
        for item in tree:
            yield from _shapes(item)
