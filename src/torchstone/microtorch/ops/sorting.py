"""Sorting: sort, argsort, topk, kthvalue, median, mode."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch import return_types
from torchstone.microtorch.ops.along import filled, found, take
from torchstone.microtorch.ops.conversion import refuse_shared
from torchstone.microtorch.ops.extremes import even_rule, refuse_empty
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.reductions import expect
from torchstone.microtorch.tensor import Array, Tensor, wrap_dim


@primitive()
def _order(self: Array, dim: int, descending: bool) -> Any:
    """Return the indices of a stable sort; NaN is the largest."""
    if not self.ndim:
        return np.zeros((), np.int64)
    if not descending:
        return np.argsort(self, axis=dim, kind="stable")
    order = np.argsort(np.flip(self, dim), axis=dim, kind="stable")
    return np.flip(self.shape[dim] - 1 - order, dim).copy()


@op()
def sort(
    input: Tensor,
    dim: int = -1,
    descending: bool = False,
    *,
    stable: bool | None = None,
    out: Any = None,
) -> Any:
    """Sort along a dimension; equal elements keep their order."""
    expect("sort", input, "fiub")
    dim = wrap_dim(dim, input.array.ndim)
    index = _order(input, dim, descending)
    return filled(return_types.sort(take(input, index, dim), index), out)


@op()
def argsort(
    input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False
) -> Tensor:
    """Return the indices that sort a tensor along a dimension."""
    expect("argsort", input, "fiub")
    return _order(input, wrap_dim(dim, input.array.ndim), descending)


@op()
def msort(input: Tensor) -> Tensor:
    """Sort along the first dimension."""
    values: Tensor = sort(input, 0).values
    return values


@primitive()
def _top(self: Array, k: int, dim: int, largest: bool) -> Any:
    if not self.ndim:
        return np.zeros((), np.int64)
    rows = np.moveaxis(self, dim, -1)
    size = rows.shape[-1]
    candidates = None
    if 0 < 8 * k < size:
        # Discard all other elements before sorting.
        pivot = size - k if largest else k - 1
        parts = np.argpartition(rows, pivot, axis=-1)
        candidates = np.sort(parts[..., pivot:] if largest else parts[..., :k], axis=-1)
        rows = np.take_along_axis(rows, candidates, -1)
    order = _order.forward(rows, rows.ndim - 1, largest)[..., :k]
    index = order if candidates is None else np.take_along_axis(candidates, order, -1)
    return np.ascontiguousarray(np.moveaxis(index, -1, dim))


@op()
def topk(
    input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True, *,
    out: Any = None,
) -> Any:  # fmt: skip
    """Return the ``k`` largest elements along a dimension, in descending order."""
    expect("topk", input, "fiu")
    dim = wrap_dim(dim, input.array.ndim)
    if not 0 <= k <= (input.array.shape[dim] if input.array.ndim else 1):
        raise RuntimeError("selected index k out of range")
    index = _top(input, k, dim, largest)
    return filled(return_types.topk(take(input, index, dim), index), out)


@primitive()
def _kth(self: Array, k: int, dim: int) -> Any:
    if not self.ndim:
        return np.zeros((), np.int64)
    return np.take(np.argpartition(self, k, axis=dim), [k], axis=dim)


@op()
def kthvalue(
    input: Tensor, k: int, dim: int = -1, keepdim: bool = False, *, out: Any = None
) -> Any:
    """Return the ``k``-th smallest element along a dimension."""
    expect("kthvalue", input, "fiu")
    dim = wrap_dim(dim, input.array.ndim)
    refuse_empty("kthvalue", input, (dim,), IndexError)
    if not 1 <= k <= (input.array.shape[dim] if input.array.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}")
    for each in out or ():
        refuse_shared(each, input)
    index = _kth(input, k - 1, dim)
    return found(return_types.kthvalue, input, index, dim, keepdim, out)


@primitive()
def _middle(self: Array, dim: int, skips_nan: bool) -> Any:
    """Return the index of the median: the lower one of two middle elements."""
    if not self.ndim:
        return np.zeros((), np.int64)
    is_nan = self != self
    if not is_nan.any():
        return _kth.forward(self, (self.shape[dim] - 1) // 2, dim)
    order = np.argsort(self, axis=dim, kind="stable")
    count = self.shape[dim] - np.add.reduce(is_nan, dim, np.int64, keepdims=True)
    middle = np.maximum(count - 1, 0) // 2
    if not skips_nan:
        # In a row with NaN the median is NaN: the first one.
        middle = np.where(count < self.shape[dim], count, middle)
    return np.take_along_axis(order, middle, dim)


@primitive(self=lambda grad, self, result, dims: even_rule(grad, self, result, dims, False, True))
def _median(self: Array, dims: tuple[int, ...], skips_nan: bool) -> Any:
    flat = self.reshape(-1)
    if not flat.size:
        return np.array(np.nan).astype(self.dtype)
    return flat[_middle.forward(flat, 0, skips_nan)[0]]


def _define_median(name: str, skips_nan: bool) -> None:
    def function(
        input: Tensor, dim: int | None = None, keepdim: bool = False, *, out: Any = None
    ) -> Any:
        expect(name, input, "fiu")
        if dim is None:
            return _median(input, tuple(range(input.array.ndim)), skips_nan)
        dim = wrap_dim(dim, input.array.ndim)
        refuse_empty(name, input, (dim,), IndexError)
        index = _middle(input, dim, skips_nan)
        kind = getattr(return_types, name)
        return found(kind, input, index, dim, keepdim, out)

    rest = "the elements that are not NaN" if skips_nan else "all elements, or NaN if there is one"
    what = f"Return the median of {rest}; of two middle elements, the lower one."
    op()(named(function, name, what))


_define_median("median", False)
_define_median("nanmedian", True)


@primitive()
def _commonest(self: Array, dim: int) -> Any:
    """Return the index of the mode: the smallest one of equally common elements."""
    if not self.ndim:
        return np.zeros((), np.int64)
    order = np.argsort(self, axis=dim, kind="stable")
    values = np.moveaxis(np.take_along_axis(self, order, dim), dim, 0)
    places = np.arange(len(values)).reshape((-1,) + (1,) * (self.ndim - 1))
    is_first = np.ones(values.shape, bool)
    is_first[1:] = values[1:] != values[:-1]
    begins = np.maximum.accumulate(np.where(is_first, places, 0), 0)
    # The length of a run is known at its last element, whose index PyTorch returns.
    last = np.moveaxis(np.argmax(places - begins, axis=0, keepdims=True), 0, dim)
    return np.take_along_axis(order, last, dim)


@op()
def mode(input: Tensor, dim: int = -1, keepdim: bool = False, *, out: Any = None) -> Any:
    """Return the most common element along a dimension."""
    expect("mode", input, "fiub")
    dim = wrap_dim(dim, input.array.ndim)
    refuse_empty("mode", input, (dim,), IndexError)
    return found(return_types.mode, input, _commonest(input, dim), dim, keepdim, out)
