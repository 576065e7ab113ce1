"""Powers: pow, square, float_power, ldexp, frexp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes, return_types
from torchstone.microtorch.ops.arithmetic import binary, define_operators
from torchstone.microtorch.ops.broadcasting import expect_tensors
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import into, zero_rule
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor


def _power(x: Array, y: Array) -> Any:
    if x.dtype.kind == "f" and np.any(is_half := y == 0.5):
        # NumPy uses sqrt for the exponent 0.5, which differs from pow at -inf and -0.
        x = np.where(is_half & np.isin(x, (0, -np.inf)), np.abs(x), x)
    if x.dtype.kind not in "i" or not np.any(y < 0):
        return np.power(x, y)
    # Only 1 and -1 have integer reciprocals; the others give 0.
    whole = np.power(x, np.abs(y))
    return np.where(y < 0, np.where(np.abs(x) == 1, whole, 0), whole)


def _pow_base_rule(grad: Tensor, self: Tensor, other: Tensor) -> Tensor:
    return grad * (other * self ** (other - 1)).masked_fill(other.eq(0), 0)


def _pow_exponent_rule(grad: Tensor, self: Tensor, other: Tensor, result: Tensor) -> Tensor:
    is_flat = self.eq(0) & other.real.ge(0)
    return grad * (result * self.log()).masked_fill(is_flat, 0)


_pow = binary("pow", _power, _pow_base_rule, _pow_exponent_rule, refuses="b")

# Exponents with dedicated functions, which are many times as fast.
_POWERS: dict[Any, Callable[[Array], Any]] = {
    0: np.ones_like,
    1: lambda x: x.copy(),
    2: np.square,
    3: lambda x: x * x * x,
    0.5: np.sqrt,
    -1: np.reciprocal,
    -0.5: lambda x: 1 / np.sqrt(x),
}


def _pow_number_rule(grad: Tensor, self: Tensor, exponent: Any) -> Tensor:
    if exponent == 0:
        return zero_rule(grad)
    slope = self if exponent == 2 else self ** (exponent - 1)
    return grad * (slope * exponent).conj()


@primitive(self=_pow_number_rule)
def _pow_number(self: Array, exponent: Any) -> Any:
    function = _POWERS.get(exponent)
    return np.power(self, self.dtype.type(exponent)) if function is None else function(self)


_pow_number.node.__name__ = "PowBackward0"


def _power_of(input: Any, exponent: Any) -> Tensor:
    """Raise to a power, with a fast path for a Python number as the exponent."""
    if isinstance(exponent, Tensor) or not isinstance(input, Tensor):
        return _pow(input, exponent)
    if type(exponent) in (int, float) and input.array.dtype.kind in "fc":
        return _pow_number(input, dtypes.held(exponent, input.dtype))
    if isinstance(exponent, int) and exponent < 0:
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return _pow_number(input.to(dtypes.result_type(input, exponent)), exponent)


@op(inplace=True)
def pow(input: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """Raise to a power.

    Raises:
        RuntimeError: An integer tensor has a negative integer exponent.
    """
    return into(out, _power_of(input, exponent))


@op(inplace=True)
def square(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute the square."""
    return pow(input, 2, out=out)


@op(inplace=True)
def float_power(input: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """Raise to a power, in double precision."""
    kind = dtypes.result_type(input, exponent).kind
    wanted = dtypes.complex128 if kind == dtypes.COMPLEX else dtypes.float64
    operands = [each.to(wanted) if isinstance(each, Tensor) else each for each in (input, exponent)]
    return into(out, _power_of(*operands))


@op(inplace=True)
def ldexp(input: Tensor, other: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Compute ``input * 2**other``."""
    expect_tensors("ldexp", input=input, other=other)
    return into(out, input * 2.0**other)


@primitive(self=lambda grad, result1: grad / 2.0**result1)
def _frexp(self: Array) -> Any:
    return np.frexp(self)


_Frexp = return_types.define("frexp", "mantissa", "exponent")


@op()
def frexp(input: Tensor) -> Any:
    """Split numbers into mantissas with absolute values in [0.5, 1) and exponents of 2."""
    if input.array.dtype.kind != "f":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return _Frexp(*_frexp(input))


define_operators({"pow": _power_of})
