"""Unary elementwise functions: exp, log, sqrt, sin, tanh, sigmoid, abs, round and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.ops.elementwise import Unary
from torchstone.microtorch.ops.namespace import functions, named, op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor

PI, LN2, LN10 = float(np.pi), float(np.log(2.0)), float(np.log(10.0))


def unary(
    name: str,
    forward: Callable[[Array], Any],
    derivative: Callable[..., Tensor] | None = None,
    *,
    keeps_integers: bool = False,
    aliases: tuple[str, ...] = (),
    namespaces: tuple[str, ...] = (),
    special: str | None = None,
) -> Callable[..., Tensor]:
    """Create a function of one operand and register it with its in-place variant.

    Args:
        name: Its name.
        forward: The computation on an array.
        derivative: The rule of its gradient.
        keeps_integers: Integers give integers; otherwise they are promoted to floats.
        aliases: Further names.
        namespaces: The namespaces to register it in; by default the package.
        special: Its name in ``torch.special``, if it has one.
    """
    rules = {} if derivative is None else {"self": derivative}
    made = Unary(name, forward, rules, keeps_integers=keeps_integers)

    def function(input: Tensor, *, out: Tensor | None = None) -> Tensor:
        return made(input) if out is None else into(out, made(input))

    named(function, name)
    if special is not None:
        functions["special"][special] = function
    return op(*namespaces, inplace=not namespaces, aliases=aliases)(function)


def into(out: Tensor | None, result: Tensor) -> Tensor:
    """Copy a result into ``out`` and return that; without ``out`` return the result."""
    if out is None:
        return result
    if result.requires_grad or (out.requires_grad and state.enabled):
        raise RuntimeError(
            "functions with out=... arguments don't support automatic differentiation, but one of "
            "the arguments requires grad."
        )
    if not dtypes.can_cast(result.dtype, out.dtype):
        raise RuntimeError(
            f"result type {result.dtype.title} can't be cast to the desired output type "
            f"{out.dtype.title}"
        )
    if out.array.shape != result.array.shape:
        out.array = np.empty(result.array.shape, out.array.dtype)
    np.copyto(out.array, result.array, casting="unsafe")
    out.bump_version()
    return out


def zero_rule(grad: Tensor) -> Tensor:
    """Return the zero gradient of a piecewise constant function."""
    return grad.new_zeros(grad.shape)


def _sigmoid(x: Array) -> Array:
    # exp may overflow to inf, for which 1 / inf = 0 is correct.
    result = np.negative(x, out=np.empty_like(x))
    np.exp(result, out=result)
    result += 1
    return np.reciprocal(result, out=result)


def _neg(x: Array) -> Any:
    if x.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. If you are trying to "
            "invert a mask, use the `~` or `logical_not()` operator instead."
        )
    return np.negative(x)


def _sign(x: Array) -> Any:
    if x.dtype.kind == "c":
        raise NotImplementedError(
            "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
            "torch.sgn instead."
        )
    if x.dtype.kind == "f":
        # NaN has the sign 0.
        return np.subtract(x > 0, x < 0, dtype=x.dtype)
    return x.copy() if x.dtype.kind == "b" else np.sign(x)


def _sinc(x: Array) -> Array:
    angle = PI * x
    return np.where(angle == 0, x.dtype.type(1), np.sin(angle) / angle)


def _sinc_rule(grad: Tensor, self: Tensor) -> Tensor:
    angle = self * PI
    slope = (angle * angle.cos() - angle.sin()) / (angle * self)
    return grad * slope.masked_fill((angle * self).eq(0), 0)


def _sgn_rule(grad: Tensor, self: Tensor, result: Tensor) -> Tensor:
    if not self.is_complex():
        return zero_rule(grad)
    # Only the component perpendicular to the radius changes the direction.
    across = (grad - (grad.conj() * result).real * result) / self.abs()
    return across.masked_fill(self.eq(0), 0)


neg = unary("neg", _neg, lambda grad: -grad, keeps_integers=True, aliases=("negative",))
abs = unary(
    "abs", np.abs, lambda grad, self: grad * self.sgn(), keeps_integers=True, aliases=("absolute",)
)
exp = unary("exp", np.exp, lambda grad, result: grad * result)
exp2 = unary("exp2", np.exp2, lambda grad, result: grad * result * LN2, special="exp2")
expm1 = unary("expm1", np.expm1, lambda grad, result: grad * (result + 1), special="expm1")
log = unary("log", np.log, lambda grad, self: grad / self)
log2 = unary("log2", np.log2, lambda grad, self: grad / (self * LN2))
log10 = unary("log10", np.log10, lambda grad, self: grad / (self * LN10))
log1p = unary("log1p", np.log1p, lambda grad, self: grad / (self + 1), special="log1p")
sqrt = unary("sqrt", np.sqrt, lambda grad, result: grad / (2 * result))
rsqrt = unary("rsqrt", lambda self: 1 / np.sqrt(self), lambda grad, result: -0.5 * grad * result**3)
reciprocal = unary("reciprocal", np.reciprocal, lambda grad, result: -grad * result * result)
sin = unary("sin", np.sin, lambda grad, self: grad * self.cos())
cos = unary("cos", np.cos, lambda grad, self: -grad * self.sin())
tan = unary("tan", np.tan, lambda grad, result: grad * (1 + result * result))
sinh = unary("sinh", np.sinh, lambda grad, self: grad * self.cosh())
cosh = unary("cosh", np.cosh, lambda grad, self: grad * self.sinh())
tanh = unary("tanh", np.tanh, lambda grad, result: grad * (1 - result * result))
asin = unary(
    "asin", np.arcsin, lambda grad, self: grad * (1 - self * self).rsqrt(), aliases=("arcsin",)
)
acos = unary(
    "acos", np.arccos, lambda grad, self: -grad * (1 - self * self).rsqrt(), aliases=("arccos",)
)
atan = unary("atan", np.arctan, lambda grad, self: grad / (1 + self * self), aliases=("arctan",))
asinh = unary(
    "asinh", np.arcsinh, lambda grad, self: grad * (self * self + 1).rsqrt(), aliases=("arcsinh",)
)
acosh = unary(
    "acosh",
    np.arccosh,
    # Two roots instead of one of the product, so that the branch is right for complex numbers.
    lambda grad, self: grad * (self - 1).rsqrt() * (self + 1).rsqrt(),
    aliases=("arccosh",),
)
atanh = unary(
    "atanh", np.arctanh, lambda grad, self: grad / (1 - self * self), aliases=("arctanh",)
)
sigmoid = unary(
    "sigmoid", _sigmoid, lambda grad, result: grad * (1 - result) * result, special="expit"
)
sinc = unary("sinc", _sinc, _sinc_rule, special="sinc")
sign = unary("sign", _sign, zero_rule, keeps_integers=True)
_sgn = Unary(
    "sgn",
    lambda self: np.sign(self) if self.dtype.kind == "c" else _sign(self),
    {"self": _sgn_rule},
    keeps_integers=True,
)
_sgn.complex_node = _sgn.node
floor = unary("floor", np.floor, zero_rule, keeps_integers=True)
ceil = unary("ceil", np.ceil, zero_rule, keeps_integers=True)
trunc = unary("trunc", np.trunc, zero_rule, keeps_integers=True, aliases=("fix",))
deg2rad = unary("deg2rad", lambda self: self * (PI / 180), lambda grad: grad * (PI / 180))
rad2deg = unary("rad2deg", lambda self: self * (180 / PI), lambda grad: grad * (180 / PI))
frac = unary("frac", lambda self: self - np.trunc(self), lambda grad: grad)


@op(inplace=True)
def sgn(input: Tensor) -> Tensor:
    """Return the sign; for complex numbers the unit direction."""
    return _sgn(input)


@op()
def positive(input: Tensor) -> Tensor:
    """Return the tensor itself: ``+input``."""
    if input.array.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


@op(inplace=True)
def logit(input: Tensor, eps: float | None = None, *, out: Tensor | None = None) -> Tensor:
    """Compute ``log(p / (1 - p))``, with ``p`` clamped to [eps, 1 - eps] if ``eps`` is given."""
    input = _floating(input)
    return into(out, _logit(input, dtypes.held(eps, input.dtype)))


functions["special"]["logit"] = logit


def _floating(input: Tensor) -> Tensor:
    """Convert integers to floats, for functions whose values are not integers."""
    return input if input.array.dtype.kind in "fc" else input.to(dtypes.get_default_dtype())


def _logit_rule(grad: Tensor, self: Tensor, eps: float | None) -> Tensor:
    slope = grad / (self * (1 - self))
    if eps is None:
        outside, beyond = (self < 0) | (self > 1), float("nan")
    else:
        outside, beyond = (self < eps) | (self > 1 - eps), 0.0
    return slope.masked_fill(outside, beyond)


@primitive(self=_logit_rule)
def _logit(self: Array, eps: float | None) -> Any:
    p = self if eps is None else np.clip(self, eps, 1 - eps)
    return np.log(p / (1 - p))


@op(inplace=True)
def round(input: Tensor, *, decimals: int = 0, out: Tensor | None = None) -> Tensor:
    """Round to the nearest integer or decimal; halves are rounded to even."""
    if decimals and input.array.dtype.kind != "f":
        raise NotImplementedError(f"\"round_cpu\" not implemented for '{input.dtype.title}'")
    return into(out, _round(input, decimals))


functions["special"]["round"] = round


@primitive(self=zero_rule)
def _round(self: Array, decimals: int) -> Any:
    if decimals == 0:
        return np.rint(self) if self.dtype.kind == "f" else self.copy()
    scale = self.dtype.type(10.0 ** np.abs(decimals))
    return np.rint(self * scale) / scale if decimals > 0 else np.rint(self / scale) * scale


@op(inplace=True)
def nan_to_num(
    input: Tensor,
    nan: float | None = None,
    posinf: float | None = None,
    neginf: float | None = None,
    *,
    out: Tensor | None = None,
) -> Tensor:
    """Replace NaN by 0 and infinities by the largest finite numbers, or by given values."""
    return into(out, _nan_to_num(input, 0.0 if nan is None else nan, posinf, neginf))


@primitive(exact=True, self=lambda grad, self: grad.masked_fill(~self.isfinite(), 0))
def _nan_to_num(self: Array, nan: Any, posinf: Any, neginf: Any) -> Any:
    return np.nan_to_num(self, nan=nan, posinf=posinf, neginf=neginf)
