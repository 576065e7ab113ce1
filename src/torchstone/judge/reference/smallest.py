"""Smallest failing case: describe a failure, and search for a smaller case that fails alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeGuard

import msgspec
import torch

from torchstone.core.verdict import Aspect, Verdict
from torchstone.judge.child.protocol.records import Answer
from torchstone.judge.kit import (
    Case,
    Exact,
    Expected,
    Finding,
    Grade,
    OneOf,
    ProblemCode,
    Want,
    error_ratios,
    merge_answers,
    preview,
    ulp,
)
from torchstone.judge.kit import grade as compare
from torchstone.judge.kit.problem import Planned
from torchstone.judge.messages import Preview
from torchstone.judge.reference.trials import JudgedCase
from torchstone.judge.reference.variant_comparison import Answered, shared_faults
from torchstone.judge.replies import (
    FarthestOff,
    FoundWrong,
    ShownInput,
    SmallestFailure,
    WrongRow,
)

# Maximum number of findings of a case in a reply.
ROW_CAP = 4


class Shrinking:
    """Search for a smaller case that fails alike; it proposes one candidate at a time.

    Args:
        code: The problem.
        judged: The failing case to begin with.
        budget: Maximum number of candidates.
        keys: The case's faults that the named misconception has in the same way; None if none is
            named. A smaller case must have such a fault, too.
        variant: Returns the misconception's answer to a case; None if its answers come with those
            of the submission.
    """

    def __init__(
        self,
        code: ProblemCode,
        judged: JudgedCase,
        *,
        budget: int,
        keys: frozenset[str] | None = None,
        variant: Callable[[Case], Answer | None] | None = None,
    ) -> None:
        self._code = code
        self._keys, self._variant = keys, variant
        leading = _leading(judged.grade, keys)
        assert leading is not None, "only a failing case can be shrunk"
        self._kind = (leading.code, leading.aspect)
        self._planned, self._case = judged.planned, judged.case
        self._answer, self._grade = judged.answer, judged.grade
        self._budget = budget
        self._plain = False
        self._candidates = self._simpler()
        self._current: tuple[Planned, Case, bool] | None = None

    def propose(self) -> Case | None:
        """Return the next candidate, or None if none is left or the budget is spent."""
        while self._budget > 0:
            candidate = next(self._candidates, None)
            if candidate is None:
                return None
            planned, plain = candidate
            try:
                case = self._code.build(planned, plain=plain)
            except (ValueError, IndexError, RuntimeError):
                continue  # these parameters are inconsistent
            self._budget -= 1
            self._current = (planned, case, plain)
            return case
        return None

    def tried(self, answers: list[Answer] | None, of_variant: list[Answer] | None = None) -> None:
        """Record the answers to the last candidate.

        Args:
            answers: Those of the submission; None or too few if its process ended.
            of_variant: Those of the variant, likewise.
        """
        assert self._current is not None, "a candidate is proposed before it is tried"
        planned, case, plain = self._current
        if not answers or len(answers) != len(case.steps):
            return
        merged = merge_answers(answers)
        graded = compare(self._code.expect(case), merged)
        keys = self._shared(Answered(planned, case, merged, graded), of_variant)
        leading = _leading(graded, keys)
        if leading is not None and (leading.code, leading.aspect) == self._kind:
            self._planned, self._case, self._plain = planned, case, plain
            self._answer, self._grade, self._keys = merged, graded, keys
            self._candidates = self._simpler()

    def _shared(self, own: Answered, of_variant: list[Answer] | None) -> frozenset[str] | None:
        """Return the faults that the misconception has as well; None if none is named."""
        if self._keys is None:
            return None
        answer = None
        if self._variant is not None:
            answer = self._variant(own.case)
        elif of_variant is not None and len(of_variant) == len(own.case.steps):
            answer = merge_answers(of_variant)
        return frozenset() if answer is None else shared_faults(self._code, own, answer)

    def describe(self) -> SmallestFailure:
        """Return the smallest failing case."""
        return describe(
            self._code, self._planned, self._case, self._answer, self._grade, self._keys
        )

    def _simpler(self) -> Iterator[tuple[Planned, bool]]:
        if not self._plain:
            yield self._planned, True
        for params in self._code.shrink(self._planned.params):
            yield replace(self._planned, params=params), self._plain


def _leading(graded: Grade, keys: frozenset[str] | None) -> Finding | None:
    """Return the worst fault with these keys, or of all if ``keys`` is None."""
    found = [each for each in graded.findings if keys is None or each.key in keys]
    return min(found, key=lambda finding: finding.rank, default=None)


def describe(
    code: ProblemCode,
    planned: Planned,
    case: Case,
    answer: Answer,
    graded: Grade,
    keys: frozenset[str] | None = None,
) -> SmallestFailure:
    """Return a failing case's inputs, and for each finding the expected and actual value.

    Faults with the given keys come first.
    """
    expected = code.expect(case)
    ranked = sorted(graded.findings, key=lambda finding: finding.rank)
    findings = sorted(ranked, key=lambda finding: finding.key not in (keys or ()))[:ROW_CAP]
    inputs = case.inputs.items()
    return SmallestFailure(
        group=planned.group,
        index=planned.index,
        regime=planned.params,
        inputs=tuple(ShownInput(name=name, preview=preview(item)) for name, item in inputs),
        rows=tuple(_row(expected, answer, finding) for finding in findings),
    )


def _row(expected: Expected, answer: Answer, finding: Finding) -> WrongRow:
    wanted, got = _lookup(expected, finding.key), answer.get(finding.key)
    right: Preview | None = None
    actual: Preview | None = None
    worst: FarthestOff | None = None
    if isinstance(wanted, Want):
        ratios = None
        if _is_comparable(got, wanted):
            ratios = error_ratios(wanted, got)
            worst = _worst(wanted, got, ratios)
        shown = wanted.value.to(wanted.dtype) if wanted.value.is_floating_point() else wanted.value
        right = preview(shown, ratios)
        actual = preview(got, ratios) if finding.key in answer else None
    elif isinstance(wanted, Exact):
        right, actual = preview(wanted.value), preview(got)
    return WrongRow(
        **msgspec.structs.asdict(found_wrong(finding)),
        name=finding.key,
        expected=right,
        actual=actual,
        worst=worst,
    )


def found_wrong(finding: Finding) -> FoundWrong:
    """Return a finding as the host reads it."""
    return FoundWrong(
        code=Verdict(finding.code),
        aspect=None if finding.aspect is None else Aspect(finding.aspect),
        key=finding.key,
        ratio=finding.ratio,
        detail=finding.detail,
        raised=finding.raised,
    )


def _is_comparable(got: Any, want: Want) -> TypeGuard[torch.Tensor]:
    if not isinstance(got, torch.Tensor) or not got.numel():
        return False
    return got.shape == want.value.shape and got.dtype == want.dtype


def _worst(want: Want, got: torch.Tensor, ratios: torch.Tensor) -> FarthestOff:
    """Return the place of the largest error, its size in ULP, and relative to the truth."""
    place = int(ratios.argmax())
    index = torch.unravel_index(torch.tensor(place), want.value.shape)
    truth, came = want.value.reshape(-1)[place].double(), got.reshape(-1)[place].double()
    error = float((came - truth).abs())
    unit = float(ulp(truth, want.dtype)) if want.dtype.is_floating_point else 1.0
    size = abs(float(truth))
    return FarthestOff(
        index=tuple(int(each) for each in index),
        ulp=error / unit,
        relative=error / size if size else math.inf,
    )


def _lookup(expected: Expected, key: str) -> Any:
    if key in expected:
        return expected[key]
    nested = [
        option for item in expected.values() if isinstance(item, OneOf) for option in item.options
    ]
    return next((option[key] for option in nested if key in option), None)
