"""Reductions: sum, mean, prod, nansum, logsumexp, all, any, count_nonzero."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor, wrap, wrap_dim

Dims = int | Sequence[int] | None


def dims_of(dim: Dims, ndim: int) -> tuple[int, ...]:
    """Return the dimensions to reduce, non-negative; all if none is given.

    Raises:
        IndexError: A dimension is out of range.
        RuntimeError: A dimension is given twice.
    """
    if dim is None or (not isinstance(dim, int) and len(dim) == 0):
        return tuple(range(ndim))
    named = (dim,) if isinstance(dim, int) else tuple(dim)
    dims = tuple(wrap_dim(each, ndim) for each in named)
    if len(set(dims)) != len(dims):
        repeated = next(each for each in dims if dims.count(each) > 1)
        raise RuntimeError(f"dim {repeated} appears multiple times in the list of dims")
    # A 0-d tensor accepts dim 0 and -1 but has no dimension to reduce.
    return dims if ndim else ()


def expect(name: str, input: Tensor, kinds: str) -> None:
    """Raise an error for dtypes that the function does not support in PyTorch.

    Args:
        name: The function, for the message.
        input: Its argument.
        kinds: NumPy's letters for the supported dtype kinds.

    Raises:
        NotImplementedError: The dtype of ``input`` is of another kind.
    """
    if input.array.dtype.kind not in kinds:
        raise NotImplementedError(f"\"{name}\" not implemented for '{input.dtype.title}'")


def count_of(shape: tuple[int, ...], dims: Sequence[int]) -> int:
    """Return the number of elements that are reduced to one."""
    return math.prod(shape[dim] for dim in dims)


def restore(
    reduced: Tensor, shape: tuple[int, ...], dims: tuple[int, ...], keepdim: bool
) -> Tensor:
    """Restore the reduced dimensions with size 1, so that the result broadcasts."""
    if keepdim or not dims:
        return reduced
    kept = tuple(1 if dim in dims else size for dim, size in enumerate(shape))
    return reduced.reshape(kept)


def _stretch_rule(grad: Tensor, dims: tuple[int, ...], keepdim: bool, divides: bool) -> Tensor:
    return (_mean if divides else _sum)(grad, dims, keepdim)


@primitive(self=_stretch_rule)
def _stretch(self: Array, shape: Any, dims: Any, keepdim: bool, divides: bool) -> Any:
    """Expand the gradient of a sum, or of a mean, to the shape of its input."""
    if divides:
        self = self / self.dtype.type(count_of(shape, dims))
    if not keepdim and dims:
        self = self.reshape([1 if dim in dims else size for dim, size in enumerate(shape)])
    return np.broadcast_to(self, shape)


def _sum_rule(grad: Tensor, self_shape: Any, dims: Any, keepdim: bool) -> Tensor:
    return _stretch(grad, self_shape, dims, keepdim, False)


@primitive(self=_sum_rule)
def _sum(self: Array, dims: tuple[int, ...], keepdim: Any) -> Any:
    wide = np.int64 if self.dtype.kind in "iub" else None
    return np.add.reduce(self, dims, wide, keepdims=keepdim)


def _mean_rule(grad: Tensor, self_shape: Any, dims: Any, keepdim: bool) -> Tensor:
    return _stretch(grad, self_shape, dims, keepdim, True)


@primitive(self=_mean_rule)
def _mean(self: Array, dims: tuple[int, ...], keepdim: Any) -> Any:
    # Division by a NumPy scalar, so that an empty tensor gives NaN.
    total = np.add.reduce(self, dims, keepdims=keepdim)
    return total / self.dtype.type(count_of(self.shape, dims))


@op()
def sum(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    dtype: Dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Sum along dimensions; integers are summed in int64."""
    if dtype is not None:
        input = input.to(dtype)
    dims = dims_of(axis if dim is None else dim, input.array.ndim)
    result: Tensor = _sum(input, dims, keepdim)
    if dtype is not None:
        result = result.to(dtype)
    return into(out, result)


@op()
def mean(
    input: Tensor,
    dim: Dims = None,
    keepdim: bool = False,
    *,
    axis: Dims = None,
    dtype: Dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Compute the mean along dimensions."""
    if dtype is not None:
        _refuse_whole(dtype, "Optional")
        input = input.to(dtype)
    _refuse_whole(input.dtype, "Input")
    dims = dims_of(axis if dim is None else dim, input.array.ndim)
    return into(out, _mean(input, dims, keepdim))


def _refuse_whole(dtype: Dtype, what: str) -> None:
    if dtype.kind < dtypes.FLOAT:
        raise RuntimeError(
            f"mean(): could not infer output dtype. {what} dtype must be either a floating point "
            f"or complex dtype. Got: {dtype.title}"
        )


@primitive()
def is_number(self: Array) -> Any:
    """Return, element by element, whether it is not NaN."""
    return self == self


@primitive(self=lambda grad, self: grad * is_number(self))
def without_nan(self: Array) -> Any:
    """Replace NaN by zero."""
    return np.where(self == self, self, self.dtype.type(0))


@op()
def nansum(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Sum along dimensions, ignoring NaN."""
    expect("nansum", input, "fiub")
    if input.dtype.kind == dtypes.FLOAT:
        input = without_nan(input)
    return sum(input, dim, keepdim, dtype=dtype, out=out)


@op()
def nanmean(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, dtype: Dtype | None = None
) -> Tensor:
    """Compute the mean along dimensions, ignoring NaN."""
    if input.dtype.kind < dtypes.FLOAT:
        raise RuntimeError(
            f"nanmean(): expected input to have floating point or complex dtype but "
            f"got {input.dtype}"
        )
    counts = sum(is_number(input), dim, keepdim)
    return nansum(input, dim, keepdim, dtype=dtype) / counts


@primitive(self=lambda grad, self, dim: _others_rule(grad, self, dim))
def _others(self: Array, dim: int) -> Array:
    """Return the product of all other elements of the row; zeros need no special case."""
    rows = np.moveaxis(self, dim, -1)
    left, right = np.ones_like(rows, order="C"), np.ones_like(rows, order="C")
    np.multiply.accumulate(rows[..., :-1], axis=-1, out=left[..., 1:])
    np.multiply.accumulate(rows[..., :0:-1], axis=-1, out=right[..., 1:])
    return np.moveaxis(left * right[..., ::-1], -1, dim)


def _others_rule(grad: Tensor, self: Tensor, dim: int) -> Tensor:
    # Row i of the square holds all elements except the i-th, which is replaced by 1: products of
    # the others omit i and one more.
    row, size = self.movedim(dim, -1), self.array.shape[dim]
    identity = wrap(np.eye(size, dtype=self.array.dtype))
    square = row.unsqueeze(-2) * (1 - identity) + identity
    parts = _others(square, -1).conj() * (1 - identity) * grad.movedim(dim, -1).unsqueeze(-1)
    return parts.sum(-2).movedim(-1, dim)


def _prod_rule(grad: Tensor, self: Tensor, dim: int, keepdim: bool) -> Tensor:
    if not self.array.ndim:
        return grad
    return (grad if keepdim else grad.unsqueeze(dim)) * _others(self, dim).conj()


@primitive(self=_prod_rule)
def _prod(self: Array, dim: int, keepdim: Any) -> Any:
    wide = np.int64 if self.dtype.kind in "iub" else self.dtype
    return np.multiply.reduce(self, dim if self.ndim else (), wide, keepdims=keepdim)


@op()
def prod(
    input: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Dtype | None = None,
    out: Tensor | None = None,
) -> Tensor:  # fmt: skip
    """Compute the product along a dimension, or of all elements."""
    if dtype is not None:
        input = input.to(dtype)
    if dim is None:
        result: Tensor = _prod(input.reshape(-1), 0, False)
    else:
        result = _prod(input, wrap_dim(dim, input.array.ndim), keepdim)
    return into(out, result if dtype is None else result.to(dtype))


def _logsumexp_rule(
    grad: Tensor, self: Tensor, self_shape: Any, result: Tensor, dims: Any, keepdim: bool
) -> Tensor:
    total = restore(result, self_shape, dims, keepdim)
    return restore(grad, self_shape, dims, keepdim) * (self - total).exp().conj()


@primitive(self=_logsumexp_rule)
def _logsumexp(self: Array, dims: tuple[int, ...], keepdim: Any) -> Any:
    if not self.size:
        return np.log(np.add.reduce(self, dims, keepdims=keepdim))
    top = np.maximum.reduce(self, dims, keepdims=True)
    top = np.where(np.isfinite(top), top, 0).astype(self.dtype, copy=False)
    total = np.log(np.add.reduce(np.exp(self - top), dims, keepdims=True)) + top
    return total if keepdim or not dims else total.squeeze(dims)


@op()
@op("special")
def logsumexp(
    input: Tensor, dim: Dims, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Compute the logarithm of the sum of exponentials, without overflow."""
    if input.dtype.kind < dtypes.FLOAT:
        input = input.to(dtypes.get_default_dtype())
    return into(out, _logsumexp(input, dims_of(dim, input.array.ndim), keepdim))


@primitive()
def _all(self: Array, dims: tuple[int, ...], keepdim: Any) -> Any:
    return np.logical_and.reduce(self, dims, keepdims=keepdim)


@primitive()
def _any(self: Array, dims: tuple[int, ...], keepdim: Any) -> Any:
    return np.logical_or.reduce(self, dims, keepdims=keepdim)


def _truth(made: Any, input: Tensor, dim: Dims, keepdim: bool, out: Tensor | None) -> Tensor:
    ndim = input.array.ndim
    # Unlike elsewhere, an empty list of dimensions reduces nothing.
    dims = () if dim is not None and not isinstance(dim, int) and not len(dim) else None
    result: Tensor = made(input, dims_of(dim, ndim) if dims is None else dims, keepdim)
    if input.dtype is dtypes.uint8:
        result = result.to(dtypes.uint8)
    return into(out, result)


@op()
def all(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Return whether all elements are nonzero, along dimensions or overall."""
    return _truth(_all, input, dim, keepdim, out)


@op()
def any(
    input: Tensor, dim: Dims = None, keepdim: bool = False, *, out: Tensor | None = None
) -> Tensor:
    """Return whether any element is nonzero, along dimensions or overall."""
    return _truth(_any, input, dim, keepdim, out)


@primitive()
def _count_nonzero(self: Array, dims: tuple[int, ...]) -> Any:
    return np.add.reduce(self != 0, dims, np.int64)


@op()
def count_nonzero(input: Tensor, dim: Dims = None) -> Tensor:
    """Count the nonzero elements, along dimensions or overall."""
    return _count_nonzero(input, dims_of(dim, input.array.ndim))
