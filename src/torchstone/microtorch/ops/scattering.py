"""Gather and scatter: gather, scatter, scatter_add, scatter_reduce, take_along_dim."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.broadcasting import meet
from torchstone.microtorch.ops.conversion import into_apart
from torchstone.microtorch.ops.indexing import add_flat
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.views import Key, put
from torchstone.microtorch.tensor import Array, Tensor, wrap, wrap_dim


def _numbers(shape: tuple[int, ...], dim: int, index: Array) -> Array:
    """Convert an index along a dimension to indices into the flattened array."""
    if not index.size or not shape or not index.ndim:
        return index.reshape(-1).astype(np.int64)
    grid: list[Any] = list(np.ogrid[tuple(slice(size) for size in index.shape)])
    grid[dim] = index
    return np.ravel_multi_index(tuple(grid), shape).reshape(-1)


def _source_at(source: Array, index: Array) -> Array:
    """Crop a source to the size of the index."""
    return source[tuple(slice(size) for size in index.shape)].reshape(-1)


def _source_rule(grad: Tensor, dim: int, index: Tensor, source_shape: tuple[int, ...]) -> Tensor:
    """Return the gradient of the source: the gradient at the positions it was written to."""
    found = grad.gather(dim, index)
    if found.array.shape == source_shape:
        return found
    cut = Key(tuple([slice(size) for size in found.array.shape]))
    return put(found, source_shape, cut)


def _zeros_rule(grad: Tensor, dim: int, index: Tensor) -> Tensor:
    """Zero the gradient of elements that were overwritten."""
    return _scatter_fill(grad, dim, index, 0)


def _gather_rule(grad: Tensor, self_shape: tuple[int, ...], dim: int, index: Tensor) -> Tensor:
    return _scatter_add(grad.new_zeros(self_shape), dim, index, grad)


@primitive(self=_gather_rule)
def _gather(self: Array, dim: int, index: Array) -> Array:
    flat = self.reshape(-1)
    return flat[_numbers(self.shape, dim, index)].reshape(index.shape)


@primitive(self=lambda grad: grad, source=_source_rule)
def _scatter_add(self: Array, dim: int, index: Array, source: Array) -> Array:
    result = self.copy(order="C")
    add_flat(result.reshape(-1), _numbers(self.shape, dim, index), _source_at(source, index))
    return result


@primitive(self=_zeros_rule, source=_source_rule)
def _scatter(self: Array, dim: int, index: Array, source: Array) -> Array:
    result = self.copy(order="C")
    result.reshape(-1)[_numbers(self.shape, dim, index)] = _source_at(source, index)
    return result


@primitive(self=_zeros_rule)
def _scatter_fill(self: Array, dim: int, index: Array, value: Any) -> Array:
    result = self.copy(order="C")
    result.reshape(-1)[_numbers(self.shape, dim, index)] = value
    return result


def _checked_index(name: str, input: Tensor, dim: int, index: Tensor, source: Any = None) -> int:
    """Check that index and source fit the tensor; return the non-negative dimension."""
    dim = wrap_dim(dim, input.array.ndim)
    places = index.array
    if not places.size:
        return dim
    if places.dtype not in (np.int64, np.int32):
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index")
    if (places.ndim or 1) != (input.array.ndim or 1):
        raise RuntimeError(
            "Index tensor must have the same number of dimensions as "
            f"{'input' if name == 'gather' else 'self'} tensor"
        )
    _refuse_other_source(name, input, places, source)
    shape = input.array.shape or (1,)
    for each, (size, wanted) in enumerate(zip(places.shape or (1,), shape, strict=True)):
        if each != dim and size > wanted:
            raise RuntimeError(
                f"Size does not match at dimension {each} expected index "
                f"{list(places.shape)} to be no larger than self {list(shape)} apart from "
                f"dimension {dim}"
            )
    low, high = int(places.min()), int(places.max())
    if low < 0 or high >= shape[dim]:
        raise RuntimeError(
            f"index {low if low < 0 else high} is out of bounds for dimension {dim} with size "
            f"{shape[dim]}"
        )
    return dim


def _refuse_other_source(name: str, input: Tensor, places: Array, source: Any) -> None:
    if not isinstance(source, Tensor):
        return
    if source.array.dtype != input.array.dtype:
        raise RuntimeError(f"{name}(): Expected self.dtype to be equal to src.dtype")
    if (source.array.ndim or 1) != (places.ndim or 1):
        raise RuntimeError(
            f"{name}(): Index tensor must have the same number of dimensions as src tensor"
        )
    pairs = zip(places.shape or (1,), source.array.shape or (1,), strict=True)
    if any(size > wanted for size, wanted in pairs):
        raise RuntimeError(
            f"{name}(): Expected index {list(places.shape)} to be no larger than src "
            f"{list(source.array.shape)}"
        )


@op()
def gather(
    input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False, out: Any = None
) -> Tensor:
    """Gather elements by index along a dimension.

    Raises:
        RuntimeError: The index has another number of dimensions, or is out of range.
    """
    dim = _checked_index("gather", input, dim, index)
    result: Tensor = _gather(input, dim, index)
    if out is not None and out.dtype is not input.dtype:
        raise RuntimeError(
            f"Expected out tensor to have dtype {input.dtype}, but got {out.dtype} instead"
        )
    return into_apart(out, result, input, index)


@op(inplace=True)
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """Add elements at indices along a dimension."""
    dim = _checked_index("scatter_add", input, dim, index, src)
    return _scatter_add(input, dim, index, src)


@op(inplace=True)
def scatter(
    input: Tensor,
    dim: int,
    index: Tensor,
    src: Any = None,
    *,
    value: Any = None,
    reduce: str | None = None,
) -> Tensor:
    """Return a copy with elements replaced at indices along a dimension."""
    source = value if src is None else src
    dim = _checked_index("scatter", input, dim, index, source)
    if reduce is not None:
        if reduce not in ("add", "multiply"):
            raise RuntimeError("reduce argument must be either add or multiply.")
        whole = source if isinstance(source, Tensor) else input.new_full(index.array.shape, source)
        return scatter_reduce(input, dim, index, whole, "sum" if reduce == "add" else "prod")
    if isinstance(source, Tensor):
        return _scatter(input, dim, index, source)
    return _scatter_fill(input, dim, index, dtypes.held(source, input.dtype))


# Scatter with a reduction.

_AT: dict[str, tuple[Callable[..., None], Any]] = {
    "sum": (np.add.at, 0),
    "mean": (np.add.at, 0),
    "prod": (np.multiply.at, 1),
    "amax": (np.maximum.at, -np.inf),
    "amin": (np.minimum.at, np.inf),
}


def _scatter_reduce_rule(
    grad: Tensor, self: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str,
    include_self: bool, result: Tensor,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Return the gradients of both operands; excluded elements of ``self`` get none."""
    if reduce == "prod":
        to_self, to_source = _prod_rule(grad, self, dim, index, source, include_self, result)
    elif reduce == "mean":
        start = grad.new_ones if include_self else grad.new_zeros
        ones = grad.new_ones(source.array.shape)
        count = start(self.array.shape).scatter_add(dim, index, ones).clamp(min=1)
        to_self = grad / count
        to_source = _source_rule(to_self, dim, index, source.array.shape)
    elif reduce == "sum":
        to_self, to_source = grad, _source_rule(grad, dim, index, source.array.shape)
    else:
        to_self, to_source = _extreme_rule(grad, self, dim, index, source, result)
    return to_self if include_self else _scatter_fill(to_self, dim, index, 0), to_source


def _prod_rule(
    grad: Tensor, self: Tensor, dim: int, index: Tensor, source: Tensor, include_self: bool,
    result: Tensor,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Divide the product by each factor; for a zero factor, multiply the other factors instead."""

    def product(to: Tensor, of: Tensor) -> Tensor:
        return _scatter_reduce(to, dim, index, of, "prod", include_self)

    one = self.masked_fill(self.eq(0), 1)
    to_self = grad * product(one, source) / one
    is_zero = source.eq(0)
    zeros = grad.new_zeros(self.array.shape).scatter_add(dim, index, is_zero.to(source.dtype))
    alone = is_zero & (zeros.gather(dim, index) == 1)
    others = (grad * product(self, source.masked_fill(alone, 1))).gather(dim, index)
    quotient = (grad * result).gather(dim, index) / source.masked_fill(is_zero, 1)
    return to_self, others.where(alone, quotient)


def _extreme_rule(
    grad: Tensor, self: Tensor, dim: int, index: Tensor, source: Tensor, result: Tensor
) -> tuple[Tensor, Tensor]:
    """Divide the gradient evenly among the elements equal to the extreme."""
    is_self = self.eq(result).to(grad.dtype)
    is_source = source.eq(result.gather(dim, index)).to(grad.dtype)
    shared = grad / is_self.scatter_add(dim, index, is_source).clamp(min=1)
    return is_self * shared, is_source * shared.gather(dim, index)


@primitive(
    self=lambda grad, self, dim, index, source, reduce, include_self, result: _scatter_reduce_rule(
        grad, self, dim, index, source, reduce, include_self, result
    )[0],
    source=lambda grad, self, dim, index, source, reduce, include_self, result: (
        _scatter_reduce_rule(grad, self, dim, index, source, reduce, include_self, result)[1]
    ),
)
def _scatter_reduce(
    self: Array, dim: int, index: Array, source: Array, reduce: str, include_self: bool
) -> Array:
    result = self.copy(order="C")
    flat, numbers = result.reshape(-1), _numbers(self.shape, dim, index)
    values = _source_at(source, index)
    at, start = _AT[reduce]
    if not include_self:
        if self.dtype.kind in "iub" and np.isinf(start):
            info = np.iinfo(self.dtype)
            start = info.min if start < 0 else info.max
        flat[numbers] = start
    at(flat, numbers, values)
    if reduce == "mean":
        count = np.bincount(numbers, minlength=flat.size) + include_self
        count = np.maximum(count, 1).astype(self.dtype)
        flat[...] = flat // count if self.dtype.kind in "iu" else flat / count
    return result


@op(inplace=True)
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Reduce elements into those at indices along a dimension."""
    if reduce not in _AT:
        raise RuntimeError(
            "reduce argument must be either sum, prod, mean, amax or amin, got " + str(reduce)
        )
    dim = _checked_index("scatter_reduce", input, dim, index, src)
    # Source elements beyond the size of the index are ignored.
    if src.array.shape != index.array.shape and index.array.ndim:
        src = src[tuple(slice(size) for size in index.array.shape)]
    return _scatter_reduce(input, dim, index, src, reduce, include_self)


@op()
def take_along_dim(
    input: Tensor, indices: Tensor, dim: int | None = None, *, out: Tensor | None = None
) -> Tensor:
    """Gather elements by index along a dimension; shapes broadcast."""
    if indices.array.dtype != np.int64:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got {indices.dtype}"
        )
    if dim is None:
        return gather(input.flatten(), 0, indices.flatten(), out=out)
    if input.array.ndim != indices.array.ndim:
        raise RuntimeError(
            f"torch.take_along_dim(): input and indices should have the same number of dimensions, "
            f"but got {input.array.ndim} dimensions for input, and {indices.array.ndim} dimensions "
            "for indices"
        )
    dim = wrap_dim(dim, input.array.ndim)
    # PyTorch wraps negative indices repeatedly.
    indices = wrap(indices.array % (input.array.shape[dim] if input.array.ndim else 1))
    shape = meet(_without(input, dim), _without(indices, dim))
    own, wanted = list(shape), list(shape)
    own[dim], wanted[dim] = input.array.shape[dim], indices.array.shape[dim]
    return gather(input.expand(own), dim, indices.expand(wanted), out=out)


def _without(tensor: Tensor, dim: int) -> tuple[int, ...]:
    shape = tensor.array.shape
    return (*shape[:dim], 1, *shape[dim + 1 :])
