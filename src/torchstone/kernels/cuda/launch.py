"""Launch CUDA C++ kernels with tensor arguments on PyTorch's current stream."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchstone.kernels.cuda.build import library

TYPES = {torch.float32: 0, torch.bfloat16: 1, torch.float16: 2, torch.float64: 3}


def call(name: str, *arguments: Any) -> None:
    """Call a function of the library; tensors are passed as pointers.

    Raises:
        RuntimeError: The kernel could not be launched.
    """
    plain = [
        address_of(each) if isinstance(each, Tensor) else each for each in (*arguments, stream())
    ]
    error = getattr(library(), f"torchstone_{name}")(*plain)
    if error:
        raise RuntimeError(f"the kernels of {name} could not be launched: CUDA error {error}")


def address_of(tensor: Tensor) -> int:
    """Return the data pointer of a tensor."""
    return tensor.data_ptr()


def stream() -> int:
    """Return PyTorch's current CUDA stream."""
    now: int = torch.cuda.current_stream().cuda_stream
    return now


def num_multiprocessors(tensor: Tensor) -> int:
    """Return the number of multiprocessors of a tensor's GPU."""
    count: int = torch.cuda.get_device_properties(tensor.device).multi_processor_count
    return count


def types_of(input: Tensor, parameter: Tensor | None) -> tuple[int, int]:
    """Return the type number of the input, and whether the parameters are float32 instead."""
    has_float = parameter is not None and parameter.dtype != input.dtype
    return TYPES[input.dtype], int(has_float)


def dense(tensor: Tensor | None) -> Tensor | None:
    """Return a contiguous tensor, or None."""
    return None if tensor is None else tensor.contiguous()


def matrix_of(input: Tensor, num_dims: int) -> tuple[int, int]:
    """Return the numbers of rows and columns if the last dimensions form a row."""
    split = input.dim() - num_dims
    return input.shape[:split].numel(), input.shape[split:].numel()
