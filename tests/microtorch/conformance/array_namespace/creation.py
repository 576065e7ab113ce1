"""What makes arrays."""

from __future__ import annotations

from typing import Any

import torchstone.microtorch as micro
from torchstone.microtorch import Tensor

__all__ = [
    "arange", "asarray", "empty", "empty_like", "eye", "from_dlpack", "full", "full_like",
    "linspace", "meshgrid", "ones", "ones_like", "tril", "triu", "zeros", "zeros_like",
]  # fmt: skip


def asarray(obj: Any, /, *, dtype: Any = None, device: Any = None, copy: Any = None) -> Tensor:
    found = micro.asarray(obj, dtype=dtype, device=device, copy=copy)
    return found if dtype is None or found.dtype is dtype else found.to(dtype)


def from_dlpack(x: Any, /, *, device: Any = None, copy: Any = None) -> Tensor:
    found = micro.from_dlpack(x)
    return found.clone() if copy else found


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    return micro.empty(shape, dtype=dtype, device=device)


def empty_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    return micro.empty_like(x, dtype=dtype, device=device)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    return micro.ones(shape, dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    return micro.ones_like(x, dtype=dtype, device=device)


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    return micro.zeros(shape, dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    return micro.zeros_like(x, dtype=dtype, device=device)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return micro.full(shape, fill_value, dtype=dtype, device=device)


def full_like(x: Tensor, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    return micro.full_like(x, fill_value, dtype=dtype, device=device)


def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> Tensor:
    start, stop = (0, start) if stop is None else (start, stop)
    if (step > 0 and stop <= start) or (step < 0 and stop >= start):
        # The standard gives nothing where PyTorch refuses.
        is_whole = all(isinstance(each, int) for each in (start, stop, step))
        dtype = dtype or (micro.int64 if is_whole else micro.get_default_dtype())
        return micro.empty(0, dtype=dtype, device=device)
    return micro.arange(start, stop, step, dtype=dtype, device=device)


def eye(
    n_rows: int, n_cols: Any = None, /, *, k: int = 0, dtype: Any = None, device: Any = None
) -> Tensor:
    made = micro.zeros(n_rows, n_rows if n_cols is None else n_cols, dtype=dtype, device=device)
    if -n_rows < k < made.shape[1]:
        made.diagonal(k).fill_(1)
    return made


def linspace(
    start: Any, stop: Any, /, num: int, *, dtype: Any = None, device: Any = None,
    endpoint: bool = True,
) -> Tensor:  # fmt: skip
    points = num if endpoint else num + 1
    return micro.linspace(start, stop, points, dtype=dtype, device=device)[:num]


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> list[Tensor]:
    return list(micro.meshgrid(*arrays, indexing=indexing))


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    return micro.tril(x, k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    return micro.triu(x, k)
