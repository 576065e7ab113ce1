"""LayerNorm and RMSNorm, alone and fused with a residual addition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from torchstone.kernels.arguments import (
    require_beside,
    require_floating,
    require_parameter_dtype,
    require_shape,
)
from torchstone.kernels.library import define, ready, widened_on_gpu
from torchstone.kernels.norm_reference import (
    gradients,
    gradients_of_gradients,
    normalise,
    statistics_dtype,
)

Shape = int | Sequence[int]


def layer_norm(
    input: Tensor,
    normalized_shape: Shape,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Apply layer normalization over the last dimensions, like ``torch.nn.functional.layer_norm``.

    Half-precision inputs, including sums over rows, are computed in float32 and rounded once, so
    the gradients of weight and bias are accurate to the last place of their dtype.

    Args:
        input: Shape ``(*, *normalized_shape)``; float32, bfloat16, float16 or float64.
        normalized_shape: The sizes of the last dimensions.
        weight: Shape ``normalized_shape``, of the input's dtype, or float32 with a half-precision
            input; None for ones.
        bias: Likewise; None for zeros.
        eps: Added to the variance.

    Raises:
        TypeError: A dtype is not supported, or does not match the input's.
        ValueError: A shape or a device does not match the input's.
    """
    num_dims = _check("layer_norm", input, None, normalized_shape, weight, bias)
    out: Tensor = _layer_norm(input, weight, bias, num_dims, eps)[0]
    return out


def rms_norm(
    input: Tensor,
    normalized_shape: Shape,
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Apply RMS normalization, like ``torch.nn.functional.rms_norm``.

    Args:
        input: As for ``layer_norm``.
        normalized_shape: The sizes of the last dimensions.
        weight: As for ``layer_norm``.
        eps: Added to the mean square; by default the machine epsilon of the computed dtype.

    Raises:
        TypeError: A dtype is not supported, or does not match the input's.
        ValueError: A shape or a device does not match the input's.
    """
    num_dims = _check("rms_norm", input, None, normalized_shape, weight, None)
    out: Tensor = _rms_norm(input, weight, num_dims, _eps(input, eps))[0]
    return out


def add_layer_norm(
    input: Tensor,
    residual: Tensor,
    normalized_shape: Shape,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> tuple[Tensor, Tensor]:
    """Add a residual and apply layer normalization; return ``(layer_norm(sum), sum)``.

    The sum is rounded to its dtype before it is normalized. Fusion saves reading it from memory
    again.

    Args:
        input: As for ``layer_norm``.
        residual: The shape and dtype of the input.
        normalized_shape: The sizes of the last dimensions.
        weight: As for ``layer_norm``.
        bias: As for ``layer_norm``.
        eps: Added to the variance.

    Raises:
        TypeError: A dtype is not supported, or does not match the input's.
        ValueError: A shape or a device does not match the input's.
    """
    num_dims = _check("add_layer_norm", input, residual, normalized_shape, weight, bias)
    out, total, _, _ = _add_layer_norm(input, residual, weight, bias, num_dims, eps)
    return out, total


def add_rms_norm(
    input: Tensor,
    residual: Tensor,
    normalized_shape: Shape,
    weight: Tensor | None = None,
    eps: float | None = None,
) -> tuple[Tensor, Tensor]:
    """Add a residual and apply RMS normalization; return ``(rms_norm(sum), sum)``.

    Args:
        input: As for ``layer_norm``.
        residual: The shape and dtype of the input.
        normalized_shape: The sizes of the last dimensions.
        weight: As for ``layer_norm``.
        eps: As for ``rms_norm``.

    Raises:
        TypeError: A dtype is not supported, or does not match the input's.
        ValueError: A shape or a device does not match the input's.
    """
    num_dims = _check("add_rms_norm", input, residual, normalized_shape, weight, None)
    out, total, _ = _add_rms_norm(input, residual, weight, num_dims, _eps(input, eps))
    return out, total


def _eps(input: Tensor, eps: float | None) -> float:
    return torch.finfo(statistics_dtype(input)).eps if eps is None else eps


def _check(
    function: str,
    input: Tensor,
    residual: Tensor | None,
    normalized_shape: Shape,
    weight: Tensor | None,
    bias: Tensor | None,
) -> int:
    """Check that the tensors match; return the number of normalized dimensions."""
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    require_floating(function, "input", input)
    if not shape or tuple(input.shape[-len(shape) :]) != shape:
        raise ValueError(
            f"{function}: input has shape {tuple(input.shape)}, whose last dimensions are not "
            f"normalized_shape, {shape}"
        )
    if residual is not None:
        require_floating(function, "residual", residual)
        require_shape(function, "residual", residual, input.shape)
        require_beside(function, "residual", residual, "input", input)
        if residual.dtype != input.dtype:
            raise TypeError(f"{function}: residual is {residual.dtype}, but input {input.dtype}")
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is not None:
            require_floating(function, name, parameter)
            require_shape(function, name, parameter, shape)
            require_beside(function, name, parameter, "input", input)
            require_parameter_dtype(function, name, parameter, "input", input)
    if weight is not None and bias is not None and weight.dtype != bias.dtype:
        raise TypeError(f"{function}: weight is {weight.dtype}, but bias {bias.dtype}")
    ready()
    return len(shape)


# ---- Fake implementations


def _fake(input: Tensor, num_dims: int) -> tuple[Tensor, Tensor]:
    kept = list(input.shape[: input.dim() - num_dims]) + [1] * num_dims
    return input.new_empty(input.shape), input.new_empty(kept, dtype=statistics_dtype(input))


def _fake_gradients(
    input: Tensor, weight: Tensor | None, num_dims: int, has_parameters: bool
) -> tuple[Tensor, Tensor]:
    dtype = input.dtype if weight is None else weight.dtype
    shape = input.shape[input.dim() - num_dims :] if has_parameters else (0,)
    return input.new_empty(input.shape), input.new_empty(shape, dtype=dtype)


# ---- Saved tensors and backward


def _keep(
    ctx: Any,
    input: Tensor,
    statistics: tuple[Tensor, ...],
    weight: Tensor | None,
    bias: Tensor | None,
    num_dims: int,
) -> None:
    ctx.save_for_backward(input, weight, *statistics)
    ctx.num_dims, ctx.bias_dtype = num_dims, None if bias is None else bias.dtype
    ctx.mark_non_differentiable(*statistics)


def _differentiate(
    ctx: Any, grad: Tensor, grad_sum: Tensor | None, wants: tuple[bool, bool]
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """Return the gradients of the normalized input, weight and bias, where needed."""
    input, weight, *statistics = ctx.saved_tensors
    wants_weight, wants_bias = wants
    operator = _layer_norm_backward if len(statistics) == 2 else _rms_norm_backward
    of_input, of_weight, *rest = operator(
        grad, grad_sum, input, *statistics, weight, ctx.num_dims, wants_weight or wants_bias
    )
    return (
        of_input,
        of_weight if wants_weight else None,
        rest[0].to(ctx.bias_dtype) if wants_bias else None,
    )


def _setup_layer_norm(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    input, weight, bias, num_dims, _ = inputs
    _keep(ctx, input, output[1:], weight, bias, num_dims)


def _backward_of_layer_norm(ctx: Any, grad: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
    needs = ctx.needs_input_grad
    return (*_differentiate(ctx, grad, None, (needs[1], needs[2])), None, None)


def _setup_add_layer_norm(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    weight, bias, num_dims = inputs[2:5]
    _keep(ctx, output[1], output[2:], weight, bias, num_dims)


def _backward_of_add_layer_norm(
    ctx: Any, grad: Tensor, grad_sum: Tensor, *_: Tensor
) -> tuple[Tensor | None, ...]:
    needs = ctx.needs_input_grad
    of_sum, of_weight, of_bias = _differentiate(ctx, grad, grad_sum, (needs[2], needs[3]))
    return of_sum, of_sum, of_weight, of_bias, None, None


def _setup_rms_norm(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    input, weight, num_dims, _ = inputs
    _keep(ctx, input, output[1:], weight, None, num_dims)


def _backward_of_rms_norm(ctx: Any, grad: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
    of_both = _differentiate(ctx, grad, None, (ctx.needs_input_grad[1], False))[:2]
    return *of_both, None, None


def _setup_add_rms_norm(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    weight, num_dims = inputs[2:4]
    _keep(ctx, output[1], output[2:], weight, None, num_dims)


def _backward_of_add_rms_norm(
    ctx: Any, grad: Tensor, grad_sum: Tensor, *_: Tensor
) -> tuple[Tensor | None, ...]:
    needs = ctx.needs_input_grad
    of_sum, of_weight = _differentiate(ctx, grad, grad_sum, (needs[2], False))[:2]
    return of_sum, of_sum, of_weight, None, None


def _setup_backward(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    grad, grad_sum, input, *statistics, weight, num_dims, has_parameters = inputs
    ctx.save_for_backward(grad, input, weight, *statistics)
    ctx.num_dims, ctx.has_parameters = num_dims, has_parameters
    ctx.has_sum = grad_sum is not None


def _backward_of_backward(
    ctx: Any, a: Tensor, of_weight: Tensor, of_bias: Tensor | None = None
) -> tuple[Tensor | None, ...]:
    grad, input, weight, *statistics = ctx.saved_tensors
    mean, rstd = (statistics[0] if len(statistics) == 2 else None), statistics[-1]
    of_grad, of_input, of_own_weight = gradients_of_gradients(
        a,
        of_weight if ctx.has_parameters else None,
        of_bias if ctx.has_parameters and mean is not None else None,
        grad, input, mean, rstd, weight, ctx.num_dims,
    )  # fmt: skip
    return (
        of_grad.to(grad.dtype),
        a if ctx.has_sum else None,
        of_input.to(input.dtype),
        *(None for _ in statistics),
        None if of_own_weight is None else of_own_weight.to(weight.dtype),
        None,
        None,
    )


# ---- Operators

_layer_norm = define(
    "layer_norm(Tensor input, Tensor? weight, Tensor? bias, int num_dims, float eps) "
    "-> (Tensor, Tensor, Tensor)",
    reference=lambda x, w, b, n, eps: normalise(x, w, b, n, eps, has_mean=True),
    fake=lambda x, w, b, n, eps: (*_fake(x, n), _fake(x, n)[1]),
    backward=_backward_of_layer_norm,
    setup_context=_setup_layer_norm,
    autocast=(widened_on_gpu, 3),
)
_add_layer_norm = define(
    "add_layer_norm(Tensor input, Tensor residual, Tensor? weight, Tensor? bias, int num_dims, "
    "float eps) -> (Tensor, Tensor, Tensor, Tensor)",
    reference=lambda x, y, w, b, n, eps: _reference_of_sum(x + y, w, b, n, eps, has_mean=True),
    fake=lambda x, y, w, b, n, eps: (*_fake(x, n)[:1], *_fake(x, n), _fake(x, n)[1]),
    backward=_backward_of_add_layer_norm,
    setup_context=_setup_add_layer_norm,
    autocast=(widened_on_gpu, 4),
)
_rms_norm = define(
    "rms_norm(Tensor input, Tensor? weight, int num_dims, float eps) -> (Tensor, Tensor)",
    reference=lambda x, w, n, eps: normalise(x, w, None, n, eps, has_mean=False)[::2],
    fake=lambda x, w, n, eps: _fake(x, n),
    backward=_backward_of_rms_norm,
    setup_context=_setup_rms_norm,
    autocast=(widened_on_gpu, 2),
)
_add_rms_norm = define(
    "add_rms_norm(Tensor input, Tensor residual, Tensor? weight, int num_dims, float eps) "
    "-> (Tensor, Tensor, Tensor)",
    reference=lambda x, y, w, n, eps: _reference_of_sum(x + y, w, None, n, eps, has_mean=False),
    fake=lambda x, y, w, n, eps: (_fake(x, n)[0], *_fake(x, n)),
    backward=_backward_of_add_rms_norm,
    setup_context=_setup_add_rms_norm,
    autocast=(widened_on_gpu, 3),
)
_layer_norm_backward = define(
    "layer_norm_backward(Tensor grad, Tensor? grad_sum, Tensor input, Tensor mean, Tensor rstd, "
    "Tensor? weight, int num_dims, bool has_parameters) -> (Tensor, Tensor, Tensor)",
    reference=gradients,
    fake=lambda g, s, x, mean, rstd, w, n, p: (
        *_fake_gradients(x, w, n, p),
        _fake_gradients(x, w, n, p)[1],
    ),
    backward=_backward_of_backward,
    setup_context=_setup_backward,
)
_rms_norm_backward = define(
    "rms_norm_backward(Tensor grad, Tensor? grad_sum, Tensor input, Tensor rstd, Tensor? weight, "
    "int num_dims, bool has_parameters) -> (Tensor, Tensor)",
    reference=lambda g, s, x, rstd, w, n, p: gradients(g, s, x, None, rstd, w, n, p)[:2],
    fake=lambda g, s, x, rstd, w, n, p: _fake_gradients(x, w, n, p),
    backward=_backward_of_backward,
    setup_context=_setup_backward,
)


def _reference_of_sum(
    total: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    num_dims: int,
    eps: float,
    *,
    has_mean: bool,
) -> tuple[Tensor, ...]:
    out, mean, rstd = normalise(total, weight, bias, num_dims, eps, has_mean=has_mean)
    return (out, total, mean, rstd) if has_mean else (out, total, rstd)
