# A maximum, then log1p of what the other entries add to it; the softmax is exp of the logarithm.
import torch
from torch import Tensor


def stable_log_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    if dtype is not None:
        x = x.to(dtype)
    return _log_softmax(x, dim, mask).to(x.dtype)


def stable_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    if dtype is not None:
        x = x.to(dtype)
    return _log_softmax(x, dim, mask).exp().to(x.dtype)


def log_sum_exp(
    x: Tensor, dim: int = -1, keepdim: bool = False, mask: Tensor | None = None
) -> Tensor:
    _, top, log_total, _ = _parts(x, dim, mask)
    result = torch.where(top.isfinite() | top.isnan(), top + log_total, top)
    if not keepdim and x.dim():
        result = result.squeeze(dim)
    return result.to(x.dtype)


def _log_softmax(x: Tensor, dim: int, mask: Tensor | None) -> Tensor:
    gap, _, log_total, keep = _parts(x, dim, mask)
    return torch.where(keep, gap - log_total, float("-inf"))


def _parts(x: Tensor, dim: int, mask: Tensor | None):
    rank = max(x.dim(), 1)
    if not x.is_floating_point():
        raise TypeError("pass floating scores, or a floating dtype")
    if dim < -rank or dim >= rank:
        raise IndexError(dim)
    if mask is None:
        mask = torch.tensor(True)
    elif mask.dtype != torch.bool:
        raise TypeError(f"a mask is bool, not {mask.dtype}")
    try:
        keep = torch.broadcast_to(mask, x.shape)
    except RuntimeError as error:
        raise ValueError("mask does not broadcast to x") from error
    z = x.float() if x.element_size() == 2 else x
    z = torch.where(keep, z, float("-inf"))
    if x.dim() and x.shape[dim] == 0:
        nothing = z.sum(dim, keepdim=True)
        return z, nothing + float("-inf"), nothing, keep
    with torch.no_grad():
        top, place = z.max(dim, keepdim=True)
        safe = torch.where(top == float("-inf"), torch.zeros_like(top), top)
        first = torch.zeros_like(z, dtype=torch.bool).scatter_(dim, place, True)
    gap = z - safe
    at_top = first & (gap == 0)
    # Without the maximum's own exp(0) = 1 the sum keeps its small digits; a row of NaN stays NaN.
    rest = torch.where(at_top, torch.zeros_like(gap), gap.exp())
    # The derivative of that 1: expm1 of a difference that is 0. Elsewhere it must not be NaN.
    own = torch.where(at_top, gap, torch.zeros_like(gap))
    one = (own - own.detach()).expm1()
    return gap, top, (rest + one).sum(dim, keepdim=True).log1p(), keep
