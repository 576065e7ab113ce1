"""Trials: the judged calls of a job, one for each call of a combined case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from torchstone.judge.child.protocol.records import Answer, Params
from torchstone.judge.kit import Case, Expected, Finding, Grade, OneOf, ProblemCode, Want, grade
from torchstone.judge.kit.problem import Planned

REAL = (
    *(torch.float64, torch.float32, torch.float16, torch.bfloat16),
    *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool),
)

# Key prefix of a second call on the same tensors.
AGAIN = "again:"


class JudgedCase(Protocol):
    """A case that was judged."""

    @property
    def planned(self) -> Planned:
        """Return the planned case."""

    @property
    def case(self) -> Case:
        """Return the inputs."""

    @property
    def answer(self) -> Answer:
        """Return the answer; empty if it was too large to keep."""

    @property
    def grade(self) -> Grade:
        """Return the grade."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trial:
    """One call of a case.

    Attributes:
        index: The index of the case.
        answer: Empty if it was too large to keep.
        expected: Empty if the answer is right.
        is_again: Whether it is the second call, on tensors overwritten in place.
        prefix: Prefix of its keys in the answer to the case.
    """

    index: int
    group: str
    params: Params
    case: Case
    answer: Answer
    findings: tuple[Finding, ...]
    expected: Expected
    is_again: bool = False
    prefix: str = ""

    @property
    def is_wrong(self) -> bool:
        """Return whether the answer was refused."""
        return bool(self.findings)


def split_case(code: ProblemCode, judged: JudgedCase) -> Iterator[Trial]:
    """Yield the trials of one case; each of several calls is graded separately."""
    planned, case, is_wrong = judged.planned, judged.case, bool(judged.grade.findings)
    calls = list(_calls(case, planned.params))
    if len(calls) == 1 or (is_wrong and not judged.answer):
        yield Trial(
            index=planned.index,
            group=planned.group,
            params=planned.params,
            case=case,
            answer=judged.answer,
            findings=judged.grade.findings,
            expected=code.expect(case) if is_wrong else {},
        )
        return
    others = tuple(call.prefix for call in calls if call.prefix)
    for call in calls:
        answer = {
            key.removeprefix(call.prefix): item
            for key, item in judged.answer.items()
            if key.startswith(call.prefix) and (call.prefix or not key.startswith(others))
        }
        expected = code.expect_case(call.case) if is_wrong else {}
        yield Trial(
            index=planned.index,
            group=planned.group,
            params=call.params,
            case=call.case,
            answer=answer,
            findings=grade(expected, answer).findings,
            expected=expected,
            is_again=call.prefix == AGAIN,
            prefix=call.prefix,
        )


def untried(
    code: ProblemCode, plan: Sequence[Planned], known: Iterable[int], num_graded: int
) -> Iterator[Trial]:
    """Yield trials of right cases whose answers were dropped; their inputs are drawn again."""
    kept = set(known)
    for planned in plan[:num_graded]:
        if planned.index in kept:
            continue
        for call in _calls(code.build(planned), planned.params):
            yield Trial(
                index=planned.index,
                group=planned.group,
                params=call.params,
                case=call.case,
                answer={},
                findings=(),
                expected={},
                is_again=call.prefix == AGAIN,
            )


@dataclass(frozen=True, slots=True)
class _Call:
    """One of the calls of a case, with the prefix of its keys."""

    prefix: str
    case: Case
    params: Params


def _calls(case: Case, params: Params) -> Iterator[_Call]:
    """Yield the calls of a case: its parts, or the first call and its repetition."""
    if case.parts:
        for name, part in case.parts.items():
            yield _Call(f"{name}:", part, params["parts"][name])
        return
    yield _Call("", case, params)
    if case.again is not None:
        yield _Call(AGAIN, case.again, params)


def wants_of(expected: Expected) -> Iterator[tuple[str, Want]]:
    """Yield the expected tensors by key, including those of alternatives."""
    for key, item in expected.items():
        if isinstance(item, Want):
            yield key, item
        elif isinstance(item, OneOf):
            for option in item.options:
                yield from wants_of(option)


def is_comparable(want: Want, got: Any) -> bool:
    """Return whether an answer is a real-valued tensor of the right shape and dtype."""
    return (
        isinstance(got, torch.Tensor)
        and got.dtype in REAL
        and got.dtype == want.dtype
        and got.shape == want.value.shape
    )
