"""Expectations of ``oracle.py``: exact values, tolerances and exceptions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from torchstone.judge.child.protocol.records import Answer
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
    """Return ``k * eps * scale``, with eps of the dtype used for computing.

    That is float32 for half and bfloat16. With ``value``, one unit in the last place of the result
    is added for half and bfloat16, for the final rounding.
    """
    limit = k * EPS[dtype] * scale.double()
    if value is not None and dtype in (torch.float16, torch.bfloat16):
        limit = limit + ulp(value, dtype)
    return limit


def ulp(value: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return the distance between neighbours of ``dtype`` at each value, as float64.

    Near zero the distance is that of the smallest normal number.
    """
    info = torch.finfo(dtype)
    magnitude = (
        value.double().abs().nan_to_num(nan=0.0, posinf=info.max).clamp(min=info.smallest_normal)
    )
    return torch.exp2(torch.floor(torch.log2(magnitude))) * info.eps


@dataclass(frozen=True, slots=True)
class Want:
    """Expectation of a tensor: exact shape and dtype, ``|got - value| <= bound`` elementwise.

    NaN, +inf and -inf must be in the same places; +0 equals -0.

    Attributes:
        value: The correct value, float64 (or an exact integer or bool tensor).
        bound: The tolerance, broadcastable to ``value``; 0 where the answer must be exact.
        dtype: The required dtype.
        aspect: ``value`` or ``grad``.
        none_is_zero: Whether ``None`` counts as zeros.
        same_as: Key of another part of the answer that must have the same bits.
    """

    value: torch.Tensor
    bound: torch.Tensor | float
    dtype: torch.dtype
    aspect: str = "value"
    none_is_zero: bool = False
    same_as: str | None = None


@dataclass(frozen=True, slots=True)
class Exact:
    """Expectation of an exact plain value: same type and value.

    For a tensor: same shape, dtype and values; NaN equals NaN, +0 equals -0.
    """

    value: Any
    aspect: str = "property"
    note: Note | None = None


@dataclass(frozen=True, slots=True)
class Holds:
    """Expectation that a predicate is true; ``wanted`` describes it in both languages.

    Attributes:
        predicate: Receives a value of the form ``takes``. If it raises, the judge is at fault.
        wanted: The message for a value that fails.
        takes: The form of the value; an answer in another form is a runtime error. Set it for
            values that the judge measures; a learner's value may have any form.
        truth: A value for which it is true, if known; explanations compare with it.
        is_fault_in_words: Whether the predicate writes the fault into ``wanted``. Two wrong values
            then count as alike if these messages are equal except for numbers: for properties in
            which two programs with the same mistake differ, such as the order of their draws.
    """

    predicate: Callable[[Any], bool]
    wanted: Note
    aspect: str = "property"
    takes: Form = VALUE
    truth: Any = None
    is_fault_in_words: bool = False


@dataclass(frozen=True, slots=True)
class Raises:
    """Expectation of an exception whose type, or one of its bases, has one of these names."""

    names: tuple[str, ...]

    def __init__(self, *errors: type[BaseException]) -> None:
        object.__setattr__(self, "names", tuple(error.__name__ for error in errors))

    def matches(self, raised: Any) -> bool:
        """Return whether an exception record has one of these names."""
        if not isinstance(raised, dict):
            return False
        return any(name in (raised.get("type"), *raised.get("bases", ())) for name in self.names)


@dataclass(frozen=True, slots=True)
class Maybe:
    """Expectation that is checked only if its key is present."""

    expectation: Expectation


@dataclass(frozen=True, slots=True)
class OneOf:
    """Expectation that at least one of several dicts of expectations is met."""

    options: tuple[dict[str, Expectation], ...]

    def __init__(self, *options: dict[str, Expectation]) -> None:
        object.__setattr__(self, "options", options)


@dataclass(frozen=True, slots=True)
class Gate:
    """Expectation that a count of the simulator is at most a bound; above it the answer is SLOW.

    An answer without the count passes.

    Attributes:
        measure: Reads the count from an answer; None where there is none.
        most: The maximum count.
        words: The message, with ``{came}``, ``{most}`` and the names of ``references``.
        references: The same count of other versions, as text.
    """

    measure: Callable[[Answer], float | None]
    most: float
    words: Note
    references: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Star:
    """Star awarded where a count is at most a bound; it never changes a verdict."""

    name: str
    measure: Callable[[Answer], float | None]
    most: float
    words: Note


Expectation = Want | Exact | Holds | Raises | Maybe | OneOf | Gate | Star
Expected = dict[str, Expectation]
