"""Normalization: layer_norm, rms_norm, group_norm, and the parts shared with batch_norm.

Layer, group, batch and instance normalization differ only in the dimensions they reduce. One
primitive serves all of them, and, without the mean, ``rms_norm``.

Source:
    Ioffe, Szegedy (2015); Ba et al. (2016); Ulyanov et al. (2016); Wu, He (2018); Zhang, Sennrich
    (2019).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.op_math import widened
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.reductions import count_of, expect
from torchstone.microtorch.tensor import Array, Tensor

Dims = tuple[int, ...]


def _mean(first: Array, second: Array | None, dims: Dims) -> Any:
    """Average an array, or its product with another one, keeping the dimensions."""
    shape = first.shape
    lead = first.ndim
    while lead - 1 in dims:
        lead -= 1
    # Over the last dimensions a matrix product is several times as fast as a sum.
    rows = (*shape[:lead], math.prod(shape[lead:]))
    if lead == len(shape):
        total = first if second is None else first * second
    elif second is None:
        total = first.reshape(rows) @ np.ones(rows[-1], first.dtype)
    else:
        total = np.vecdot(first.reshape(rows), second.reshape(rows))
    total = np.add.reduce(total, tuple(dim for dim in dims if dim < lead))
    kept = [1 if dim in dims else size for dim, size in enumerate(shape)]
    return total.reshape(kept) / first.dtype.type(count_of(shape, dims))


def _project_rule(grad: Tensor, scaled: Tensor, rstd: Tensor, dims: Dims, is_centred: bool) -> Any:
    return _project(grad, scaled, rstd, dims, is_centred)


@primitive(
    # A projection times a scale: the gradient is the same projection.
    self=_project_rule,
    scaled=lambda grad, self, scaled, rstd, dims: (
        (grad * (self * scaled).mean(dims, True) + self * (grad * scaled).mean(dims, True)) * -rstd
    ),
    rstd=lambda grad, result, rstd: grad * result / rstd,
)
def _project(self: Array, scaled: Array, rstd: Array, dims: Dims, is_centred: bool) -> Array:
    """Remove the components along constant shifts and along ``scaled``, and scale the rest."""
    out: Array = scaled * _mean(self, scaled, dims).astype(scaled.dtype, copy=False)
    np.subtract(self, out, out=out)
    if is_centred:
        out -= _mean(self, None, dims)
    out *= rstd
    return out


def _standardize_rule(
    grads: Any, result0: Tensor, result1: Tensor, dims: Dims, is_centred: bool
) -> Any:
    grad, of_rstd, of_mean = grads
    count = max(count_of(result0.array.shape, dims), 1)
    found = None
    if grad is not None:
        found = _project(grad, result0, result1, dims, is_centred)
    if of_rstd is not None:
        through = of_rstd * result1 * result1 * result0 * (-1 / count)
        found = through if found is None else found + through
    if of_mean is not None:
        through = (of_mean / count).expand(result0.array.shape)
        found = through if found is None else found + through
    return found


@primitive(self=_standardize_rule)
def _standardize(
    self: Array, dims: Dims, eps: float, is_centred: bool
) -> tuple[Array, Array, Array]:
    """Divide by the standard deviation; with ``is_centred``, subtract the mean first.

    Returns:
        The result; the reciprocal of the standard deviation; the mean.
    """
    mean = _mean(self, None, dims).astype(self.dtype, copy=False)
    scaled: Array = self - mean if is_centred else self
    rstd = 1 / np.sqrt(_mean(scaled, scaled, dims) + eps)
    rstd = rstd.astype(self.dtype, copy=False)
    return np.multiply(scaled, rstd, out=scaled if is_centred else None), rstd, mean


def normalize(
    input: Tensor,
    dims: Dims,
    eps: float,
    is_centred: bool,
    weight: Tensor | None,
    bias: Tensor | None,
    shape: Sequence[int] | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Standardize the input, optionally reshape it, and apply weight and bias.

    Half precision is rounded once, at the end; the parameters may be float32.

    Returns:
        The result; the reciprocal of the standard deviation; the mean.
    """
    scaled, rstd, mean = _standardize(widened(input), dims, eps, is_centred)
    scaled = scaled if shape is None else scaled.reshape(shape)
    result = affine(scaled, widened(weight), widened(bias))
    return in_type_of(result, input), in_type_of(rstd, input), in_type_of(mean, input)


def in_type_of(result: Any, input: Tensor) -> Any:
    """Cast a result to the dtype of the input."""
    dtype = input.array.dtype
    return result if result.array.dtype is dtype else result._cast(dtype)


def affine(scaled: Any, weight: Tensor | None, bias: Tensor | None) -> Any:
    """Apply weight and bias, if there are any."""
    scaled = scaled if weight is None else scaled * weight
    return scaled if bias is None else scaled + bias


def check_types(input: Tensor, *parameters: Tensor | None) -> None:
    """Raise an error for parameters whose dtype does not match that of the input."""
    for parameter in parameters:
        if parameter is None or parameter.array.dtype == input.array.dtype:
            continue
        if parameter.array.dtype != np.float32:
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
        if input.array.dtype != np.float16:
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def _last_dims(
    name: str, input: Tensor, shape: Sequence[int], *parameters: Tensor | None
) -> tuple[int, ...]:
    """Return the dimensions of a normalized shape, checked against input and parameters."""
    wanted, own = tuple(shape), input.array.shape
    if not wanted:
        raise RuntimeError(
            "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
            f"element, but got normalized_shape = {list(wanted)}"
        )
    for parameter in parameters:
        if parameter is not None and parameter.array.shape != wanted:
            raise RuntimeError(
                f"{name}: expected weight and bias to be of same shape as normalized_shape, but "
                f"got {list(parameter.shape)} and normalized_shape = {list(wanted)}"
            )
    if own[len(own) - len(wanted) :] != wanted or len(own) < len(wanted):
        raise RuntimeError(
            f"Given normalized_shape={list(wanted)}, expected input with shape "
            f"[*, {', '.join(map(str, wanted))}], but got input of size{list(own)}"
        )
    return tuple(range(len(own) - len(wanted), len(own)))


@op(method=False)
def native_layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None,
    bias: Tensor | None,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Apply layer normalization; return also the mean and 1 / standard deviation."""
    expect("LayerNormKernelImpl", input, "f")
    check_types(input, weight, bias)
    dims = _last_dims("layer_norm", input, normalized_shape, weight, bias)
    result, rstd, mean = normalize(input, dims, eps, True, weight, bias)
    return result, mean.detach(), rstd.detach()


@op("torch", "nn.functional")
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """Apply layer normalization over the last dimensions.

    Shapes:
        input: (*batch, *normalized_shape); weight, bias: normalized_shape
    """
    return native_layer_norm(input, normalized_shape, weight, bias, eps)[0]


@op("torch", "nn.functional")
def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """Apply RMS normalization over the last dimensions."""
    dims = _last_dims("rms_norm", input, normalized_shape, weight)
    expect("rms_norm", input, "f")
    if eps is None:
        # Half precision is computed in float32.
        eps = dtypes.finfo(dtypes.promote_types(input.dtype, dtypes.float32)).eps
    return normalize(input, dims, eps, False, weight, None)[0]


def along_channels(parameter: Tensor | None, ndim: int) -> Any:
    """Reshape a per-channel vector to broadcast along dimension 1."""
    return None if parameter is None else parameter.reshape([1, -1] + [1] * (ndim - 2))


def check_batch(size: Sequence[int]) -> None:
    """Raise an error if the variance would be that of a single value."""
    if size[0] * math.prod(size[2:]) == 1:
        raise ValueError(
            f"Expected more than 1 value per channel when training, got input size {size}"
        )


@op(method=False)
def native_group_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """Apply group normalization; return also the mean and 1 / standard deviation."""
    if C % group:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but got input of "
            f"shape {list(input.shape)} and num_groups={group}"
        )
    for parameter in (weight, bias):
        if parameter is not None and parameter.array.shape != (C,):
            raise RuntimeError(
                "Expected weight and bias to be vectors of size equal to the number of channels in "
                f"input, but got {list(parameter.shape)} and input of shape {list(input.shape)}"
            )
    check_types(input, weight, bias)
    groups = input.reshape((N, group, C // group * HxW))
    ndim = input.array.ndim
    weight, bias = along_channels(weight, ndim), along_channels(bias, ndim)
    result, rstd, mean = normalize(groups, (2,), eps, True, weight, bias, input.array.shape)
    return result, mean.squeeze(2), rstd.squeeze(2)


@op("torch", "nn.functional")
def group_norm(
    input: Tensor,
    num_groups: int,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Tensor:
    """Apply group normalization.

    Shapes:
        input: (batch, num_channels, *any); weight, bias: (num_channels,)
    """
    if input.array.ndim < 2:
        raise RuntimeError(
            f"Expected at least 2 dimensions for input tensor but received {input.array.ndim}"
        )
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    batch, channels, *rest = input.array.shape
    check_batch([batch * channels // num_groups, num_groups, *rest])
    return native_group_norm(
        input, weight, bias, batch, channels, math.prod(rest), num_groups, eps
    )[0]
