"""Convolution on arrays by im2col: forward pass, input gradient and weight gradient.

Patches become the rows of a matrix ("im2col"), so that the work is one matrix product. Memory is
channels-last, so that a patch consists of long runs; the shape still has channels second, as with
PyTorch's ``channels_last``. Samples are processed in chunks, so that the patches fit in the cache.

Legend: N samples, C channels in, O channels out, G groups, k kernel, L output positions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import mul
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from torchstone.microtorch.kernels import Kernel
from torchstone.microtorch.tensor import Array

Sizes = tuple[int, ...]
# Bytes of patches per chunk: about the cache of one core.
CHUNK_BYTES = 1 << 21
# Minimum run length for row-wise patches; with shorter runs the patches are columns.
SHORTEST_RUN = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Geometry:
    """Geometry of a convolution; all fields but ``groups`` have one entry per dimension.

    Attributes:
        stride: Step between neighbouring output positions.
        before: Zeros before the input; negative values crop.
        after: Zeros after the input; negative values crop.
        dilation: Step between neighbouring kernel elements.
        groups: Number of channel groups that are convolved separately.
    """

    stride: Sizes
    before: Sizes
    after: Sizes
    dilation: Sizes
    groups: int

    def reach(self, kernel: Sizes) -> Sizes:
        """Return the extent of the dilated kernel."""
        return tuple(d * (k - 1) + 1 for d, k in zip(self.dilation, kernel, strict=True))

    def output(self, spatial: Sizes, kernel: Sizes) -> Sizes:
        """Return the size of the output."""
        parts = zip(spatial, self.before, self.after, self.reach(kernel), self.stride, strict=True)
        return tuple(
            (size + low + high - reach) // step + 1 for size, low, high, reach, step in parts
        )


def channels_last(shape: Sizes, dtype: Any) -> Array:
    """Create an uninitialized array whose dimension 1 is last in memory."""
    return np.empty_like(_model(len(shape)), dtype, shape=shape)


@lru_cache(maxsize=16)
def _model(ndim: int) -> Array:
    return np.moveaxis(np.empty((2,) * ndim, np.int8), -1, 1)


def settled(result: Array) -> Array:
    """Return a dense channels-last result; ``Tensor.lay_in_order`` hides the layout from users.

    With one spatial dimension it would not be hidden, so that result is made contiguous.
    """
    if result.ndim < 4:
        return np.ascontiguousarray(result)
    is_dense = result.transpose(0, *range(2, result.ndim), 1).flags.c_contiguous
    return result if is_dense else result.copy(order="K")


def correlate(x: Array, weight: Array, bias: Array | None, geometry: Geometry) -> Array:
    """Compute the cross-correlation of a kernel with the input.

    Shapes:
        x: (N, C, *spatial), weight: (O, C / G, *k), bias: (O,) -> (N, O, *output).
    """
    groups, kernel, out_channels = geometry.groups, weight.shape[2:], weight.shape[0]
    output = geometry.output(x.shape[2:], kernel)
    result = channels_last((len(x), out_channels, *output), x.dtype)
    rows = np.moveaxis(result, 1, -1)
    matrix = _as_matrix(weight, groups)
    tiled = None if bias is None else np.tile(bias, output[-1])
    for part, patches in _patches(x, kernel, output, geometry):
        own = rows[part].reshape(len(patches[0]), out_channels)
        if groups == 1:
            np.dot(patches[0], matrix[0], out=own)
        else:
            by_group = own.reshape(len(own), groups, out_channels // groups).transpose(1, 0, 2)
            by_group[...] = np.matmul(patches, matrix)
        if tiled is not None:
            # Bias is added to long tiled rows: adding a short vector to each position is slow.
            lines = own.reshape(-1, len(tiled))
            lines += tiled
    return settled(result)


def weight_gradient(grad: Array, x: Array, kernel: Sizes, geometry: Geometry) -> Array:
    """Compute the gradient with respect to the weight.

    Shapes:
        grad: (N, O, *output), x: (N, C, *spatial) -> (O, C / G, *k).
    """
    groups, out_channels = geometry.groups, grad.shape[1]
    in_channels = x.shape[1] // groups
    rows = np.moveaxis(grad, 1, -1)
    shape = (groups, math.prod(kernel) * in_channels, out_channels // groups)
    total = np.zeros(shape, grad.dtype)
    for part, patches in _patches(x, kernel, grad.shape[2:], geometry):
        own = rows[part].reshape(len(patches[0]), out_channels)
        if groups == 1:
            total[0] += np.dot(patches[0].T, own)
        else:
            by_group = own.reshape(len(own), groups, shape[-1]).transpose(1, 0, 2)
            total += np.matmul(patches.transpose(0, 2, 1), by_group)
    unfolded = total.reshape(groups, *kernel, in_channels, shape[-1])
    order = (0, unfolded.ndim - 1, unfolded.ndim - 2, *range(1, unfolded.ndim - 2))
    result = np.empty((out_channels, in_channels, *kernel), grad.dtype)
    by_groups = result.reshape(groups, shape[-1], in_channels, *kernel)
    np.copyto(by_groups, unfolded.transpose(order))
    return result


def input_gradient(grad: Array, weight: Array, spatial: Sizes, geometry: Geometry) -> Array:
    """Compute the gradient with respect to the input, which is also the transposed convolution.

    Shapes:
        grad: (N, O, *output), weight: (O, C / G, *k) -> (N, C, *spatial).
    """
    if max(geometry.stride) > 1:
        return _spread(grad, weight, spatial, geometry)
    # With stride 1 this is a correlation with the flipped kernel, which is faster.
    kernel, groups, sizes = weight.shape[2:], geometry.groups, range(len(spatial))
    reach = geometry.reach(kernel)
    before = tuple(reach[d] - 1 - geometry.before[d] for d in sizes)
    after = tuple(spatial[d] + geometry.before[d] - grad.shape[2 + d] for d in sizes)
    turned = np.flip(weight, tuple(range(2, weight.ndim)))
    out_channels, in_channels = weight.shape[0] // groups, weight.shape[1]
    turned = turned.reshape(groups, out_channels, in_channels, *kernel).swapaxes(1, 2)
    turned = turned.reshape(groups * in_channels, out_channels, *kernel)
    back = Geometry(stride=geometry.stride, before=before, after=after,
                    dilation=geometry.dilation, groups=groups)  # fmt: skip
    return correlate(grad, turned, None, back)


def _spread(grad: Array, weight: Array, spatial: Sizes, geometry: Geometry) -> Array:
    """Compute the input gradient for any stride: scatter-add of patches."""
    kernel, output, groups = weight.shape[2:], grad.shape[2:], geometry.groups
    in_channels, sizes = weight.shape[1], range(len(spatial))
    stride, dilation, before = geometry.stride, geometry.dilation, geometry.before
    span = [(output[d] - 1) * stride[d] + 1 for d in sizes]
    reach = geometry.reach(kernel)
    # The buffer covers both the extent of the patches and the requested result.
    covered = (max(before[d] + spatial[d], span[d] - 1 + reach[d]) for d in sizes)
    result = channels_last((len(grad), groups * in_channels, *covered), grad.dtype)
    result[...] = 0
    lines = np.moveaxis(result, 1, -1)
    lines = lines.reshape(*lines.shape[:-1], groups, in_channels)
    matrix = _as_matrix(weight, groups).transpose(0, 2, 1)
    rows = np.moveaxis(grad, 1, -1)
    for part in _parts(len(grad), math.prod(output) * matrix[:, 0].nbytes):
        own = rows[part].reshape(-1, groups, rows.shape[-1] // groups).transpose(1, 0, 2)
        shares = np.matmul(own, matrix).reshape(
            groups, part.stop - part.start, *output, *kernel, in_channels
        )
        for tap in np.ndindex(kernel):
            places = tuple(
                slice(begin := tap[d] * dilation[d], begin + span[d], stride[d]) for d in sizes
            )
            target = lines[(part, *places)]
            target += np.moveaxis(shares[(..., *tap, slice(None))], 0, -2)
    inside: Any = (..., *(slice(before[d], before[d] + spatial[d]) for d in sizes))
    return settled(result[inside])


def _as_matrix(weight: Array, groups: int) -> Array:
    """Reshape a kernel to match the patches: (G, k * C / G, O / G)."""
    out_channels = weight.shape[0] // groups
    grouped = weight.reshape(groups, out_channels, *weight.shape[1:])
    order = (0, *range(3, grouped.ndim), 2, 1)
    rows = math.prod(weight.shape[1:])
    return np.ascontiguousarray(grouped.transpose(order)).reshape(groups, rows, out_channels)


def _parts(count: int, bytes_each: int) -> Iterator[slice]:
    """Split the samples into slices that need at most ``CHUNK_BYTES``."""
    most = max(1, CHUNK_BYTES // max(1, bytes_each))
    # Slices have equal size, so that buffers can be reused.
    step = -(-count // max(1, -(-count // most)))
    for start in range(0, count, max(1, step)):
        yield slice(start, min(count, start + step))


def _patches(
    x: Array, kernel: Sizes, output: Sizes, geometry: Geometry
) -> Iterator[tuple[slice, Array]]:
    """Yield slices of the samples and their patches.

    Shapes:
        x: (N, C, *spatial) -> (G, samples * L, k * C / G), rows or columns of it contiguous.
    """
    groups = geometry.groups
    channels = x.shape[1] // groups
    by_column = math.prod(kernel) > 1 and channels * kernel[-1] < SHORTEST_RUN
    lines = np.moveaxis(_cropped(x, geometry), 1, -1)
    bytes_each = math.prod(output) * math.prod(kernel) * x.shape[1] * x.itemsize
    padded: Array | None = None
    for part in _parts(len(x), bytes_each):
        own = lines[part]
        if padded is None or len(padded) != len(own):
            padded, inside = _frame(own, geometry, by_column)
        if padded is not own:
            inside[...] = own
        first, *steps, last = padded.strides
        places = (len(own), *output), (first, *map(mul, steps, geometry.stride))
        taps = (*kernel, channels), (*map(mul, steps, geometry.dilation), last)
        rows, columns = (taps, places) if by_column else (places, taps)
        patches = spell_out(
            padded,
            (groups, *rows[0], *columns[0]),
            (last * channels, *rows[1], *columns[1]),
            (groups, math.prod(rows[0]), math.prod(columns[0])),
        )
        yield part, patches.transpose(0, 2, 1) if by_column else patches
        if padded is own:
            padded = None


@Kernel
def spell_out(source: Array, shape: Sizes, strides: Sizes, matrices: Sizes) -> Array:
    """Copy a view of overlapping windows to matrices, so that each window has its own memory."""
    return as_strided(source, shape, strides).reshape(matrices)


def _frame(own: Array, geometry: Geometry, by_column: bool) -> tuple[Array, Array]:
    """Create a zero-padded buffer for samples, and a view of its interior.

    Column patches are read along the image, so for them the channels are not last.
    """
    before = [max(0, low) for low in geometry.before]
    after = [max(0, high) for high in geometry.after]
    if not any(before) and not any(after) and (own.flags.c_contiguous or by_column):
        return own, own
    sizes = map(sum, zip(own.shape[1:-1], before, after, strict=True))
    if by_column:
        padded = np.moveaxis(np.zeros((len(own), own.shape[-1], *sizes), own.dtype), 1, -1)
    else:
        padded = np.zeros((len(own), *sizes, own.shape[-1]), own.dtype)
    inside: Any = (
        slice(None),
        *(slice(low, low + size) for low, size in zip(before, own.shape[1:-1], strict=True)),
    )
    return padded, padded[inside]


def _cropped(x: Array, geometry: Geometry) -> Array:
    """Crop the borders that negative padding removes."""
    if min(*geometry.before, *geometry.after) >= 0:
        return x
    kept = tuple(
        slice(max(0, -low), size - max(0, -high))
        for size, low, high in zip(x.shape[2:], geometry.before, geometry.after, strict=True)
    )
    return x[(slice(None), slice(None), *kept)]
