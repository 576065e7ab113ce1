"""Half precision: operations compute in float32 and round once, PyTorch's ``opmath_t``.

``float16`` is for keeping numbers, not for computing: it holds no count beyond 65504, and a sum of
ones stands still at 2048. So every primitive sees its operands in float32, and so does every rule
of a gradient (``ops/primitive.py``); only what goes out is rounded. What is made of several
primitives, and has one kernel in PyTorch, is rounded once by ``ops/rounded.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.tensor import Tensor

HALF, SINGLE = np.dtype(np.float16), np.dtype(np.float32)


def in_single(forward: Callable[..., Any], arrays: Sequence[Any]) -> Any:
    """Compute in single precision what comes in half, and round what goes out.

    Where a float32 array with dimensions takes part, the operation mixes types by itself. One
    without dimensions is a factor that is not to be rounded (``Binary.keeps_scalars``).
    """
    if not _is_half(arrays):
        return forward(*arrays)
    results = forward(*[_wide(each) for each in arrays])
    return tuple(map(_rounded, results)) if type(results) is tuple else _rounded(results)


def _is_half(arrays: Sequence[Any]) -> bool:
    kinds = [(x.dtype, x.ndim) for x in arrays if isinstance(x, np.ndarray)]
    # In the common case, which is to cost nothing, there is none of half precision.
    if all(kind is not HALF for kind, _ in kinds):
        return False
    return all(kind is HALF or kind.kind not in "fc" or not ndim for kind, ndim in kinds)


def _wide(value: Any) -> Any:
    is_half = isinstance(value, np.ndarray) and value.dtype is HALF
    return value.astype(SINGLE) if is_half else value


def _rounded(result: Any) -> Any:
    return result.astype(HALF) if result.dtype is SINGLE else result


def widened(value: Any) -> Any:
    """Return a tensor of half precision as one of single precision, and all else as it is."""
    is_half = isinstance(value, Tensor) and value.array.dtype is HALF
    return value._cast(SINGLE) if is_half else value
