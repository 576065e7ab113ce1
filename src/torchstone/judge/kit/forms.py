"""Forms of values: what grading reads of an answer, and how it names another value.

A process may answer anything. An expectation with a predicate therefore states a form: the kit
checks it before the predicate sees the value, so that a predicate never has to expect more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from torchstone.core.i18n import both

BRIEF_CAP = 80
# A longer integer is named by its size; Python itself prints none of more than 4,300 digits.
PRINTED_BITS = 256
# Floating-point numbers and sizes in bytes are computed from integers that fit.
INTEGER_BITS = 63
# The dtypes that torch compares and converts. The packed, quantized and uninterpreted ones raise.
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
    """Describe the values that a predicate can read.

    Attributes:
        fits: Returns whether a value has this form; it accepts any value.
        key: The sentence in ``judge.form``, with ``values``.
        values: The values of the sentence.
    """

    fits: Callable[[Any], bool]
    key: str
    values: tuple[tuple[str, object], ...] = ()

    @property
    def words(self) -> dict[str, str]:
        """Return the name of the form in both languages."""
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


# Whatever a learner's function may return: a predicate of it looks at the type first.
VALUE = Form(_is_value, "value")
# A count that the judge takes.
COUNT = Form(lambda value: type(value) is int and 0 <= value < 1 << INTEGER_BITS, "count")


def brief(value: Any) -> str:
    """Print a value that came over the wire in at most 80 characters, whatever it is."""
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
        # Of a text the beginning is enough.
        yield repr(value[: 2 * BRIEF_CAP] if isinstance(value, (str, bytes)) else value)


def name_of(dtype: torch.dtype) -> str:
    """Return the name of a dtype without its module."""
    return str(dtype).removeprefix("torch.")


def equal(wanted: Any, got: Any) -> bool:
    """Compare plain values by type and value.

    NaN equals NaN, tensors by shape, dtype and value (NaN equals NaN). Tensors that torch cannot
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
