"""Splitting of a tensor into views: split, chunk, unbind, tensor_split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.ops.conversion import define_copies
from torchstone.microtorch.ops.joining import cat, stack
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.primitive import Primitive
from torchstone.microtorch.ops.views import along, look_at
from torchstone.microtorch.tensor import Array, Tensor, attach, wrap_dim


def _joined_rule(grads: Any, self_shape: Any, parts: Any, dim: int, stacked: bool) -> Tensor:
    like = next(each for each in grads if each is not None)
    shapes = _shapes_of(self_shape, parts, dim, stacked)
    known = [
        like.new_zeros(shape) if each is None else each
        for each, shape in zip(grads, shapes, strict=True)
    ]
    return stack(known, dim) if stacked else cat(known, dim)


def _shapes_of(shape: Any, parts: Any, dim: int, stacked: bool) -> list[tuple[int, ...]]:
    before, after = tuple(shape[:dim]), tuple(shape[dim + 1 :])
    if stacked:
        return [before + after] * len(parts)
    return [(*before, stop - start, *after) for start, stop in parts]


def _splitting(name: str, *, is_view: bool) -> Primitive:
    def forward(self: Array, parts: Any, dim: int, stacked: bool) -> tuple[Array, ...]:
        front = (slice(None),) * dim
        keys = parts if stacked else [slice(*each) for each in parts]
        arrays = tuple([self[(*front, key, ...)] for key in keys])
        return arrays if is_view else tuple([each.copy() for each in arrays])

    names = ("self", "parts", "dim", "stacked")
    return Primitive(name, forward, {"self": _joined_rule}, names=names, is_view=is_view)


_split, _unbind = _splitting("split", is_view=True), _splitting("unbind", is_view=True)
_split_unsafe = _splitting("unsafe_split", is_view=False)


def _refuse_number(tensor: Tensor) -> None:
    if not tensor.array.ndim:
        raise RuntimeError("split and chunk expect at least a 1-dimensional tensor")


def _in_parts(made: Primitive, tensor: Tensor, sizes: Any, dim: int) -> tuple[Tensor, ...]:
    _refuse_number(tensor)
    dim = wrap_dim(dim, tensor.array.ndim)
    return made(tensor, _sizes_of_parts(tensor, sizes, dim), dim, False)


def _sizes_of_parts(tensor: Tensor, size: int | Sequence[int], dim: int) -> list[Any]:
    """Return the start and end of each part along a dimension."""
    extent = tensor.array.shape[dim]
    if not isinstance(size, int):
        sizes = [each.__index__() for each in size]
        if sum(sizes) != extent or min(sizes, default=0) < 0:
            raise RuntimeError(
                f"split_with_sizes expects split_sizes to sum exactly to {extent} (input tensor's "
                f"size at dimension {dim}), but got split_sizes={sizes}"
            )
    elif size < 0 or (size == 0 and extent):
        raise RuntimeError(
            f"split expects split_size be non-negative, but got split_size={size}"
            if size < 0
            else "split_size can only be 0 if dimension size is 0, but got dimension size of "
            f"{extent}"
        )
    else:
        sizes = [min(size, extent - start) for start in range(0, extent, size or 1)] or [0]
    stops = np.cumsum(sizes, dtype=np.int64).tolist()
    return [(stop - own, stop) for own, stop in zip(sizes, stops, strict=True)]


@op(method=False)
def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Split along a dimension into parts of a given size, the last one smaller, or given sizes."""
    return _in_parts(_split, tensor, split_size_or_sections, dim)


# The method's second parameter has another name than the function's.
attach("split", lambda self, split_size, dim=0: split(self, split_size, dim))


@op()
def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Split along a dimension into parts of given sizes."""
    return split(input, split_sizes, dim)


@op()
def unsafe_split(tensor: Tensor, split_size: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split into parts that may be modified in place: here they are copies."""
    return _in_parts(_split_unsafe, tensor, split_size, dim)


def _chunk_size(tensor: Tensor, chunks: int, dim: int) -> Any:
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    _refuse_number(tensor)
    extent = tensor.array.shape[wrap_dim(dim, tensor.array.ndim)]
    return -(-extent // chunks) if extent else [0] * chunks


@op()
def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split along a dimension into at most ``chunks`` parts of equal size, the last one smaller."""
    return split(input, _chunk_size(input, chunks, dim), dim)


@op()
def unsafe_chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """Split into chunks that may be modified in place: here they are copies."""
    return unsafe_split(input, _chunk_size(input, chunks, dim), dim)


@op()
def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """Return the slices along a dimension, with that dimension removed."""
    if not input.array.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    dim = wrap_dim(dim, input.array.ndim)
    return _unbind(input, range(size), dim, True) if (size := input.array.shape[dim]) else ()


@op()
def tensor_split(
    input: Tensor,
    indices_or_sections: Any = None,
    dim: int = 0,
    *,
    sections: int | None = None,
    indices: Sequence[int] | None = None,
) -> tuple[Tensor, ...]:
    """Split along a dimension into nearly equal parts, or before the given indices."""
    if not input.array.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got 0 dims")
    dim = wrap_dim(dim, input.array.ndim)
    given = [each for each in (indices_or_sections, sections, indices) if each is not None]
    if len(given) != 1:
        raise TypeError("tensor_split() wants either sections or indices")
    extent, places = input.array.shape[dim], given[0]
    if isinstance(places, Tensor):
        if places.array.dtype != np.int64 or places.array.ndim > 1:
            raise RuntimeError(
                "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
                f"one-dimensional tensor of dtype long, but got {places.dtype} with "
                f"{places.array.ndim} dims"
            )
        places = places.tolist()
    if isinstance(places, int):
        if places <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {places}")
        size, more = divmod(extent, places)
        places = np.cumsum([size + (each < more) for each in range(places - 1)]).tolist()
    ranges = zip([0, *places], [*places, None], strict=True)
    return tuple([look_at(input, along(dim, slice(*each))) for each in ranges])


def _define_splits() -> None:
    """Register ``hsplit``, ``vsplit`` and ``dsplit``."""
    for name, least, dim in (("hsplit", 1, 1), ("vsplit", 2, 0), ("dsplit", 3, 2)):

        def function(
            input: Tensor, where: Any, name: str = name, least: int = least, dim: int = dim
        ) -> tuple[Tensor, ...]:
            ndim = input.array.ndim
            if ndim < least:
                raise RuntimeError(
                    f"torch.{name} requires a tensor with at least {least} dimension, but got a "
                    f"tensor with {ndim} dimensions!"
                )
            dim = 0 if ndim == 1 else dim
            if isinstance(where, int) and (where <= 0 or input.array.shape[dim] % where):
                raise RuntimeError(
                    f"torch.{name} attempted to split along dimension {dim}, but the size of the "
                    f"dimension {input.array.shape[dim]} is not divisible by the split_size "
                    f"{where}!"
                )
            return tensor_split(input, where, dim)

        what = "Split along a fixed dimension into equal sections, or at indices."
        op()(named(function, name, what))


_define_splits()


define_copies("split", "split_with_sizes", "unbind")
