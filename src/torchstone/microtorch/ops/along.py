"""Selection of elements by index along a dimension, for sorting and extremes."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor


def _put_back(grad: Tensor, self_shape: Any, index: Tensor, dim: int) -> Tensor:
    return spread(grad, index, dim, self_shape)


@primitive(self=_put_back)
def take(self: Array, index: Array, dim: int) -> Array:
    """Return the elements at given indices along a dimension.

    Unlike ``gather``, it requires that no index repeats, so the gradient needs no accumulation.
    """
    return np.take_along_axis(self, index, axis=dim) if self.ndim else self.copy()


@primitive(self=lambda grad, index, dim: take(grad, index, dim))
def spread(self: Array, index: Array, dim: int, shape: tuple[int, ...]) -> Array:
    """Scatter elements to the indices that ``take`` read; all others are zero."""
    if not shape:
        return self.copy()
    result = np.zeros(shape, self.dtype)
    np.put_along_axis(result, index, self, axis=dim)
    return result


def found(kind: Any, input: Tensor, index: Tensor, dim: int, keepdim: bool, out: Any = None) -> Any:
    """Return the selected element of each row and its index, as a named tuple.

    Shapes:
        index: that of ``input``, with size 1 along ``dim``.
    """
    values = take(input, index, dim)
    if not keepdim and input.array.ndim:
        values, index = values.squeeze(dim), index.squeeze(dim)
    return filled(kind(values, index), out)


def filled(results: Any, out: Any) -> Any:
    """Copy results into their ``out`` tensors, if there are any."""
    if out is None:
        return results
    return type(results)(*(into(to, each) for to, each in zip(out, results, strict=True)))
