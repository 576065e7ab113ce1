# Everything in float64, and the maximum stays in the graph: what flows through it cancels.
import torch
from torch import Tensor

FLOATING = {torch.float16, torch.bfloat16, torch.float32, torch.float64}


def _start(x, dim, mask):
    """Return float64 scores, the place of what takes part, the safe maximum and the sum."""
    if x.dtype not in FLOATING:
        raise TypeError(f"expected a floating tensor, got {x.dtype}")
    rank = x.dim() or 1
    if dim >= rank or dim < -rank:
        raise IndexError(f"dim must lie between {-rank} and {rank - 1}")
    keep = torch.ones_like(x, dtype=torch.bool)
    if mask is not None:
        if mask.dtype != torch.bool:
            raise TypeError("mask: True keeps, False hides; nothing but bool is accepted")
        if mask.dim() > x.dim():
            raise ValueError("mask has more dimensions than x")
        for size, wanted in zip(mask.shape[::-1], x.shape[::-1], strict=False):
            if size != 1 and size != wanted:
                raise ValueError("mask does not fit x")
        keep = keep & mask
    wide = torch.where(keep, x.double(), 0.0)
    alive = keep & ~torch.isneginf(x)
    has = alive.any(dim, keepdim=True) if x.dim() else alive
    if wide.numel():
        top = torch.where(alive, wide, -torch.inf).amax(dim, keepdim=True)
        top = torch.where(has, top, 0.0)
    else:
        top = wide.sum(dim, keepdim=True)
    # A hidden entry is the maximum itself: its exponential is 1, and it is not counted.
    gap = torch.where(alive, wide - top, 0.0)
    total = torch.where(alive, gap.exp(), 0.0).sum(dim, keepdim=True)
    return keep, alive, has, top, gap, torch.where(has, total, 1.0)


def stable_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    x = x if dtype is None else x.to(dtype)
    keep, alive, _, _, gap, total = _start(x, dim, mask)
    y = torch.where(alive, gap.exp(), 0.0) / total
    return torch.where(keep, y, 0.0).to(x.dtype)


def stable_log_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    x = x if dtype is None else x.to(dtype)
    keep, alive, _, _, gap, total = _start(x, dim, mask)
    y = torch.where(alive, gap, -torch.inf) - total.log()
    return torch.where(keep, y, -torch.inf).to(x.dtype)


def log_sum_exp(
    x: Tensor, dim: int = -1, keepdim: bool = False, mask: Tensor | None = None
) -> Tensor:
    _, _, has, top, _, total = _start(x, dim, mask)
    result = torch.where(has, top + total.log(), -torch.inf)
    result = torch.where(torch.isposinf(top), top, result)
    return (result if keepdim or not x.dim() else result.squeeze(dim)).to(x.dtype)
