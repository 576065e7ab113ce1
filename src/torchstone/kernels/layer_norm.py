r"""Layer normalization: its definition, its gradients, and the operator.

With :math:`\mu = E[x]`, :math:`r = (Var[x] + \epsilon)^{-1/2}`,
both over the normalised dimensions, and :math:`\hat x = (x - \mu) r`, the result is
:math:`y = \hat x \gamma + \beta`.

Source: Ba, Kiros, Hinton, "Layer Normalization", 2016, equations 3 and 4.
"""

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
from torchstone.kernels.library import define, ready

Triple = tuple[Tensor, Tensor, Tensor]


def layer_norm(
    input: Tensor,
    normalized_shape: int | Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
) -> Tensor:
    """Normalise over the last dimensions, as ``torch.nn.functional.layer_norm`` does.

    Half types are computed in float32, sums over rows included, and rounded once: the gradients of
    weight and bias are right to the last place of their dtype.

    Args:
        input: Shape ``(*, *normalized_shape)``; float32, bfloat16, float16 or float64.
        normalized_shape: The sizes of the last dimensions.
        weight: Shape ``normalized_shape``, of the input's dtype, or float32 beside a half type;
            ones where it is missing.
        bias: The same; zeros where it is missing.
        eps: Added to the variance.

    Raises:
        TypeError: A dtype is none that is computed, or does not go with the input's.
        ValueError: A shape or a device does not go with the input's.
    """
    shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    require_floating("layer_norm", "input", input)
    if not shape or tuple(input.shape[-len(shape) :]) != shape:
        raise ValueError(
            f"layer_norm: input has shape {tuple(input.shape)}, whose last dimensions are not "
            f"normalized_shape, {shape}"
        )
    for name, parameter in (("weight", weight), ("bias", bias)):
        if parameter is not None:
            require_floating("layer_norm", name, parameter)
            require_shape("layer_norm", name, parameter, shape)
            require_beside("layer_norm", name, parameter, "input", input)
            require_parameter_dtype("layer_norm", name, parameter, "input", input)
    if weight is not None and bias is not None and weight.dtype != bias.dtype:
        raise TypeError(f"layer_norm: weight is {weight.dtype}, but bias {bias.dtype}")
    ready()
    out: Tensor = _layer_norm(input, weight, bias, len(shape), eps)[0]
    return out


# ---- The definition


def layer_norm_twin(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, num_dims: int, eps: float
) -> Triple:
    """Return the output, the mean and the reciprocal deviation, in plain torch."""
    x = input.to(_compute_dtype(input))
    dims = tuple(range(-num_dims, 0))
    mean = x.mean(dims, keepdim=True)
    centred = x - mean
    rstd = (centred.square().mean(dims, keepdim=True) + eps).rsqrt()
    out = centred * rstd
    if weight is not None:
        out = out * weight
    if bias is not None:
        out = out + bias
    return out.to(input.dtype), mean, rstd


def layer_norm_backward_twin(
    grad: Tensor,
    input: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    num_dims: int,
    has_parameters: bool,
) -> Triple:
    """Return the gradients of input, weight and bias, in plain torch."""
    g, normalised = grad.to(mean.dtype), (input.to(mean.dtype) - mean) * rstd
    h = g if weight is None else g * weight
    grad_input = _project(h, normalised, rstd, num_dims).to(input.dtype)
    dtype = input.dtype if weight is None else weight.dtype
    if not has_parameters:
        nothing = input.new_empty(0, dtype=dtype)
        return grad_input, nothing, nothing.clone()
    rows = tuple(range(input.dim() - num_dims))
    return grad_input, _sum(g * normalised, rows).to(dtype), _sum(g, rows).to(dtype)


def _project(v: Tensor, normalised: Tensor, rstd: Tensor, num_dims: int) -> Tensor:
    """Apply the Jacobian of normalisation, which is its own transpose."""
    dims = tuple(range(-num_dims, 0))
    along = (v * normalised).mean(dims, keepdim=True)
    return (v - v.mean(dims, keepdim=True) - normalised * along) * rstd


def _sum(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    # Without dimensions torch would sum over all of them.
    return x.sum(dims) if dims else x


def _compute_dtype(input: Tensor) -> torch.dtype:
    return torch.float64 if input.dtype == torch.float64 else torch.float32


# ---- The operators


def _fake(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, num_dims: int, eps: float
) -> Triple:
    kept = list(input.shape[: input.dim() - num_dims]) + [1] * num_dims
    statistics = input.new_empty(kept, dtype=_compute_dtype(input))
    return input.new_empty(input.shape), statistics, torch.empty_like(statistics)


def _fake_backward(
    grad: Tensor,
    input: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    num_dims: int,
    has_parameters: bool,
) -> Triple:
    dtype = input.dtype if weight is None else weight.dtype
    shape = input.shape[input.dim() - num_dims :] if has_parameters else (0,)
    of_weight = input.new_empty(shape, dtype=dtype)
    return input.new_empty(input.shape), of_weight, torch.empty_like(of_weight)


def _setup(ctx: Any, inputs: tuple[Any, ...], output: Triple) -> None:
    input, weight, bias, num_dims, _ = inputs
    _, mean, rstd = output
    ctx.save_for_backward(input, mean, rstd, weight)
    ctx.num_dims, ctx.has_weight, ctx.has_bias = num_dims, weight is not None, bias is not None
    ctx.dtype = bias.dtype if bias is not None else None
    ctx.mark_non_differentiable(mean, rstd)


def _backward(ctx: Any, grad: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
    input, mean, rstd, weight = ctx.saved_tensors
    wants_weight = ctx.has_weight and ctx.needs_input_grad[1]
    wants_bias = ctx.has_bias and ctx.needs_input_grad[2]
    of_input, of_weight, of_bias = _layer_norm_backward(
        grad, input, mean, rstd, weight, ctx.num_dims, wants_weight or wants_bias
    )
    return (
        of_input,
        of_weight if wants_weight else None,
        of_bias.to(ctx.dtype) if wants_bias else None,
        None,
        None,
    )


def _setup_backward(ctx: Any, inputs: tuple[Any, ...], output: Triple) -> None:
    grad, input, mean, rstd, weight, num_dims, has_parameters = inputs
    ctx.save_for_backward(grad, input, mean, rstd, weight)
    ctx.num_dims, ctx.has_parameters = num_dims, has_parameters


def _backward_of_backward(
    ctx: Any, a: Tensor, of_weight: Tensor, of_bias: Tensor
) -> tuple[Tensor | None, ...]:
    """Return the gradients of grad, input and weight; mean and rstd count as functions of input.

    With P the projection, h = grad weight and E the mean over a row, the scalar
    <a, P h> + <of_weight, sum of grad x^> + <of_bias, sum of grad> is differentiated.
    """
    grad, input, mean, rstd, weight = ctx.saved_tensors
    dims = tuple(range(-ctx.num_dims, 0))
    dtype = mean.dtype
    g, v = grad.to(dtype), a.to(dtype)
    w = None if weight is None else weight.to(dtype)
    normalised = (input.to(dtype) - mean) * rstd
    h = g if w is None else g * w

    def row_mean(x: Tensor) -> Tensor:
        return x.mean(dims, keepdim=True)

    projected = _project(v, normalised, rstd, ctx.num_dims)
    of_grad = projected if w is None else projected * w
    of_normalised = -rstd * (v * row_mean(h * normalised) + h * row_mean(v * normalised))
    if ctx.has_parameters:
        of_grad = of_grad + of_weight * normalised + of_bias
        of_normalised = of_normalised + g * of_weight
    along = row_mean(v * h) - row_mean(v) * row_mean(h)
    along = along - row_mean(v * normalised) * row_mean(h * normalised)
    of_input = _project(of_normalised, normalised, rstd, ctx.num_dims)
    of_input = of_input - rstd.square() * normalised * along
    rows = tuple(range(input.dim() - ctx.num_dims))
    return (
        of_grad.to(grad.dtype),
        of_input.to(input.dtype),
        None,
        None,
        None if weight is None else _sum(projected * g, rows).to(weight.dtype),
        None,
        None,
    )


_layer_norm = define(
    "layer_norm(Tensor input, Tensor? weight, Tensor? bias, int num_dims, float eps) "
    "-> (Tensor, Tensor, Tensor)",
    twin=layer_norm_twin,
    fake=_fake,
    backward=_backward,
    setup_context=_setup,
)
_layer_norm_backward = define(
    "layer_norm_backward(Tensor grad, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, "
    "int num_dims, bool has_parameters) -> (Tensor, Tensor, Tensor)",
    twin=layer_norm_backward_twin,
    fake=_fake_backward,
    backward=_backward_of_backward,
    setup_context=_setup_backward,
)
