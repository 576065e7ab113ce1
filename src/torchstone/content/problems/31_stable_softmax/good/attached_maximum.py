# The maximum by topk stays in the graph, in the dtype of the computation: its gradient cancels.
import torch
from torch import Tensor


def _shift(x: Tensor, dim: int, mask: Tensor | None):
    if not x.dtype.is_floating_point:
        raise TypeError("scores are floating")
    if not -(x.dim() or 1) <= dim < (x.dim() or 1):
        raise IndexError("no such dim")
    z = x if x.element_size() > 2 else x.to(torch.float32)
    if mask is not None:
        if mask.dtype is not torch.bool:
            raise TypeError("a bool mask, please")
        try:
            mask = mask.expand_as(x)
        except RuntimeError as error:
            raise ValueError("this mask does not fit") from error
        z = z.clone()
        z[~mask] = -torch.inf
    if z.dim() and z.shape[dim] == 0:
        top = z.sum(dim, keepdim=True) - torch.inf
    else:
        top = z.topk(1, dim).values if z.dim() else z.clone()
    return z, top, torch.where(top.isneginf(), 0.0, top), mask


def stable_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    if dtype is not None:
        x = x.to(dtype)
    z, _, shift, mask = _shift(x, dim, mask)
    e = torch.exp(z - shift)
    s = e.sum(dim, keepdim=True)
    y = e / torch.where(s == 0, 1.0, s)
    if mask is not None:
        y = y.where(mask, 0.0)
    return y.to(x.dtype)


def stable_log_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    if dtype is not None:
        x = x.to(dtype)
    z, _, shift, mask = _shift(x, dim, mask)
    d = z - shift
    s = torch.exp(d).sum(dim, keepdim=True)
    y = d - torch.where(s == 0, 1.0, s).log()
    if mask is not None:
        y = y.where(mask, -torch.inf)
    return y.to(x.dtype)


def log_sum_exp(
    x: Tensor, dim: int = -1, keepdim: bool = False, mask: Tensor | None = None
) -> Tensor:
    z, top, shift, mask = _shift(x, dim, mask)
    shift = torch.where(shift == torch.inf, 0.0, shift)
    s = torch.exp(z - shift).sum(dim, keepdim=True)
    y = torch.where(top.isinf(), top.detach(), shift + torch.where(s == 0, 1.0, s).log())
    if x.dim() and not keepdim:
        y = y.squeeze(dim)
    return y.to(x.dtype)
