"""Broadcasting of shapes, and its errors in PyTorch's words."""

from __future__ import annotations

from typing import Any

import numpy as np

from torchstone.microtorch.tensor import Tensor


def expect_tensors(name: str, **operands: Any) -> None:
    """Raise a TypeError for arguments that are not tensors."""
    for position, (operand, each) in enumerate(operands.items(), 1):
        if not isinstance(each, Tensor):
            raise TypeError(
                f"{name}(): argument '{operand}' (position {position}) must be Tensor, not "
                f"{type(each).__name__}"
            )


def as_runtime_error(error: ValueError, x: Any, y: Any = 0) -> Exception:
    """Convert a NumPy error into the one that PyTorch raises."""
    try:
        np.broadcast_shapes(np.shape(x), np.shape(y))
    except ValueError:
        return broadcast_error(np.shape(x), np.shape(y))
    return RuntimeError(str(error))


def meet(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the broadcast shape of several shapes."""
    result: tuple[int, ...] = ()
    for each in shapes:
        try:
            result = np.broadcast_shapes(result, each)
        except ValueError:
            raise broadcast_error(result, each) from None
    return result


def broadcast_error(x: tuple[int, ...], y: tuple[int, ...]) -> RuntimeError:
    """Create the error for shapes that do not broadcast."""
    for back, (a, b) in enumerate(zip(reversed(x), reversed(y), strict=False), 1):
        if a != b and 1 not in (a, b):
            return RuntimeError(
                f"The size of tensor a ({a}) must match the size of tensor b ({b}) at "
                f"non-singleton dimension {max(len(x), len(y)) - back}"
            )
    return RuntimeError(f"shapes {x} and {y} can't be broadcast to one")
