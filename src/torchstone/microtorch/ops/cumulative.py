"""Cumulative operations along a dimension: cumsum, cumprod, cummax, cummin, logcumsumexp."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes, return_types
from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.ops.along import filled
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import Primitive, primitive
from torchstone.microtorch.ops.reductions import expect
from torchstone.microtorch.tensor import Array, Tensor, wrap, wrap_dim


def _cumsum_rule(grad: Tensor, dim: int, backwards: bool) -> Tensor:
    return _cumsum(grad, dim, not backwards)


@primitive(self=_cumsum_rule)
def _cumsum(self: Array, dim: int, backwards: bool) -> Any:
    rows = np.flip(self, dim) if backwards else self
    result = np.add.accumulate(rows, dim)
    return np.ascontiguousarray(np.flip(result, dim) if backwards else result)


def _shift_rule(grad: Tensor, dim: int, by: int) -> Tensor:
    return shifted(grad, dim, -by)


@primitive(self=_shift_rule)
def shifted(self: Array, dim: int, by: int) -> Array:
    """Shift elements along a dimension, filling with zeros."""
    result = np.zeros_like(self, subok=False)
    target, source = np.moveaxis(result, dim, 0), np.moveaxis(self, dim, 0)
    if by > 0:
        target[by:] = source[:-by]
    else:
        target[:by] = source[-by:]
    return result


def _step(backwards: bool) -> int:
    """Return the shift that pairs each element with its predecessor."""
    return -1 if backwards else 1


def _recurrence_rule(grad: Tensor, factor: Tensor, dim: int, backwards: bool) -> Tensor:
    factor = shifted(factor, dim, -_step(backwards))
    return _recurrence(grad, factor, dim, not backwards)


def _factor_rule(grad: Tensor, factor: Tensor, result: Tensor, dim: int, backwards: bool) -> Tensor:
    before = shifted(result, dim, _step(backwards))
    return _recurrence_rule(grad, factor, dim, backwards) * before


@primitive(self=_recurrence_rule, factor=_factor_rule)
def _recurrence(self: Array, factor: Array, dim: int, backwards: bool) -> Array:
    """Solve ``y[k] = self[k] + factor[k] * y[k - 1]``; backwards, with ``y[k + 1]``.

    The number of combined terms doubles with each pass (Hillis and Steele, 1986).
    """
    result, product = self.copy(), factor.copy()
    y, f = np.moveaxis(result, dim, 0), np.moveaxis(product, dim, 0)
    if backwards:
        y, f = y[::-1], f[::-1]
    reach = 1
    while reach < len(y):
        y[reach:] += f[reach:] * y[:-reach]
        f[reach:] *= f[:-reach].copy()
        reach *= 2
    return result


def _cumprod_rule(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
    # Element k occurs in the products from k on: everything before it, times what follows. No
    # division, so zeros need no special case.
    before = shifted(result, dim, 1) + _mark(self, dim, 0)
    return before * _recurrence(grad, shifted(self, dim, -1), dim, True)


def _mark(like: Tensor, dim: int, place: int) -> Tensor:
    """Create ones at one index along a dimension, and zeros elsewhere."""
    marks = np.zeros_like(like.array, subok=False)
    np.moveaxis(marks, dim, 0)[place : place + 1 or None] = 1
    return wrap(marks)


@primitive(self=_cumprod_rule)
def _cumprod(self: Array, dim: int) -> Any:
    return np.ascontiguousarray(np.multiply.accumulate(self, dim))


def _logcumsumexp_rule(grad: Tensor, self: Tensor, result: Tensor, dim: int) -> Tensor:
    # The results never decrease, so no exponent is positive. -inf - (-inf) is replaced by 0. The
    # last element has no successor; its masked value is irrelevant.
    later = shifted(result, dim, -1)
    is_last = _mark(result, dim, -1).to(dtypes.bool_)
    decay = (result - later).masked_fill(later.eq(-math.inf) | is_last, 0).exp()
    share = (self - result).masked_fill(result.eq(-math.inf), 0).exp()
    return share * _recurrence(grad, decay, dim, True)


@primitive(self=_logcumsumexp_rule)
def _logcumsumexp(self: Array, dim: int) -> Any:
    return np.ascontiguousarray(np.logaddexp.accumulate(self, dim))


def _along(made: Primitive, input: Tensor, dim: int, *args: Any) -> Tensor:
    dim = wrap_dim(dim, input.array.ndim)
    if not input.array.ndim:
        return input.clone()
    return made(input, dim, *args)


def _wide(input: Tensor, dtype: Dtype | None) -> Tensor:
    if dtype is None and input.dtype.kind < dtypes.FLOAT:
        dtype = dtypes.int64
    return input if dtype is None else input.to(dtype)


@op(inplace=True)
def cumsum(
    input: Tensor, dim: int, *, dtype: Dtype | None = None, out: Tensor | None = None
) -> Tensor:
    """Compute the cumulative sum along a dimension."""
    return into(out, _along(_cumsum, _wide(input, dtype), dim, False))


@op(inplace=True)
def cumprod(
    input: Tensor, dim: int, *, dtype: Dtype | None = None, out: Tensor | None = None
) -> Tensor:
    """Compute the cumulative product along a dimension."""
    return into(out, _along(_cumprod, _wide(input, dtype), dim))


@op()
def logcumsumexp(input: Tensor, dim: int, *, out: Tensor | None = None) -> Tensor:
    """Compute the logarithm of the cumulative sum of exponentials along a dimension."""
    expect("logcumsumexp", input, "f")
    return into(out, _along(_logcumsumexp, input, dim))


@primitive()
def _places_so_far(self: Array, dim: int, largest: bool) -> Any:
    if not self.ndim:
        return np.zeros((), np.int64)
    extreme = (np.maximum if largest else np.minimum).accumulate(self, dim)
    is_it = (self == extreme) | (self != self)
    places = np.arange(self.shape[dim]).reshape((-1,) + (1,) * (self.ndim - dim - 1))
    return np.maximum.accumulate(np.where(is_it, places, 0), dim)


def _extremes(kind: Any, input: Tensor, dim: int, largest: bool, out: Any) -> Any:
    expect(kind.__name__, input, "fiub")
    dim = wrap_dim(dim, input.array.ndim)
    index = _places_so_far(input, dim, largest)
    return filled(kind(input.gather(dim, index), index), out)


@op()
def cummax(input: Tensor, dim: int, *, out: Any = None) -> Any:
    """Return the cumulative maximum and its index, the last one among equal elements."""
    return _extremes(return_types.cummax, input, dim, True, out)


@op()
def cummin(input: Tensor, dim: int, *, out: Any = None) -> Any:
    """Return the cumulative minimum and its index, the last one among equal elements."""
    return _extremes(return_types.cummin, input, dim, False, out)
