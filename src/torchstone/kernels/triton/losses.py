"""Cross-entropy in Triton: one program for each row of logits.

Label smoothing is a compile-time constant, because Triton would round an argument to float32.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

from torchstone.kernels.triton.launch import block_of, matrix_of, num_warps_of, number_of


@triton.jit
def _forward(
    logits, targets, losses, statistics, width, ignored,
    SMOOTHING: tl.constexpr, NUMBER: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    smoothing = tl.full([], SMOOTHING, NUMBER)
    logits += row * width
    lanes = tl.arange(0, BLOCK)
    # Each lane has its own maximum, and rescales its sum when that grows.
    largest = tl.full([BLOCK], float("-inf"), NUMBER)
    totals = tl.zeros([BLOCK], NUMBER)
    sums = tl.zeros([BLOCK], NUMBER)
    # Differences to the first logit are summed, so that a shift of all logits loses no digits.
    pivot = tl.load(logits).to(NUMBER)
    pivot = tl.where(pivot > float("-inf"), pivot, 0.0)
    for begin in range(0, width, BLOCK):
        inside = begin + lanes < width
        x = tl.load(logits + begin + lanes, mask=inside, other=float("-inf")).to(NUMBER)
        larger = tl.maximum(largest, x)
        base = tl.where(larger > float("-inf"), larger, 0.0)
        totals = totals * tl.exp(largest - base) + tl.exp(x - base)
        largest = larger
        sums += tl.where(inside, x - pivot, 0.0)
    best = tl.max(largest, 0)
    log_sum = tl.log(tl.sum(totals * tl.exp(largest - best), 0))
    tl.store(statistics + 2 * row, best)
    tl.store(statistics + 2 * row + 1, log_sum)
    target = tl.load(targets + row)
    counts = target != ignored
    own = tl.load(logits + tl.where(counts, target, 0)).to(NUMBER)
    loss = log_sum - (1 - smoothing) * (own - best)
    if SMOOTHING != 0.0:
        loss -= smoothing * (tl.sum(sums, 0) / width - (best - pivot))
    tl.store(losses + row, tl.where(counts, loss, 0.0))


@triton.jit
def _backward(
    grads, logits, targets, statistics, grad_logits, width, ignored,
    SMOOTHING: tl.constexpr, NUMBER: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    smoothing = tl.full([], SMOOTHING, NUMBER)
    target = tl.load(targets + row)
    best, log_sum = tl.load(statistics + 2 * row), tl.load(statistics + 2 * row + 1)
    grad = tl.where(target != ignored, tl.load(grads + row), 0.0)
    lanes = tl.arange(0, BLOCK)
    for begin in range(0, width, BLOCK):
        columns = begin + lanes
        inside = columns < width
        x = tl.load(logits + row * width + columns, mask=inside, other=float("-inf")).to(NUMBER)
        result = tl.exp(x - best - log_sum) - smoothing / width
        result = grad * (result - tl.where(columns == target, 1 - smoothing, 0.0))
        to = grad_logits + row * width + columns
        tl.store(to, result.to(grad_logits.dtype.element_ty), mask=inside)


def cross_entropy(
    logits: Tensor, target: Tensor, ignored: int, smoothing: float
) -> tuple[Tensor, Tensor]:
    """Compute ``cross_entropy``; see ``kernels.losses``.

    Targets are not checked, which would synchronize the GPU; out of range they are undefined
    behaviour.
    """
    dense = logits.contiguous()
    rows, width = matrix_of(logits, 1)
    wide = torch.float64 if logits.dtype == torch.float64 else torch.float32
    losses = logits.new_empty(target.shape, dtype=wide)
    statistics = losses.new_empty((*target.shape, 2))
    if rows * width:
        block, _ = block_of(logits, width)
        _forward[(rows,)](
            dense, target.contiguous(), losses, statistics, width, ignored,
            SMOOTHING=smoothing, NUMBER=number_of(logits), BLOCK=block,
            num_warps=num_warps_of(block),
        )  # fmt: skip
    return losses, statistics


def cross_entropy_backward(
    grad: Tensor, logits: Tensor, target: Tensor, statistics: Tensor, ignored: int, smoothing: float
) -> Tensor:
    """Compute ``cross_entropy_backward``; see ``kernels.losses``."""
    dense = logits.contiguous()
    grad_logits = torch.empty_like(dense)
    rows, width = matrix_of(logits, 1)
    if rows * width:
        block, _ = block_of(logits, width)
        _backward[(rows,)](
            grad.contiguous(), dense, target.contiguous(), statistics, grad_logits, width, ignored,
            SMOOTHING=smoothing, NUMBER=number_of(logits), BLOCK=block,
            num_warps=num_warps_of(block),
        )  # fmt: skip
    return grad_logits
