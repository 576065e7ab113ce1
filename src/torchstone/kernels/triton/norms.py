"""LayerNorm and RMSNorm in Triton: one program for each row forward, row groups backward."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from torchstone.kernels.triton.launch import block_of, matrix_of, num_warps_of, number_of

# Minimum number of rows per program whose parameter gradients are summed.
ROWS_OF_PART = 16
MOST_PARTS = 1024
# A row, its gradient, its weight and two sums of this width exceed the registers of sixteen warps.
# Without the limit ptxas assigns fewer registers per thread than there are.
WIDE_BLOCK = 16384
WIDE_OPTIONS = {"num_warps": 32, "maxnreg": 64}


# float64 is annotated, because Triton would round the arguments to float32.
@triton.jit
def _forward(
    input, residual, weight, bias, total, out, means, rstds, width, eps: tl.float64,
    HAS_MEAN: tl.constexpr, HAS_RESIDUAL: tl.constexpr, HAS_WEIGHT: tl.constexpr,
    HAS_BIAS: tl.constexpr, NUMBER: tl.constexpr, BLOCK: tl.constexpr, IS_WHOLE: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    input += row * width
    out += row * width
    lanes = tl.arange(0, BLOCK)
    if HAS_RESIDUAL:
        # The sum is rounded to its dtype first, so that later reads see the same value.
        residual += row * width
        total += row * width
        for begin in range(0, width, BLOCK):
            inside = begin + lanes < width
            x = tl.load(input + begin + lanes, mask=inside, other=0.0).to(NUMBER)
            x += tl.load(residual + begin + lanes, mask=inside, other=0.0).to(NUMBER)
            tl.store(total + begin + lanes, x.to(total.dtype.element_ty), mask=inside)
        # Data stored by one thread is loaded by others.
        tl.debug_barrier()
        input = total
    mean = 0.0
    if IS_WHOLE:
        inside = lanes < width
        x = tl.load(input + lanes, mask=inside, other=0.0).to(NUMBER)
        if HAS_MEAN:
            mean = tl.sum(x, 0) / width
            # The mean is subtracted first, so that a large mean loses no digits.
            x = tl.where(inside, x - mean, 0.0)
        variance = tl.sum(x * x, 0) / width
    else:
        if HAS_MEAN:
            sums = tl.zeros([BLOCK], NUMBER)
            for begin in range(0, width, BLOCK):
                inside = begin + lanes < width
                sums += tl.load(input + begin + lanes, mask=inside, other=0.0).to(NUMBER)
            mean = tl.sum(sums, 0) / width
        squares = tl.zeros([BLOCK], NUMBER)
        for begin in range(0, width, BLOCK):
            inside = begin + lanes < width
            x = tl.load(input + begin + lanes, mask=inside, other=0.0).to(NUMBER)
            x = tl.where(inside, x - mean, 0.0)
            squares += x * x
        variance = tl.sum(squares, 0) / width
    rstd = 1.0 / tl.sqrt(variance + tl.full([], eps, NUMBER))
    if HAS_MEAN:
        tl.store(means + row, mean)
    tl.store(rstds + row, rstd)
    for begin in range(0, width, BLOCK):
        columns = begin + lanes
        inside = columns < width
        y = (tl.load(input + columns, mask=inside, other=0.0).to(NUMBER) - mean) * rstd
        if HAS_WEIGHT:
            y *= tl.load(weight + columns, mask=inside, other=0.0).to(NUMBER)
        if HAS_BIAS:
            y += tl.load(bias + columns, mask=inside, other=0.0).to(NUMBER)
        tl.store(out + columns, y.to(out.dtype.element_ty), mask=inside)


@triton.jit
def _backward(
    grad, grad_sum, input, weight, means, rstds, grad_input, of_weight, of_bias, num_rows, width,
    height, HAS_MEAN: tl.constexpr, HAS_GRAD_SUM: tl.constexpr, HAS_WEIGHT: tl.constexpr,
    HAS_SUMS: tl.constexpr, NUMBER: tl.constexpr, BLOCK: tl.constexpr,
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
        rstd = tl.load(rstds + row)
        mean = 0.0
        if HAS_MEAN:
            mean = tl.load(means + row)
        g = tl.load(grad + row * width + lanes, mask=inside, other=0.0).to(NUMBER)
        x = tl.load(input + row * width + lanes, mask=inside, other=0.0).to(NUMBER)
        normalised = tl.where(inside, (x - mean) * rstd, 0.0)
        h = g
        if HAS_WEIGHT:
            h = g * w
        result = h - normalised * (tl.sum(h * normalised, 0) / width)
        if HAS_MEAN:
            result -= tl.sum(h, 0) / width
        result *= rstd
        to = row * width + lanes
        if HAS_GRAD_SUM:
            result += tl.load(grad_sum + to, mask=inside, other=0.0).to(NUMBER)
        tl.store(grad_input + to, result.to(grad_input.dtype.element_ty), mask=inside)
        if HAS_SUMS:
            sum_of_weight += g * normalised
            sum_of_bias += g
    if HAS_SUMS:
        tl.store(of_weight + part * width + lanes, sum_of_weight, mask=inside)
        if HAS_MEAN:
            tl.store(of_bias + part * width + lanes, sum_of_bias, mask=inside)


@triton.jit
def _backward_of_wide_rows(
    grad, grad_sum, input, weight, means, rstds, grad_input, of_weight, of_bias, num_rows, width,
    height, HAS_MEAN: tl.constexpr, HAS_GRAD_SUM: tl.constexpr, HAS_WEIGHT: tl.constexpr,
    HAS_SUMS: tl.constexpr, NUMBER: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    part = tl.program_id(0).to(tl.int64)
    first = part * height
    last = tl.minimum(first + height, num_rows)
    lanes = tl.arange(0, BLOCK)
    for row in range(first, last):
        rstd = tl.load(rstds + row)
        mean = 0.0
        if HAS_MEAN:
            mean = tl.load(means + row)
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
                # No other program adds to this part, so the order is fixed.
                to = part * width + columns
                so_far = tl.load(of_weight + to, mask=inside, other=0.0)
                tl.store(of_weight + to, so_far + g * normalised, mask=inside)
                if HAS_MEAN:
                    so_far = tl.load(of_bias + to, mask=inside, other=0.0)
                    tl.store(of_bias + to, so_far + g, mask=inside)
        mean_along = tl.sum(along, 0) / width
        mean_alone = 0.0
        if HAS_MEAN:
            mean_alone = tl.sum(alone, 0) / width
        for begin in range(0, width, BLOCK):
            columns = begin + lanes
            inside = columns < width
            g = tl.load(grad + row * width + columns, mask=inside, other=0.0).to(NUMBER)
            x = tl.load(input + row * width + columns, mask=inside, other=0.0).to(NUMBER)
            h = g
            if HAS_WEIGHT:
                h = g * tl.load(weight + columns, mask=inside, other=0.0).to(NUMBER)
            result = (h - mean_alone - (x - mean) * rstd * mean_along) * rstd
            to = row * width + columns
            if HAS_GRAD_SUM:
                result += tl.load(grad_sum + to, mask=inside, other=0.0).to(NUMBER)
            tl.store(grad_input + to, result.to(grad_input.dtype.element_ty), mask=inside)


def layer_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, num_dims: int, eps: float
) -> tuple[Tensor, ...]:
    """Compute ``layer_norm``; see ``kernels.norms``."""
    out, _, mean, rstd = _normalise(True, input, None, weight, bias, num_dims, eps)
    return out, mean, rstd


def add_layer_norm(
    input: Tensor,
    residual: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    num_dims: int,
    eps: float,
) -> tuple[Tensor, ...]:
    """Compute ``add_layer_norm``; see ``kernels.norms``."""
    return _normalise(True, input, residual, weight, bias, num_dims, eps)


def rms_norm(input: Tensor, weight: Tensor | None, num_dims: int, eps: float) -> tuple[Tensor, ...]:
    """Compute ``rms_norm``; see ``kernels.norms``."""
    return _normalise(False, input, None, weight, None, num_dims, eps)[::3]


def add_rms_norm(
    input: Tensor, residual: Tensor, weight: Tensor | None, num_dims: int, eps: float
) -> tuple[Tensor, ...]:
    """Compute ``add_rms_norm``; see ``kernels.norms``."""
    out, total, _, rstd = _normalise(False, input, residual, weight, None, num_dims, eps)
    return out, total, rstd


def layer_norm_backward(
    grad: Tensor,
    grad_sum: Tensor | None,
    input: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    num_dims: int,
    has_parameters: bool,
) -> tuple[Tensor, ...]:
    """Compute ``layer_norm_backward``; see ``kernels.norms``."""
    return _differentiate(grad, grad_sum, input, mean, rstd, weight, num_dims, has_parameters)


def rms_norm_backward(
    grad: Tensor,
    grad_sum: Tensor | None,
    input: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    num_dims: int,
    has_parameters: bool,
) -> tuple[Tensor, ...]:
    """Compute ``rms_norm_backward``; see ``kernels.norms``."""
    return _differentiate(grad, grad_sum, input, None, rstd, weight, num_dims, has_parameters)[:2]


def _normalise(
    has_mean: bool,
    input: Tensor,
    residual: Tensor | None,
    weight: Tensor | None,
    bias: Tensor | None,
    num_dims: int,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    dense = input.contiguous()
    rows, width = matrix_of(input, num_dims)
    number = torch.float64 if input.dtype == torch.float64 else torch.float32
    kept = [*input.shape[: input.dim() - num_dims], *([1] * num_dims)]
    out = torch.empty_like(dense)
    total = torch.empty_like(dense) if residual is not None else dense
    rstd = input.new_empty(kept, dtype=number)
    mean = torch.empty_like(rstd) if has_mean else rstd
    if rows * width:
        block, is_whole = block_of(input, width)
        _forward[(rows,)](
            dense, _dense(residual, dense), _dense(weight, dense), _dense(bias, dense),
            total, out, mean, rstd, width, eps,
            HAS_MEAN=has_mean, HAS_RESIDUAL=residual is not None,
            HAS_WEIGHT=weight is not None, HAS_BIAS=bias is not None,
            NUMBER=number_of(input), BLOCK=block, IS_WHOLE=is_whole, num_warps=num_warps_of(block),
        )  # fmt: skip
    return out, total, mean, rstd


def _differentiate(
    grad: Tensor,
    grad_sum: Tensor | None,
    input: Tensor,
    mean: Tensor | None,
    rstd: Tensor,
    weight: Tensor | None,
    num_dims: int,
    has_parameters: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    dense = input.contiguous()
    rows, width = matrix_of(input, num_dims)
    height = max(ROWS_OF_PART, -(-rows // MOST_PARTS))
    num_parts = -(-rows // height) if width else 0
    shape = input.shape[input.dim() - num_dims :] if has_parameters else (0,)
    grad_input = torch.empty_like(dense)
    sums = rstd.new_zeros((2, num_parts if has_parameters else 0, *shape))
    if num_parts:
        block, is_whole = block_of(input, width)
        kernel = _backward if is_whole else _backward_of_wide_rows
        is_wide = is_whole and block == WIDE_BLOCK
        options = WIDE_OPTIONS if is_wide else {"num_warps": num_warps_of(block)}
        kernel[(num_parts,)](
            grad.contiguous(), _dense(grad_sum, dense), dense, _dense(weight, dense),
            rstd if mean is None else mean, rstd, grad_input, sums[0], sums[1], rows, width, height,
            HAS_MEAN=mean is not None, HAS_GRAD_SUM=grad_sum is not None,
            HAS_WEIGHT=weight is not None, HAS_SUMS=has_parameters,
            NUMBER=number_of(input), BLOCK=block, **options,
        )  # fmt: skip
    of_weight, of_bias = sums.sum(1).to(input.dtype if weight is None else weight.dtype)
    return grad_input, of_weight.contiguous(), of_bias.contiguous()


def _dense(tensor: Tensor | None, otherwise: Tensor) -> Tensor:
    """Return a tensor to pass to a kernel; the substitute for None is never read."""
    return otherwise if tensor is None else tensor.contiguous()
