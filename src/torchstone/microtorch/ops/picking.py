"""Selection by flat index or mask: take, put, masked_fill, masked_select, nonzero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.broadcasting import as_runtime_error, meet
from torchstone.microtorch.ops.conversion import into_apart
from torchstone.microtorch.ops.indexing import index_put, places_of, put_checked, taken
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor, wrap

# By index in the flattened tensor.


def _flat(input: Tensor) -> Tensor:
    return input.reshape(input.array.size)


def _checked_numbers(name: str, index: Tensor) -> Array:
    if index.array.dtype != np.int64:
        raise RuntimeError(f"{name}(): Expected a long tensor for index, but got {index.dtype}")
    return index.array.copy()


@op()
def take(input: Tensor, index: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the elements at flat indices."""
    places = _checked_numbers("take", index)
    if not input.array.size and places.size:
        raise IndexError("take(): tried to take from an empty tensor")
    return into_apart(out, taken(_flat(input), (places,)), input, index)


@op(inplace=True)
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: bool = False) -> Tensor:
    """Return a copy with elements replaced, or added to, at flat indices."""
    places = _checked_numbers("put_", index)
    if source.array.size != places.size:
        raise IndexError(
            f"put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source.array.size}, index.numel() = {places.size}"
        )
    if source.array.dtype != input.array.dtype:
        raise RuntimeError(
            f"put_(): self and source expected to have the same dtype, but got {input.dtype} and "
            f"{source.dtype}"
        )
    values = source.reshape(places.shape)
    return put_checked(_flat(input), (places,), values, accumulate).reshape(input.array.shape)


# Masks.


def _outside_rule(grad: Tensor, mask: Array) -> Tensor:
    return _masked_fill(grad, mask, 0)


def _inside_rule(grad: Tensor, mask: Array) -> Tensor:
    return _masked_fill(grad, ~mask, 0)


@primitive(self=_outside_rule, value=_inside_rule)
def _masked_fill(self: Array, mask: Array, value: Any) -> Array:
    return np.where(mask, np.asarray(value).astype(self.dtype), self)


@op(inplace=True)
def masked_fill(input: Tensor, mask: Tensor, value: Any) -> Tensor:
    """Return a copy with one value where a mask is true."""
    if mask.array.dtype != np.bool_:
        raise RuntimeError(
            f"masked_fill_ only supports boolean masks, but got mask with dtype {mask.dtype.c_name}"
        )
    if isinstance(value, Tensor) and value.array.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.array.ndim} dimension(s)."
        )
    given = value.array.dtype.kind if isinstance(value, Tensor) else np.asarray(value).dtype.kind
    if given == "c" and input.array.dtype.kind != "c":
        name = input.dtype.c_name
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")
    if not isinstance(value, Tensor):
        dtypes.refuse_loss(value, input.dtype)
    try:
        return _masked_fill(input, mask.array.copy(), value)
    except ValueError as error:
        raise as_runtime_error(error, mask.array, input.array) from None


@op()
def masked_select(input: Tensor, mask: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the elements where a mask is true, as a 1-D tensor."""
    if mask.array.dtype != np.bool_:
        raise RuntimeError(f"masked_select: expected BoolTensor for mask, but got {mask.dtype}")
    shape = meet(input.array.shape, mask.array.shape)
    places = np.broadcast_to(mask.array, shape).copy()
    wide = input.expand(shape)
    result = taken(wide if shape else wide.reshape(1), (places if shape else places.reshape(1),))
    return into_apart(out, result, input, mask)


@op(inplace=True)
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Return a copy with successive elements of a source where a mask is true."""
    if mask.array.dtype != np.bool_:
        raise RuntimeError(
            "masked_scatter_ only supports boolean masks, but got mask with dtype "
            f"{mask.dtype.c_name}"
        )
    if input.array.dtype != source.array.dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got {input.dtype} "
            f"and {source.dtype}"
        )
    shape = meet(input.array.shape, mask.array.shape)
    places = np.flatnonzero(np.broadcast_to(mask.array, shape))
    if len(places) > source.array.size:
        raise RuntimeError(
            "masked_scatter: expected the number of elements in source to be at least the number "
            "of ones in mask"
        )
    wide = input.expand(shape)
    flat = put_checked(_flat(wide), (places,), _flat(source)[: len(places)], False)
    return flat.reshape(shape)


@op()
def argwhere(input: Tensor) -> Tensor:
    """Return the indices of the nonzero elements, one per row."""
    found = np.argwhere(input.array) if input.array.ndim else np.empty((int(input.array != 0), 0))
    return wrap(found.astype(np.int64))


@op()
def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Any:
    """Return the indices of the nonzero elements, one per row, or as one tensor per dimension."""
    if as_tuple:
        places = np.nonzero(np.atleast_1d(input.array))
        return tuple([wrap(each) for each in places])
    return into(out, argwhere(input))


@op()
def nonzero_static(input: Tensor, *, size: int, fill_value: int = -1) -> Tensor:
    """Return the first ``size`` indices of nonzero elements, padded with ``fill_value``."""
    if size < 0:
        raise RuntimeError(f"nonzero_static: 'size' must be an non-negative integer, got {size}")
    found = argwhere(input).array[:size]
    result = np.full((size, input.array.ndim), fill_value, np.int64)
    result[: len(found)] = found
    return wrap(result)


@op(method=False)
def _unsafe_masked_index(
    input: Tensor, mask: Tensor, indices: Sequence[Tensor | None], fill: Any
) -> Tensor:
    """Return the elements at given indices, and a fill value where a mask is false."""
    picked = taken(input, places_of(input, _inside(input, indices)))
    return picked.masked_fill(~mask, fill)


@op(method=False)
def _unsafe_masked_index_put_accumulate(
    input: Tensor, mask: Tensor, indices: Sequence[Tensor | None], values: Tensor
) -> Tensor:
    """Add values at given indices where a mask is true."""
    inside = _inside(input, indices)
    return index_put(input, inside, values.masked_fill(~mask, 0), True)


def _inside(input: Tensor, indices: Sequence[Tensor | None]) -> list[Tensor | None]:
    return [
        each if each is None else wrap(np.clip(each.array, -size, size - 1))
        for each, size in zip(indices, input.array.shape, strict=False)
    ]
