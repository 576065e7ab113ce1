"""What makes one number of many, and running totals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torchstone.microtorch as micro
from tests.microtorch.conformance.array_namespace.dtypes import isdtype
from torchstone.microtorch import Tensor

__all__ = [
    "all", "any", "cumulative_prod", "cumulative_sum", "diff", "max", "mean", "min", "prod", "std",
    "sum", "var",
]  # fmt: skip


def _reduce(name: str, x: Tensor, axis: Any, keepdims: bool, **more: Any) -> Tensor:
    dims = tuple(range(x.ndim)) if axis is None else (axis,) if isinstance(axis, int) else axis
    if not dims:
        # PyTorch reduces all dimensions where none is named; of no dimensions there are none.
        x, dims, keepdims = x.unsqueeze(0), (0,), False
    return getattr(micro, name)(x, dim=dims, keepdim=keepdims, **more)


def _total(x: Tensor, dtype: Any) -> Any:
    """Return the type of a sum: unsigned numbers stay so, where PyTorch makes them int64."""
    return micro.uint64 if dtype is None and isdtype(x.dtype, "unsigned integer") else dtype


def max(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return _reduce("amax", x, axis, keepdims)


def min(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return _reduce("amin", x, axis, keepdims)


def mean(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return _reduce("mean", x, axis, keepdims)


def sum(x: Tensor, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    return _reduce("sum", x, axis, keepdims, dtype=_total(x, dtype))


def prod(x: Tensor, /, *, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Tensor:
    dims = range(x.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    wanted, dtype = [each % x.ndim for each in dims], _total(x, dtype)
    x = x if wanted else x.unsqueeze(0).prod(0, dtype=dtype)
    for dim in sorted(wanted, reverse=True):
        x = micro.prod(x, dim, keepdims, dtype=dtype)
    return x


def std(
    x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    return _reduce("std", x, axis, keepdims, correction=correction)


def var(
    x: Tensor, /, *, axis: Any = None, correction: float = 0.0, keepdims: bool = False
) -> Tensor:
    return _reduce("var", x, axis, keepdims, correction=correction)


def all(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return _reduce("all", x.to(micro.bool), axis, keepdims)


def any(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return _reduce("any", x.to(micro.bool), axis, keepdims)


def _cumulative(name: str, start: int) -> Callable[..., Tensor]:
    def cumulate(
        x: Tensor, /, *, axis: Any = None, dtype: Any = None, include_initial: bool = False
    ) -> Tensor:
        if axis is None and x.ndim != 1:
            raise ValueError(f"{name}: an array of several dimensions needs an axis")
        axis = 0 if axis is None else axis
        found = getattr(micro, name)(x, axis, dtype=_total(x, dtype))
        shape = list(x.shape)
        shape[axis] = 1
        first = micro.full(shape, start, dtype=found.dtype)
        return micro.cat([first, found], axis) if include_initial else found

    return cumulate


cumulative_sum, cumulative_prod = _cumulative("cumsum", 0), _cumulative("cumprod", 1)


def diff(
    x: Tensor, /, *, axis: int = -1, n: int = 1, prepend: Any = None, append: Any = None
) -> Tensor:
    return micro.diff(x, n, axis, prepend, append)
