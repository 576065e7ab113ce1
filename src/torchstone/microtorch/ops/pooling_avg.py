"""Average and power-average pooling: avg_pool, adaptive_avg_pool, lp_pool."""

from __future__ import annotations

import math
from functools import lru_cache, reduce
from typing import Any

import numpy as np

from torchstone.microtorch.ops.namespace import functions, named, op
from torchstone.microtorch.ops.pooling_max import (
    ALONE,
    BOTH,
    adaptive_output,
    spatial_of,
    windows_of,
)
from torchstone.microtorch.ops.reductions import expect
from torchstone.microtorch.ops.resampling import AxisMap, resample, window_sums
from torchstone.microtorch.ops.rounded import rounded_once
from torchstone.microtorch.ops.sliding import Steps, adaptive_bounds, per_dim
from torchstone.microtorch.tensor import Array, Tensor


@lru_cache(maxsize=256)
def _sliding(
    size: int, kernel: int, stride: int, padding: int, count: int, include_pad: bool
) -> tuple[AxisMap, Array]:
    """Return the map that sums windows, and the divisor of each window."""
    start = np.arange(count) * stride - padding
    end = np.minimum(start + kernel, size + padding)
    first, last = np.maximum(start, 0), np.minimum(end, size)
    return window_sums(first, last, size), (end - start if include_pad else last - first)


@lru_cache(maxsize=256)
def _adaptive(size: int, count: int) -> tuple[AxisMap, Array]:
    start, end = adaptive_bounds(size, count)
    return window_sums(start, end, size), end - start


def _average(input: Tensor, parts: list[tuple[AxisMap, Array]], divisor: int | None) -> Tensor:
    maps: Any = tuple(each for each, _ in parts)
    counts = [count for _, count in parts]
    if divisor is None and all(len(set(each.tolist())) == 1 for each in counts):
        divisor = math.prod(int(each[0]) for each in counts)
    if divisor is not None:
        return resample(input, maps, divisor)
    product: Array = reduce(np.multiply.outer, counts)
    real = np.promote_types(input.array.real.dtype, np.float32)
    return resample(input, maps, product.astype(real))


def _avg_pool(
    ndim: int,
    input: Tensor,
    kernel_size: Steps,
    stride: Steps | None,
    padding: Steps,
    ceil_mode: bool,
    count_include_pad: bool,
    divisor_override: int | None,
) -> Tensor:
    name = f"avg_pool{ndim}d"
    windows = windows_of(name, ndim, input, kernel_size, stride, padding, 1, ceil_mode)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero")
    parts = [_sliding(*window, count, count_include_pad) for *window, _, count in windows]
    return _average(input, parts, divisor_override)


def _lp_pool(
    ndim: int,
    input: Tensor,
    norm_type: float,
    kernel_size: Steps,
    stride: Steps | None,
    ceil_mode: bool,
) -> Tensor:
    if math.isinf(norm_type):
        max_pool = functions["nn.functional"][f"max_pool{ndim}d"]
        sign = 1 if norm_type > 0 else -1
        return sign * max_pool(sign * input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    kernel = per_dim(kernel_size, ndim, f"lp_pool{ndim}d", "kernel_size")
    mean = _avg_pool(ndim, input.pow(norm_type), kernel, stride, 0, ceil_mode, True, None)
    # The power is not differentiable at zero; relu makes the gradient zero there.
    return (mean.sign() * mean.abs().relu() * math.prod(kernel)).pow(1.0 / norm_type)


def _define(ndim: int) -> None:
    """Register the pools for ``ndim`` dimensions."""

    def avg_pool(
        input: Tensor,
        kernel_size: Steps,
        stride: Steps | None = None,
        padding: Steps = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> Tensor:
        """Apply average pooling over the last dimensions."""
        return _avg_pool(
            ndim, input, kernel_size, stride, padding, ceil_mode, count_include_pad,
            divisor_override,
        )  # fmt: skip

    def adaptive_avg_pool(input: Tensor, output_size: Any) -> Tensor:
        """Apply average pooling with a given output size."""
        name = f"adaptive_avg_pool{ndim}d"
        expect(name, input, "fc")
        output = adaptive_output(name, ndim, input, output_size)
        spatial = spatial_of(name, ndim, input)
        parts = [_adaptive(size, count) for size, count in zip(spatial, output, strict=True)]
        return _average(input, parts, None)

    def lp_pool(
        input: Tensor,
        norm_type: float,
        kernel_size: Steps,
        stride: Steps | None = None,
        ceil_mode: bool = False,
    ) -> Tensor:
        """Apply power-average pooling: the p-norm of every window."""
        return _lp_pool(ndim, input, norm_type, kernel_size, stride, ceil_mode)

    for name, function in (
        ("avg_pool", avg_pool), ("adaptive_avg_pool", adaptive_avg_pool), ("lp_pool", lp_pool),
    ):  # fmt: skip
        in_package = ndim == 1 and name != "lp_pool"
        op(*(BOTH if in_package else ALONE))(rounded_once(named(function, f"{name}{ndim}d")))


for _ndim in (1, 2, 3):
    _define(_ndim)
