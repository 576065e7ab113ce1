"""Fused AdamW in Triton: reads and writes each element of the parameter and its state once."""

from __future__ import annotations

import triton
import triton.language as tl
from torch import Tensor

from torchstone.kernels.triton.launch import number_of

# Elements per program.
RANGE = 1024


# float64 is annotated, because Triton would round the arguments to float32.
@triton.jit
def _adamw(
    param, mean, square, grad, count,
    keep_mean: tl.float64, add_mean: tl.float64, keep_square: tl.float64, add_square: tl.float64,
    scale: tl.float64, eps: tl.float64, step: tl.float64, kept: tl.float64,
    NUMBER: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    g = tl.load(grad + at, mask=inside, other=0.0).to(NUMBER)
    m = tl.load(mean + at, mask=inside, other=0.0) * tl.full([], keep_mean, NUMBER)
    m += g * tl.full([], add_mean, NUMBER)
    v = tl.load(square + at, mask=inside, other=0.0) * tl.full([], keep_square, NUMBER)
    v += g * g * tl.full([], add_square, NUMBER)
    tl.store(mean + at, m, mask=inside)
    tl.store(square + at, v, mask=inside)
    root = tl.sqrt(v) * tl.full([], scale, NUMBER) + tl.full([], eps, NUMBER)
    x = tl.load(param + at, mask=inside, other=0.0).to(NUMBER) * tl.full([], kept, NUMBER)
    x -= m / root * tl.full([], step, NUMBER)
    tl.store(param + at, x.to(param.dtype.element_ty), mask=inside)


def adamw_(
    param: Tensor,
    mean: Tensor,
    square: Tensor,
    grad: Tensor,
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    weight_decay: float,
    step: int,
) -> None:
    """Compute ``adamw_``; see ``kernels.adamw``."""
    if count := param.numel():
        changed = (param, mean, square)
        dense = [each.contiguous() for each in changed]
        _adamw[(triton.cdiv(count, RANGE),)](
            *dense, grad.contiguous(), count, beta1, 1 - beta1, beta2, 1 - beta2,
            (1 - beta2**step) ** -0.5, eps, lr / (1 - beta1**step), 1 - lr * weight_decay,
            NUMBER=number_of(param), BLOCK=RANGE,
        )  # fmt: skip
        for each, copy in zip(changed, dense, strict=True):
            if copy is not each:
                each.copy_(copy)
