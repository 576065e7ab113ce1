"""Softmax and bias_gelu in CUDA C++: forward and backward."""

from __future__ import annotations

import torch
from torch import Tensor

from torchstone.kernels.cuda import launch
from torchstone.kernels.cuda.launch import TYPES, dense, matrix_of, types_of
from torchstone.kernels.norm_reference import statistics_dtype

# Minimum number of rows per block whose bias gradients are summed, and the maximum number of blocks
# that share the rows.
ROWS_OF_PART, MOST_PARTS = 16, 256


def softmax(input: Tensor) -> Tensor:
    """Compute ``softmax``; see ``kernels.probabilities``."""
    x = input.contiguous()
    out = torch.empty_like(x)
    rows, width = matrix_of(input, 1)
    if rows * width:
        launch.call("softmax", TYPES[input.dtype], x, out, rows, width)
    return out


def softmax_backward(grad: Tensor, out: Tensor) -> Tensor:
    """Compute ``softmax_backward``; see ``kernels.probabilities``."""
    g, y = grad.contiguous(), out.contiguous()
    grad_input = torch.empty_like(y)
    rows, width = matrix_of(out, 1)
    if rows * width:
        launch.call("softmax_backward", TYPES[out.dtype], g, y, grad_input, rows, width)
    return grad_input


def bias_gelu(input: Tensor, bias: Tensor | None) -> Tensor:
    """Compute ``bias_gelu``; see ``kernels.activations``."""
    x, b = input.contiguous(), dense(bias)
    out = torch.empty_like(x)
    rows, width = matrix_of(input, 1)
    if rows * width:
        launch.call("bias_gelu", *types_of(input, bias), x, b, out, rows, width)
    return out


def bias_gelu_backward(grad: Tensor, input: Tensor, bias: Tensor | None) -> tuple[Tensor, Tensor]:
    """Compute ``bias_gelu_backward``; see ``kernels.activations``."""
    g, x, b = grad.contiguous(), input.contiguous(), dense(bias)
    grad_input = torch.empty_like(x)
    of_bias = input.new_zeros(0) if b is None else torch.zeros_like(b)
    rows, width = matrix_of(input, 1)
    if rows * width:
        num_parts = min(MOST_PARTS, -(-rows // ROWS_OF_PART))
        size = 0 if b is None else num_parts * width
        parts = input.new_empty(size, dtype=statistics_dtype(input))
        sums = (None, None) if b is None else (of_bias, parts)
        launch.call(
            "bias_gelu_backward", *types_of(input, bias),
            g, x, b, grad_input, *sums, num_parts, rows, width,
        )  # fmt: skip
    return grad_input, of_bias
