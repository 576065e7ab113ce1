"""Index operations along a dimension: index_select, index_add, index_copy, index_reduce."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.conversion import into_apart
from torchstone.microtorch.ops.indexing import add_flat
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.rounded import rounded_once
from torchstone.microtorch.ops.scattering import scatter_reduce
from torchstone.microtorch.tensor import Array, Tensor, wrap, wrap_dim


def _select_rule(grad: Tensor, self_shape: tuple[int, ...], dim: int, index: Tensor) -> Tensor:
    return _index_add(grad.new_zeros(self_shape), dim, index, grad)


def _zeros_rule(grad: Tensor, dim: int, index: Tensor) -> Tensor:
    """Zero the gradient of slices that were overwritten."""
    return _index_fill(grad, dim, index, 0)


def _value_rule(grad: Tensor, dim: int, index: Tensor) -> Tensor:
    return _index_select(grad, dim, wrap(np.unique(index.array))).sum()


@primitive(self=_select_rule)
def _index_select(self: Array, dim: int, index: Array) -> Array:
    return np.take(self, index, axis=dim)


@primitive(self=lambda grad: grad, source=lambda grad, dim, index: _index_select(grad, dim, index))
def _index_add(self: Array, dim: int, index: Array, source: Array) -> Array:
    result = self.copy()
    add_slices(result, dim, index, source)
    return result


def add_slices(target: Array, dim: int, index: Array, source: Array) -> None:
    """Add slices at given indices, which may repeat."""
    if target.ndim == 1:
        add_flat(target, index, source)
        return
    if not source.size:
        return
    numbers, sums = summed_slices(dim, index, source)
    target[(slice(None),) * dim + (numbers,)] += sums


def summed_slices(dim: int, index: Array, source: Array) -> tuple[Array, Array]:
    """Sum the slices that have the same index; there must be at least one.

    Returns:
        The unique indices, and the sums.
    """
    # After sorting, slices of one index are adjacent and can be summed by one reduction.
    order = np.argsort(index, kind="stable")
    numbers = index[order]
    first = np.flatnonzero(np.concatenate(([True], numbers[1:] != numbers[:-1])))
    slices = np.take(source, order, axis=dim)
    if len(first) < len(numbers):
        slices = np.add.reduceat(slices, first, axis=dim)
    return numbers[first], slices


@primitive(self=_zeros_rule, value=_value_rule)
def _index_fill(self: Array, dim: int, index: Array, value: Any) -> Array:
    result = self.copy()
    result[(slice(None),) * dim + (index,)] = value
    return result


@primitive(self=_zeros_rule, source=lambda grad, dim, index: _index_select(grad, dim, index))
def _index_copy(self: Array, dim: int, index: Array, source: Array) -> Array:
    result = self.copy()
    result[(slice(None),) * dim + (index,)] = source
    return result


def _of_slices(name: str, input: Tensor, dim: int, index: Tensor) -> tuple[Tensor, int, Tensor]:
    """Check slice indices; a 0-d index becomes a vector."""
    if not isinstance(index, Tensor):
        raise TypeError(f"{name}(): argument 'index' must be Tensor, not {type(index).__name__}")
    if index.array.dtype.kind not in "iu" or index.array.itemsize < 4:
        raise RuntimeError(f"{name}(): Expected dtype int32 or int64 for index")
    if index.array.ndim > 1:
        raise IndexError(f"{name}(): Index is supposed to be a vector")
    dim = wrap_dim(dim, input.array.ndim)
    return (
        input if input.array.ndim else input.reshape(1),
        dim,
        index if index.array.ndim else index.reshape(1),
    )


def _refuse_outside(name: str, input: Tensor, dim: int, index: Tensor) -> None:
    size, numbers = input.array.shape[dim], index.array
    low = -size if name == "index_fill" else 0
    if numbers.size and not (numbers.min() >= low and numbers.max() < size):
        raise IndexError("index out of range in self")


@op()
def index_select(input: Tensor, dim: int, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Select slices along a dimension by index."""
    wide, dim, index = _of_slices("index_select", input, dim, index)
    _refuse_outside("index_select", wide, dim, index)
    result: Tensor = _index_select(wide, dim, index)
    result = result if input.array.ndim else result.reshape(())
    return into_apart(out, result, input, index)


def _with_source(
    name: str, input: Tensor, dim: int, index: Tensor, source: Tensor
) -> tuple[Tensor, int, Tensor, Tensor]:
    """Check the indices and the slices that are to be written."""
    if source.array.dtype != input.array.dtype:
        raise RuntimeError(
            f"{name}_(): self and source expected to have the same dtype, but got (self) "
            f"{input.dtype.title} and (source) {source.dtype.title}"
            if name == "index_copy"
            else f"{name}_(): self ({input.dtype.title}) and source ({source.dtype.title}) must "
            "have the same scalar type"
        )
    wide, dim, index = _of_slices(name, input, dim, index)
    is_number = not source.array.ndim
    if not input.array.ndim and source.array.size != 1:
        raise RuntimeError(f"{name}(): the source has more elements than the tensor")
    if is_number:
        source = source.reshape((1,) * wide.array.ndim)
    shape = list(wide.array.shape)
    shape[dim] = index.array.size
    if list(source.array.shape) != shape:
        own = source.array.shape
        is_index = is_number or (name == "index_copy" and own[dim : dim + 1] != (shape[dim],))
        kind: type[Exception] = IndexError if is_index else RuntimeError
        raise kind(
            f"{name}(): the source must have the shape {shape}: a slice for each of the "
            f"{index.array.size} numbers; got {list(source.array.shape)}"
        )
    _refuse_outside(name, wide, dim, index)
    return wide, dim, index, source


@op(inplace=True)
def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1, out: Any = None
) -> Tensor:
    """Add slices at indices along a dimension."""
    wide, dim, index, source = _with_source("index_add", input, dim, index, source)
    result = _with_multiple(wide, dim, index, source, dtypes.held(alpha, input.dtype))
    return into_apart(out, result.reshape(input.array.shape), index, source)


@rounded_once
def _with_multiple(input: Tensor, dim: int, index: Tensor, source: Tensor, alpha: Any) -> Any:
    return _index_add(input, dim, index, source if alpha == 1 else source * alpha)


@op(inplace=True)
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """Return a copy with slices replaced at indices along a dimension."""
    wide, dim, index, source = _with_source("index_copy", input, dim, index, source)
    return _index_copy(wide, dim, index, source).reshape(input.array.shape)


@op(inplace=True)
def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """Fill the slices at indices along a dimension with a value."""
    if isinstance(value, Tensor) and value.array.ndim:
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.array.ndim} dimension(s)."
        )
    if not isinstance(value, Tensor):
        dtypes.refuse_loss(value, input.dtype)
    wide, dim, index = _of_slices("index_fill", input, dim, index)
    _refuse_outside("index_fill", wide, dim, index)
    return _index_fill(wide, dim, index, value).reshape(input.array.shape)


@op(inplace=True)
def index_reduce(
    input: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """Reduce slices into those at indices along a dimension."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(
            f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
            f"{reduce}."
        )
    wide, dim, index, source = _with_source("index_reduce", input, dim, index, source)
    column = index.reshape((-1,) + (1,) * (wide.array.ndim - dim - 1))
    places = column.expand(source.array.shape)
    result = scatter_reduce(wide, dim, places, source, reduce, include_self=include_self)
    return result.reshape(input.array.shape)
