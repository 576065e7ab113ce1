"""Shape operations: view, reshape, flatten, expand, permute, transpose, squeeze, unsqueeze."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.ops.creation import shape_argument, sizes
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.views import strided, view_dtype
from torchstone.microtorch.tensor import Array, Tensor, wrap_dim


@primitive(view=True, self=lambda grad, self_shape: grad.reshape(self_shape))
def _view(self: Array, shape: tuple[int, ...]) -> Array:
    return self.reshape(shape, copy=False)


@primitive(self=lambda grad, self_shape: grad.reshape(self_shape))
def _unsafe_view(self: Array, shape: tuple[int, ...]) -> Array:
    return self.reshape(shape)


@primitive(view=True, self=lambda grad: grad)
def _expand(self: Array, shape: tuple[int, ...]) -> Array:
    padding = len(shape) - self.ndim
    own = zip(self.shape, self.strides, shape[padding:], strict=True)
    steps = [0 if size == 1 != wanted else step for size, step, wanted in own]
    return strided(self, shape, [0] * padding + steps)


@primitive(view=True, self=lambda grad, dims: grad.permute(tuple(np.argsort(dims).tolist())))
def _permute(self: Array, dims: tuple[int, ...]) -> Array:
    return self.transpose(dims)


def inferred(shape: tuple[int, ...], count: int) -> tuple[int, ...]:
    """Replace a size of -1 by the size implied by the others."""
    if -1 not in shape and math.prod(shape) == count and min(shape, default=0) >= 0:
        return shape
    unknown = [place for place, size in enumerate(shape) if size == -1]
    if any(size < -1 for size in shape):
        raise RuntimeError(f"invalid shape dimension {min(shape)}")
    if len(unknown) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = math.prod(size for size in shape if size != -1)
    if unknown and known and count % known == 0:
        place = unknown[0]
        return (*shape[:place], count // known, *shape[place + 1 :])
    if unknown and not known and not count:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
            "dimension size -1 can be any value and is ambiguous"
        )
    raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {count}")


@op()
def view(self: Tensor, *shape: Any, size: Any = None, dtype: Dtype | None = None) -> Tensor:
    """Return a view with another shape or dtype."""
    wanted = shape if size is None else (size,)
    if dtype is not None or (len(wanted) == 1 and isinstance(wanted[0], Dtype)):
        return view_dtype(self, dtype or wanted[0])
    try:
        return _view(self, inferred(shape_argument(wanted), self.array.size))
    except ValueError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one "
            "dimension spans across two contiguous subspaces). Use .reshape(...) instead."
        ) from None


@op()
def reshape(input: Tensor, *sizes: Any, shape: Any = None) -> Tensor:
    """Return a tensor with the same elements and another shape: a view if possible, else a copy."""
    wanted = inferred(shape_argument(sizes if shape is None else (shape,)), input.array.size)
    try:
        return _view(input, wanted)
    except ValueError:
        return _unsafe_view(input, wanted)


@op()
def view_as(self: Tensor, other: Tensor) -> Tensor:
    """Return a view with the shape of another tensor."""
    return view(self, other.array.shape)


@op()
def reshape_as(self: Tensor, other: Tensor) -> Tensor:
    """Return a tensor with the same elements and the shape of another tensor."""
    return reshape(self, other.array.shape)


@op()
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    """Merge a range of dimensions into one."""
    shape = input.array.shape
    first, last = wrap_dim(start_dim, len(shape)), wrap_dim(end_dim, len(shape))
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if shape and first == last:
        return input
    # Not -1, which is ambiguous for an empty tensor.
    middle = math.prod(shape[first : last + 1])
    return reshape(input, (*shape[:first], middle, *shape[last + 1 :]))


@op()
def ravel(input: Tensor) -> Tensor:
    """Flatten to one dimension, in row-major order."""
    return reshape(input.contiguous(), -1 if input.array.size else 0)


@op()
def unflatten(input: Tensor, dim: int, sizes: Any) -> Tensor:
    """Split one dimension into several."""
    if not input.array.ndim:
        raise RuntimeError(f"Dimension specified as {dim} but tensor has no dimensions")
    place, own = wrap_dim(dim, input.array.ndim), input.array.shape
    wanted = shape_argument((sizes,))
    if not wanted:
        raise RuntimeError("unflatten: sizes must be non-empty")
    try:
        wanted = inferred(wanted, own[place])
    except RuntimeError:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(wanted)} don't multiply up to the size of dim "
            f"{place} ({own[place]}) in the input tensor"
        ) from None
    return view(input, (*own[:place], *wanted, *own[place + 1 :]))


@op()
def expand(self: Tensor, *sizes: Any, implicit: bool = False, size: Any = None) -> Tensor:
    """Return a view with dimensions of size 1 expanded; -1 keeps a size."""
    wanted, own = shape_argument(sizes if size is None else (size,)), self.array.shape
    padding = len(wanted) - len(own)
    if padding < 0:
        raise RuntimeError(
            f"expand({self.type()}{{{list(own)}}}, size={list(wanted)}): the number of sizes "
            f"provided ({len(wanted)}) must be greater or equal to the number of dimensions "
            f"in the tensor ({len(own)})"
        )
    shape = []
    for place, size in enumerate(wanted):
        before = own[place - padding] if place >= padding else None
        if size < 0 and (before is None or size < -1):
            raise RuntimeError(
                f"The expanded size of the tensor ({size}) isn't allowed in a leading, "
                f"non-existing dimension {place}"
            )
        if size != -1 and before not in (None, 1, size):
            raise RuntimeError(
                f"The expanded size of the tensor ({size}) must match the existing size ({before}) "
                f"at non-singleton dimension {place}. Target sizes: {list(wanted)}. Tensor sizes: "
                f"{list(own)}"
            )
        shape.append(before if size == -1 and before is not None else size)
    return _expand(self, tuple(shape))


@op()
def expand_as(self: Tensor, other: Tensor) -> Tensor:
    """Expand to the shape of another tensor."""
    return expand(self, other.array.shape)


@op()
def broadcast_to(input: Tensor, size: Sequence[int]) -> Tensor:
    """Expand to a shape, without a copy."""
    return expand(input, size)


@op()
def permute(input: Tensor, *places: Any, dims: Any = None) -> Tensor:
    """Return a view with the dimensions in another order."""
    ndim, named = input.array.ndim, shape_argument(places if dims is None else (dims,))
    if len(named) != ndim:
        raise RuntimeError(
            f"permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {ndim} is not equal "
            f"to len(dims) = {len(named)}"
        )
    order = tuple([wrap_dim(each, ndim) for each in named])
    if len(set(order)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return _permute(input, order)


@op(aliases=("swapaxes", "swapdims"))
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """Swap two dimensions."""
    ndim = input.array.ndim
    first, second = wrap_dim(dim0, ndim), wrap_dim(dim1, ndim)
    order = list(range(ndim))
    if ndim:
        order[first], order[second] = order[second], order[first]
    return _permute(input, tuple(order))


@op()
def t(input: Tensor) -> Tensor:
    """Transpose a matrix; return a vector unchanged."""
    if input.array.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {input.array.ndim}D"
        )
    return _permute(input, tuple(reversed(range(input.array.ndim))))


def _swapped(name: str, matrix: Tensor) -> Tensor:
    if matrix.array.ndim < 2:
        raise RuntimeError(
            f"tensor.{name} is only supported on matrices or batches of matrices. Got "
            f"{matrix.array.ndim}-D tensor."
        )
    return transpose(matrix, -2, -1)


@op()
def adjoint(input: Tensor) -> Tensor:
    """Transpose the last two dimensions and conjugate."""
    swapped: Tensor = (_swapped("adjoint()", input) if input.array.ndim else input).conj()
    return swapped


def _hermitian(self: Tensor) -> Tensor:
    """Return the conjugate transpose of a matrix."""
    if self.array.ndim not in (0, 2):
        raise RuntimeError(
            f"tensor.H is only supported on matrices (2-D tensors). Got {self.array.ndim}-D tensor."
        )
    return adjoint(self) if self.array.ndim else self


def _reversed(self: Tensor) -> Tensor:
    """Reverse the order of the dimensions."""
    return _permute(self, tuple(reversed(range(self.array.ndim))))


for _name, _read in (
    ("T", _reversed),
    ("H", _hermitian),
    ("mT", lambda self: _swapped("mT", self)),
    ("mH", lambda self: _swapped("mH", self).conj()),
):
    setattr(Tensor, _name, property(_read))


@op(aliases=("moveaxis",))
def movedim(input: Tensor, source: int | Sequence[int], destination: int | Sequence[int]) -> Tensor:
    """Move dimensions to other positions; the others keep their order."""
    ndim = input.array.ndim
    places = []
    for what in (source, destination):
        dims = [wrap_dim(each, ndim) for each in ((what,) if isinstance(what, int) else what)]
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in {list(dims)}")
        places.append(dims)
    if len(places[0]) != len(places[1]):
        raise RuntimeError(
            "movedim: Invalid source or destination dims: source should contain the same number "
            f"of dims as destination; got {len(places[0])} and {len(places[1])}"
        )
    order = [dim for dim in range(ndim) if dim not in places[0]]
    for to_, from_ in sorted(zip(places[1], places[0], strict=True)):
        order.insert(to_, from_)
    return _permute(input, tuple(order[:ndim]))


@op()
def unsqueeze(input: Tensor, dim: int) -> Tensor:
    """Add a dimension of size 1."""
    shape = list(input.array.shape)
    shape.insert(wrap_dim(dim, len(shape) + 1), 1)
    # Adding a dimension of size 1 is a view for any strides.
    return _view(input, tuple(shape))


@op()
def squeeze(input: Tensor, dim: int | Sequence[int] | None = None) -> Tensor:
    """Remove dimensions of size 1: all, or the given ones."""
    shape = input.array.shape
    named = range(len(shape)) if dim is None else dim_list(dim, len(shape))
    kept = tuple([size for place, size in enumerate(shape) if size != 1 or place not in named])
    return _view(input, kept)


def dim_list(dim: int | Sequence[int], ndim: int) -> list[int]:
    """Convert dimensions to non-negative ones; raise an error for a repeated one."""
    dims = [wrap_dim(each, ndim) for each in ((dim,) if isinstance(dim, int) else dim)]
    for each in dims:
        if dims.count(each) > 1:
            raise RuntimeError(f"dim {each} appears multiple times in the list of dims")
    return dims


@op()
def sum_to_size(self: Tensor, *shape: Any, size: Any = None) -> Tensor:
    """Sum over the dimensions along which a tensor of that size would be broadcast."""
    shape, own = sizes(shape if size is None else (size,)), self.array.shape
    padding = len(own) - len(shape)
    if padding < 0 or any(w not in (1, s) for w, s in zip(shape, own[padding:], strict=True)):
        raise RuntimeError(f"size {list(shape)} is not expandable to size {list(own)}")
    dims = [d for d in range(len(own)) if d < padding or (shape[d - padding] == 1 != own[d])]
    if not dims:
        return self if own == shape else self.reshape(shape)
    return self.sum(dims, keepdim=True).reshape(shape)
