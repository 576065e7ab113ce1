"""Collation of samples into a batch: default_collate and default_convert."""

from __future__ import annotations

import copy
from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.creation import as_tensor, tensor
from torchstone.microtorch.ops.joining import stack
from torchstone.microtorch.tensor import Tensor


def default_collate(batch: Any) -> Any:
    """Collate samples into a batch: stack tensors, arrays and numbers, recursing into containers.

    Raises:
        RuntimeError: Samples differ in length.
        TypeError: A sample contains something that can't be stacked.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch))
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, np.ndarray | np.generic | float | int):
        return _stacked(first, batch)
    if isinstance(first, Mapping):
        return _as_mapping(
            first, {key: default_collate([each[key] for each in batch]) for key in first}
        )
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(each) for each in zip(*batch, strict=True)))
    if isinstance(first, Sequence):
        if any(len(each) != len(first) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(each) for each in zip(*batch, strict=True)]
    raise TypeError(_REFUSED.format(type(first)))


def _stacked(first: Any, batch: Any) -> Tensor:
    """Create a tensor from arrays or numbers."""
    if isinstance(first, np.ndarray | np.generic):
        if first.dtype.kind in "SUO":
            raise TypeError(_REFUSED.format(first.dtype))
        return stack([as_tensor(each) for each in batch])
    return tensor(batch, dtype=dtypes.float64 if isinstance(first, float) else None)


_REFUSED = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)


def _as_mapping(kind: Any, values: dict[Any, Any]) -> Any:
    """Return the contents of a dictionary as another mapping type, if that can be copied."""
    if type(kind) is dict or not isinstance(kind, MutableMapping):
        return values
    made = copy.copy(kind)
    made.update(values)
    return made


def default_convert(data: Any) -> Any:
    """Convert arrays to tensors, without batching."""
    if isinstance(data, np.ndarray | np.generic):
        return data if data.dtype.kind in "SUO" else as_tensor(data)
    if isinstance(data, Mapping):
        return _as_mapping(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(each) for each in data))
    if isinstance(data, list | tuple):
        return [default_convert(each) for each in data]
    return data
