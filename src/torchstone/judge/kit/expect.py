"""Expectations of ``oracle.py``: exact values, tolerances and exceptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from torchstone.judge.child.records import Answer
from torchstone.judge.kit.forms import VALUE, Form

Note = dict[str, str]

EPS = {
    torch.float16: torch.finfo(torch.float32).eps,
    torch.bfloat16: torch.finfo(torch.float32).eps,
    torch.float32: torch.finfo(torch.float32).eps,
    torch.float64: torch.finfo(torch.float64).eps,
}


def bound(
    scale: torch.Tensor, k: float, dtype: torch.dtype, value: torch.Tensor | None = None
) -> torch.Tensor:
    """Return ``k * eps * scale``, eps of the dtype that is computed in.

    Float32 for half and bfloat16.

    With ``value``, one unit in the last place of the result is added when the result dtype is half
    or bfloat16: the one rounding at the end.
    """
    limit = k * EPS[dtype] * scale.double()
    if value is not None and dtype in (torch.float16, torch.bfloat16):
        limit = limit + ulp(value, dtype)
    return limit


def ulp(value: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return the distance between neighbours of ``dtype`` at each value, as float64.

    Subnormal spacing near zero.
    """
    info = torch.finfo(dtype)
    magnitude = (
        value.double().abs().nan_to_num(nan=0.0, posinf=info.max).clamp(min=info.smallest_normal)
    )
    return torch.exp2(torch.floor(torch.log2(magnitude))) * info.eps


@dataclass(frozen=True, slots=True)
class Want:
    """Require a tensor: exact shape and dtype, ``|got - value| <= bound`` elementwise.

    NaN, +inf and -inf must be in the same places; +0 equals -0.

    Attributes:
        value: The truth, float64 (or an exact integer or bool tensor).
        bound: The tolerance, broadcastable to ``value``; 0 where the answer must be exact.
        dtype: The dtype that the answer must have.
        aspect: ``value`` or ``grad``.
        none_is_zero: ``None`` counts as zeros.
        same_as: The key of another part of the answer that must have the same bits.
    """

    value: torch.Tensor
    bound: torch.Tensor | float
    dtype: torch.dtype
    aspect: str = "value"
    none_is_zero: bool = False
    same_as: str | None = None


@dataclass(frozen=True, slots=True)
class Exact:
    """Require exactly this plain value.

    Type and value, or these exact bits of a tensor (+0 equals -0).
    """

    value: Any
    aspect: str = "property"
    note: Note | None = None


@dataclass(frozen=True, slots=True)
class Holds:
    """Require that a predicate of the answer is true; ``wanted`` describes it in both languages.

    Attributes:
        predicate: Sees a value of the form ``takes``. If it raises, the judge is at fault.
        takes: The form of the value. An answer in another form is a runtime error. State it for
            what the judge itself measures; a learner's value has none of its own.
        truth: A value for which it is true, if one is known: explanations compare with it.
        is_fault_in_words: The predicate writes what is wrong into ``wanted``. Two wrong values are
            alike if these sentences are, without the numbers that a program draws or computes: for
            what two programs with one mistake do not share, such as the order of their draws.
    """

    predicate: Callable[[Any], bool]
    wanted: Note
    aspect: str = "property"
    takes: Form = VALUE
    truth: Any = None
    is_fault_in_words: bool = False


@dataclass(frozen=True, slots=True)
class Raises:
    """Require an exception whose type, or one of its bases, has one of these names."""

    names: tuple[str, ...]

    def __init__(self, *errors: type[BaseException]) -> None:
        object.__setattr__(self, "names", tuple(error.__name__ for error in errors))

    def matches(self, raised: Any) -> bool:
        """Return whether a described exception has one of these names."""
        if not isinstance(raised, dict):
            return False
        return any(name in (raised.get("type"), *raised.get("bases", ())) for name in self.names)


@dataclass(frozen=True, slots=True)
class Maybe:
    """Accept that a key is absent; check it when it is there."""

    expectation: Expectation


@dataclass(frozen=True, slots=True)
class OneOf:
    """Require that at least one of several dicts of expectations is met (right, or refused)."""

    options: tuple[dict[str, Expectation], ...]

    def __init__(self, *options: dict[str, Expectation]) -> None:
        object.__setattr__(self, "options", options)


@dataclass(frozen=True, slots=True)
class Gate:
    """Require that a count of the simulator is at most a bound; above it the answer is SLOW.

    An answer without the count is not refused: nothing is known against it.

    Attributes:
        measure: Reads the count from an answer; None where there is none.
        most: The most that it may be.
        words: The sentence, with ``{came}``, ``{most}`` and the names of ``references``.
        references: The same count of other versions, as they are shown.
    """

    measure: Callable[[Answer], float | None]
    most: float
    words: Note
    references: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Star:
    """Award a star where a count stays below a bound; it never changes a verdict."""

    name: str
    measure: Callable[[Answer], float | None]
    most: float
    words: Note


@dataclass(frozen=True, slots=True, kw_only=True)
class EarnedStar:
    """What a star measured: ``came`` is at most ``most`` where it is earned."""

    name: str
    words: Note
    came: float | None
    most: float
    earned: bool


Expectation = Want | Exact | Holds | Raises | Maybe | OneOf | Gate | Star
Expected = dict[str, Expectation]
