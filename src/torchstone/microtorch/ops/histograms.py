"""Histograms: bincount, histc, histogram, histogramdd."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes, return_types
from torchstone.microtorch.ops.along import filled
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.reductions import expect
from torchstone.microtorch.tensor import Array, Tensor, wrap


@op()
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Count the occurrences of each integer, or sum the weights of its occurrences."""
    expect("bincount", input, "iu")
    array = input.array
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if array.ndim != 1 or (array.size and array.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if weights is None:
        return wrap(np.bincount(array, minlength=minlength))
    if weights.array.shape != array.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    counts = np.bincount(array, weights.array, minlength)
    is_single = weights.dtype is dtypes.float32
    return wrap(counts.astype(np.float32) if is_single else counts)


def _check_limits(name: str, low: float, high: float) -> None:
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"torch.{name}: range of [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError(
            f"torch.{name}: max must be larger than min, but got min {low} max {high}"
        )


@op()
def histc(
    input: Tensor, bins: int = 100, min: float = 0, max: float = 0, *, out: Tensor | None = None
) -> Tensor:
    """Count the elements in bins of equal width; elements outside the range are ignored."""
    expect("histc", input, "f")
    if bins <= 0:
        raise RuntimeError(f"torch.histc(): bins must be > 0, but got {bins}")
    column = input.array.reshape(-1)
    low, high = min, max
    if low == high and column.size:
        low, high = column.min(), column.max()
    if low == high:
        low, high = low - 1, high + 1
    _check_limits("histc", low, high)
    column = column[(column >= low) & (column <= high)]
    places = ((column - low) * bins / (high - low)).astype(np.int64)
    counts = np.bincount(np.minimum(places, bins - 1), minlength=bins)
    return into(out, wrap(counts.astype(input.array.dtype)))


def _count(
    points: Array, edges: list[Array], weight: Tensor | None, density: bool
) -> tuple[Array, list[Array]]:
    """Count the points in each bin.

    Shapes:
        points: (num_points, num_dims) -> one dimension for each, of size ``len(edges[d]) - 1``.
    """
    shape = tuple(len(each) - 1 for each in edges)
    if min(shape) < 1:
        raise RuntimeError(f"torch.histogramdd: bins must be > 0, but got {min(shape)}")
    if weight is not None and weight.array.size != len(points):
        raise RuntimeError("if weight tensor is provided it should have one element for each point")
    inside = np.ones(len(points), bool)
    cell = np.zeros(len(points), np.int64)
    for column, own, size in zip(points.T, edges, shape, strict=True):
        inside &= (column >= own[0]) & (column <= own[-1])
        # The last bin includes its right edge.
        places = np.searchsorted(own, column, "right") - 1
        cell = cell * size + np.clip(places, 0, size - 1)
    weights = None if weight is None else weight.array.reshape(-1)[inside]
    counts = np.bincount(cell[inside], weights, math.prod(shape))
    counts = counts.reshape(shape).astype(points.dtype)
    if density:
        volume = np.ones((), points.dtype)
        for own in edges:
            volume = np.multiply.outer(volume, np.diff(own))
        counts = counts / (volume * counts.sum())
    return counts, edges


def _edges(columns: Array, bins: Any, limits: Sequence[float] | None) -> list[Array]:
    made = []
    for place, (column, each) in enumerate(zip(columns, bins, strict=True)):
        if isinstance(each, Tensor):
            made.append(each.array)
            continue
        if limits is not None:
            low, high = limits[2 * place : 2 * place + 2]
        else:
            low, high = (column.min(), column.max()) if column.size else (0.0, 1.0)
        _check_limits("histogramdd", low, high)
        if low == high:
            low, high = low - 0.5, high + 0.5
        made.append(np.linspace(low, high, each + 1, dtype=columns.dtype))
    return made


@op()
def histogram(
    input: Tensor,
    bins: int | Tensor,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
    out: Any = None,
) -> Any:
    """Count the elements in bins of equal width, or between given edges."""
    expect("histogram", input, "f")
    points = input.array.reshape(-1, 1)
    counts, (edges,) = _count(points, _edges(points.T, (bins,), range), weight, density)
    return filled(return_types.histogram(wrap(counts), wrap(edges)), out)


@op(method=False)
def histogramdd(
    input: Tensor,
    bins: Any,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> Any:
    """Count points in multidimensional bins.

    Shapes:
        input: (*batch, num_dims) -> one dimension for each.
    """
    expect("histogramdd", input, "f")
    if input.array.ndim < 2:
        raise RuntimeError(
            "torch.histogramdd: input tensor should have at least 2 dimensions, but "
            f"got {input.array.ndim}"
        )
    num_dims = input.array.shape[-1]
    each_bins = [bins] * num_dims if isinstance(bins, int) else list(bins)
    if len(each_bins) != num_dims:
        raise RuntimeError(
            "histogramdd: The size of bins must be equal to the innermost dimension of the input."
        )
    points = input.array.reshape(-1, num_dims)
    counts, edges = _count(points, _edges(points.T, each_bins, range), weight, density)
    return return_types.histogramdd(wrap(counts), tuple(wrap(each) for each in edges))
