"""LayerNorm in CUDA C++: forward and backward."""

from __future__ import annotations

import torch
from torch import Tensor

from torchstone.kernels.cuda import launch
from torchstone.kernels.cuda.launch import dense, matrix_of, types_of
from torchstone.kernels.norm_reference import statistics_dtype

# Minimum number of rows per block whose parameter gradients are summed.
ROWS_OF_PART = 16


def layer_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, num_dims: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the output, the mean and the reciprocal standard deviation; see ``kernels.norms``."""
    x, w, b = input.contiguous(), dense(weight), dense(bias)
    rows, width = matrix_of(input, num_dims)
    kept = [*input.shape[: input.dim() - num_dims], *([1] * num_dims)]
    out, mean = torch.empty_like(x), input.new_empty(kept, dtype=statistics_dtype(input))
    rstd = torch.empty_like(mean)
    if rows * width:
        types = types_of(input, weight if weight is not None else bias)
        launch.call("layer_norm", *types, x, w, b, out, mean, rstd, rows, width, eps)
    return out, mean, rstd


def layer_norm_backward(
    grad: Tensor,
    grad_sum: Tensor | None,
    input: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    num_dims: int,
    has_parameters: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of input, weight and bias; see ``kernels.norms``."""
    x, w, g = input.contiguous(), dense(weight), grad.contiguous()
    rows, width = matrix_of(input, num_dims)
    dtype = input.dtype if weight is None else weight.dtype
    shape = input.shape[input.dim() - num_dims :] if has_parameters else (0,)
    grad_input = torch.empty_like(x)
    of_weight = input.new_zeros(shape, dtype=dtype)
    of_bias = torch.zeros_like(of_weight)
    if rows * width:
        # Enough blocks to fill a GPU twice, each with enough rows to amortize its partial sums.
        most = 2 * launch.num_multiprocessors(input)
        num_parts = min(most, -(-rows // ROWS_OF_PART))
        parts = mean.new_empty(2 * num_parts * width if has_parameters else 0)
        sums = (of_weight, of_bias, parts) if has_parameters else (None, None, None)
        launch.call(
            "layer_norm_backward", *types_of(input, weight),
            g, x, w, mean, rstd, grad_input, *sums, num_parts, rows, width,
        )  # fmt: skip
    if grad_sum is not None:
        grad_input = grad_input + grad_sum
    return grad_input, of_weight, of_bias
