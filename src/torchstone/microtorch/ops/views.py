"""Views: select, slice, narrow, diagonal, as_strided, and their scatter variants.

Selection of a part of a tensor - an index, a slice, a diagonal - is one primitive; an argument
specifies the part. Its gradient is zero except in that part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.autograd.inplace import Layout
from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.primitive import Primitive, primitive
from torchstone.microtorch.tensor import Array, Tensor, alias, wrap, wrap_dim

Look = Callable[[Array], Array]


def storage(array: Array) -> Array:
    """Return the whole memory that an array is part of, as a 1-D array."""
    owner: Any = array
    while True:
        base = getattr(owner, "base", None)
        if base is None or not isinstance(getattr(base, "base", base), np.ndarray | type(None)):
            break
        owner = base
    owner = owner if isinstance(owner, np.ndarray) else array
    order = sorted(range(owner.ndim), key=lambda dim: -owner.strides[dim])
    return owner.transpose(order).reshape(-1).view(array.dtype)


def strided(
    array: Array,
    shape: Sequence[int],
    strides: Sequence[int],
    start: int = 0,
    *,
    beyond: bool = False,
) -> Array:
    """Return a view of an array's memory with other strides.

    Args:
        array: The array.
        shape: The shape.
        strides: The strides, in bytes.
        start: The offset of the first element from that of the array, in bytes.
        beyond: The elements may lie outside the array, in the memory that it is part of.
    """
    if 0 in shape:
        # An empty view has no elements to place.
        return np.ndarray(tuple(shape), array.dtype, storage(array), 0, tuple(strides))
    if array.flags.c_contiguous and not beyond:
        return np.ndarray(tuple(shape), array.dtype, array, start, tuple(strides))
    memory = storage(array)
    start += _address(array) - _address(memory)
    return np.ndarray(tuple(shape), array.dtype, memory, start, tuple(strides))


def _address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])


# Parts.


def part(name: str) -> Primitive:
    """Create the primitive that returns a part; each has its own name in the graph."""
    rules = {"self": lambda grad, self_shape, look: put(grad, self_shape, look)}
    return Primitive(
        name, lambda self, look: look(self), rules, names=("self", "look"), is_view=True
    )


def _part_of(grad: Tensor, look: Look) -> Tensor:
    return look_at(grad, look)


def _without_part(grad: Tensor, look: Look) -> Tensor:
    return overwrite(grad, wrap(np.zeros((), grad.array.dtype)), look)


@primitive(grad=_part_of)
def put(grad: Array, shape: tuple[int, ...], look: Look) -> Array:
    """Create a tensor of zeros with ``grad`` in one part."""
    result = np.zeros(shape, grad.dtype)
    look(result)[...] = grad
    return result


@primitive(self=_without_part, source=_part_of)
def overwrite(self: Array, source: Array, look: Look) -> Array:
    """Return a copy with one part replaced."""
    result = self.copy()
    look(result)[...] = source
    return result


look_at, select_at, diagonal_at = part("slice"), part("select"), part("diagonal")


class Key:
    """Selection by a basic index."""

    __slots__ = ("key",)

    def __init__(self, key: tuple[Any, ...]) -> None:
        # With an ellipsis NumPy returns an array even for a single element.
        self.key = key if Ellipsis in key else (*key, ...)

    def __call__(self, array: Array) -> Array:
        """Return the part."""
        part: Array = array[self.key]
        return part


def along(dim: int, what: Any) -> Key:
    """Return the key that indexes one dimension."""
    return Key((slice(None),) * dim + (what,))


class Diagonal:
    """Selection of a diagonal, which becomes the last dimension."""

    def __init__(self, offset: int, dim1: int, dim2: int) -> None:
        self.offset, self.dim1, self.dim2 = offset, dim1, dim2

    def __call__(self, array: Array) -> Array:
        """Return the part."""
        first, second = self.dim1, self.dim2
        rows, columns = array.shape[first], array.shape[second]
        down, right = max(-self.offset, 0), max(self.offset, 0)
        count = max(min(rows - down, columns - right), 0)
        kept = [dim for dim in range(array.ndim) if dim not in (first, second)]
        steps = array.strides
        start = down * steps[first] + right * steps[second] if count else 0
        return strided(
            array,
            [*(array.shape[dim] for dim in kept), count],
            [*(steps[dim] for dim in kept), steps[first] + steps[second]],
            start,
        )


@op()
def select(input: Tensor, dim: int, index: int) -> Tensor:
    """Return a view of the slice at an index along a dimension."""
    array = input.array
    if not array.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim, index = wrap_dim(dim, array.ndim), index.__index__()
    size = array.shape[dim]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(array.shape)} at "
            f"dimension {dim}"
        )
    return select_at(input, along(dim, index))


@op(name="slice", method=False)
def slice_(
    input: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """Return a view of a range of slices along a dimension."""
    return look_at(input, _range(input, dim, start, end, step))


def _range(input: Tensor, dim: int, start: Any, end: Any, step: int) -> Key:
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    return along(wrap_dim(dim, input.array.ndim), slice(start, end, step))


@op()
def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """Return a view of a range of slices along a dimension."""
    if not input.array.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    if isinstance(start, Tensor) and (start.array.ndim or start.array.dtype.kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    dim, start = wrap_dim(dim, input.array.ndim), start.__index__()
    size = input.array.shape[dim]
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [{-size}, {size}], but "
                         f"got {start})")  # fmt: skip
    start = start + size if start < 0 else start
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return look_at(input, along(dim, slice(start, start + length)))


@op()
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """Return a view of the diagonals with respect to two dimensions."""
    return diagonal_at(input, _diagonal_of(input, offset, dim1, dim2))


def _diagonal_of(input: Tensor, offset: int, dim1: int, dim2: int) -> Diagonal:
    first, second = wrap_dim(dim1, input.array.ndim), wrap_dim(dim2, input.array.ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return Diagonal(offset, first, second)


@op("linalg", name="diagonal")
def linalg_diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Return a view of the diagonals of matrices."""
    return diagonal(A, offset, dim1, dim2)


# Replacement of parts.


@op()
def select_scatter(input: Tensor, src: Tensor, dim: int, index: int) -> Tensor:
    """Return a copy with the slice at an index replaced."""
    return _scattered(input, src, along(wrap_dim(dim, input.array.ndim), index))


@op()
def slice_scatter(
    input: Tensor,
    src: Tensor,
    dim: int = 0,
    start: int | None = None,
    end: int | None = None,
    step: int = 1,
) -> Tensor:
    """Return a copy with a range of slices replaced."""
    return _scattered(input, src, _range(input, dim, start, end, step))


@op()
def diagonal_scatter(
    input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1
) -> Tensor:
    """Return a copy with a diagonal replaced."""
    return _scattered(input, src, _diagonal_of(input, offset, dim1, dim2))


def _scattered(input: Tensor, src: Tensor, look: Look) -> Tensor:
    _expect_shape(src, look(input.array).shape)
    return overwrite(input, src, look)


def _expect_shape(src: Tensor, wanted: Sequence[int]) -> None:
    if src.array.shape != tuple(wanted):
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = "
            f"{list(src.array.shape)}, slice size = {list(wanted)}"
        )


# Arbitrary strides.


def _strided_rule(grad: Tensor, base: Layout, view: Layout) -> Tensor:
    """Sum the gradients of elements that share memory."""
    own, addresses = base.addresses(), view.addresses()
    places, inverse, counts = np.unique(own, return_inverse=True, return_counts=True)
    found = np.searchsorted(places, addresses)
    inside = np.flatnonzero(places[np.minimum(found, len(places) - 1)] == addresses)
    flat = grad.reshape(-1)
    if len(inside) < len(addresses):
        flat = flat.index_select(0, wrap(inside))
    total = grad.new_zeros((len(places),)).index_add(0, wrap(found[inside]), flat)
    if len(places) < len(own):
        total = total / wrap(counts.astype(grad.array.real.dtype))
    return total.index_select(0, wrap(inverse)).reshape(base.shape)


@primitive(view=True, self=_strided_rule)
def _as_strided(self: Array, base: Layout, view: Layout) -> Array:
    start = view.address - base.address
    return strided(self, view.shape, view.strides, start, beyond=True)


@op()
def as_strided(
    input: Tensor, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Tensor:
    """Return a view with the given size, strides and offset, in elements."""
    view = _strided_layout(input.lay_in_order(), size, stride, storage_offset)
    return _as_strided(input, Layout(input.array), view)


def _strided_layout(array: Array, size: Any, stride: Any, offset: int | None) -> Layout:
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(step < 0 for step in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported; got {list(stride)}")
    memory, itemsize = storage(array), array.itemsize
    if offset is None:
        offset = (_address(array) - _address(memory)) // itemsize
    reach = 1 + sum((s - 1) * step for s, step in zip(size, stride, strict=True))
    if math.prod(size) and not 0 <= offset <= memory.size - reach:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset} are "
            f"out of bounds for storage of size {memory.nbytes}"
        )
    start = offset * itemsize if math.prod(size) else 0
    steps = tuple(step * itemsize for step in stride)
    return Layout(np.ndarray(tuple(size), array.dtype, memory, start, steps))


@op()
def as_strided_scatter(
    input: Tensor,
    src: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None = None,
) -> Tensor:
    """Return a copy with the elements of a strided view replaced."""
    view = _strided_layout(input.lay_in_order(), size, stride, storage_offset)
    _expect_shape(src, size)
    places = wrap(view.places_in(Layout(input.array)))
    flat = input.reshape(-1).index_copy(0, places, src.reshape(-1))
    return flat.reshape(input.array.shape)


def _windows_of(grad: Tensor, dim: int, size: int, step: int) -> Tensor:
    return _unfold(grad, dim, size, step)


@primitive(grad=_windows_of)
def _fold(grad: Array, shape: tuple[int, ...], dim: int, size: int, step: int) -> Array:
    result = np.zeros(shape, grad.dtype)
    count = grad.shape[dim]
    for offset in range(size if count else 0):
        stop = offset + step * (count - 1) + 1
        result[(slice(None),) * dim + (slice(offset, stop, step),)] += grad[..., offset]
    return result


@primitive(
    view=True,
    self=lambda grad, self_shape, dim, size, step: _fold(grad, self_shape, dim, size, step),
)
def _unfold(self: Array, dim: int, size: int, step: int) -> Array:
    if not self.ndim:
        return strided(self, (size,), (self.itemsize,))
    count, steps = (self.shape[dim] - size) // step + 1, list(self.strides)
    shape = [*self.shape[:dim], count, *self.shape[dim + 1 :], size]
    last = steps[dim]
    steps[dim] *= step
    return strided(self, shape, [*steps, last])


@op(method=True)
def unfold(self: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Return a view of all windows along a dimension, as a new last dimension."""
    dim = wrap_dim(dimension, self.array.ndim)
    extent = self.array.shape[dim] if self.array.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > extent:
        raise RuntimeError(
            f"maximum size for tensor at dimension {dim} is {extent} but size is {size}"
        )
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if not self.array.ndim:
        return self.reshape(1)[:size]
    return _unfold(self, dim, size, step)


def view_dtype(self: Tensor, dtype: Dtype) -> Tensor:
    """Reinterpret the bytes as elements of another dtype; not differentiable."""
    if state.levels and state.levels[-1].maps(self):
        return state.levels[-1].loop(view_dtype, (self, dtype))
    result = alias(self)
    try:
        result.array = self.array.view(dtype.numpy)
    except ValueError as error:
        raise RuntimeError(f"can't view {self.dtype.title} as {dtype.title}: {error}") from None
    return result
