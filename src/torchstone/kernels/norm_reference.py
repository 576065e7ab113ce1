r"""Reference LayerNorm and RMSNorm in plain PyTorch: forward, backward, double backward.

With :math:`\mu = E[x]`, :math:`r = (E[(x - \mu)^2] + \epsilon)^{-1/2}` and :math:`\hat x = (x -
\mu) r`, where the means are over the normalized dimensions, LayerNorm is :math:`\hat x \gamma +
\beta`. RMSNorm has neither :math:`\mu` nor :math:`\beta`.

Sources: Ba, Kiros, Hinton, "Layer Normalization", 2016, equations 3 and 4; Zhang, Sennrich, "Root
Mean Square Layer Normalization", 2019, equation 4.
"""

from __future__ import annotations

import torch
from torch import Tensor


def statistics_dtype(input: Tensor) -> torch.dtype:
    """Return the dtype of the computation: float32 for half precision."""
    return torch.float64 if input.dtype == torch.float64 else torch.float32


def normalise(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    num_dims: int,
    eps: float,
    *,
    has_mean: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the output, the mean (zeros for RMSNorm) and the reciprocal standard deviation."""
    x = input.to(statistics_dtype(input))
    dims = tuple(range(-num_dims, 0))
    mean = x.mean(dims, keepdim=True)
    if not has_mean:
        mean = torch.zeros_like(mean)
    centred = x - mean
    rstd = (centred.square().mean(dims, keepdim=True) + eps).rsqrt()
    out = centred * rstd
    if weight is not None:
        out = out * weight
    if bias is not None:
        out = out + bias
    return out.to(input.dtype), mean, rstd


def gradients(
    grad: Tensor,
    grad_sum: Tensor | None,
    input: Tensor,
    mean: Tensor | None,
    rstd: Tensor,
    weight: Tensor | None,
    num_dims: int,
    has_parameters: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of input, weight and bias.

    Args:
        grad: The gradient of the output.
        grad_sum: A further gradient of the input, which is added; or None.
        input: The input of the normalization.
        mean: Its mean; None for RMSNorm.
        rstd: Its reciprocal standard deviation.
        weight: The weight; None for ones.
        num_dims: The number of normalized dimensions, which are the last ones.
        has_parameters: Whether to compute the gradients of weight and bias; else they are empty.
    """
    normalised = _normalised(input, mean, rstd)
    g = grad.to(rstd.dtype)
    h = g if weight is None else g * weight
    of_input = project(h, normalised, rstd, num_dims, has_mean=mean is not None)
    if grad_sum is not None:
        of_input = of_input + grad_sum
    dtype = input.dtype if weight is None else weight.dtype
    if not has_parameters:
        nothing = input.new_empty(0, dtype=dtype)
        return of_input.to(input.dtype), nothing, nothing.clone()
    rows = tuple(range(input.dim() - num_dims))
    of_weight, of_bias = sum_over(g * normalised, rows), sum_over(g, rows)
    return of_input.to(input.dtype), of_weight.to(dtype), of_bias.to(dtype)


def gradients_of_gradients(
    a: Tensor,
    of_weight: Tensor | None,
    of_bias: Tensor | None,
    grad: Tensor,
    input: Tensor,
    mean: Tensor | None,
    rstd: Tensor,
    weight: Tensor | None,
    num_dims: int,
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Return the gradients of grad, input and weight, from those of the results of ``gradients``.

    The differentiated scalar is <a, P h> + <of_weight, sum of grad x^> + <of_bias, sum of grad>,
    with P the projection and h = grad weight. Mean and standard deviation count as functions of the
    input.
    """
    dims, dtype, has_mean = tuple(range(-num_dims, 0)), rstd.dtype, mean is not None
    g, v, normalised = grad.to(dtype), a.to(dtype), _normalised(input, mean, rstd)
    w = None if weight is None else weight.to(dtype)
    h = g if w is None else g * w

    def row_mean(x: Tensor) -> Tensor:
        return x.mean(dims, keepdim=True)

    projected = project(v, normalised, rstd, num_dims, has_mean=has_mean)
    of_grad = projected if w is None else projected * w
    of_normalised = -rstd * (v * row_mean(h * normalised) + h * row_mean(v * normalised))
    if of_weight is not None:
        of_grad = of_grad + of_weight * normalised
        of_normalised = of_normalised + g * of_weight
    if of_bias is not None:
        of_grad = of_grad + of_bias
    along = row_mean(v * h) - row_mean(v * normalised) * row_mean(h * normalised)
    if has_mean:
        along = along - row_mean(v) * row_mean(h)
    of_input = project(of_normalised, normalised, rstd, num_dims, has_mean=has_mean)
    of_input = of_input - rstd.square() * normalised * along
    rows = tuple(range(input.dim() - num_dims))
    of_own_weight = None if w is None else sum_over(projected * g, rows)
    return of_grad, of_input, of_own_weight


def project(
    v: Tensor, normalised: Tensor, rstd: Tensor, num_dims: int, *, has_mean: bool
) -> Tensor:
    """Apply the Jacobian of the normalization, which is symmetric."""
    dims = tuple(range(-num_dims, 0))
    result = v - normalised * (v * normalised).mean(dims, keepdim=True)
    if has_mean:
        result = result - v.mean(dims, keepdim=True)
    return result * rstd


def sum_over(x: Tensor, dims: tuple[int, ...]) -> Tensor:
    """Sum over dimensions; unlike ``torch.sum``, an empty tuple sums over none."""
    return x.sum(dims) if dims else x


def _normalised(input: Tensor, mean: Tensor | None, rstd: Tensor) -> Tensor:
    x = input.to(rstd.dtype)
    return (x if mean is None else x - mean) * rstd
