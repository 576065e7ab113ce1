"""Searching, sorting and sets."""

from __future__ import annotations

from typing import Any, NamedTuple

import torchstone.microtorch as micro
from tests.microtorch.conformance.array_namespace.creation import asarray
from tests.microtorch.conformance.array_namespace.elementwise import together
from tests.microtorch.conformance.array_namespace.statistics import sum as total
from torchstone.microtorch import Tensor

__all__ = [
    "argmax", "argmin", "argsort", "count_nonzero", "nonzero", "searchsorted", "sort",
    "unique_all", "unique_counts", "unique_inverse", "unique_values", "where",
]  # fmt: skip


def argmax(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    return micro.argmax(x, axis, keepdims)


def argmin(x: Tensor, /, *, axis: int | None = None, keepdims: bool = False) -> Tensor:
    return micro.argmin(x, axis, keepdims)


def count_nonzero(x: Tensor, /, *, axis: Any = None, keepdims: bool = False) -> Tensor:
    return total(x != 0, axis=axis, keepdims=keepdims, dtype=micro.int64)


def nonzero(x: Tensor, /) -> tuple[Tensor, ...]:
    if x.ndim == 0:
        raise ValueError("nonzero: an array of no dimensions has no indices")
    return micro.nonzero(x, as_tuple=True)


def searchsorted(
    x1: Tensor, x2: Any, /, *, side: str = "left", sorter: Tensor | None = None
) -> Tensor:
    x2 = x2 if isinstance(x2, Tensor) else asarray(x2, dtype=x1.dtype)
    return micro.searchsorted(x1, x2, side=side, sorter=sorter)


def where(condition: Tensor, x1: Any, x2: Any, /) -> Tensor:
    return micro.where(condition, *together(x1, x2))


def sort(x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True) -> Tensor:
    return micro.sort(x, dim=axis, descending=descending, stable=stable)[0]


def argsort(
    x: Tensor, /, *, axis: int = -1, descending: bool = False, stable: bool = True
) -> Tensor:
    return micro.argsort(x, dim=axis, descending=descending, stable=stable)


class UniqueAll(NamedTuple):
    """What an array holds, where each first stands, where it went, and how often it is there."""

    values: Tensor
    indices: Tensor
    inverse_indices: Tensor
    counts: Tensor


class UniqueCounts(NamedTuple):
    """What an array holds, and how often."""

    values: Tensor
    counts: Tensor


class UniqueInverse(NamedTuple):
    """What an array holds, and where each element went."""

    values: Tensor
    inverse_indices: Tensor


def unique_values(x: Tensor, /) -> Tensor:
    return micro.unique(x)


def unique_counts(x: Tensor, /) -> UniqueCounts:
    return UniqueCounts(*micro.unique(x, return_counts=True))


def unique_inverse(x: Tensor, /) -> UniqueInverse:
    return UniqueInverse(*micro.unique(x, return_inverse=True))


def unique_all(x: Tensor, /) -> UniqueAll:
    values, inverse, counts = micro.unique(x, return_inverse=True, return_counts=True)
    # PyTorch does not tell where a value first stands: a stable sort of the places does.
    starts = micro.cumsum(counts, 0) - counts
    indices = micro.argsort(inverse.reshape(-1), stable=True)[starts]
    return UniqueAll(values, indices, inverse, counts)
