"""Sliding windows over the last dimensions of an array, for pooling and patches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor

Sizes = tuple[int, ...]
Steps = int | Sequence[int]
# Indices along one dimension: a slice if they are equally spaced, which needs no copy.
Places = slice | Array
_NUMBERS = {1: "one", 2: "two", 3: "three"}


def per_dim(value: Steps, ndim: int, name: str, what: str) -> Sizes:
    """Expand a number to all dimensions, or check a sequence of them."""
    numbers = (value,) if isinstance(value, int) else tuple(int(each) for each in value)
    if len(numbers) not in (1, ndim):
        raise RuntimeError(
            f"{name}: {what} must either be a single int, or a tuple of {_NUMBERS[ndim]} ints"
        )
    return numbers * ndim if len(numbers) == 1 else numbers


def stride_or(kernel: Sizes, stride: Steps | None, name: str) -> Sizes:
    """Return the stride; None or an empty list means the kernel size."""
    if stride is None or (not isinstance(stride, int) and not len(stride)):
        return kernel
    return per_dim(stride, len(kernel), name, "stride")


def as_places(positions: Sequence[int] | Array) -> Places:
    """Convert indices to a slice if possible."""
    array = np.asarray(positions, np.int64)
    if not len(array):
        return slice(0, 0)
    step = int(array[1] - array[0]) if len(array) > 1 else 1
    if step > 0 and (np.diff(array) == step).all():
        return slice(int(array[0]), int(array[-1]) + 1, step)
    return array


def take(x: Array, places: Places, axis: int) -> Array:
    """Take elements along a dimension, given as a negative number."""
    if isinstance(places, slice):
        index: tuple[Any, ...] = (..., places, *(slice(None),) * (-axis - 1))
        return x[index]
    return np.take(x, places, axis)


def pooled_size(
    size: int, kernel: int, stride: int, padding: int, dilation: int, ceil_mode: bool
) -> int:
    """Return the number of windows along one dimension."""
    span = size + 2 * padding - dilation * (kernel - 1) - 1
    count = (span + (stride - 1 if ceil_mode else 0)) // stride + 1
    # The last window must start inside the input or the padding before it.
    if ceil_mode and (count - 1) * stride >= size + padding:
        count -= 1
    return count


@lru_cache(maxsize=256)
def window_taps(
    size: int, kernel: int, stride: int, padding: int, dilation: int, count: int
) -> tuple[Places, ...]:
    """Return the index of each window element; an index outside is clamped.

    A repeated element does not change a maximum, so padding needs neither memory nor comparisons.
    """
    start = np.arange(count) * stride - padding
    first = np.maximum(0, -(start // dilation))
    last = np.minimum(kernel - 1, (size - 1 - start) // dilation)
    return tuple(
        as_places(start + np.clip(np.full(count, tap), first, last) * dilation)
        for tap in range(kernel)
    )


@lru_cache(maxsize=256)
def adaptive_bounds(size: int, count: int) -> tuple[Array, Array]:
    """Return the starts and ends of adaptive windows, of nearly equal size."""
    places = np.arange(count)
    return places * size // max(1, count), -(-(places + 1) * size // max(1, count))


@lru_cache(maxsize=256)
def adaptive_taps(size: int, count: int) -> tuple[Places, ...]:
    """Return the index of each window element; shorter windows repeat their last element."""
    start, end = adaptive_bounds(size, count)
    widest = int((end - start).max(initial=1))
    return tuple(as_places(np.minimum(start + tap, end - 1)) for tap in range(widest))


def windowed_max(x: Array, taps: tuple[tuple[Places, ...], ...]) -> tuple[Array, Array]:
    """Return the maximum of every window and its flat index within the sample.

    Ties give the index of the first element, several NaN that of the last. Dimensions are reduced
    from the last to the first, so that "first" refers to row-major order.

    Shapes:
        x: (*batch, *spatial) -> both (*batch, *output).
    """
    spatial = x.shape[x.ndim - len(taps) :]
    index = np.arange(math.prod(spatial)).reshape(spatial)
    for axis in range(-1, -len(taps) - 1, -1):
        first, *others = taps[axis]
        best, at = take(x, first, axis), take(index, first, axis)
        for places in others:
            value = take(x, places, axis)
            better = value > best
            if x.dtype.kind == "f":
                better |= np.isnan(value)
            best = np.where(better, value, best)
            at = np.where(better, take(index, places, axis), at)
        x, index = best, at
    return np.array(x), np.array(np.broadcast_to(index, x.shape))


def _flat(array: Array, ndim: int) -> Array:
    """Flatten the last dimensions."""
    kept = array.ndim - ndim
    return array.reshape(*array.shape[:kept], math.prod(array.shape[kept:]))


@primitive(
    self=lambda grad, self_shape, index, ndim: scatter_places(
        grad, index, self_shape[len(self_shape) - ndim :]
    )
)
def _gather_places(self: Array, index: Array, ndim: int) -> Array:
    batch = self.shape[: self.ndim - ndim]
    wanted = np.broadcast_to(index, batch + index.shape[index.ndim - ndim :])
    nothing = wanted < 0
    found = np.take_along_axis(_flat(self, ndim), _flat(np.maximum(wanted, 0), ndim), -1)
    found = found.reshape(wanted.shape)
    if nothing.any():
        found[nothing] = 0
    return found


def _gather_rule(grad: Tensor, index: Any, spatial: Sizes) -> Tensor:
    return gather_places(grad, index, len(spatial))


@primitive(self=_gather_rule)
def _scatter_places(self: Array, index: Array, spatial: Sizes) -> Array:
    ndim, count = len(spatial), math.prod(spatial)
    batch = self.shape[: self.ndim - ndim]
    rows = math.prod(batch)
    # One long row: offset the indices of each sample.
    first = np.arange(rows).reshape(*batch, *(1,) * ndim) * count
    places, values = (index + first).reshape(-1), self.reshape(-1)
    if index.size and index.min() < 0:
        something = np.broadcast_to(index >= 0, self.shape).reshape(-1)
        places, values = places[something], values[something]
    total = np.zeros(rows * count, self.dtype)
    np.add.at(total, places, values)
    return total.reshape(*batch, *spatial)


def gather_places(input: Tensor, index: Any, ndim: int) -> Tensor:
    """Gather elements by flat index within the last dimensions.

    The index -1 gives 0.

    Shapes:
        input: (*batch, *spatial), index: (*batch or ones, *output) -> (*batch, *output).
    """
    return _gather_places(input, index, ndim)


def scatter_places(input: Tensor, index: Any, spatial: Sizes) -> Tensor:
    """Add elements at flat indices within the last dimensions: the adjoint of gathering."""
    return _scatter_places(input, index, spatial)
