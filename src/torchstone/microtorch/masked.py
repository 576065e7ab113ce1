"""Masked reductions: mean, median, logaddexp, norm, var, as in ``torch.masked``.

Masked elements are replaced by the identity of the reduction: 0 for a sum, -inf for a maximum.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import Any

from torchstone.microtorch import dtypes
from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.ops.namespace import named
from torchstone.microtorch.ops.norms import vector_norm
from torchstone.microtorch.ops.reductions import Dims, dims_of, expect
from torchstone.microtorch.tensor import Tensor


def _kept(input: Tensor, mask: Tensor | None, rest: float) -> Tensor:
    """Replace masked-out elements by ``rest``."""
    if mask is None:
        return input
    if mask.array.ndim > input.array.ndim:
        raise IndexError(
            "_input_mask expected broadcastable mask (got mask dimensionality higher "
            "than of the input)"
        )
    if math.isinf(rest) and input.dtype.kind < dtypes.FLOAT:
        expect("identity", input, "iu")
        info = dtypes.iinfo(input.dtype)
        rest = info.max if rest > 0 else info.min
    return input.masked_fill(mask.to(dtypes.bool_).logical_not(), rest)


def _dims(dim: Dims, input: Tensor) -> tuple[int, ...]:
    return tuple(sorted(dims_of(dim, input.array.ndim)))


def _define(name: str, rest: float, call: Callable[..., Tensor], what: str) -> None:
    """Define a reduction over dimensions: ``call(kept, dim, keepdim, dtype)``."""

    def function(
        input: Tensor,
        dim: Any = None,
        *,
        keepdim: bool = False,
        dtype: Dtype | None = None,
        mask: Tensor | None = None,
    ) -> Tensor:
        return call(_kept(input, mask, rest), dim, keepdim, dtype)

    globals()[name] = named(function, name, what)


def _sum(x: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None = None) -> Tensor:
    return x.sum(_dims(dim, x), keepdim, dtype=dtype)


def _prod(x: Tensor, dim: Dims, keepdim: bool, dtype: Dtype | None) -> Tensor:
    for each in reversed(_dims(dim, x)):
        x = x.prod(each, keepdim, dtype=dtype)
    return x


def _of_type(name: str) -> Callable[..., Tensor]:
    """Add a ``dtype`` argument to a tensor method; arg-reductions cast their indices to it."""

    def call(x: Tensor, dim: Any, keepdim: bool, dtype: Dtype | None) -> Tensor:
        dims = dim if name.startswith("arg") else _dims(dim, x)
        return getattr(x, name)(dims, keepdim).to(dtype or x.dtype)

    return call


_define("sum", 0, _sum, "Sum the unmasked elements along dimensions.")
_define("prod", 1, _prod, "Multiply the unmasked elements along dimensions.")
_define("amax", -math.inf, _of_type("amax"), "Return the unmasked maximum along dimensions.")
_define("amin", math.inf, _of_type("amin"), "Return the unmasked minimum along dimensions.")
_define("argmax", -math.inf, _of_type("argmax"), "Return the index of the unmasked maximum.")
_define("argmin", math.inf, _of_type("argmin"), "Return the index of the unmasked minimum.")
_define(
    "logsumexp", -math.inf, _of_type("logsumexp"), "Compute the log of the sum of exponentials."
)


def _define_along(name: str, rest: float, what: str) -> None:
    """Define a function whose result has the shape of its input."""

    def function(
        input: Tensor, dim: int, *, dtype: Dtype | None = None, mask: Tensor | None = None
    ) -> Tensor:
        kept = _kept(input, mask, rest)
        if name == "softmin":
            return (-kept).softmax(dim, dtype=dtype)
        return getattr(kept, name)(dim, dtype=dtype)

    globals()[name] = named(function, name, what)


_define_along("cumsum", 0, "Compute the cumulative sum of the unmasked elements.")
_define_along("cumprod", 1, "Compute the cumulative product of the unmasked elements.")
_define_along("softmax", -math.inf, "Apply softmax to the unmasked elements along one dimension.")
_define_along(
    "log_softmax", -math.inf, "Apply log-softmax to the unmasked elements along one dimension."
)
_define_along("softmin", math.inf, "Apply ``softmax(-input)`` to the unmasked elements.")


def _count(input: Tensor, dims: tuple[int, ...], mask: Tensor | None) -> Tensor:
    there = input.new_ones(input.array.shape, dtype=dtypes.bool_)
    return _kept(there, mask, 0).sum(dims, True)


def mean(
    input: Tensor,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: Dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Compute the mean along dimensions; NaN where all elements are masked out."""
    if (dtype or input.dtype).kind < dtypes.FLOAT:
        raise ValueError(
            "mean(): Could not infer output dtype. Dtype must be either a floating "
            f"point or complex dtype. Got: {dtype or input.dtype}"
        )
    dims = _dims(dim, input)
    total = _sum(_kept(input, mask, 0), dims, keepdim, dtype)
    return total / _count(input, dims, mask).reshape(total.array.shape)


def median(
    input: Tensor,
    dim: int = -1,
    *,
    keepdim: bool = False,
    dtype: Dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Compute the median along a dimension; NaN where all elements are masked out."""
    x = input if input.dtype.kind == dtypes.FLOAT else input.to(dtypes.float32)
    values: Tensor = _kept(x, mask, math.nan).nanmedian(dim, keepdim).values
    if x is input:
        return values
    if values.isnan().any():
        raise ValueError(
            "masked median expects no fully masked out rows if dtype is not floating point"
        )
    return values.to(dtype or input.dtype)


def logaddexp(
    input: Tensor,
    other: Tensor,
    *,
    dtype: Dtype | None = None,
    input_mask: Tensor | None = None,
    other_mask: Tensor | None = None,
) -> Tensor:
    """Compute ``log(exp(input) + exp(other))`` of two masked tensors."""
    result = _kept(input, input_mask, -math.inf).logaddexp(_kept(other, other_mask, -math.inf))
    return result.to(dtype or input.dtype)


def norm(
    input: Tensor,
    ord: float | None = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: Dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Compute the vector norm along dimensions."""
    order = 2.0 if ord is None else ord
    x = _kept(input, mask, math.inf if order == -math.inf else 0)
    return vector_norm(x if dtype is None else x.to(dtype), order, _dims(dim, input), keepdim)


def normalize(
    input: Tensor,
    ord: float,
    dim: int,
    *,
    eps: float = 1e-12,
    dtype: Dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Divide vectors by their norm along one dimension."""
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return _kept(input, mask, 0) / length.maximum(length.new_full((), eps))


def var(
    input: Tensor,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: Dtype | None = None,
    mask: Tensor | None = None,
) -> Tensor:
    """Compute the variance along dimensions."""
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    if dtype is not None or input.dtype.kind < dtypes.FLOAT:
        input = input.to(dtype or dtypes.float32)
    dims = _dims(dim, input)
    count = _count(input, dims, mask)
    x = input - _sum(_kept(input, mask, 0), dims, True) / count
    total = _sum(_kept(x * x.conj(), mask, 0), dims, keepdim)
    freedom = (count - correction).clamp(min=0).reshape(total.array.shape)
    return (total / freedom).to(total.dtype)


@functools.wraps(var)
def _std(*args: Any, **kwargs: Any) -> Tensor:
    return var(*args, **kwargs).sqrt()


std = named(_std, "std", "Compute the standard deviation along dimensions.")
