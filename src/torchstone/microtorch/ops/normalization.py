"""Normalization: batch_norm, layer_norm, rms_norm, group_norm, instance_norm.

Layer, group, batch and instance normalisation differ in nothing but these dimensions. One primitive
does it for all of them, and without the mean it is what ``rms_norm`` needs.

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
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.reductions import count_of, expect
from torchstone.microtorch.tensor import Array, Tensor

Dims = tuple[int, ...]


def _mean(first: Array, second: Array | None, dims: Dims) -> Any:
    """Average an array, or its products with another one, and keep the dimensions."""
    shape = first.shape
    if first.dtype == np.float16:
        first = first.astype(np.float32)
        second = None if second is None else second.astype(np.float32)
    lead = first.ndim
    while lead - 1 in dims:
        lead -= 1
    # Over the last dimensions it is a product of matrices, several times as fast as a sum.
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
    # It projects and scales: the gradient of its gradient is the same projection.
    self=_project_rule,
    scaled=lambda grad, self, scaled, rstd, dims: (
        (grad * (self * scaled).mean(dims, True) + self * (grad * scaled).mean(dims, True)) * -rstd
    ),
    rstd=lambda grad, result, rstd: grad * result / rstd,
)
def _project(self: Array, scaled: Array, rstd: Array, dims: Dims, is_centred: bool) -> Array:
    """Take away what shifting and stretching the input would have done, and scale the rest."""
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
    """Scale to variance 1; with ``is_centred``, also shift to mean 0.

    Returns:
        The result; the reciprocal of the standard deviation; the mean.
    """
    mean = _mean(self, None, dims).astype(self.dtype, copy=False)
    scaled: Array = self - mean if is_centred else self
    rstd = 1 / np.sqrt(_mean(scaled, scaled, dims) + eps)
    rstd = rstd.astype(self.dtype, copy=False)
    return np.multiply(scaled, rstd, out=scaled if is_centred else None), rstd, mean


def _affine(scaled: Any, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    dtype = scaled.array.dtype
    if weight is not None:
        scaled = scaled * weight
    if bias is not None:
        scaled = scaled + bias
    # Of float16, whose parameters may be of float32.
    return scaled if scaled.array.dtype == dtype else scaled._cast(dtype)


def _check_types(input: Tensor, *parameters: Tensor | None) -> None:
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
    """Read the dimensions of a normalised shape, and check it against input and parameters."""
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
    """Normalise over the last dimensions, and return also mean and 1 / standard deviation."""
    expect("LayerNormKernelImpl", input, "f")
    _check_types(input, weight, bias)
    dims = _last_dims("layer_norm", input, normalized_shape, weight, bias)
    scaled, rstd, mean = _standardize(input, dims, eps, True)
    return _affine(scaled, weight, bias), mean.detach(), rstd.detach()


@op("torch", "nn.functional")
def layer_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    bias: Tensor | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Tensor:
    """Normalise over the last dimensions.

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
    """Divide by the root of the mean square over the last dimensions."""
    dims = _last_dims("rms_norm", input, normalized_shape, weight)
    expect("rms_norm", input, "f")
    if eps is None:
        # Half precision is computed in single.
        eps = dtypes.finfo(dtypes.promote_types(input.dtype, dtypes.float32)).eps
    return _affine(_standardize(input, dims, eps, False)[0], weight, None)


def _along_channels(parameter: Tensor | None, ndim: int) -> Any:
    """Reshape one number for each channel to broadcast along dimension 1."""
    return None if parameter is None else parameter.reshape([1, -1] + [1] * (ndim - 2))


def _check_batch(size: Sequence[int]) -> None:
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
    """Normalise over channel groups, and return also mean and 1 / standard deviation."""
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
    _check_types(input, weight, bias)
    groups = input.reshape((N, group, C // group * HxW))
    scaled, rstd, mean = _standardize(groups, (2,), eps, True)
    ndim = input.array.ndim
    result = _affine(
        scaled.reshape(input.array.shape),
        _along_channels(weight, ndim),
        _along_channels(bias, ndim),
    )
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
    """Normalise over groups of channels.

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
    _check_batch([batch * channels // num_groups, num_groups, *rest])
    return native_group_norm(
        input, weight, bias, batch, channels, math.prod(rest), num_groups, eps
    )[0]


def _follow(running: Tensor | None, found: Tensor, momentum: float) -> None:
    """Move a running mean towards what was found; as in PyTorch, this is no new version of it."""
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
    """Normalise each channel, and return also mean and 1 / standard deviation."""
    ndim = input.array.ndim
    _check_types(input, weight, bias, running_mean, running_var)
    _check_running(
        input.size(1),
        running_mean=running_mean, running_var=running_var, weight=weight, bias=bias,
    )  # fmt: skip
    weight, bias = _along_channels(weight, ndim), _along_channels(bias, ndim)
    if training:
        dims = (0, *range(2, ndim))
        scaled, rstd, mean = _standardize(input, dims, eps, True)
        mean, rstd = mean.detach().reshape(-1), rstd.detach().reshape(-1)
        count = count_of(input.array.shape, dims)
        if count:
            _follow(running_mean, mean, momentum)
            _follow(running_var, _unbiased(rstd, eps, count), momentum)
        return _affine(scaled, weight, bias), mean, rstd
    if running_mean is None or running_var is None:
        raise RuntimeError(
            "Expected running_mean and running_var to be defined when training=False"
        )
    scale = _affine((_along_channels(running_var, ndim) + eps).rsqrt(), weight, None)
    shift = -_along_channels(running_mean, ndim) * scale
    result = input * scale + (shift if bias is None else shift + bias)
    return (
        result if result.array.dtype == input.array.dtype else result._cast(input.array.dtype),
        input.new_zeros((0,)),
        input.new_zeros((0,)),
    )


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
    """Normalise each channel: over the batch while training, and later by the running averages.

    Shapes:
        input: (batch, num_channels, *any); all others: (num_channels,)
    """
    if training:
        _check_batch(input.shape)
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
    """Normalise each channel of each sample.

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
    _check_types(input, weight, bias)
    _check_running(shape[1], running_mean=running_mean, running_var=running_var)
    scaled, rstd, mean = _standardize(input, tuple(range(2, len(shape))), eps, True)
    _follow(running_mean, mean.detach().mean(0).reshape(-1), momentum)
    var = _unbiased(rstd.detach(), eps, math.prod(shape[2:]))
    _follow(running_var, var.mean(0).reshape(-1), momentum)
    ndim = input.array.ndim
    return _affine(scaled, _along_channels(weight, ndim), _along_channels(bias, ndim))
