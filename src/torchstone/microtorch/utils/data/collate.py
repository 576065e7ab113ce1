"""How samples become a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.creation import as_tensor, tensor
from torchstone.microtorch.ops.joining import stack
from torchstone.microtorch.tensor import Tensor


def default_collate(batch: list[Any]) -> Any:
    """Stack tensors, arrays and numbers; go into tuples, lists and mappings.

    Raises:
        RuntimeError: Samples differ in length.
        TypeError: A sample is made of something that can't be stacked.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(batch)
    if isinstance(first, np.ndarray | np.generic):
        return as_tensor(np.stack(batch))
    if isinstance(first, float):
        return tensor(batch, dtype=dtypes.float64)
    if isinstance(first, int):
        return tensor(batch)
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return {key: default_collate([each[key] for each in batch]) for key in first}
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*(default_collate(list(each)) for each in zip(*batch, strict=True)))
    if isinstance(first, Sequence):
        if any(len(each) != len(first) for each in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        return [default_collate(list(each)) for each in zip(*batch, strict=True)]
    raise TypeError(
        "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found "
        f"{type(first)}"
    )


def default_convert(data: Any) -> Any:
    """Turn arrays into tensors, without making a batch."""
    if isinstance(data, np.ndarray | np.generic):
        return as_tensor(data)
    if isinstance(data, Mapping):
        return {key: default_convert(value) for key, value in data.items()}
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*(default_convert(each) for each in data))
    if isinstance(data, list | tuple):
        return [default_convert(each) for each in data]
    return data
