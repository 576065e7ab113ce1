"""Half precision: operations compute in float32 and round once, PyTorch's ``opmath_t``.

``float16`` is a storage format: its largest value is 65504, and a running sum of ones stops at
2048. So every primitive, and every gradient rule (``ops/primitive.py``), sees its operands in
float32, and only results are rounded. Functions composed of several primitives that have one kernel
in PyTorch are rounded once by ``ops/rounded.py``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.tensor import Tensor

HALF, SINGLE = np.dtype(np.float16), np.dtype(np.float32)


def in_single(forward: Callable[..., Any], arrays: Sequence[Any]) -> Any:
    """Run a half-precision computation in float32 and round the results.

    A float32 array with dimensions among the operands means that the operation handles mixed dtypes
    itself. A 0-d one is a factor that keeps full precision (``Binary.keeps_scalars``).
    """
    if not _is_half(arrays):
        return forward(*arrays)
    results = forward(*[_wide(each) for each in arrays])
    return tuple(map(_rounded, results)) if type(results) is tuple else _rounded(results)


def _is_half(arrays: Sequence[Any]) -> bool:
    kinds = [(x.dtype, x.ndim) for x in arrays if isinstance(x, np.ndarray)]
    # Fast path: the common case has no half-precision operand.
    if all(kind is not HALF for kind, _ in kinds):
        return False
    return all(kind is HALF or kind.kind not in "fc" or not ndim for kind, ndim in kinds)


def _wide(value: Any) -> Any:
    is_half = isinstance(value, np.ndarray) and value.dtype is HALF
    return value.astype(SINGLE) if is_half else value


def _rounded(result: Any) -> Any:
    return result.astype(HALF) if result.dtype is SINGLE else result


def widened(value: Any) -> Any:
    """Convert a half-precision tensor to float32; return any other value unchanged."""
    is_half = isinstance(value, Tensor) and value.array.dtype is HALF
    return value._cast(SINGLE) if is_half else value
