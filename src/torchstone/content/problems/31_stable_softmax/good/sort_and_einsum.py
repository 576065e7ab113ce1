# The maximum by sorting, the sum by einsum, powers of 2; rows lie in the last dimension.
import math

import torch
from torch import Tensor

LOG2_E = math.log2(math.e)


def _rows(x: Tensor, dim: int, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    if not x.dtype.is_floating_point:
        raise TypeError(f"no softmax of {x.dtype} without a floating dtype")
    n_dims = max(x.ndim, 1)
    if not 0 <= dim + n_dims < 2 * n_dims:
        raise IndexError(f"dim {dim} does not exist")
    keep = x.new_ones((), dtype=torch.bool) if mask is None else mask
    if keep.dtype != torch.bool:
        raise TypeError("mask must be a bool tensor")
    # An enlarging mask is one that reaches further left, or is larger where x has size 1.
    padded = (1,) * (x.ndim - keep.ndim) + tuple(keep.shape)
    if len(padded) != x.ndim or any(m not in {1, s} for m, s in zip(padded, x.shape, strict=True)):
        raise ValueError("mask must broadcast to the shape of x")
    keep = keep.reshape(padded).expand(x.shape)
    z = x.to(torch.float32) if x.dtype in (torch.half, torch.bfloat16) else x
    z = z.where(keep, -torch.inf)
    if x.ndim == 0:
        return z[None], keep[None]
    return z.transpose(dim, -1), keep.transpose(dim, -1)


def _top(z: Tensor) -> Tensor:
    if z.shape[-1] == 0:
        return z.new_full((*z.shape[:-1], 1), -torch.inf)
    with torch.no_grad():
        return z.sort(-1, descending=True).values[..., :1]


def _powers(z: Tensor, top: Tensor) -> tuple[Tensor, Tensor]:
    weights = torch.exp2((z - top.nan_to_num(math.nan, 0.0, 0.0)) * LOG2_E)
    total = torch.einsum("...i->...", weights).unsqueeze(-1)
    return weights, total + (total == 0)


def _undo(y: Tensor, x: Tensor, dim: int) -> Tensor:
    return (y.transpose(dim, -1) if x.ndim else y[0]).to(x.dtype)


def _without_infinity(z: Tensor, top: Tensor) -> Tensor:
    # A row with +inf has no softmax.
    return z.masked_fill(top == torch.inf, math.nan)


def stable_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    x = x.type(dtype) if dtype is not None else x
    z, keep = _rows(x, dim, mask)
    weights, total = _powers(z, top := _top(z))
    return _undo(_without_infinity(weights / total, top).masked_fill(~keep, 0.0), x, dim)


def stable_log_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    x = x.type(dtype) if dtype is not None else x
    z, keep = _rows(x, dim, mask)
    _, total = _powers(z, top := _top(z))
    y = (z - top.nan_to_num(math.nan, 0.0, 0.0)) - torch.log2(total) / LOG2_E
    return _undo(_without_infinity(y, top).masked_fill(~keep, -torch.inf), x, dim)


def log_sum_exp(
    x: Tensor, dim: int = -1, keepdim: bool = False, mask: Tensor | None = None
) -> Tensor:
    z, _ = _rows(x, dim, mask)
    _, total = _powers(z, top := _top(z))
    y = _undo(total.log() + top, x, dim)
    return y if keepdim or x.ndim == 0 else y.squeeze(dim)
