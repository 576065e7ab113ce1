"""Comparison, logical and bitwise operations: eq, lt, where, clamp, isclose, allclose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.arithmetic import (
    Function,
    binary,
    define,
    define_operators,
    entered,
)
from torchstone.microtorch.ops.broadcasting import broadcast_error, expect_tensors
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.pointwise import into, unary
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor, attach, wrap


def _comparison(name: str, ufunc: Callable[..., Any], **options: Any) -> Function:
    """Define a comparison and its operator."""
    made = binary(name, ufunc, numbers="other", refuses="" if name in ("eq", "ne") else "c")

    def operator(self: Tensor, other: Any) -> Any:
        try:
            return made(self, other)
        except TypeError:
            return NotImplemented

    attach(f"__{name}__", named(operator, f"__{name}__"))
    return entered(name, made, **options)


eq = _comparison("eq", np.equal)
ne = _comparison("ne", np.not_equal, aliases=("not_equal",))
lt = _comparison("lt", np.less, aliases=("less",))
le = _comparison("le", np.less_equal, aliases=("less_equal",))
gt = _comparison("gt", np.greater, aliases=("greater",))
ge = _comparison("ge", np.greater_equal, aliases=("greater_equal",))

define("logical_and", np.logical_and, numbers="none")
define("logical_or", np.logical_or, numbers="none")
define("logical_xor", np.logical_xor, numbers="none")


def _of_floats(test: Callable[[Array], Any]) -> Callable[[Array], Any]:
    # Integers are never infinite or NaN.
    return lambda x: test(x) if x.dtype.kind in "fc" else np.zeros(x.shape, bool)


_tests: dict[str, Callable[[Array], Any]] = {
    "logical_not": np.logical_not,
    "isnan": _of_floats(np.isnan),
    "isinf": _of_floats(np.isinf),
    "isposinf": _of_floats(np.isposinf),
    "isneginf": _of_floats(np.isneginf),
    "isfinite": np.isfinite,
    "signbit": lambda x: np.signbit(x) if x.dtype.kind in "fc" else x < 0,
    "isreal": lambda x: x.imag == 0 if x.dtype.kind == "c" else np.ones(x.shape, bool),
}
for _name, _test in _tests.items():
    unary(_name, _test, keeps_integers=True)


def _bits(name: str, operator: str, ufunc: Callable[..., Any], refuses: str = "") -> None:
    made = binary(name, ufunc, refuses=refuses)
    entered(name, made)
    define_operators({operator: made})


_bits("bitwise_and", "and", np.bitwise_and)
_bits("bitwise_or", "or", np.bitwise_or)
_bits("bitwise_xor", "xor", np.bitwise_xor)
_bits("bitwise_left_shift", "lshift", np.left_shift, "b")
_bits("bitwise_right_shift", "rshift", np.right_shift, "b")
bitwise_not = unary("bitwise_not", np.invert, keeps_integers=True)
attach("__invert__", bitwise_not)


# Selection.


def _half_where_equal(grad: Tensor, self: Tensor, other: Tensor, loses: Any) -> Tensor:
    return (grad / 2).where(self.eq(other), grad).masked_fill(loses, 0)


def _define_extremes(end: str, wins: Function, loses: Function) -> None:
    """Register ``maximum`` and ``fmax``, or ``minimum`` and ``fmin``, by a comparison."""

    def is_taken(self: Tensor, other: Tensor) -> Tensor:
        return wins(self, other) | other.isnan()

    options = {"numbers": "none", "refuses": "c", "inplace": False}
    define(
        f"{end}imum",
        getattr(np, f"{end}imum"),
        lambda grad, self, other: _half_where_equal(grad, self, other, loses(self, other)),
        lambda grad, self, other: _half_where_equal(grad, self, other, loses(other, self)),
        **options,
    )
    define(
        f"f{end}",
        getattr(np, f"f{end}"),
        lambda grad, self, other: grad.where(is_taken(self, other), 0),
        lambda grad, self, other: grad.masked_fill(is_taken(self, other), 0),
        **options,
    )


_define_extremes("max", ge, lt)
_define_extremes("min", le, gt)


def _heaviside(x: Array, values: Array) -> Array:
    return np.where(x == 0, values, x > 0).astype(x.dtype)


_step = binary("heaviside", _heaviside, numbers="none", refuses="c")


@op(inplace=True)
def heaviside(input: Tensor, values: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the Heaviside step function: 0 below zero, 1 above, ``values`` at zero."""
    if isinstance(values, Tensor) and values.dtype is not input.dtype:
        raise RuntimeError("heaviside is not yet implemented for tensors with different dtypes.")
    return into(out, _step(input, values))


@primitive(
    input=lambda grad, condition: grad.where(condition, 0),
    other=lambda grad, condition: grad.masked_fill(condition, 0),
)
def _where(condition: Array, input: Any, other: Any) -> Array:
    try:
        return np.where(condition, input, other)
    except ValueError:
        for x, y in ((condition, input), (input, other), (condition, other)):
            if _differ(x.shape, y.shape):
                raise broadcast_error(x.shape, y.shape) from None
        raise


def _differ(x: tuple[int, ...], y: tuple[int, ...]) -> bool:
    pairs = zip(reversed(x), reversed(y), strict=False)
    return any(a != b and 1 not in (a, b) for a, b in pairs)


@op(method=False)
def where(
    condition: Tensor, input: Any = None, other: Any = None, *, out: Tensor | None = None
) -> Any:
    """Select elements of ``input`` where a condition is true, and of ``other`` elsewhere.

    With the condition alone, return the indices of its true elements, one tensor per dimension.

    Raises:
        RuntimeError: The condition is not boolean.
    """
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    if condition.array.dtype.kind not in "b" and condition.array.dtype != np.uint8:
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype "
            f"{condition.dtype.title}"
        )
    if condition.array.dtype.kind != "b":
        condition = condition.to(dtypes.bool_)
    wanted = dtypes.result_type(input, other)
    result = _where(condition, _operand(input, wanted), _operand(other, wanted))
    return result if out is None else into(out, result)


def _operand(value: Any, wanted: dtypes.dtype) -> Tensor:
    """Convert an operand to a tensor of the common dtype."""
    if isinstance(value, Tensor):
        return value if value.array.dtype is wanted.numpy else value.to(wanted)
    if wanted.kind == dtypes.INTEGER:
        dtypes.refuse_loss(value, wanted)
    return wrap(np.asarray(value).astype(wanted.numpy))


attach("where", lambda self, condition, other: where(condition, self, other))


# Clamping.


def _clamp_rule(grad: Tensor, self: Tensor, low: Any, high: Any) -> Tensor:
    is_inside = None if low is None else self >= low
    if high is not None:
        is_below = self <= high
        is_inside = is_below if is_inside is None else is_inside & is_below
    return grad.where(is_inside, 0)


def _low_rule(grad: Tensor, self: Tensor, low: Any, high: Any) -> Tensor:
    is_taken = self < low if high is None else (self < low) & (low < high)
    return grad.where(is_taken, 0)


def _high_rule(grad: Tensor, self: Tensor, low: Any, high: Any) -> Tensor:
    is_taken = self > high if low is None else (self > high) | (high < low)
    return grad.where(is_taken, 0)


@primitive(self=_clamp_rule, low=_low_rule, high=_high_rule)
def _clamp(self: Array, low: Any, high: Any) -> Any:
    if self.dtype.kind == "f":
        # np.clip with two bounds is three times as fast as with one.
        return np.clip(self, -np.inf if low is None else low, np.inf if high is None else high)
    above = self if low is None else np.maximum(self, low)
    return above if high is None else np.minimum(above, high)


@op(inplace=True, aliases=("clip",))
def clamp(input: Tensor, min: Any = None, max: Any = None, *, out: Tensor | None = None) -> Tensor:
    """Clamp elements to limits, each a number or a tensor.

    Raises:
        RuntimeError: Both limits are None.
    """
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None")
    if not isinstance(input, Tensor):
        raise TypeError(f"clamp(): argument 'input' must be Tensor, not {type(input).__name__}")
    if input.array.dtype.kind == "c":
        raise RuntimeError("clamp is not supported for complex types")
    wanted = dtypes.result_type(input, *[each for each in (min, max) if each is not None])
    result = _clamp(_operand(input, wanted), _limit(min, wanted), _limit(max, wanted))
    return result if out is None else into(out, result)


def _limit(value: Any, wanted: dtypes.dtype) -> Any:
    """Convert a limit to an operand; with a floating-point dtype a number stays a number."""
    is_number = value is not None and not isinstance(value, Tensor)
    if is_number and wanted.kind == dtypes.FLOAT:
        return dtypes.held(value, wanted)
    return None if value is None else _operand(value, wanted)


@op(inplace=True)
def clamp_min(input: Tensor, min: Any, *, out: Tensor | None = None) -> Tensor:
    """Clamp elements to a lower limit."""
    return clamp(input, min, out=out)


@op(inplace=True)
def clamp_max(input: Tensor, max: Any, *, out: Tensor | None = None) -> Tensor:
    """Clamp elements to an upper limit."""
    return clamp(input, None, max, out=out)


# Equality, exact and within a tolerance.


@op()
def isclose(
    input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Tensor:
    """Return, element by element, whether ``|input - other| <= atol + rtol * |other|``.

    Raises:
        RuntimeError: A tolerance is negative, or the dtypes differ.
    """
    expect_tensors("isclose", input=input, other=other)
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance}")
    if input.dtype is not other.dtype:
        raise RuntimeError(f"{input.dtype.title} did not match {other.dtype.title}")
    return _isclose(input, other, rtol, atol, equal_nan)


@primitive()
def _isclose(self: Array, other: Array, rtol: float, atol: float, equal_nan: bool) -> Any:
    return np.isclose(self, other, rtol, atol, equal_nan)


@op()
def allclose(
    input: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> bool:
    """Return whether all elements of two tensors are close; see ``isclose``."""
    return bool(isclose(input, other, rtol, atol, equal_nan).array.all())


@op()
def equal(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same shape and elements."""
    return bool(np.array_equal(input.array, other.array))


@op(method=False)
def is_tensor(obj: Any) -> bool:
    """Return whether an object is a tensor."""
    return isinstance(obj, Tensor)


@op(method=False)
def is_floating_point(input: Tensor) -> bool:
    """Return whether the dtype of a tensor is floating-point."""
    return input.is_floating_point()


@op()
def is_signed(input: Tensor) -> bool:
    """Return whether the dtype of a tensor is signed."""
    return input.dtype.is_signed


@op()
def is_same_size(input: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same shape."""
    return input.array.shape == other.array.shape


@op()
def is_nonzero(input: Tensor) -> bool:
    """Return whether the single element of a tensor is not 0."""
    return bool(input)


def _contains(self: Tensor, element: Any) -> bool:
    if not isinstance(element, Tensor | int | float | complex):
        raise RuntimeError(
            "Tensor.__contains__ only supports Tensor or scalar, but you passed in a "
            f"{type(element)}."
        )
    return bool(self.eq(element).array.any())


attach("__contains__", _contains)
