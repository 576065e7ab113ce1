"""Functions of each element, as such, as operators, in place, and with Python numbers.

Elements are drawn from all that their types hold. Values are compared where the operands and the
result are finite: of the rest, the standard's special cases say what it says.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from tests.microtorch.conformance import array_namespace as xp
from tests.microtorch.conformance.array_checks import (
    FULL,
    KINDS,
    SHAPES,
    Check,
    Draw,
    Run,
    array,
    called,
    drawn,
    elements,
    meets,
    ours,
    same,
    same_form,
    two_dtypes,
    two_shapes,
)

FILE = "operators_and_elementwise_functions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function of one or two operands.

    Attributes:
        name: The standard's.
        kind: Of which types its operands are.
        short: The operator's name, if it has one.
        prepare: Keeps the second operand in what the standard gives a meaning.
        is_compared: Its result is a bool, and nothing can be written in place.
        has_values: Its values are compared; powers are too wide a field to.
    """

    name: str
    kind: str
    short: str | None = None
    prepare: Callable[[Any], Any] = lambda y: y
    is_compared: bool = False
    has_values: bool = True


def _not_negative(y: Any) -> Any:
    # The smallest number has no absolute value of its own type.
    return np.maximum(y, 0) if np.asarray(y).dtype.kind == "i" else y


def _not_zero(y: Any) -> Any:
    return np.where(y == 0, np.ones_like(y), y)


UNARY = (
    *[
        Function(name=each, kind="inexact")
        for each in (
            "acos acosh asin asinh atan atanh cos cosh exp expm1 log log1p log2 log10 reciprocal "
            "sin sinh sqrt tan tanh"
        ).split()
    ],
    *[Function(name=each, kind="real") for each in ("ceil", "floor", "trunc")],
    *[
        Function(name=each, kind="numeric")
        for each in ("conj", "isfinite", "isinf", "isnan", "real", "round", "sign", "square")
    ],
    Function(name="imag", kind="complex"),
    Function(name="signbit", kind="float"),
    Function(name="logical_not", kind="bool"),
    Function(name="abs", kind="numeric", short="abs"),
    Function(name="negative", kind="numeric", short="neg"),
    Function(name="positive", kind="numeric", short="pos"),
    Function(name="bitwise_invert", kind="bits", short="invert"),
)
BINARY = (
    Function(name="add", kind="numeric", short="add"),
    Function(name="subtract", kind="numeric", short="sub"),
    Function(name="multiply", kind="numeric", short="mul"),
    Function(name="divide", kind="inexact", short="truediv"),
    Function(name="floor_divide", kind="real", short="floordiv", prepare=_not_zero),
    Function(name="remainder", kind="real", short="mod", prepare=_not_zero),
    Function(name="pow", kind="numeric", short="pow", prepare=_not_negative, has_values=False),
    Function(name="bitwise_and", kind="bits", short="and_"),
    Function(name="bitwise_or", kind="bits", short="or_"),
    Function(name="bitwise_xor", kind="bits", short="xor"),
    Function(name="bitwise_left_shift", kind="int", short="lshift", prepare=_not_negative),
    Function(name="bitwise_right_shift", kind="int", short="rshift", prepare=_not_negative),
    Function(name="equal", kind="any", short="eq", is_compared=True),
    Function(name="not_equal", kind="any", short="ne", is_compared=True),
    Function(name="greater", kind="real", short="gt", is_compared=True),
    Function(name="greater_equal", kind="real", short="ge", is_compared=True),
    Function(name="less", kind="real", short="lt", is_compared=True),
    Function(name="less_equal", kind="real", short="le", is_compared=True),
    *[
        Function(name=each, kind="float")
        for each in "atan2 copysign hypot logaddexp nextafter".split()
    ],
    *[Function(name=each, kind="real") for each in ("maximum", "minimum")],
    *[Function(name=f"logical_{each}", kind="bool") for each in ("and", "or", "xor")],
)
# Functions that take a Python number for an array, and the type of the array, or its kind.
WITH_NUMBERS = {
    "real": ("float", "add atan2 copysign divide hypot logaddexp maximum minimum multiply subtract "
             "equal not_equal less less_equal greater greater_equal pow"),
    "bool": ("bool", "logical_and logical_or logical_xor"),
    "int": ("int64", "floor_divide remainder"),
    "bitwise": ("int32", "bitwise_and bitwise_or bitwise_xor"),
    "bitwise_shifts": ("int32", "bitwise_left_shift bitwise_right_shift"),
}  # fmt: skip


def _agree(function: Function, found: Any, wanted: Any, *operands: Any) -> None:
    """Compare type and shape, and the values that the standard leaves no doubt about."""
    wanted = np.asarray(wanted)
    same_form(found, wanted.dtype, wanted.shape)
    if function.has_values:
        is_told = np.isfinite(wanted)
        for each in operands:
            is_told = is_told & np.broadcast_to(np.isfinite(each), wanted.shape)
        # Sums of near opposites, and the like, lose digits that nobody promises.
        same(found, wanted, where=is_told, loose=10)


def _one(function: Function, call: Callable[[Any], Any]) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        x = array(draw, function.kind, SHAPES)
        if function.name in ("abs", "negative") and x.dtype.kind == "i" and x.size:
            assume(x.min() > np.iinfo(x.dtype).min)
        _agree(function, call(ours(x)), getattr(np, function.name)(x), x)

    return body


def _two(
    function: Function, call: Callable[[Any, Any], Any], *, in_place: bool, with_number: bool
) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        left, right = two_dtypes(draw, function.kind, left_wins=True)
        shape, other_shape = two_shapes(draw, left_wins=in_place)
        x = array(draw, left, FULL if with_number else shape)
        if with_number:
            y = draw(
                elements(right, allow_nan=False, allow_infinity=False)
                if np.dtype(right).kind in "fc"
                else elements(right)
            )
            y = function.prepare(np.asarray(y, right)).item()
        else:
            y = function.prepare(array(draw, right, other_shape))
        wanted = getattr(np, function.name)(x, y)
        _agree(function, call(ours(x), ours(y)), wanted, x, y)

    return body


def _compare_at_the_edge(function: Function, call: Callable[[Any, Any], Any]) -> None:
    """Compare a number alone with numbers of a type that cannot hold it, of all such types."""
    for left in KINDS[function.kind]:
        for right in KINDS[function.kind]:
            if left != right and meets(left, right) and np.can_cast(right, left):
                x, y = _finest(left), np.array([1, 0, -1]).astype(right)
                wanted = getattr(np, function.name)(x, y)
                _agree(function, call(ours(x), ours(y)), wanted, x, y)


def _finest(dtype: str) -> Any:
    """Return the largest whole number of a type, or the first number after 1."""
    kind = np.dtype(dtype).kind
    if kind in "fc":
        return np.array(1 + np.finfo(dtype).eps, dtype)
    return np.array(True if kind == "b" else np.iinfo(dtype).max, dtype)


def _written(short: str) -> Callable[[Any, Any], Any]:
    writes = getattr(operator, f"i{short.rstrip('_')}")

    def call(x: Any, y: Any) -> Any:
        kept = x
        x = writes(x, y)
        assert x is kept or x.dtype is kept.dtype
        return x

    return call


def _number_meets_array(function: Function, dtype: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        x = array(draw, dtype, FULL)
        low = elements(x.dtype.name)
        if "shift" in function.name:
            low = st.integers(1, 3)
            x = np.clip(x, 1, 3)
        elif x.dtype.kind == "f":
            low = elements(x.dtype.name, allow_nan=False, allow_infinity=False) | st.integers(-9, 9)
        number = draw(low)
        number = number.item() if isinstance(number, np.generic) else number
        if function.prepare is _not_zero:
            x, number = _not_zero(x), number or 1
        pair = (x, number) if draw(st.booleans()) else (number, x)
        wanted = getattr(np, function.name)(*pair)
        _agree(function, getattr(xp, function.name)(*ours(pair)), wanted, *pair)

    return body


def _forms(function: Function) -> Iterator[tuple[str, Callable[[Draw], None]]]:
    """Return a function of two operands in all of its forms."""
    yield (
        f"[{function.name}(x1, x2)]" if function.short else "",
        _two(function, called(function.name), in_place=False, with_number=False),
    )
    if function.short is None:
        return
    name = function.short.rstrip("_")
    for letters, is_number in (("x1, x2", False), ("x, s", True)):
        call = getattr(operator, function.short)
        yield (
            f"[__{name}__({letters})]",
            _two(function, call, in_place=False, with_number=is_number),
        )
        if not function.is_compared:
            written = _written(function.short)
            yield (
                f"[__i{name}__({letters})]",
                _two(function, written, in_place=True, with_number=is_number),
            )


def _run_of(function: Function, shown: str, body: Callable[[Draw], None]) -> Run:
    run = drawn(body)
    if not function.is_compared or "x2" not in shown:
        return run
    is_operator = "__" in shown
    call = getattr(operator, str(function.short)) if is_operator else called(function.name)

    def with_edges(examples: int) -> None:
        run(examples)
        _compare_at_the_edge(function, call)

    return with_edges


def _clip(draw: Draw) -> None:
    x = array(draw, "real", SHAPES, allow_nan=False)
    limits = []
    for _ in range(2):
        which = draw(st.sampled_from(["none", "number", "array"]))
        limit = array(draw, x.dtype.name, () if which == "number" else x.shape, allow_nan=False)
        limits.append(None if which == "none" else limit.item() if which == "number" else limit)
    low, high = limits
    if low is not None and high is not None:
        low, high = np.minimum(low, high), np.maximum(low, high)
        low = low.item() if not isinstance(limits[0], np.ndarray) and low.ndim == 0 else low
        high = high.item() if not isinstance(limits[1], np.ndarray) and high.ndim == 0 else high
    found = xp.clip(ours(x), min=ours(low), max=ours(high))
    same(found, x if low is None and high is None else np.clip(x, low, high).astype(x.dtype))


def checks() -> Iterator[Check]:
    """Return every function in each of its forms."""
    for function in UNARY:
        shown = f"[{function.name}]" if function.short else ""
        run = drawn(_one(function, called(function.name)))
        yield Check(file=FILE, name=function.name + shown, run=run)
        if function.short:
            run = drawn(_one(function, getattr(operator, function.short)))
            yield Check(file=FILE, name=f"{function.name}[__{function.short}__]", run=run)
    for function in BINARY:
        for shown, body in _forms(function):
            yield Check(file=FILE, name=function.name + shown, run=_run_of(function, shown, body))
    yield Check(file=FILE, name="clip", run=drawn(_clip))
    by_name = {function.name: function for function in BINARY}
    for group, (dtype, names) in WITH_NUMBERS.items():
        for name in names.split():
            body = _number_meets_array(by_name[name], dtype)
            test = f"binary_with_scalars_{group}[{name}]"
            yield Check(file=FILE, name=test, run=drawn(body))
