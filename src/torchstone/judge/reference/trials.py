"""Trials: the judged calls of a job, one for each call of a case that was put together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch

from torchstone.judge.child.records import Answer, Params
from torchstone.judge.kit import Case, Expected, Finding, Grade, OneOf, ProblemCode, Want, grade
from torchstone.judge.kit.problem import Planned

REAL = (
    *(torch.float64, torch.float32, torch.float16, torch.bfloat16),
    *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool),
)

# What the keys of a second call on the same tensors begin with.
AGAIN = "again:"


class JudgedCase(Protocol):
    """What is known of a case that was judged."""

    @property
    def planned(self) -> Planned:
        """Return its place in the plan."""

    @property
    def case(self) -> Case:
        """Return its inputs."""

    @property
    def answer(self) -> Answer:
        """Return what came; empty if it was too large to keep."""

    @property
    def grade(self) -> Grade:
        """Return what is wrong with it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trial:
    """Hold one call of a case, or a case of one call.

    Attributes:
        index: The number of the case.
        answer: Empty if it was too large to keep.
        expected: Empty if the answer is right.
        is_again: It is the second call on tensors that were overwritten in place.
        prefix: What its keys begin with in the answer to the case.
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
    """Yield the trials of one case; each of several calls is graded alone."""
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
    """Yield trials of right cases whose answers were not kept; their inputs are drawn again."""
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
    """Name one of the calls of a case by what its keys begin with."""

    prefix: str
    case: Case
    params: Params


def _calls(case: Case, params: Params) -> Iterator[_Call]:
    """Yield the calls of a case: its parts, or a first call and the same one again."""
    if case.parts:
        for name, part in case.parts.items():
            yield _Call(f"{name}:", part, params["parts"][name])
        return
    yield _Call("", case, params)
    if case.again is not None:
        yield _Call(AGAIN, case.again, params)


def wants_of(expected: Expected) -> Iterator[tuple[str, Want]]:
    """Yield the expected tensors by key, also those of alternatives."""
    for key, item in expected.items():
        if isinstance(item, Want):
            yield key, item
        elif isinstance(item, OneOf):
            for option in item.options:
                yield from wants_of(option)


def is_comparable(want: Want, got: Any) -> bool:
    """Return whether an answer is a tensor of real numbers, with the right shape and dtype."""
    return (
        isinstance(got, torch.Tensor)
        and got.dtype in REAL
        and got.dtype == want.dtype
        and got.shape == want.value.shape
    )
