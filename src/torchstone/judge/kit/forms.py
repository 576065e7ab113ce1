"""Forms of values: what grading accepts in an answer, and how it describes other values.

A process may answer anything. An expectation with a predicate therefore states a form, which the
kit checks before it calls the predicate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from torchstone.core.i18n import both

BRIEF_CAP = 80
# A longer integer is described by its size; Python prints at most 4,300 digits.
PRINTED_BITS = 256
# Larger integers do not fit torch's int64, nor exact arithmetic on sizes in bytes.
INTEGER_BITS = 63
# Dtypes that torch compares and converts; it raises for packed, quantized and raw-bit ones.
ORDINARY = frozenset(
    getattr(torch, name)
    for name in (
        *("float64", "float32", "float16", "bfloat16", "complex128", "complex64", "complex32"),
        *("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"),
        *("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool"),
    )
)


@dataclass(frozen=True, slots=True)
class Form:
    """Set of values that a predicate accepts.

    Attributes:
        fits: Returns whether a value has this form; accepts any value.
        key: Key of the description in ``judge.form``, formatted with ``values``.
        values: Values of the description's placeholders.
    """

    fits: Callable[[Any], bool]
    key: str
    values: tuple[tuple[str, object], ...] = ()

    @property
    def words(self) -> dict[str, str]:
        """Return the description of the form in both languages."""
        return both(f"judge.form.{self.key}", **dict(self.values))


def numbers(count: int) -> Form:
    """Return the form of a list of ``count`` finite numbers."""
    return Form(
        lambda value: type(value) is list and len(value) == count and all(map(_is_number, value)),
        "numbers",
        (("count", count),),
    )


def _is_number(value: Any) -> bool:
    if type(value) is int:
        return value.bit_length() <= INTEGER_BITS
    return type(value) is float and math.isfinite(value)


def _is_value(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return value.dtype in ORDINARY
    if isinstance(value, dict):
        return all(map(_is_value, value.values()))
    if isinstance(value, (list, tuple)):
        return all(map(_is_value, value))
    return type(value) is not int or value.bit_length() <= INTEGER_BITS


# Any value of a learner's function with ordinary dtypes; predicates check its type themselves.
VALUE = Form(_is_value, "value")
# A count that the judge takes.
COUNT = Form(lambda value: type(value) is int and 0 <= value < 1 << INTEGER_BITS, "count")


def brief(value: Any) -> str:
    """Format any value from the wire in at most 80 characters."""
    text = ""
    for part in _parts(value):
        text += part
        if len(text) > BRIEF_CAP:
            return text[: BRIEF_CAP - 3] + "..."
    return text


def _parts(value: Any) -> Iterator[str]:
    if isinstance(value, torch.Tensor):
        yield f"tensor {name_of(value.dtype)} {tuple(value.shape)}"
    elif type(value) is int and value.bit_length() > PRINTED_BITS:
        yield f"an integer of {value.bit_length()} bits"
    elif isinstance(value, dict):
        yield "{"
        for place, (key, item) in enumerate(value.items()):
            yield f"{', ' if place else ''}{key!r}: "
            yield from _parts(item)
        yield "}"
    elif isinstance(value, (list, tuple)):
        begin, end = "[]" if isinstance(value, list) else "()"
        yield begin
        for place, item in enumerate(value):
            yield ", " if place else ""
            yield from _parts(item)
        yield f",{end}" if end == ")" and len(value) == 1 else end
    else:
        # The beginning of a text is enough.
        yield repr(value[: 2 * BRIEF_CAP] if isinstance(value, (str, bytes)) else value)


def name_of(dtype: torch.dtype) -> str:
    """Return the name of a dtype without its module."""
    return str(dtype).removeprefix("torch.")


def equal(wanted: Any, got: Any) -> bool:
    """Return whether two plain values are equal in type and value.

    NaN equals NaN; tensors are compared by shape, dtype and value. Tensors that torch cannot
    compare are not equal.
    """
    if isinstance(wanted, torch.Tensor) or isinstance(got, torch.Tensor):
        if not isinstance(wanted, torch.Tensor) or not isinstance(got, torch.Tensor):
            return False
        if wanted.dtype != got.dtype or wanted.shape != got.shape or got.dtype not in ORDINARY:
            return False
        return bool(((wanted == got) | (wanted.isnan() & got.isnan())).all())
    if type(wanted) is not type(got):
        return False
    if isinstance(wanted, float):
        return wanted == got or (math.isnan(wanted) and math.isnan(got))
    if isinstance(wanted, (list, tuple)):
        return len(wanted) == len(got) and all(map(equal, wanted, got))
    if isinstance(wanted, dict):
        return list(wanted) == list(got) and all(equal(wanted[key], got[key]) for key in wanted)
    return bool(wanted == got)
