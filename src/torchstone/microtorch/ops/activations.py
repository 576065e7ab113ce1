"""Piecewise linear activations: relu, leaky_relu, prelu, hardtanh, threshold, softshrink.

The gradient of a piecewise linear function passes the incoming gradient in some regions and scales
it by a constant or blocks it in others (``gate``). That is again piecewise linear, so these
functions are differentiable any number of times.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.kernels import Kernel
from torchstone.microtorch.ops.broadcasting import expect_tensors
from torchstone.microtorch.ops.elementwise import Unary
from torchstone.microtorch.ops.namespace import in_place, named, op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor, wrap

_BITS = {"f2": np.int16, "f4": np.int32, "f8": np.int64}
_NO_BOUND = math.nan


def activate(
    function: Callable[..., Any], input: Tensor, *args: Any, inplace: bool, kinds: str = "f"
) -> Tensor:
    """Apply an activation; with ``inplace``, write the result into the input.

    Raises:
        NotImplementedError: The input's dtype kind (NumPy's letter) is not in ``kinds``.
    """
    name = getattr(function, "__name__", "this function").strip("_")
    expect_tensors(name, input=input)
    if input.array.dtype.kind not in kinds:
        raise NotImplementedError(f'"{name}_cpu" not implemented for {input.dtype.title!r}')
    return in_place(function, "activation_")(input, *args) if inplace else function(input, *args)


def define(
    name: str,
    made: Callable[..., Any],
    *constants: float,
    doc: str,
    namespaces: tuple[str, ...] = ("nn.functional",),
    kinds: str = "f",
) -> None:
    """Register an activation that has no parameters besides ``inplace``."""

    def function(input: Tensor, inplace: bool = False) -> Tensor:
        return activate(made, input, *constants, inplace=inplace, kinds=kinds)

    op(*namespaces, inplace="torch" in namespaces)(named(function, name, doc))


def keep(values: Array, mask: Array) -> Array:
    """Return the values where the mask is true, and zero elsewhere.

    Multiplying the bit pattern by 0 or 1 is exact for inf and NaN, and much faster than
    ``np.where`` on an irregular mask.
    """
    bits = _BITS.get(values.dtype.str[1:])
    if bits is None:
        return np.where(mask, values, np.zeros((), values.dtype))
    if values.shape != mask.shape:
        values = np.broadcast_to(values, np.broadcast_shapes(values.shape, mask.shape))
    result = np.empty_like(values)
    np.multiply(values.view(bits), mask, out=result.view(bits))
    return result


def choose(mask: Array, first: Array, second: Any) -> Array:
    """Select like ``np.where``, but built on ``keep``, in the dtype of the first operand."""
    bits = _BITS.get(first.dtype.str[1:])
    second = np.asarray(second, first.dtype)
    if bits is None:
        return np.where(mask, first, second)
    result, rest = keep(first, mask), keep(second, ~mask)
    np.bitwise_or(result.view(bits), rest.view(bits), out=result.view(bits))
    return result


# ReLU is the most common activation, so its gradient is a separate primitive.


def _nothing(grad: Tensor) -> Tensor:
    return grad * 0


def _relu_rule(grad: Tensor, result: Tensor) -> Any:
    return _relu_gradient(grad, result)


@Kernel
def relu_gradient(grad_output: Array, output: Array) -> Array:
    """Pass a gradient where the output is not zero."""
    # The output is never negative; `!=`, unlike `>`, passes the gradient where the output is NaN.
    return keep(grad_output, output != 0)


@primitive(grad_output=lambda grad, output: _relu_rule(grad, output), output=_nothing)
def _relu_gradient(grad_output: Array, output: Array) -> Array:
    return relu_gradient(grad_output, output)


def _relu_forward(self: Array) -> Array:
    if self.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    if self.dtype.kind == "c":
        raise TypeError
    # np.clip with two bounds is vectorized; with one bound it is not.
    return np.clip(self, 0, np.inf) if self.dtype.kind == "f" else np.maximum(self, 0)


_relu = Unary("relu", _relu_forward, {"self": _relu_rule}, keeps_integers=True)


@op("torch", "nn.functional", method=True, inplace=True)
def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """Set negative elements to zero."""
    return activate(_relu, input, inplace=True, kinds="fiub") if inplace else _relu(input)


def _gate_rule(grad: Tensor, self: Tensor, low: float, high: float, is_inside: bool) -> Any:
    return gate(self, grad, low, high, is_inside)


@primitive(self=_nothing, grad_output=_gate_rule)
def gate(self: Array, grad_output: Array, low: float, high: float, is_inside: bool) -> Array:
    """Pass a gradient only where the input lies between two bounds, or only where it does not."""
    # Negated comparisons, so that the gradient passes where the input is NaN.
    if is_inside:
        return keep(grad_output, ~((self <= low) | (self >= high)))
    return keep(grad_output, ~((self >= low) & (self <= high)))


@primitive(self=lambda grad, self, min_val, max_val: gate(self, grad, min_val, max_val, True))
def _hardtanh(self: Array, min_val: float, max_val: float) -> Array:
    return np.clip(self, self.dtype.type(min_val), self.dtype.type(max_val))


@op("nn.functional", inplace=True)
def hardtanh(
    input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False
) -> Tensor:
    """Clamp elements to [min_val, max_val]."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    if min_val < 0 and isinstance(input, Tensor) and input.array.dtype.kind == "u":
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    for bound in (min_val, max_val):
        # As in PyTorch, a bound that the dtype cannot represent is an error, but it is not rounded.
        _held(input, bound)
    return activate(_hardtanh, input, min_val, max_val, inplace=inplace, kinds="fiu")


def _held(input: Any, number: float) -> Any:
    """Round a number to the dtype of the input, or raise an error."""
    return dtypes.held(number, input.dtype) if isinstance(input, Tensor) else number


define("relu6", _hardtanh, 0.0, 6.0, kinds="fiu", doc="Clamp the input to [0, 6].")


@primitive(self=lambda grad, self: gate(self, grad, -3.0, 3.0, True) / 6)
def _hardsigmoid(self: Array) -> Array:
    return np.clip(self + 3, 0, 6) / 6


define(
    "hardsigmoid",
    _hardsigmoid,
    doc="Compute ``clamp(x + 3, 0, 6) / 6``, a piecewise linear sigmoid.",
)


@primitive(self=lambda grad, self: gate(self, grad, -3.0, 3.0, True) / 3)
def _hardswish_slope(self: Array) -> Any:
    return choose(self >= 3, np.ones_like(self), keep(self / 3 + 0.5, ~(self <= -3)))


@primitive(self=lambda grad, self: grad * _hardswish_slope(self))
def _hardswish(self: Array) -> Array:
    return self * np.clip(self + 3, 0, 6) / 6


define("hardswish", _hardswish, doc="Compute ``x * hardsigmoid(x)``.")


@primitive(self=lambda grad, self, threshold: gate(self, grad, threshold, _NO_BOUND, True))
def _threshold(self: Array, threshold: float, value: float) -> Array:
    return choose(~(self <= threshold), self, value)


@op("torch", "nn.functional", inplace=True, aliases=("_threshold",))
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """Replace elements that are not above a threshold by a value."""
    value = _held(input, value)
    return activate(_threshold, input, threshold, value, inplace=inplace, kinds="fiu")


@primitive(self=lambda grad, self, lambd: gate(self, grad, -lambd, lambd, False))
def _hardshrink(self: Array, lambd: float) -> Array:
    return keep(self, ~((self >= -lambd) & (self <= lambd)))


@op("torch", "nn.functional", method=True)
def hardshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Set elements of [-lambd, lambd] to zero."""
    return activate(_hardshrink, input, _held(input, lambd), inplace=False)


@primitive(self=lambda grad, self, lambd: gate(self, grad, -lambd, lambd, False))
def _softshrink(self: Array, lambd: float) -> Array:
    return self - np.clip(self, -lambd, lambd)


@op("nn.functional")
def softshrink(input: Tensor, lambd: float = 0.5) -> Tensor:
    """Move elements towards zero by ``lambd``; elements within ``lambd`` of zero become zero."""
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd}.")
    if isinstance(input, Tensor) and input.array.dtype.kind == "f":
        limit = dtypes.finfo(input.dtype).max
        if not lambd <= limit:
            raise RuntimeError(
                f"lambda must be in range [0, {limit:g}] for input dtype {input.dtype.title}, but "
                f"found {lambd:g}"
            )
    return activate(_softshrink, input, lambd, inplace=False)


# Leaky units: the slope below zero is a number or a learned tensor.


@primitive()
def _is_low(self: Array) -> Array:
    return ~(self > 0)


def _leaky_rule(grad: Tensor, self: Tensor, weight: Any) -> Any:
    return _slope(self, grad, weight)


@primitive(
    self=_nothing,
    values=_leaky_rule,
    weight=lambda grad, self, values: grad * values * _is_low(self),
)
def _slope(self: Array, values: Array, weight: Any) -> Array:
    return choose(self > 0, values, values * weight)


@primitive(
    self=_leaky_rule,
    weight=lambda grad, self: grad * self * _is_low(self),
)
def _leaky_relu(self: Array, weight: Any) -> Array:
    if isinstance(weight, float) and 0 <= weight <= 1:
        return np.maximum(self, self * weight)
    return choose(self > 0, self, self * weight)


@op("nn.functional", inplace=True)
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """Multiply negative elements by a small slope."""
    return activate(_leaky_relu, input, negative_slope, inplace=inplace)


@op("torch", "nn.functional", method=True)
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Multiply negative elements by a learned slope, one for all or one for each channel.

    Shapes:
        input: (batch, num_channels, *any) or (num_channels,) or ()
        weight: (num_channels,) or (1,) or ()
    """
    if input.array.dtype != weight.array.dtype:
        raise RuntimeError(
            f"prelu: Type promoting not supported. Got {input.dtype.title} and {weight.dtype.title}"
        )
    channels = input.array.shape[1] if input.array.ndim > 1 else 1
    if weight.array.ndim > 1 or weight.array.size not in (1, channels):
        raise RuntimeError(
            f"Mismatch of parameter numbers and input channel size. Found parameter numbers = "
            f"{weight.array.size} and channel size = {channels}."
        )
    if weight.array.size > 1:
        weight = weight.reshape([-1] + [1] * (input.array.ndim - 2))
    elif weight.array.ndim > input.array.ndim:
        weight = weight.reshape(())
    return activate(_leaky_relu, input, weight, inplace=False)


@op("torch", "nn.functional", inplace=True)
def rrelu(
    input: Tensor,
    lower: float = 1 / 8,
    upper: float = 1 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Tensor:
    """Multiply negative elements by random slopes in training, and by their mean otherwise."""
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    slope: Any = (lower + upper) / 2
    if training:
        slope = _random_slopes(input.array, lower, upper)
    return activate(_leaky_relu, input, slope, inplace=inplace)


def _random_slopes(array: Array, lower: float, upper: float) -> Tensor:
    is_negative = array <= 0
    slopes = np.ones(array.shape, array.dtype)
    drawn = wrap(np.empty(int(is_negative.sum()), np.float64)).uniform_(lower, upper)
    slopes[is_negative] = drawn.array
    return wrap(slopes)
