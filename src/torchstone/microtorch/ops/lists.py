"""Conversion of nested lists of numbers to arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.tensor import Array, Tensor


def of_numbers(data: Any, dtype: Dtype | None, found: dict[Any, Any]) -> Array:
    """Create an array from nested lists; raise an error if the dtype cannot represent a value."""
    try:
        array = np.array(data)
    except ValueError:
        raise _ragged(data) from None
    if array.dtype.kind == "O":
        for each in array.flat:
            if not isinstance(each, int | float | complex):
                raise RuntimeError(f"Could not infer dtype of {type(each).__name__}")
        if dtype is None or dtype.kind == dtypes.INTEGER:
            raise ValueError("Overflow when unpacking long long")
        return array.astype(np.float64)
    if array.dtype == np.uint64 and dtype is None and int in found:
        raise ValueError("Overflow when unpacking long long")
    if array.dtype == np.float64 and int in found and found.keys() <= {bool, int}:
        return _of_large(data, dtype, array)
    if array.dtype.kind in "SU":
        if isinstance(data, str) or next(iter(found)) is not str:
            raise TypeError("new(): invalid data type 'str'")
        raise ValueError("too many dimensions 'str'")
    return array


def _of_large(data: Any, dtype: Dtype | None, array: Array) -> Array:
    """Convert integers that exceed int64, which NumPy has converted to floats."""
    if dtype is dtypes.uint64:
        return np.array(data, np.uint64)
    if dtype is None or dtype.kind == dtypes.INTEGER:
        raise ValueError("Overflow when unpacking long long")
    return array


def _ragged(data: Any) -> Exception:
    """Create the error for ragged lists; the first list at each depth sets the expected length."""
    row, depth, length = [data], 0, 1
    while row:
        for each in row:
            if not isinstance(each, list | tuple):
                return TypeError("not a sequence")
            if len(each) != length and depth:
                return ValueError(
                    f"expected sequence of length {length} at dim {depth} (got {len(each)})"
                )
        row, depth = [each for sequence in row for each in sequence], depth + 1
        length = len(row[0]) if row and isinstance(row[0], list | tuple) else 0
    return TypeError("not a sequence")


def without_tensors(data: Any, found: dict[Any, Any]) -> Any:
    """Replace tensors by numbers, and record one number of each type found."""
    if isinstance(data, list | tuple | range):
        types = set(map(type, data))
        if types <= {bool, int, float, complex}:
            found.update((each, each()) for each in types)
            return data
        return [without_tensors(each, found) for each in data]
    if isinstance(data, Tensor):
        if data.array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        data = data.array.reshape(())[()]
    found.setdefault(getattr(data, "dtype", type(data)), data)
    return data
