"""Half precision in composed functions: the result is rounded once, at the end.

PyTorch has one kernel for each of these functions, which computes in single precision. Functions
that PyTorch composes of several kernels (most losses) are rounded after each step, here as well.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.op_math import HALF, widened
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.tensor import Tensor


def rounded_once(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compute a function in single precision if its result is in half precision. A decorator."""

    @functools.wraps(function)
    def compute(*args: Any, out: Tensor | None = None, **options: Any) -> Any:
        given = [each for each in (*args, *options.values()) if isinstance(each, Tensor)]
        is_half = any(each.array.dtype is HALF for each in given)
        if not is_half or dtypes.result_type(*given) is not dtypes.float16:
            return function(*args, **options, **({} if out is None else {"out": out}))
        named = {name: widened(each) for name, each in options.items()}
        results = function(*map(widened, args), **named)
        if isinstance(results, tuple):
            return tuple(each._cast(HALF) for each in results)
        return results._cast(HALF) if out is None else into(out, results._cast(HALF))

    return compute
