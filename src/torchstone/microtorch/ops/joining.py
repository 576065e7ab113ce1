"""Joining of tensors: cat, stack, hstack, vstack, dstack, column_stack, block_diag."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.autograd.node import wants_gradient
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.ops.conversion import into_apart
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import Operation, Primitive
from torchstone.microtorch.ops.views import along, look_at
from torchstone.microtorch.tensor import Array, Tensor, wrap_dim

Tensors = Sequence[Tensor]


class _Joined(Operation):
    """Node of a joining operation: each tensor gets its part of the gradient."""

    __slots__ = ("parts",)
    parts: list[Any]

    def apply(self, *grads: Tensor | None) -> Sequence[Tensor | None]:
        """Split the gradient."""
        (grad,) = grads
        assert grad is not None
        return [
            None if edge is None else look_at(grad, look)
            for edge, look in zip(self.edges, self.parts, strict=True)
        ]


class Joining(Primitive):
    """Primitive of a dimension and any number of tensors.

    Attributes:
        parts_of: Returns, for each tensor, the index object of its part of the result.
    """

    def __init__(
        self,
        name: str,
        forward: Callable[..., Array],
        parts: Callable[[int, Sequence[Tensor]], list[Any]],
    ) -> None:
        super().__init__(name, forward, {}, names=("dim",), is_exact=True)
        self.parts_of = parts
        self.node = type(f"{name.capitalize()}Backward0", (_Joined,), {"__slots__": (), "op": self})

    def finish(self, results: Any, args: Sequence[Any]) -> Any:
        """Record the operation if an input requires a gradient."""
        if state.enabled and any(wants_gradient(each) for each in args[1:]):
            node: Any = self.node()
            node.saved = ()
            node.record((results,), args[1:])
            node.parts = self.parts_of(args[0], args[1:])
        return results


def _consecutive(dim: int, tensors: Tensors) -> list[Any]:
    parts: list[Any] = []
    start = 0
    for each in tensors:
        if each.array.shape == (0,):
            parts.append(_nothing)
            continue
        stop = start + each.array.shape[dim]
        parts.append(along(dim, slice(start, stop)))
        start = stop
    return parts


def _nothing(array: Array) -> Array:
    return array.reshape(-1)[:0]


def _concatenate(dim: int, *arrays: Array) -> Array:
    # Empty 1-D tensors are ignored, as in PyTorch.
    kept = [each for each in arrays if each.shape != (0,)] or arrays
    return np.asarray(np.concatenate(kept, axis=dim), order="C")


_cat = Joining("cat", _concatenate, _consecutive)
_stack = Joining(
    "stack",
    lambda dim, *arrays: np.asarray(np.stack(arrays, axis=dim), order="C"),
    lambda dim, tensors: [along(dim, place) for place in range(len(tensors))],
)


def checked(name: str, tensors: Any, dtype: Any = None) -> list[Tensor]:
    """Check a sequence of tensors and promote them to one dtype."""
    if isinstance(tensors, Tensor) or not isinstance(tensors, Sequence):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
            f"{type(tensors).__name__}"
        )
    for place, each in enumerate(tensors):
        if not isinstance(each, Tensor):
            raise TypeError(
                f"expected Tensor as element {place} in argument 0, but got {type(each).__name__}"
            )
    if not tensors:
        kind: type[Exception] = ValueError if name == "cat" else RuntimeError
        raise kind(f"{name} expects a non-empty TensorList")
    first = tensors[0].array.dtype
    if dtype is None and all(each.array.dtype is first for each in tensors):
        return list(tensors)
    wanted = (dtype or dtypes.result_type(*tensors)).numpy
    return [each if each.array.dtype is wanted else each._cast(wanted) for each in tensors]


@op(method=False, aliases=("concat", "concatenate"))
def cat(
    tensors: Tensors, dim: int = 0, *, out: Tensor | None = None, axis: int | None = None
) -> Tensor:
    """Concatenate tensors along an existing dimension."""
    parts = checked("cat", tensors)
    dim = dim if axis is None else axis
    for place, each in enumerate(parts):
        if not each.array.ndim:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {place}) cannot be concatenated"
            )
    kept = [each for each in parts if each.array.shape != (0,)] or parts
    dim = wrap_dim(dim, kept[0].array.ndim)
    _refuse_unequal(kept, dim)
    return into_apart(out, _cat(dim, *parts), *tensors)


def _refuse_unequal(tensors: Tensors, dim: int) -> None:
    first = tensors[0].array.shape
    for place, each in enumerate(tensors):
        shape = each.array.shape
        if len(shape) != len(first):
            raise RuntimeError(
                f"Tensors must have same number of dimensions: got {len(first)} and {len(shape)}"
            )
        for where, (wanted, size) in enumerate(zip(first, shape, strict=True)):
            if where != dim and wanted != size:
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {dim}. Expected size "
                    f"{wanted} but got size {size} for tensor number {place} in the list."
                )


@op(method=False)
def stack(tensors: Tensors, dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    """Stack tensors of one shape along a new dimension."""
    parts = checked("stack", tensors)
    first = parts[0].array.shape
    dim = wrap_dim(dim, len(first) + 1)
    for place, each in enumerate(parts):
        if each.array.shape != first:
            raise RuntimeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 "
                f"and {list(each.array.shape)} at entry {place}"
            )
    return into(out, _stack(dim, *parts))


def _atleast(ndim: int) -> Callable[..., Any]:
    def function(*tensors: Any) -> Any:
        if len(tensors) == 1 and isinstance(tensors[0], Tensor):
            return grow(tensors[0])
        if len(tensors) == 1:
            (tensors,) = tensors
        return tuple([grow(each) for each in tensors])

    def grow(tensor: Tensor) -> Tensor:
        shape = tensor.array.shape
        if len(shape) >= ndim:
            return tensor
        if ndim == 3 and len(shape) == 2:
            return tensor.reshape((*shape, 1))
        front = 1 if ndim == 3 and len(shape) == 1 else ndim - len(shape) - (ndim == 3)
        back = ndim - len(shape) - front
        return tensor.reshape((1,) * front + shape + (1,) * back)

    what = f"Return tensors with at least {ndim} dimensions; new ones have size 1."
    return op(method=False)(named(function, f"atleast_{ndim}d", what))


atleast_1d, atleast_2d, atleast_3d = _atleast(1), _atleast(2), _atleast(3)


@op(method=False)
def hstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Stack tensors horizontally: vectors along dimension 0, others along dimension 1."""
    parts = atleast_1d(checked("hstack", tensors))
    return cat(parts, 0 if parts[0].array.ndim == 1 else 1, out=out)


@op(method=False, aliases=("row_stack",))
def vstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Stack tensors vertically, along dimension 0."""
    return cat(atleast_2d(checked("vstack", tensors)), 0, out=out)


@op(method=False)
def dstack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Stack tensors in depth, along dimension 2."""
    return cat(atleast_3d(checked("dstack", tensors)), 2, out=out)


@op(method=False)
def column_stack(tensors: Tensors, *, out: Tensor | None = None) -> Tensor:
    """Stack tensors as columns, along dimension 1."""
    columns = [
        each if each.array.ndim > 1 else each.reshape((each.array.size, 1))
        for each in checked("column_stack", tensors)
    ]
    return cat(columns, 1, out=out)


@op(method=False)
def block_diag(*tensors: Tensor) -> Tensor:
    """Create a block diagonal matrix."""
    for place, each in enumerate(tensors):
        if each.array.ndim > 2:
            raise RuntimeError(
                f"torch.block_diag: Input tensors must have 2 or fewer dimensions. Input {place} "
                f"has {each.array.ndim} dimensions"
            )
    parts = atleast_2d(checked("block_diag", tensors))
    width, before, rows = sum(each.array.shape[1] for each in parts), 0, []
    for each in parts:
        height, own = each.array.shape
        left = each.new_zeros((height, before))
        rows.append(cat([left, each, each.new_zeros((height, width - before - own))], 1))
        before += own
    return cat(rows, 0)
