"""LayerNorm in Triton: a program for each row forward, a program for some rows backward."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

# Bytes of a row that a program holds in registers; a wider row is read anew in each pass.
MOST_BYTES = 65536
# Rows whose contributions to the gradients of the parameters a program adds, at least.
ROWS_OF_PART = 16
MOST_PARTS = 1024


@triton.jit
def _forward(
    input, weight, bias, out, means, rstds, width, eps,
    HAS_WEIGHT: tl.constexpr, HAS_BIAS: tl.constexpr,
    NUMBER: tl.constexpr, BLOCK: tl.constexpr, IS_WHOLE: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    input += row * width
    out += row * width
    lanes = tl.arange(0, BLOCK)
    # Statistics, centred: a mean that is large beside the deviation costs nothing.
    if IS_WHOLE:
        inside = lanes < width
        x = tl.load(input + lanes, mask=inside, other=0.0).to(NUMBER)
        mean = tl.sum(x, 0) / width
        centred = tl.where(inside, x - mean, 0.0)
        variance = tl.sum(centred * centred, 0) / width
    else:
        sums = tl.zeros([BLOCK], NUMBER)
        for begin in range(0, width, BLOCK):
            inside = begin + lanes < width
            sums += tl.load(input + begin + lanes, mask=inside, other=0.0).to(NUMBER)
        mean = tl.sum(sums, 0) / width
        squares = tl.zeros([BLOCK], NUMBER)
        for begin in range(0, width, BLOCK):
            inside = begin + lanes < width
            x = tl.load(input + begin + lanes, mask=inside, other=0.0).to(NUMBER)
            centred = tl.where(inside, x - mean, 0.0)
            squares += centred * centred
        variance = tl.sum(squares, 0) / width
    rstd = 1.0 / tl.sqrt(variance + eps)
    tl.store(means + row, mean)
    tl.store(rstds + row, rstd)
    for begin in range(0, width, BLOCK):
        columns = begin + lanes
        inside = columns < width
        x = tl.load(input + columns, mask=inside, other=0.0).to(NUMBER)
        y = (x - mean) * rstd
        if HAS_WEIGHT:
            y *= tl.load(weight + columns, mask=inside, other=0.0).to(NUMBER)
        if HAS_BIAS:
            y += tl.load(bias + columns, mask=inside, other=0.0).to(NUMBER)
        tl.store(out + columns, y.to(out.dtype.element_ty), mask=inside)


@triton.jit
def _backward(
    grad, input, weight, means, rstds, grad_input, of_weight, of_bias, num_rows, width, height,
    HAS_WEIGHT: tl.constexpr, HAS_SUMS: tl.constexpr, NUMBER: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    part = tl.program_id(0).to(tl.int64)
    first = part * height
    last = tl.minimum(first + height, num_rows)
    lanes = tl.arange(0, BLOCK)
    inside = lanes < width
    # The sums over rows stay in registers, and each row is read once.
    sum_of_weight = tl.zeros([BLOCK], NUMBER)
    sum_of_bias = tl.zeros([BLOCK], NUMBER)
    if HAS_WEIGHT:
        w = tl.load(weight + lanes, mask=inside, other=0.0).to(NUMBER)
    for row in range(first, last):
        mean, rstd = tl.load(means + row), tl.load(rstds + row)
        g = tl.load(grad + row * width + lanes, mask=inside, other=0.0).to(NUMBER)
        x = tl.load(input + row * width + lanes, mask=inside, other=0.0).to(NUMBER)
        normalised = tl.where(inside, (x - mean) * rstd, 0.0)
        h = g
        if HAS_WEIGHT:
            h = g * w
        alone = tl.sum(h, 0) / width
        along = tl.sum(h * normalised, 0) / width
        result = (h - alone - normalised * along) * rstd
        to = grad_input + row * width + lanes
        tl.store(to, result.to(grad_input.dtype.element_ty), mask=inside)
        if HAS_SUMS:
            sum_of_weight += g * normalised
            sum_of_bias += g
    if HAS_SUMS:
        tl.store(of_weight + part * width + lanes, sum_of_weight, mask=inside)
        tl.store(of_bias + part * width + lanes, sum_of_bias, mask=inside)


@triton.jit
def _backward_of_wide_rows(
    grad, input, weight, means, rstds, grad_input, of_weight, of_bias, num_rows, width, height,
    HAS_WEIGHT: tl.constexpr, HAS_SUMS: tl.constexpr, NUMBER: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    part = tl.program_id(0).to(tl.int64)
    first = part * height
    last = tl.minimum(first + height, num_rows)
    lanes = tl.arange(0, BLOCK)
    for row in range(first, last):
        mean, rstd = tl.load(means + row), tl.load(rstds + row)
        alone = tl.zeros([BLOCK], NUMBER)
        along = tl.zeros([BLOCK], NUMBER)
        for begin in range(0, width, BLOCK):
            columns = begin + lanes
            inside = columns < width
            g = tl.load(grad + row * width + columns, mask=inside, other=0.0).to(NUMBER)
            x = tl.load(input + row * width + columns, mask=inside, other=0.0).to(NUMBER)
            normalised = tl.where(inside, (x - mean) * rstd, 0.0)
            h = g
            if HAS_WEIGHT:
                h = g * tl.load(weight + columns, mask=inside, other=0.0).to(NUMBER)
            alone += h
            along += h * normalised
            if HAS_SUMS:
                # No other program adds to this part, so that the order is fixed.
                to = part * width + columns
                so_far = tl.load(of_weight + to, mask=inside, other=0.0)
                tl.store(of_weight + to, so_far + g * normalised, mask=inside)
                so_far = tl.load(of_bias + to, mask=inside, other=0.0)
                tl.store(of_bias + to, so_far + g, mask=inside)
        mean_alone = tl.sum(alone, 0) / width
        mean_along = tl.sum(along, 0) / width
        for begin in range(0, width, BLOCK):
            columns = begin + lanes
            inside = columns < width
            g = tl.load(grad + row * width + columns, mask=inside, other=0.0).to(NUMBER)
            x = tl.load(input + row * width + columns, mask=inside, other=0.0).to(NUMBER)
            h = g
            if HAS_WEIGHT:
                h = g * tl.load(weight + columns, mask=inside, other=0.0).to(NUMBER)
            result = (h - mean_alone - (x - mean) * rstd * mean_along) * rstd
            to = grad_input + row * width + columns
            tl.store(to, result.to(grad_input.dtype.element_ty), mask=inside)


def layer_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, num_dims: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the output, the mean and the reciprocal deviation; see ``kernels.layer_norm``."""
    dense = input.contiguous()
    rows, width = _matrix(input, num_dims)
    number = torch.float64 if input.dtype == torch.float64 else torch.float32
    kept = [*input.shape[: input.dim() - num_dims], *([1] * num_dims)]
    out = torch.empty_like(dense)
    mean = input.new_empty(kept, dtype=number)
    rstd = torch.empty_like(mean)
    if rows * width:
        block, is_whole = _block(input, width)
        _forward[(rows,)](
            dense,
            dense if weight is None else weight.contiguous(),
            dense if bias is None else bias.contiguous(),
            out, mean, rstd, width, eps,
            HAS_WEIGHT=weight is not None, HAS_BIAS=bias is not None,
            NUMBER=_number(input), BLOCK=block, IS_WHOLE=is_whole, num_warps=_num_warps(block),
        )  # fmt: skip
    return out, mean, rstd


def layer_norm_backward(
    grad: Tensor,
    input: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    num_dims: int,
    has_parameters: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of input, weight and bias; see ``kernels.layer_norm``."""
    dense = input.contiguous()
    rows, width = _matrix(input, num_dims)
    height = max(ROWS_OF_PART, -(-rows // MOST_PARTS))
    num_parts = -(-rows // height) if width else 0
    shape = input.shape[input.dim() - num_dims :] if has_parameters else (0,)
    grad_input = torch.empty_like(dense)
    sums = mean.new_zeros((2, num_parts if has_parameters else 0, *shape))
    if num_parts:
        block, is_whole = _block(input, width)
        kernel = _backward if is_whole else _backward_of_wide_rows
        kernel[(num_parts,)](
            grad.contiguous(), dense, dense if weight is None else weight.contiguous(),
            mean, rstd, grad_input, sums[0], sums[1], rows, width, height,
            HAS_WEIGHT=weight is not None, HAS_SUMS=has_parameters,
            NUMBER=_number(input), BLOCK=block, num_warps=_num_warps(block),
        )  # fmt: skip
    of_weight, of_bias = sums.sum(1).to(input.dtype if weight is None else weight.dtype)
    return grad_input, of_weight.contiguous(), of_bias.contiguous()


def _matrix(input: Tensor, num_dims: int) -> tuple[int, int]:
    split = input.dim() - num_dims
    return input.shape[:split].numel(), input.shape[split:].numel()


def _block(input: Tensor, width: int) -> tuple[int, bool]:
    block: int = triton.next_power_of_2(width)
    most = MOST_BYTES // (8 if input.dtype == torch.float64 else 4)
    return min(block, most), block <= most


def _number(input: Tensor) -> object:
    return tl.float64 if input.dtype == torch.float64 else tl.float32


def _num_warps(block: int) -> int:
    return min(16, max(1, block // 512))
