"""Argument checks of the operators: dtype, device and shape."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

FLOATING = (torch.float32, torch.bfloat16, torch.float16, torch.float64)


def require_floating(function: str, name: str, tensor: Tensor) -> None:
    """Raise an error for an unsupported dtype."""
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{function}: {name} must be a Tensor, not {type(tensor).__name__}")
    if tensor.dtype not in FLOATING:
        known = ", ".join(str(dtype).removeprefix("torch.") for dtype in FLOATING)
        raise TypeError(f"{function}: {name} has dtype {_name(tensor.dtype)}; expected {known}")


def require_beside(function: str, name: str, tensor: Tensor, other: str, beside: Tensor) -> None:
    """Raise an error if two tensors are on different devices."""
    if tensor.device != beside.device:
        raise ValueError(
            f"{function}: {name} is on {tensor.device}, but {other} on {beside.device}; "
            f"move one of them with .to()"
        )


def require_shape(function: str, name: str, tensor: Tensor, shape: Sequence[int]) -> None:
    """Raise an error for an unexpected shape."""
    if tuple(tensor.shape) != tuple(shape):
        raise ValueError(
            f"{function}: {name} has shape {tuple(tensor.shape)}; expected {tuple(shape)}"
        )


def require_parameter_dtype(
    function: str, name: str, tensor: Tensor, other: str, beside: Tensor
) -> None:
    """Raise an error unless the dtype is the input's, or float32 with a half-precision input."""
    halves = (torch.bfloat16, torch.float16)
    if tensor.dtype == beside.dtype:
        return
    if tensor.dtype == torch.float32 and beside.dtype in halves:
        return
    wanted = _name(beside.dtype) + (" or float32" if beside.dtype in halves else "")
    raise TypeError(
        f"{function}: {name} has dtype {_name(tensor.dtype)} beside {other} in "
        f"{_name(beside.dtype)}; expected {wanted}"
    )


def _name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
