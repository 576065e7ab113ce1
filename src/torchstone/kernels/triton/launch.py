"""Launch parameters of row-wise Triton kernels: block size, rows and number of warps."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

# Bytes of a row that a program keeps in registers; a wider row is read again in each pass.
MOST_BYTES = 65536


def matrix_of(input: Tensor, num_dims: int) -> tuple[int, int]:
    """Return the numbers of rows and columns if the last dimensions form a row."""
    split = input.dim() - num_dims
    return input.shape[:split].numel(), input.shape[split:].numel()


def block_of(input: Tensor, width: int) -> tuple[int, bool]:
    """Return the block size of a program, and whether it covers a whole row."""
    block: int = triton.next_power_of_2(width)
    most = MOST_BYTES // (8 if input.dtype == torch.float64 else 4)
    return min(block, most), block <= most


def number_of(input: Tensor) -> object:
    """Return the Triton dtype of the computation."""
    return tl.float64 if input.dtype == torch.float64 else tl.float32


def num_warps_of(block: int) -> int:
    """Return the number of warps of a program: about sixteen elements per thread."""
    return min(16, max(1, block // 512))
