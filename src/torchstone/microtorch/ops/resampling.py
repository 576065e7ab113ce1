"""Sparse linear maps along one dimension, for interpolation and average pooling.

Only the few nonzero entries of a map are stored, as taps: the first entries of all rows, the second
entries, and so on. Each tap is one operation on whole arrays, mostly on slices. Inputs that an
output does not depend on are never read, so infinities do not spread.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.sliding import Places, as_places, take
from torchstone.microtorch.tensor import Array, Tensor, wrap


class AxisMap:
    """Sparse matrix that acts along one dimension.

    Attributes:
        taps: Rows, each at most once per tap; their columns; the entries, or None if all are 1.
    """

    __slots__ = ("_rows", "_transposed", "in_size", "out_size", "taps")

    def __init__(
        self, rows: Array, columns: Array, weights: Array | None, *, out_size: int, in_size: int
    ) -> None:
        self.out_size, self.in_size = out_size, in_size
        self._rows = rows, columns, weights
        self._transposed: AxisMap | None = None
        order = np.argsort(rows, kind="stable")
        sorted_rows = rows[order]
        # The rank of each entry within its row.
        nth = np.arange(len(rows)) - np.searchsorted(sorted_rows, sorted_rows)
        self.taps: list[tuple[Places, Places, Array | None]] = []
        for tap in range(int(nth.max(initial=-1)) + 1):
            chosen = order[nth == tap]
            self.taps.append((
                as_places(rows[chosen]),
                as_places(columns[chosen]),
                None if weights is None else weights[chosen],
            ))  # fmt: skip

    @property
    def transposed(self) -> AxisMap:
        """Return the transposed map, which gradients use."""
        if self._transposed is None:
            rows, columns, weights = self._rows
            self._transposed = AxisMap(
                columns, rows, weights, out_size=self.in_size, in_size=self.out_size
            )
            self._transposed._transposed = self
        return self._transposed

    def apply(self, x: Array, axis: int) -> Array:
        """Apply the map along a dimension, given as a negative number."""
        if self.out_size == 1 and self._rows[2] is None:
            return np.add.reduce(take(x, as_places(self._rows[1]), axis), axis, keepdims=True)
        total: Array | None = None
        for rows, columns, weights in self.taps:
            part = take(x, columns, axis)
            if weights is not None:
                real = x.real.dtype
                part = part * weights.astype(real, copy=False).reshape((-1,) + (1,) * (-axis - 1))
            if total is None:
                if rows == slice(0, self.out_size, 1) if isinstance(rows, slice) else False:
                    total = part if part.base is None else part.copy(order="K")
                    continue
                total = self._zeros(x, axis)
            total[(..., rows, *(slice(None),) * (-axis - 1))] += part
        return self._zeros(x, axis) if total is None else total

    def _zeros(self, x: Array, axis: int) -> Array:
        shape = list(x.shape)
        shape[axis] = self.out_size
        return np.zeros_like(x, shape=tuple(shape))


Maps = tuple[AxisMap | None, ...]


def _resample_rule(grad: Tensor, maps: Maps, divisor: Any) -> Tensor:
    turned = tuple(each and each.transposed for each in maps)
    return resample(grad if divisor is None else grad / _as_operand(divisor, grad), turned)


def _as_operand(divisor: Any, tensor: Tensor) -> Any:
    if not isinstance(divisor, np.ndarray):
        return divisor
    return wrap(divisor.astype(tensor.array.real.dtype))


@primitive(self=_resample_rule)
def _resample(self: Array, maps: Maps, divisor: Any) -> Array:
    x = self
    for axis, each in enumerate(maps, -len(maps)):
        if each is not None:
            x = each.apply(x, axis)
    if divisor is not None:
        x = x / divisor
    return x.astype(self.dtype, copy=x is self)


def resample(input: Tensor, maps: Maps, divisor: Any = None) -> Tensor:
    """Apply a linear map along each of the last dimensions; None leaves a dimension unchanged.

    The result is divided by ``divisor``, a number or an array.
    """
    return _resample(input, maps, divisor)


def window_sums(start: Array, end: Array, size: int) -> AxisMap:
    """Create the map that sums the elements of windows."""
    lengths = np.maximum(end - start, 0)
    rows = np.repeat(np.arange(len(start)), lengths)
    inside = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return AxisMap(rows, start[rows] + inside, None, out_size=len(start), in_size=size)


def weighted(positions: Array, weights: Array, size: int) -> AxisMap:
    """Create a map in which each output is a weighted sum of the same number of elements.

    Shapes:
        positions, weights: (taps, outputs); outside positions are clamped to the nearest inside.
    """
    taps, count = positions.shape
    rows: Any = np.tile(np.arange(count), taps)
    columns = np.clip(positions, 0, size - 1).astype(np.int64).reshape(-1)
    return AxisMap(rows, columns, weights.reshape(-1), out_size=count, in_size=size)
