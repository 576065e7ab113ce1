"""Indexing with square brackets: basic and advanced indexing, ``__setitem__``, index_put."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.autograd.inplace import check_writable, refuse_overlap, refuse_sources
from torchstone.microtorch.autograd.node import SavedTensor, wants_gradient
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.views import Key, look_at, select
from torchstone.microtorch.tensor import Array, Tensor, attach, wrap

# For each dimension an integer index array, a mask, or a full slice.
Places = tuple[Any, ...]


def _take_rule(grad: Tensor, self_shape: tuple[int, ...], places: Places) -> Tensor:
    return put_at(grad.new_zeros(self_shape), grad, places, True)


def _put_rule(grad: Tensor, places: Places, accumulate: bool) -> Tensor:
    if accumulate:
        return grad
    return put_at(grad, wrap(np.zeros((), grad.array.dtype)), places, False)


@primitive(self=_take_rule)
def take_at(self: Array, places: Places) -> Array:
    """Return the elements at given indices."""
    arrays = [dim for dim, each in enumerate(places) if isinstance(each, np.ndarray)]
    if len(arrays) == 1 and places[arrays[0]].dtype != np.bool_:
        # Equivalent but faster; the result is contiguous either way.
        return np.take(self, places[arrays[0]], axis=arrays[0])
    return np.asarray(self[places], order="C")


take_at.node.__name__ = "IndexBackward0"


@primitive(self=_put_rule, values=lambda grad, places: take_at(grad, places))
def put_at(self: Array, values: Array, places: Places, accumulate: bool) -> Array:
    """Return a copy with elements at given indices replaced or, with ``accumulate``, added to."""
    result = self.copy()
    if not accumulate or _is_mask(places):
        result[places] = result[places] + values if accumulate else values
    else:
        _add_at(result, places, values)
    return result


def _is_mask(places: Places) -> bool:
    """Return whether the index is a single mask, so that no element is indexed twice."""
    arrays = [each for each in places if isinstance(each, np.ndarray)]
    return len(arrays) == 1 and arrays[0].dtype == np.bool_


def _add_at(result: Array, places: Places, values: Array) -> None:
    """Add values at indices, which may repeat."""
    numbers = np.arange(result.size).reshape(result.shape)[places]
    add_flat(result.reshape(-1), numbers.reshape(-1), np.broadcast_to(values, numbers.shape))


def add_flat(flat: Array, numbers: Array, values: Array) -> None:
    """Add values to a flat array at given indices, which may repeat."""
    np.add.at(flat, numbers, values.reshape(-1).astype(flat.dtype, copy=False))


take_at.let_go = put_at.let_go = (SavedTensor, np.ndarray, tuple)


# Parsing of the index expression.


def _as_index(item: Any) -> Any:
    """Normalize one index item: an integer, a slice, None, an ellipsis, or a tensor."""
    if isinstance(item, bool | np.bool_):
        return np.array(item)
    if item is None or item is Ellipsis:
        return item
    if isinstance(item, slice):
        return _checked_slice(item)
    if isinstance(item, Tensor):
        array = item.array
        return array.item() if not array.ndim and array.dtype.kind == "i" else _checked(array)
    if isinstance(item, str):
        raise TypeError("new(): invalid data type 'str'")
    if isinstance(item, Sequence | np.ndarray):
        array = np.asarray(_plain(item))
        return _checked(array if array.size else array.astype(np.int64))
    if hasattr(item, "__index__"):
        return item.__index__()
    raise IndexError(
        "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
        f"indices (got {type(item).__name__})"
    )


def _plain(item: Any) -> Any:
    if isinstance(item, Tensor):
        return item.array
    return [_plain(each) for each in item] if isinstance(item, list | tuple) else item


def _checked_slice(item: slice) -> slice:
    start, stop, step = (
        each if each is None or isinstance(each, int) else _as_bound(each)
        for each in (item.start, item.stop, item.step)
    )
    if step is not None and step <= 0:
        raise ValueError("slice step cannot be zero" if not step else
                         "step must be greater than zero")  # fmt: skip
    return slice(start, stop, step)


def _as_bound(value: Any) -> int:
    if not hasattr(value, "__index__"):
        raise TypeError("slice indices must be integers or None or have an __index__ method")
    return value.__index__()


def _checked(array: Array) -> Array:
    if array.dtype == np.uint8:
        return array.astype(np.bool_)
    if array.dtype not in (np.bool_, np.int64, np.int32):
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    # Copied, because the index tensor may be written before the backward pass.
    return array.copy()


def _items_of(key: Any) -> list[Any]:
    if isinstance(key, tuple):
        items = list(key)
    elif (
        isinstance(key, list)
        and len(key) < 32
        and any(
            isinstance(each, list | tuple | slice | Tensor | np.ndarray)
            or each is None
            or each is Ellipsis
            for each in key
        )
    ):
        # As in old NumPy, a list of sequences is treated as a tuple.
        items = key
    else:
        items = [key]
    return [_as_index(each) for each in items]


def parse(key: Any, shape: tuple[int, ...]) -> tuple[tuple[Any, ...], Places | None]:
    """Split an index into a basic part, which gives a view, and an advanced part.

    Args:
        key: The index expression.
        shape: The shape of the indexed tensor.

    Returns:
        A basic index, and the advanced index into its result; None if there is none.
    """
    items = _items_of(key)
    used = sum(_dims_used(each) for each in items)
    if not shape and len(items) == 1 and type(items[0]) is int:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
            "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
        )
    if used > len(shape):
        raise IndexError(f"too many indices for tensor of dimension {len(shape)}")
    basic: list[Any] = []
    places: list[Any] = []
    dim, has_ellipsis = 0, False
    for item in items:
        if item is Ellipsis:
            missing = 0 if has_ellipsis else len(shape) - used
            has_ellipsis = True
            dim += missing
            basic += [slice(None)] * missing
            places += [slice(None)] * missing
        elif item is None:
            basic.append(None)
            places.append(slice(None))
        elif isinstance(item, slice):
            dim += 1
            basic.append(item)
            places.append(slice(None))
        elif isinstance(item, int):
            basic.append(_checked_number(item, shape[dim], dim))
            dim += 1
        elif item.ndim == 0:
            basic.append(None)
            places.append(item.reshape(1))
        else:
            taken = _dims_used(item)
            dim += taken
            basic += [slice(None)] * taken
            places.append(item)
    if not any(isinstance(each, np.ndarray) for each in places):
        return tuple(basic), None
    return tuple(basic), tuple(places)


def _dims_used(item: Any) -> int:
    if item is None or item is Ellipsis:
        return 0
    return item.ndim if isinstance(item, np.ndarray) and item.dtype == np.bool_ else 1


def _checked_number(number: int, size: int, dim: int) -> int:
    if not -size <= number < size:
        raise IndexError(f"index {number} is out of bounds for dimension {dim} with size {size}")
    return number


def _refuse_other_masks(places: Places, shape: tuple[int, ...]) -> None:
    dim = 0
    for each in places:
        used = _dims_used(each)
        if isinstance(each, np.ndarray) and each.dtype == np.bool_:
            for axis, size in enumerate(each.shape):
                if size != shape[dim + axis]:
                    raise IndexError(
                        f"The shape of the mask {list(each.shape)} at index {axis} does not match "
                        f"the shape of the indexed tensor {list(shape)} at index {dim + axis}"
                    )
        dim += used


def taken(input: Tensor, places: Places) -> Tensor:
    """Return the elements at given indices.

    Raises:
        IndexError: An index is out of range, or the indices do not broadcast.
    """
    _refuse_other_masks(places, input.array.shape)
    try:
        return take_at(input, places)
    except IndexError as error:
        raise _in_words_of_torch(error) from None


def _in_words_of_torch(error: IndexError) -> IndexError:
    words = str(error).replace("axis", "dimension").replace("indexing arrays", "indexing tensors")
    return IndexError(re.sub(r"\((\d[\d, ]*?),?\)(?= |$)", r"[\1],", words).rstrip(" ,"))


# Reading.


def _getitem(self: Tensor, key: Any) -> Tensor:
    """Return a view for a basic index, and a copy for an advanced one."""
    if type(key) is int and self.array.ndim:
        _checked_number(key, self.array.shape[0], 0)
        return select(self, 0, key)
    if state.levels and state.levels[-1].maps(key):
        return state.levels[-1].loop(_getitem, (self, key))
    basic, places = parse(key, self.array.shape)
    if places is None:
        return look_at(self, Key(basic))
    return taken(self if _is_all(basic) else look_at(self, Key(basic)), places)


def _is_all(basic: Sequence[Any]) -> bool:
    return all(type(each) is slice and each == slice(None) for each in basic)


attach("__getitem__", _getitem)


# Writing.


def _setitem(self: Tensor, key: Any, value: Any) -> None:
    """Assign to the view of a basic index, or to the elements of an advanced one."""
    if state.levels and state.levels[-1].maps(key):
        state.levels[-1].loop(_setitem, (self, key, value), writes=True)
        return
    if key is False:
        return
    if key is True:
        key = None
    basic, places = parse(key, self.array.shape)
    if not isinstance(value, Tensor):
        value = _scalar(self, value)
        if places is None and not state.levels and not (state.enabled and wants_gradient(self)):
            # Nothing is recorded: write directly.
            check_writable(self, may_overlap=True)
            part = Key(basic)(self.array)
            refuse_overlap(part)
            part[...] = value.array
            self.bump_version()
            return
    target = self if _is_all(basic) else look_at(self, Key(basic))
    shape = value.array.shape
    if places is None:
        wanted = target.array.shape
        target.copy_(_trimmed(value, len(wanted)).expand(wanted) if shape != wanted else value)
        return
    value = _trimmed(value, 0)
    check_writable(target, value, may_overlap=True)
    refuse_sources(target, value, even_itself=value.array.size > 1)
    if value.array.size == 1 and _is_mask(places):
        # A single value is converted to the dtype of the tensor.
        value = value.to(self.dtype, copy=True)
    target._index_put_(places, _values_for(target, places, value), False)


def _trimmed(value: Tensor, ndim: int) -> Tensor:
    """Remove leading dimensions of size 1 until ``ndim`` are left."""
    shape = value.array.shape
    extra = 0
    while extra < len(shape) - ndim and shape[extra] == 1:
        extra += 1
    return value.reshape(shape[extra:]) if extra else value


def _scalar(self: Tensor, value: Any) -> Tensor:
    if not isinstance(value, int | float | complex | np.generic):
        name = "numpy.ndarray" if isinstance(value, np.ndarray) else type(value).__name__
        raise TypeError(f"can't assign a {name} to a {self.type()}")
    # As in PyTorch, a number too large for half precision becomes infinite.
    if self.dtype is not dtypes.float16:
        dtypes.refuse_loss(value, self.dtype)
    return wrap(np.array(value).astype(self.array.dtype))


attach("__setitem__", _setitem)


def _values_for(target: Tensor, places: Places, value: Tensor) -> Tensor:
    _refuse_other_masks(places, target.array.shape)
    if value.array.dtype != target.array.dtype:
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{target.dtype.title} for the destination and {value.dtype.title} for the source."
        )
    if not value.array.ndim:
        return value
    try:
        shape = _outline(target.array)[places].shape
    except IndexError as error:
        raise _in_words_of_torch(error) from None
    value = _trimmed(value, len(shape))
    own = value.array.shape
    padding = len(shape) - len(own)
    if padding < 0 or any(a not in (1, b) for a, b in zip(own, shape[padding:], strict=True)):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(own)} cannot be broadcast to indexing "
            f"result of shape {list(shape)}"
        )
    return value


def _outline(array: Array) -> Array:
    """Create an array of the same shape that takes no memory."""
    return np.lib.stride_tricks.as_strided(np.empty(1, np.bool_), array.shape, (0,) * array.ndim)


@op(name="_index_put", inplace=True)
def put_checked(input: Tensor, places: Places, values: Tensor, accumulate: bool) -> Tensor:
    """Write at indices that have been parsed already."""
    try:
        return put_at(input, values, places, accumulate)
    except IndexError as error:
        raise _in_words_of_torch(error) from None


def places_of(input: Tensor, indices: Sequence[Tensor | None]) -> Places:
    """Convert a sequence of index tensors; None selects all of a dimension."""
    items = [slice(None) if each is None else each for each in indices]
    for each in items:
        if not isinstance(each, Tensor | slice):
            raise TypeError("index_put(): argument 'indices' must be tuple of Tensors")
    arrays = [_checked(each.array) if isinstance(each, Tensor) else each for each in items]
    used = sum(_dims_used(each) for each in arrays)
    if used > input.array.ndim:
        raise IndexError(f"too many indices for tensor of dimension {input.array.ndim}")
    return tuple(arrays)


@op(inplace=True)
def index_put(
    input: Tensor, indices: Sequence[Tensor | None], values: Tensor, accumulate: bool = False
) -> Tensor:
    """Return a copy with values written, or added, at the given indices."""
    places = places_of(input, indices)
    return put_checked(input, places, _values_for(input, places, values), accumulate)
