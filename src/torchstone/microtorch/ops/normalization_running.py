"""Normalization with running statistics: batch_norm, instance_norm."""

from __future__ import annotations

import math
from typing import Any

from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.normalization import (
    affine,
    along_channels,
    check_batch,
    check_types,
    in_type_of,
    normalize,
)
from torchstone.microtorch.ops.op_math import widened
from torchstone.microtorch.ops.reductions import count_of
from torchstone.microtorch.tensor import Tensor


def _follow(running: Tensor | None, found: Tensor, momentum: float) -> None:
    """Update a running statistic in place; as in PyTorch, its version is not incremented."""
    if running is not None and state.levels:
        running.copy_(running.detach() + momentum * (found.detach() - running.detach()))
    elif running is not None:
        mean = running.array
        mean += (momentum * (found.array - mean)).astype(mean.dtype, copy=False)


def _check_running(channels: int, **parameters: Tensor | None) -> None:
    for name, parameter in parameters.items():
        if parameter is not None and parameter.array.size != channels:
            raise RuntimeError(
                f"{name} should contain {channels} elements not {parameter.array.size}"
            )


@op(method=False)
def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Apply batch normalization; return also the mean and 1 / standard deviation."""
    ndim = input.array.ndim
    check_types(input, weight, bias, running_mean, running_var)
    _check_running(
        input.size(1),
        running_mean=running_mean, running_var=running_var, weight=weight, bias=bias,
    )  # fmt: skip
    weight, bias = along_channels(weight, ndim), along_channels(bias, ndim)
    if training:
        dims = (0, *range(2, ndim))
        result, rstd, mean = normalize(input, dims, eps, True, weight, bias)
        mean, rstd = mean.detach().reshape(-1), rstd.detach().reshape(-1)
        count = count_of(input.array.shape, dims)
        if count:
            _follow(running_mean, mean, momentum)
            _follow(running_var, _unbiased(rstd, eps, count), momentum)
        return result, mean, rstd
    if running_mean is None or running_var is None:
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when training=False"
        )
    mean, var = along_channels(running_mean, ndim), along_channels(running_var, ndim)
    result = _by_running(input, mean, var, weight, bias, eps)
    return result, input.new_zeros((0,)), input.new_zeros((0,))


def _by_running(
    input: Tensor, mean: Tensor, var: Tensor, weight: Tensor | None, bias: Tensor | None, eps: float
) -> Any:
    """Normalize by running statistics."""
    scale = affine((widened(var) + eps).rsqrt(), widened(weight), None)
    shift = -widened(mean) * scale
    shift = shift if bias is None else shift + widened(bias)
    return in_type_of(widened(input) * scale + shift, input)


def _unbiased(rstd: Tensor, eps: float, count: int) -> Any:
    return (1 / (rstd * rstd) - eps) * (count / max(count - 1, 1))


@op("nn.functional")
def batch_norm(
    input: Tensor,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Apply batch normalization, with batch statistics in training, otherwise with running ones.

    Shapes:
        input: (batch, num_channels, *any); all others: (num_channels,)
    """
    if training:
        check_batch(input.shape)
    if eps < 0 or (training and eps == 0):
        wanted = "positive during training" if training else "non-negative"
        raise ValueError(f"batch_norm eps must be {wanted}, but got {eps}")
    if input.array.ndim < 2 and not input.array.size:
        return input.clone()
    return native_batch_norm(
        input, weight, bias, running_mean, running_var, training, momentum, eps
    )[0]


@op("nn.functional")
def instance_norm(
    input: Tensor,
    running_mean: Tensor | None = None,
    running_var: Tensor | None = None,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Tensor:
    """Apply instance normalization: normalize each channel of each sample.

    Shapes:
        input: (batch, num_channels, *any); all others: (num_channels,)
    """
    shape = input.array.shape
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, eps=eps)
    if math.prod(shape[2:]) == 1:
        raise ValueError(
            f"Expected more than 1 spatial element when training, got input size {list(shape)}"
        )
    check_types(input, weight, bias)
    _check_running(shape[1], running_mean=running_mean, running_var=running_var)
    ndim = input.array.ndim
    weight, bias = along_channels(weight, ndim), along_channels(bias, ndim)
    dims = tuple(range(2, ndim))
    result, rstd, mean = normalize(input, dims, eps, True, weight, bias)
    _follow(running_mean, mean.detach().mean(0).reshape(-1), momentum)
    var = _unbiased(rstd.detach(), eps, math.prod(shape[2:]))
    _follow(running_var, var.mean(0).reshape(-1), momentum)
    return result
