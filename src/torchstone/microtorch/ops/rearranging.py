"""Rearrangement of elements: flip, roll, rot90, repeat, tile, diag, tril, triu, meshgrid."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.autograd.inplace import is_expanded
from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.ops.broadcasting import meet
from torchstone.microtorch.ops.creation import finished, shape_argument
from torchstone.microtorch.ops.joining import cat, stack
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.primitive import Primitive, primitive
from torchstone.microtorch.ops.shape import dim_list
from torchstone.microtorch.ops.views import Diagonal, put
from torchstone.microtorch.tensor import Array, Size, Tensor, method, wrap, wrap_dim

Ints = int | Sequence[int]


def _tuple(value: Ints) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(value)


@primitive(self=lambda grad, dims: grad.flip(dims))
def _flip(self: Array, dims: tuple[int, ...]) -> Array:
    return np.flip(self, dims).copy("C" if is_expanded(self) else "K")


@op()
def flip(input: Tensor, *places: Any, dims: Ints | None = None) -> Tensor:
    """Reverse the order along dimensions."""
    named = dim_list(shape_argument(places if dims is None else (dims,)), input.array.ndim)
    return _flip(input, tuple(named) if input.array.ndim else ())


@op()
def fliplr(input: Tensor) -> Tensor:
    """Reverse the order of the columns."""
    if input.array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, 1)


@op()
def flipud(input: Tensor) -> Tensor:
    """Reverse the order of the rows."""
    if input.array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, 0)


@primitive(self=lambda grad, shifts, dims: grad.roll([-each for each in shifts], dims))
def _roll(self: Array, shifts: Sequence[int], dims: Sequence[int]) -> Array:
    return np.roll(self, tuple(shifts), tuple(dims))


@op()
def roll(input: Tensor, shifts: Ints, dims: Ints | None = None) -> Tensor:
    """Roll elements along dimensions; elements that leave at one end enter at the other."""
    steps, named = _tuple(shifts), () if dims is None else _tuple(dims)
    if not steps:
        raise RuntimeError("`shifts` required")
    if not named and len(steps) == 1:
        return roll(input.flatten(), steps, 0).reshape(input.array.shape)
    if len(steps) != len(named):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(named)}"
        )
    if not input.array.ndim:
        raise IndexError(f"Dimension specified as {named[0]} but tensor has no dimensions")
    return _roll(input, steps, [wrap_dim(each, input.array.ndim) for each in named])


@op()
def rot90(input: Tensor, k: int = 1, dims: Sequence[int] = (0, 1)) -> Tensor:
    """Rotate by multiples of 90 degrees in the plane of two dimensions."""
    ndim = input.array.ndim
    if len(dims) != 2 or ndim < 2:
        raise RuntimeError(
            f"expected total rotation dims == 2 and total dims >= 2, but got {len(dims)} and {ndim}"
        )
    first, second = (wrap_dim(each, ndim) for each in dims)
    if first == second:
        raise RuntimeError(
            f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}"
        )
    k %= 4
    if k == 0:
        return input.clone()
    if k == 2:
        return flip(input, first, second)
    return flip(input, second if k == 1 else first).transpose(first, second)


# Repetition.


@op()
def repeat(self: Tensor, *counts: Any, repeats: Ints | None = None) -> Tensor:
    """Repeat the tensor along each dimension."""
    times = shape_argument(counts if repeats is None else (repeats,))
    padding = len(times) - self.array.ndim
    if padding < 0:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of dimensions of "
            "tensor"
        )
    if any(each < 0 for each in times):
        raise RuntimeError(f"Trying to create tensor with negative dimension {min(times)}")
    own = (1,) * padding + self.array.shape
    # Every dimension becomes two: the copies, and the elements that are copied.
    apart = [each for size in own for each in (1, size)]
    wide = [each for pair in zip(times, own, strict=True) for each in pair]
    whole = [count * size for count, size in zip(times, own, strict=True)]
    return self.reshape(apart).expand(wide).clone().reshape(whole)


@op()
def tile(input: Tensor, *counts: Any, dims: Ints | None = None) -> Tensor:
    """Repeat the tensor along each dimension; missing counts are 1."""
    times = shape_argument(counts if dims is None else (dims,))
    return repeat(input, (1,) * (input.array.ndim - len(times)) + times)


@op()
def repeat_interleave(
    input: Tensor, repeats: Any = None, dim: int | None = None, *, output_size: int | None = None
) -> Tensor:
    """Repeat each slice along a dimension."""
    if repeats is None:
        if input.array.dtype.kind not in "iu" or input.array.ndim != 1:
            raise RuntimeError("repeats has to be a 1-dim tensor of whole numbers")
        return repeat_interleave(wrap(np.arange(input.array.size)), input, 0)
    source, place = (input.flatten(), 0) if dim is None else (input, dim)
    place = wrap_dim(place, source.array.ndim)
    counts = np.asarray(repeats.array if isinstance(repeats, Tensor) else repeats)
    extent = source.array.shape[place] if source.array.ndim else 1
    if counts.dtype.kind not in "iu" or counts.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor of whole numbers")
    if counts.size not in (1, extent):
        raise RuntimeError(
            f"repeats must have the same size as input along dim, but got repeats.size(0) = "
            f"{counts.size} and input.size({place}) = {extent}"
        )
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    if not source.array.ndim:
        source = source.reshape(1)
    places = np.repeat(np.arange(extent), counts)
    return source.index_select(place, wrap(places))


# Diagonals and triangles.


@op()
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor:
    """Create matrices with the last dimension on a diagonal and zeros elsewhere."""
    ndim = input.array.ndim + 1
    if not input.array.ndim:
        raise IndexError("diag_embed() needs at least one dimension")
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    size = input.array.shape[-1] + abs(offset)
    shape = list(input.array.shape[:-1])
    for place in sorted((first, second)):
        shape.insert(place, size)
    return put(input, tuple(shape), Diagonal(offset, first, second))


@op()
def diag(input: Tensor, diagonal: int = 0) -> Tensor:
    """Return the diagonal of a matrix, or the diagonal matrix of a vector."""
    if input.array.ndim == 1:
        return diag_embed(input, diagonal)
    if input.array.ndim != 2:
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.array.ndim}D")
    return input.diagonal(diagonal).clone()


@op()
def diagflat(input: Tensor, offset: int = 0) -> Tensor:
    """Create a matrix with all elements of a tensor on a diagonal."""
    return diag_embed(input.reshape(-1 if input.array.size else 0), offset)


@method
def fill_diagonal_(self: Tensor, fill_value: Any, wrap: bool = False) -> Tensor:
    """Fill the diagonal with a value; ``wrap`` repeats it in tall matrices, skipping one row."""
    shape, steps = self.array.shape, self.stride()
    if len(shape) < 2 or (len(shape) > 2 and len(set(shape)) > 1):
        raise RuntimeError(
            f"fill_diagonal_: a matrix is needed, or all dimensions of one size; got {list(shape)}"
        )
    count = min(shape)
    self.as_strided((count,), (sum(steps),), self.storage_offset()).fill_(fill_value)
    rows, columns = shape[:2]
    if wrap and len(shape) == 2 and rows > columns + 1:
        fill_diagonal_(self[columns + 1 :], fill_value, wrap=True)
    return self


def _triangle(name: str, keep: Callable[..., Array], where: Callable[..., Any]) -> Primitive:
    """Register the function for one triangle, and the function for its indices."""
    rules = {"self": lambda grad, diagonal: getattr(grad, name)(diagonal)}
    made = Primitive(name, keep, rules, names=("self", "diagonal"))

    def function(input: Tensor, diagonal: int = 0) -> Tensor:
        if input.array.ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        return made(input, diagonal)

    def indices(
        row: int, col: int, offset: int = 0, *, dtype: Dtype | None = None, **options: Any
    ) -> Tensor:
        places = np.stack(where(row, offset, col))
        return finished(places.astype((dtype or dtypes.int64).numpy), options)

    side = "below" if name == "tril" else "above"
    op(inplace=True)(
        named(function, name, f"Set the elements that are not on or {side} a diagonal to 0.")
    )
    what = f"Return the row and column indices on and {side} a diagonal, of shape (2, N)."
    op(method=False)(named(indices, f"{name}_indices", what))
    return made


_tril = _triangle("tril", np.tril, np.tril_indices)
_triu = _triangle("triu", np.triu, np.triu_indices)


@op(method=False)
def unravel_index(indices: Tensor, shape: Any) -> tuple[Tensor, ...]:
    """Convert flat indices to one index tensor per dimension."""
    size = shape_argument((shape,))
    numbers = indices.array
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    steps = [math.prod(size[place:]) for place in range(1, len(size) + 1)]
    return tuple([wrap(numbers // s % own) for s, own in zip(steps, size, strict=True)])


# Functions of several tensors.


@op(method=False)
def broadcast_shapes(*shapes: Ints) -> Size:
    """Return the broadcast shape of several shapes."""
    given = [_tuple(each) for each in shapes]
    for each in given:
        if any(size < 0 for size in each):
            raise RuntimeError(f"Trying to create tensor with negative dimension ({min(each)})")
    return Size(meet(*given))


@op(method=False)
def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Expand tensors to their broadcast shape; tensors of that shape are returned unchanged."""
    if len(tensors) == 1 and not isinstance(tensors[0], Tensor):
        (tensors,) = tensors
    shape = broadcast_shapes(*(each.array.shape for each in tensors))
    return tuple([each if each.array.shape == shape else each.expand(shape) for each in tensors])


@op(method=False)
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Create coordinate grids from 1-D tensors."""
    if len(tensors) == 1 and not isinstance(tensors[0], Tensor):
        (tensors,) = tensors
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f'meshgrid: indexing must be one of "xy" or "ij", but got {indexing}')
    for each in tensors:
        if each.array.ndim > 1:
            raise RuntimeError(
                f"meshgrid: Expected 0D or 1D tensor in the tensor list but got: {each.shape}"
            )
        if each.array.dtype != tensors[0].array.dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    swapped = indexing == "xy" and len(tensors) > 1
    given = [*tensors[1::-1], *tensors[2:]] if swapped else list(tensors)
    shape = tuple(each.array.size for each in given)
    grids = [
        each.reshape((-1 if each.array.size else 0,) + (1,) * (len(given) - place - 1)).expand(
            shape
        )
        for place, each in enumerate(given)
    ]
    if swapped:
        grids[:2] = grids[1::-1]
    return tuple(grids)


@op(method=False)
def cartesian_prod(*tensors: Tensor) -> Tensor:
    """Return the Cartesian product of vectors, one tuple per row."""
    if any(each.array.ndim != 1 for each in tensors):
        raise RuntimeError("cartesian_prod expects 1D vectors")
    if len(tensors) == 1:
        return tensors[0]
    return stack([each.flatten() for each in meshgrid(*tensors)], 1)


@op()
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor:
    """Return all combinations of ``r`` elements of a vector, in order."""
    if input.array.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return input.new_empty((0,))
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    chosen = list(choose(range(input.array.size), r))
    places = wrap(np.array(chosen, np.int64).reshape(-1, r))
    return input[places]


@op(method=False)
def _chunk_cat(
    tensors: Sequence[Tensor], dim: int, num_chunks: int, *, out: Tensor | None = None
) -> Tensor:
    """Pad each tensor so that it splits evenly, and concatenate the flattened chunks."""
    _refuse_to_chunk(tensors, dim, num_chunks)
    dim = wrap_dim(dim, tensors[0].array.ndim)
    rows = []
    for each in tensors:
        size = -(-each.array.shape[dim] // num_chunks)
        shape = list(each.array.shape)
        shape[dim] = size * num_chunks - shape[dim]
        whole = cat([each, each.new_zeros(shape)], dim)
        inner = (*whole.array.shape[:dim], num_chunks, size, *whole.array.shape[dim + 1 :])
        rows.append(whole.reshape(inner).flatten(dim + 1))
    return cat(rows, dim + 1)


def _refuse_to_chunk(tensors: Sequence[Tensor], dim: int, num_chunks: int) -> None:
    shapes = [each.array.shape for each in tensors]
    if not shapes or not all(each.array.size for each in tensors):
        raise RuntimeError("_chunk_cat expects a non-empty list of non-empty tensors")
    if num_chunks < 1:
        raise RuntimeError("_chunk_cat expects positive num_chunks")
    if dim < 0 and len({len(each) for each in shapes}) > 1:
        raise RuntimeError(
            "_chunk_cat expects non-negative dim when input tensors have different ndims"
        )
    if any(dim >= len(each) or each[:dim] != shapes[0][:dim] for each in shapes):
        raise RuntimeError("_chunk_cat expects tensors that agree in front of dim, and have dim")
