"""What changes shapes, and what takes elements out of arrays."""

from __future__ import annotations

import builtins
from typing import Any

import torchstone.microtorch as micro
from tests.microtorch.conformance.array_namespace.dtypes import result_type
from torchstone.microtorch import Tensor

__all__ = [
    "broadcast_arrays", "broadcast_to", "concat", "expand_dims", "flip", "moveaxis", "permute_dims",
    "repeat", "reshape", "roll", "squeeze", "stack", "take", "take_along_axis", "tile", "unstack",
]  # fmt: skip


def broadcast_arrays(*arrays: Tensor) -> list[Tensor]:
    return list(micro.broadcast_tensors(*arrays))


def broadcast_to(x: Tensor, /, shape: Any) -> Tensor:
    return micro.broadcast_to(x, shape)


def _same_type(arrays: Any) -> list[Tensor]:
    dtype = result_type(*arrays)
    return [each.to(dtype) for each in arrays]


def concat(arrays: Any, /, *, axis: int | None = 0) -> Tensor:
    arrays = [each.reshape(-1) for each in arrays] if axis is None else arrays
    return micro.cat(_same_type(arrays), 0 if axis is None else axis)


def stack(arrays: Any, /, *, axis: int = 0) -> Tensor:
    return micro.stack(_same_type(arrays), axis)


def expand_dims(x: Tensor, /, *, axis: int = 0) -> Tensor:
    return micro.unsqueeze(x, axis)


def squeeze(x: Tensor, /, axis: Any) -> Tensor:
    axes = (axis,) if isinstance(axis, int) else axis
    if builtins.any(x.shape[each] != 1 for each in axes):
        raise ValueError("squeeze: only sizes of 1 can be taken away")
    return micro.squeeze(x, tuple(axes))


def flip(x: Tensor, /, *, axis: Any = None) -> Tensor:
    dims = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    return micro.flip(x, tuple(dims))


def moveaxis(x: Tensor, source: Any, destination: Any, /) -> Tensor:
    return micro.moveaxis(x, source, destination)


def permute_dims(x: Tensor, /, axes: Any) -> Tensor:
    return micro.permute(x, axes)


def repeat(x: Tensor, repeats: Any, /, *, axis: int | None = None) -> Tensor:
    return micro.repeat_interleave(x, repeats, axis)


def reshape(x: Tensor, /, shape: Any, *, copy: Any = None) -> Tensor:
    if copy is False:
        return x.view(shape)
    return (x.clone() if copy else x).reshape(shape)


def roll(x: Tensor, /, shift: Any, *, axis: Any = None) -> Tensor:
    return micro.roll(x, shift, axis)


def tile(x: Tensor, repetitions: Any, /) -> Tensor:
    return micro.tile(x, repetitions)


def unstack(x: Tensor, /, *, axis: int = 0) -> tuple[Tensor, ...]:
    return tuple(micro.unbind(x, axis))


def take(x: Tensor, indices: Tensor, /, *, axis: int | None = None) -> Tensor:
    if axis is None and x.ndim != 1:
        raise ValueError("take: an array of several dimensions needs an axis")
    axis = 0 if axis is None else axis
    return micro.index_select(x, axis, indices % x.shape[axis] if x.shape[axis] else indices)


def take_along_axis(x: Tensor, indices: Tensor, /, *, axis: int = -1) -> Tensor:
    return micro.take_along_dim(x, indices, axis)
