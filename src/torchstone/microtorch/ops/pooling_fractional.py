"""Fractional max pooling: fractional_max_pool2d and fractional_max_pool3d.

Source:
    Graham, Fractional max-pooling (2014).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchstone.microtorch.ops.namespace import functions, named, op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.sliding import Sizes, Steps, per_dim, scatter_places
from torchstone.microtorch.tensor import Array, Tensor


def _starts(sample: Array, size: int, kernel: int, count: int) -> Array:
    """Return the starts of pseudorandom windows, at nearly equal steps.

    Shapes:
        sample: (N, C), from 0 to 1 -> (N, C, count).
    """
    if count == 1:
        return np.full((*sample.shape, 1), size - kernel)
    ratio = sample.dtype.type((size - kernel) / (count - 1))
    places = np.arange(count, dtype=sample.dtype) + sample[..., None]
    starts = (places * ratio).astype(np.int64) - (sample[..., None] * ratio).astype(np.int64)
    starts[..., -1] = size - kernel
    return starts


@primitive(
    self=lambda grad, result1, self_shape: scatter_places(grad, result1, self_shape[2:]),
)
def _max_at(self: Array, samples: Array, kernel: Sizes, output: Sizes) -> tuple[Array, Array]:
    spatial, ndim, batch = self.shape[2:], len(kernel), self.shape[:2]
    flat = self.reshape(*batch, math.prod(spatial))
    starts = [
        _starts(samples[..., d], spatial[d], kernel[d], output[d]).reshape(
            *batch, *(output[d] if e == d else 1 for e in range(ndim))
        )
        for d in range(ndim)
    ]
    best = at = None
    for tap in np.ndindex(kernel):
        index: Any = 0
        for size, start, step in zip(spatial, starts, tap, strict=True):
            index = index * size + start + step
        index = np.broadcast_to(index, (*batch, *output))
        found = np.take_along_axis(flat, index.reshape(*batch, math.prod(output)), -1)
        value = found.reshape(index.shape)
        if best is None or at is None:
            best, at = value, index
        else:
            better = (value > best) | np.isnan(value)
            best, at = np.where(better, value, best), np.where(better, index, at)
    return np.array(best), np.array(at)


def _fractional_max_pool(
    ndim: int,
    input: Tensor,
    kernel_size: Steps,
    output_size: Any,
    output_ratio: Any,
    return_indices: bool,
    samples: Tensor | None,
) -> Any:
    name, shape = f"fractional_max_pool{ndim}d", input.array.shape
    if len(shape) not in (ndim + 1, ndim + 2) or 0 in shape[-ndim - 1 :]:
        raise RuntimeError(
            f"{name}(): Expected {ndim + 1}D or {ndim + 2}D (batch mode) tensor, but got "
            f"{list(shape)}"
        )
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    spatial = shape[-ndim:]
    if output_size is None:
        ratios = (output_ratio,) * ndim if isinstance(output_ratio, float) else output_ratio
        output_size = [int(size * ratio) for size, ratio in zip(spatial, ratios, strict=True)]
    kernel = per_dim(kernel_size, ndim, name, "kernel_size")
    output = per_dim(output_size, ndim, name, "output_size")
    for size, window, count in zip(spatial, kernel, output, strict=True):
        if count + window - 1 > size:
            raise RuntimeError(f"{name}(): pool size {window} too large relative to input {size}")
    batch = input if len(shape) == ndim + 2 else input.unsqueeze(0)
    if samples is None:
        rand = functions["torch"]["rand"]
        samples = rand(*batch.array.shape[:2], ndim, dtype=input.dtype)
    # In two dimensions the samples are in the order (width, height).
    given = samples.array[: len(batch)]
    ordered = given[..., ::-1] if ndim == 2 else given
    result, index = _max_at(batch, ordered, kernel, output)
    if batch is not input:
        result, index = result.squeeze(0), index.squeeze(0)
    return (result, index) if return_indices else result


def _define(ndim: int) -> None:
    def fractional_max_pool(
        input: Tensor,
        kernel_size: Steps,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> Any:
        """Apply fractional max pooling: max pooling over windows at pseudorandom positions."""
        return _fractional_max_pool(
            ndim, input, kernel_size, output_size, output_ratio, return_indices, _random_samples
        )

    op("nn.functional")(named(fractional_max_pool, f"fractional_max_pool{ndim}d"))


for _ndim in (2, 3):
    _define(_ndim)
