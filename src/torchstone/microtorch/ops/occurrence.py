"""Set operations and sorted search: unique, isin, searchsorted, bucketize."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.reductions import expect
from torchstone.microtorch.tensor import Array, Tensor, wrap, wrap_dim


def _wanted(found: tuple[Array, Array, Array], inverse: bool, counts: bool) -> Any:
    values, places, numbers = (wrap(each) for each in found)
    if inverse or counts:
        asked = (values, places if inverse else None, numbers if counts else None)
        return tuple(each for each in asked if each is not None)
    return values


@op()
def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the sorted unique elements, or unique slices along a dimension."""
    expect("unique", input, "fiub")
    array = input.array
    if dim is not None:
        dim = wrap_dim(dim, array.ndim)
    values, inverse, counts = np.unique(
        array, return_inverse=True, return_counts=True, axis=dim, equal_nan=False
    )
    inverse = inverse.reshape(array.shape if dim is None else -1)
    return _wanted((values, inverse, counts), return_inverse, return_counts)


@op()
def unique_consecutive(
    input: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """Return the elements, or slices along a dimension, without consecutive duplicates."""
    expect("unique_consecutive", input, "fiub")
    array = input.array
    rows = array.reshape(-1) if dim is None else np.moveaxis(array, wrap_dim(dim, array.ndim), 0)
    if not array.ndim and dim is not None:
        rows = array.reshape(1)
    is_new = np.ones(len(rows), bool)
    differs = rows[1:] != rows[:-1]
    is_new[1:] = differs.any(tuple(range(1, differs.ndim)))
    inverse = np.cumsum(is_new) - 1
    counts = np.diff(np.append(np.flatnonzero(is_new), len(rows)))
    values = rows[is_new]
    if dim is None:
        inverse = inverse.reshape(array.shape)
    else:
        values = np.moveaxis(values, 0, wrap_dim(dim, array.ndim))
    return _wanted((values, inverse, counts), return_inverse, return_counts)


@op(method=False)
def isin(
    elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False
) -> Tensor:
    """Return, element by element, whether it is in ``test_elements``."""
    own, others = (getattr(each, "array", each) for each in (elements, test_elements))
    return wrap(np.isin(own, others, assume_unique=assume_unique, invert=invert))


@primitive()
def _search(sorted_sequence: Array, values: Array, side: Any) -> Any:
    """Return the indices at which values would keep sorted rows sorted.

    Shapes:
        sorted_sequence: (*batch, num_sorted) or (num_sorted,); values: (*batch, num_values).
    """
    if sorted_sequence.ndim == 1:
        return np.searchsorted(sorted_sequence, values, side)
    found = np.empty(values.shape, np.int64)
    for place in np.ndindex(values.shape[:-1]):
        found[place] = np.searchsorted(sorted_sequence[place], values[place], side)
    return found


def _side(side: str | None, right: bool) -> str:
    if side not in (None, "left", "right"):
        raise RuntimeError(
            f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}"
        )
    if side == "left" and right:
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got "
            "side of left while right was True"
        )
    return side or ("right" if right else "left")


@op(method=False)
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
    out: Tensor | None = None,
) -> Tensor:
    """Return the indices at which values would be inserted to keep rows sorted."""
    values = input if isinstance(input, Tensor) else wrap(np.asarray(input))
    expect("searchsorted", values, "fiub")
    if sorter is not None:
        sorted_sequence = sorted_sequence.gather(-1, sorter)
    if sorted_sequence.array.ndim != 1 and (
        sorted_sequence.array.shape[:-1] != values.array.shape[:-1] or not values.array.ndim
    ):
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
            "dimensions of boundaries tensor and input value tensor must match, but we got "
            f"boundaries tensor {list(sorted_sequence.shape)} and input value tensor "
            f"{list(values.shape)}"
        )
    result: Tensor = _search(sorted_sequence, values, _side(side, right))
    result = result.to(dtypes.int32 if out_int32 else dtypes.int64)
    return into(out, result)


@op(method=False)
def bucketize(
    input: Any,
    boundaries: Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
    out: Tensor | None = None,
) -> Tensor:
    """Return the index of the bucket between boundaries that each value belongs to."""
    if boundaries.array.ndim != 1:
        raise RuntimeError(
            "bucketize: boundaries tensor must be 1 dimension, but got dim("
            f"{boundaries.array.ndim})"
        )
    return searchsorted(boundaries, input, out_int32=out_int32, right=right, out=out)
