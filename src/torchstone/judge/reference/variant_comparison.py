"""Comparison of a learner's wrong answers with those of the wrong variants of the bank."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torchstone.judge.child.records import Answer
from torchstone.judge.kit import Case, Grade, ProblemCode, Product, Want, grade
from torchstone.judge.kit.forms import ORDINARY
from torchstone.judge.kit.grade import equal
from torchstone.judge.kit.native import kinds_found
from torchstone.judge.kit.problem import Planned
from torchstone.judge.reference.trials import JudgedCase, Trial, split_case, wants_of

# Cases beyond this many elements are passed over: a variant may be slow on purpose.
SMALL = 20_000
# A tensor of an answer with more elements is not compared.
RESULT_CAP = 1 << 21
# Two wrong answers are alike when they agree much better than right and wrong differ.
RELATIVE = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class Misconception:
    """Name a variant, and say on how many cases the learner's answers equal its answers.

    Attributes:
        case: A case of the deciding group that both get wrong in the same way.
        alternatives: Other variants whose answers are the same.
        also: A variant that explains other cases.
    """

    name: str
    num_cases: int
    case: int | None = None
    alternatives: tuple[str, ...] = ()
    also: str | None = None


# A wrong tensor, or another fault, of one call: the number of the case, its part and the key.
Unit = tuple[int, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Compare what a variant gets wrong with what the learner gets wrong.

    Attributes:
        wrong: What the variant gets wrong.
        alike: What both get wrong in the same way.
        is_measured: Whether numbers are alike, and not only the kinds of faults.
    """

    name: str
    wrong: frozenset[Unit]
    alike: frozenset[Unit]
    is_measured: bool

    @property
    def num_cases(self) -> int:
        """Return the number of calls that both get wrong in the same way."""
        return len({unit[:2] for unit in self.alike})


class Comparison:
    """Compare the learner's wrong answers with those of wrong variants, key by key.

    A variant explains the answers if most of what it gets wrong, the learner gets wrong in the
    same way, and if this is at least half of the learner's faults in the deciding group. A second
    slip of the learner may hide it elsewhere. Where both are wrong in one call only, all faults of
    both must be the same. Of several variants the report names the one that explains the deciding
    group best.
    """

    def __init__(self, code: ProblemCode, judged: Iterable[JudgedCase]) -> None:
        """Take what is known of the learner's answers."""
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
        self._matches: dict[str, Match] = {}

    def _compared(self, answered: list[JudgedCase]) -> list[JudgedCase]:
        """Choose the cases that variants answer.

        Large ones only where no small one of the deciding group is wrong: a variant may be slow.
        """
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
        """Take what a variant answers to some of the cases, one after the other."""
        wrong: set[Unit] = set()
        same: set[Unit] = set()
        is_measured = False
        for judged, answer in answers:
            index = judged.planned.index
            graded = _Answered(
                judged.planned, judged.case, answer, _grade(self.code, judged, answer)
            )
            for part, (own, trial) in enumerate(
                zip(self._trials[index], split_case(self.code, graded), strict=False)
            ):
                units = _units(index, part, trial)
                wrong |= set(units)
                for unit in units:
                    if unit in self._wrong and alike_at(unit[2], own, trial):
                        same.add(unit)
                        is_measured |= _is_measured(unit[2], own)
        match = Match(
            name=name, wrong=frozenset(wrong), alike=frozenset(same), is_measured=is_measured
        )
        # A misconception may have several programs: the one nearest to the learner's counts.
        known = self._matches.get(_misconception_of(name))
        if known is None or self._rank(match) < self._rank(known):
            self._matches[_misconception_of(name)] = match

    def best(self) -> Misconception | None:
        """Name the variant, if there is one."""
        ranked = sorted(
            (match for match in self._matches.values() if self._explains(match)), key=self._rank
        )
        if not ranked:
            return None
        first = ranked[0]
        others = [
            each for each in ranked[1:] if (each.alike, each.wrong) == (first.alike, first.wrong)
        ]
        return Misconception(
            name=_misconception_of(first.name),
            num_cases=first.num_cases,
            case=self._shown_case(first),
            alternatives=tuple(_misconception_of(each.name) for each in others),
            also=self._second(first),
        )

    def _inside(self, units: Iterable[Unit]) -> int:
        """Count what is in the deciding group."""
        return sum(self._trials[unit[0]][0].group == self._group for unit in units)

    def _explains(self, match: Match) -> bool:
        if not match.alike:
            return False
        if match.num_cases == 1 or not match.is_measured:
            # One case, or only kinds of faults: nothing else may differ.
            is_same = match.alike == match.wrong == self._wrong.keys()
            return is_same or (
                match.num_cases > 1 and self._shared(match) >= 0.5 and not self._conflicts(match)
            )
        if 2 * self._inside(match.alike) < self._inside(self._wrong):
            return False
        return self._precision(match) >= 0.6 or (
            self._shared(match) >= 0.5 and not self._conflicts(match)
        )

    def _conflicts(self, match: Match) -> bool:
        """Return whether both are wrong somewhere in different ways."""
        return bool((match.wrong & self._wrong.keys()) - match.alike)

    def _precision(self, match: Match) -> float:
        """Return how much of what the variant gets wrong the learner gets wrong alike."""
        return len(match.alike) / max(1, len(match.wrong))

    def _shared(self, match: Match) -> float:
        """Return the part of all faults that both share."""
        return len(match.alike) / max(1, len(match.wrong | self._wrong.keys()))

    def _rank(self, match: Match) -> tuple[float, float, float, str]:
        return (
            -self._inside(match.alike),
            -self._shared(match),
            -self._precision(match),
            match.name,
        )

    def _second(self, first: Match) -> str | None:
        """Return the variant that explains faults which the first one does not explain."""
        rest = self._wrong.keys() - first.wrong
        found = [
            each
            for each in self._matches.values()
            if each is not first
            and each.is_measured
            and len({unit[:2] for unit in each.alike & rest}) >= 2
            and self._precision(each) >= 0.75
            and not each.wrong & first.wrong
        ]
        best = max(found, key=lambda each: (len(each.alike & rest), each.name), default=None)
        return None if best is None else _misconception_of(best.name)

    def _shown_case(self, match: Match) -> int | None:
        """Return the first case of the deciding group that both get wrong in the same way."""
        inside = [unit[0] for unit in match.alike if self._trials[unit[0]][0].group == self._group]
        return min(inside, default=None)


@dataclass(frozen=True, slots=True)
class _Answered:
    """Hold a variant's answer to a case."""

    planned: Planned
    case: Case
    answer: Answer
    grade: Grade


def _grade(code: ProblemCode, judged: JudgedCase, answer: Answer) -> Grade:
    return grade(code.expect(judged.case), answer)


def _misconception_of(name: str) -> str:
    """Return the name of the misconception of a file: ``no_shift.2`` is another ``no_shift``."""
    return name.partition(".")[0]


def _deciding_group(judged: Iterable[JudgedCase]) -> str:
    """Return the group of the first wrong case."""
    wrong = [each.planned for each in judged if each.grade.findings]
    return min(wrong, key=lambda each: each.index).group if wrong else ""


def _units(index: int, part: int, trial: Trial) -> list[Unit]:
    return [(index, part, key) for key in dict.fromkeys(each.key for each in trial.findings)]


def _is_measured(key: str, trial: Trial) -> bool:
    """Return whether the answer has numbers under a key that hardly agree by chance."""
    got = trial.answer.get(key)
    if type(got) is float:
        return math.isfinite(got) and got != round(got)
    if not isinstance(got, torch.Tensor) or not _can_be_compared(got):
        return False
    return got.numel() > 0 and not bool((got == 0).all())


def _can_be_compared(got: torch.Tensor) -> bool:
    # One number under many places takes no memory until it is compared.
    return got.dtype in ORDINARY and got.numel() <= RESULT_CAP


def alike_at(key: str, a: Trial, b: Trial) -> bool:
    """Return whether two wrong answers are equal under a key; of detectors the kinds count."""
    if (key in a.answer) != (key in b.answer):
        return False
    if key not in a.answer:
        return True  # both lack it
    if key.endswith(":findings"):
        return kinds_found(a.answer[key]) == kinds_found(b.answer[key])
    return _alike(dict(wants_of(a.expected)).get(key), a.answer[key], b.answer[key])


def num_elements(case: Case) -> int:
    """Count the tensor elements of all requests of a case."""
    shapes = [shape for step in case.steps for shape in _shapes(step.data)]
    return sum(map(math.prod, shapes))


def _alike(want: Want | None, a: Any, b: Any) -> bool:
    if isinstance(a, dict) and isinstance(b, dict) and "type" in a:
        return equal(a["type"], b.get("type"))
    if isinstance(a, dict) and isinstance(b, dict) and "key" in a:
        return equal(a, b)
    if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
        return _near(a, b)
    if a.shape != b.shape or a.dtype != b.dtype or not _can_be_compared(a):
        return False
    wide = torch.complex128 if a.dtype.is_complex else torch.float64
    left, right = a.to(wide), b.to(wide)
    limit = RELATIVE * left.abs()
    if want is not None and want.value.shape == a.shape:
        limit = limit + 2 * torch.as_tensor(want.bound, dtype=torch.float64)
    same = (left == right) | (left.isnan() & right.isnan())
    return bool((same | ((left - right).abs() <= limit)).all())


def _near(a: Any, b: Any) -> bool:
    """Compare plain values: numbers within rounding, everything else exactly."""
    if type(a) is float and type(b) is float:
        return math.isclose(a, b, rel_tol=RELATIVE) or equal(a, b)
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(_near, a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_near(a[key], b[key]) for key in a)
    return equal(a, b)


def _shapes(tree: Any) -> Iterator[Sequence[int]]:
    """Return the shapes of the tensors in nested lists, tuples and dicts."""
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
