"""Fused activations: bias_gelu (GELU of a sum with a bias) and swiglu."""

from __future__ import annotations

import math
from typing import Any

from torch import Tensor

from torchstone.kernels.arguments import (
    require_beside,
    require_floating,
    require_parameter_dtype,
    require_shape,
)
from torchstone.kernels.library import define, ready
from torchstone.kernels.norm_reference import statistics_dtype, sum_over

_TWICE, _CUBIC = 2 * math.sqrt(2 / math.pi), 0.044715


def bias_gelu(input: Tensor, bias: Tensor | None = None) -> Tensor:
    """Compute ``gelu(input + bias, approximate="tanh")`` without rounding the sum.

    Args:
        input: Shape ``(*, width)``; float32, bfloat16, float16 or float64.
        bias: Shape ``(width,)``, of the input's dtype, or float32 with a half-precision input; None
            for no bias.

    Raises:
        TypeError: A dtype is not supported, or does not match the input's.
        ValueError: A shape or a device does not match the input's.

    Source:
        Hendrycks, Gimpel, "Gaussian Error Linear Units", 2016, section 2.
    """
    require_floating("bias_gelu", "input", input)
    if input.dim() == 0:
        raise ValueError("bias_gelu: input has no dimensions; expected (*, width)")
    if bias is not None:
        require_floating("bias_gelu", "bias", bias)
        require_shape("bias_gelu", "bias", bias, input.shape[-1:])
        require_beside("bias_gelu", "bias", bias, "input", input)
        require_parameter_dtype("bias_gelu", "bias", bias, "input", input)
    ready()
    out: Tensor = _bias_gelu(input, bias)
    return out


def swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """Compute ``silu(gate) * up``, rounded once.

    Args:
        gate: Any shape; float32, bfloat16, float16 or float64.
        up: The shape and dtype of the gate.

    Raises:
        TypeError: The dtypes differ, or are not supported.
        ValueError: The shapes or the devices differ.

    Source:
        Shazeer, "GLU Variants Improve Transformer", 2020, equation 5.
    """
    require_floating("swiglu", "gate", gate)
    require_floating("swiglu", "up", up)
    require_shape("swiglu", "up", up, gate.shape)
    require_beside("swiglu", "up", up, "gate", gate)
    if up.dtype != gate.dtype:
        raise TypeError(f"swiglu: up is {up.dtype}, but gate {gate.dtype}")
    ready()
    out: Tensor = _swiglu(gate, up)
    return out


# ---- Definitions: function, first and second derivative, with s the sigmoid


def gelu_and_slopes(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return x s(v) with its first and second derivatives; v is twice the argument of the tanh."""
    s = (_TWICE * x * (1 + _CUBIC * x * x)).sigmoid()
    rise, bend = _TWICE * (1 + 3 * _CUBIC * x * x), 6 * _TWICE * _CUBIC * x
    inner = s * (1 - s)
    second = inner * (2 * rise + x * (1 - 2 * s) * rise * rise + x * bend)
    return x * s, s + x * inner * rise, second


def silu_and_slopes(x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return x s(x) with its first and second derivatives."""
    s = x.sigmoid()
    inner = s * (1 - s)
    return x * s, s + x * inner, inner * (2 + x * (1 - 2 * s))


def _wide(x: Tensor) -> Tensor:
    return x.to(statistics_dtype(x))


def _sum_with(input: Tensor, bias: Tensor | None) -> Tensor:
    return _wide(input) if bias is None else _wide(input) + bias


def reference_bias_gelu(input: Tensor, bias: Tensor | None) -> Tensor:
    """Compute ``bias_gelu`` in plain PyTorch."""
    return gelu_and_slopes(_sum_with(input, bias))[0].to(input.dtype)


def reference_bias_gelu_backward(
    grad: Tensor, input: Tensor, bias: Tensor | None
) -> tuple[Tensor, Tensor]:
    """Return the gradients of input and bias; the latter is empty without a bias."""
    result = _wide(grad) * gelu_and_slopes(_sum_with(input, bias))[1]
    if bias is None:
        return result.to(input.dtype), input.new_empty(0)
    rows = tuple(range(input.dim() - 1))
    return result.to(input.dtype), sum_over(result, rows).to(bias.dtype, copy=True)


def reference_swiglu(gate: Tensor, up: Tensor) -> Tensor:
    """Compute ``swiglu`` in plain PyTorch."""
    return (silu_and_slopes(_wide(gate))[0] * _wide(up)).to(gate.dtype)


def reference_swiglu_backward(grad: Tensor, gate: Tensor, up: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients of gate and up."""
    value, slope, _ = silu_and_slopes(_wide(gate))
    g = _wide(grad)
    return (g * _wide(up) * slope).to(gate.dtype), (g * value).to(up.dtype)


# ---- Gradients


def _keep_inputs(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    ctx.save_for_backward(*inputs)


def _backward_of_bias_gelu(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
    input, bias = ctx.saved_tensors
    of_input, of_bias = _bias_gelu_backward(grad, input, bias)
    return of_input, None if bias is None else of_bias


def _backward_of_bias_gelu_backward(
    ctx: Any, a: Tensor, of_bias: Tensor
) -> tuple[Tensor | None, ...]:
    grad, input, bias = ctx.saved_tensors
    _, slope, second = gelu_and_slopes(_sum_with(input, bias))
    v = _wide(a) if bias is None else _wide(a) + of_bias
    of_sum = v * _wide(grad) * second
    rows = tuple(range(input.dim() - 1))
    return (
        (v * slope).to(grad.dtype),
        of_sum.to(input.dtype),
        None if bias is None else sum_over(of_sum, rows).to(bias.dtype),
    )


def _backward_of_swiglu(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    of_gate, of_up = _swiglu_backward(grad, *ctx.saved_tensors)
    return of_gate, of_up


def _backward_of_swiglu_backward(ctx: Any, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    grad, gate, up = ctx.saved_tensors
    value, slope, second = silu_and_slopes(_wide(gate))
    g, u, v, w = _wide(grad), _wide(up), _wide(a), _wide(b)
    return (
        (v * u * slope + w * value).to(grad.dtype),
        (v * g * u * second + w * g * slope).to(gate.dtype),
        (v * g * slope).to(up.dtype),
    )


_bias_gelu = define(
    "bias_gelu(Tensor input, Tensor? bias) -> Tensor",
    reference=reference_bias_gelu,
    fake=lambda x, b: x.new_empty(x.shape),
    backward=_backward_of_bias_gelu,
    setup_context=_keep_inputs,
)
_bias_gelu_backward = define(
    "bias_gelu_backward(Tensor grad, Tensor input, Tensor? bias) -> (Tensor, Tensor)",
    reference=reference_bias_gelu_backward,
    fake=lambda g, x, b: (
        x.new_empty(x.shape),
        x.new_empty(0) if b is None else b.new_empty(b.shape),
    ),
    backward=_backward_of_bias_gelu_backward,
    setup_context=_keep_inputs,
)
_swiglu = define(
    "swiglu(Tensor gate, Tensor up) -> Tensor",
    reference=reference_swiglu,
    fake=lambda gate, up: gate.new_empty(gate.shape),
    backward=_backward_of_swiglu,
    setup_context=_keep_inputs,
)
_swiglu_backward = define(
    "swiglu_backward(Tensor grad, Tensor gate, Tensor up) -> (Tensor, Tensor)",
    reference=reference_swiglu_backward,
    fake=lambda g, gate, up: (gate.new_empty(gate.shape), up.new_empty(up.shape)),
    backward=_backward_of_swiglu_backward,
    setup_context=_keep_inputs,
)
