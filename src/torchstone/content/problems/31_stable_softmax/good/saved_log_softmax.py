# One Function saves the log-softmax and knows its VJP; the other two results come from it.
import torch
from torch import Tensor


class LogSoftmax(torch.autograd.Function):
    """The log-softmax over the last dimension; -inf stands for what does not take part."""

    @staticmethod
    def forward(ctx, rows):
        top = rows.amax(-1, keepdim=True)
        gap = rows - torch.where(torch.isneginf(top), torch.zeros_like(top), top)
        total = torch.exp(gap).sum(-1, keepdim=True)
        y = gap - torch.log(torch.where(total == 0, torch.ones_like(total), total))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return grad_output - torch.exp(y) * grad_output.sum(-1, keepdim=True)


def as_rows(x: Tensor, dim: int, mask: Tensor | None) -> Tensor:
    if not torch.is_floating_point(x):
        raise TypeError("only floating scores have a softmax")
    if dim not in range(-max(x.ndim, 1), max(x.ndim, 1)):
        raise IndexError(f"dim {dim} is out of range")
    rows = x.to(torch.promote_types(x.dtype, torch.float32))
    if mask is not None:
        if mask.dtype is not torch.bool:
            raise TypeError("mask must be bool")
        try:
            whole = mask.expand(x.shape)
        except RuntimeError:
            raise ValueError(f"mask {mask.shape} does not broadcast to {x.shape}") from None
        rows = torch.where(whole, rows, -torch.inf)
    return rows.movedim(dim, -1) if x.ndim else rows.reshape(1)


def log_rows(x, dim, mask):
    rows = as_rows(x, dim, mask)
    y = LogSoftmax.apply(rows) if rows.numel() else rows * 1
    if mask is not None and x.ndim:
        # A row of NaN is NaN only where something takes part.
        y = torch.where(mask.expand(x.shape).movedim(dim, -1), y, -torch.inf)
    return rows, y


def back(rows, x, dim):
    return (rows.movedim(-1, dim) if x.ndim else rows.reshape(())).to(x.dtype)


def stable_log_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    x = x.to(dtype or x.dtype)
    return back(log_rows(x, dim, mask)[1], x, dim)


def stable_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    x = x.to(dtype or x.dtype)
    return back(torch.exp(log_rows(x, dim, mask)[1]), x, dim)


def log_sum_exp(
    x: Tensor, dim: int = -1, keepdim: bool = False, mask: Tensor | None = None
) -> Tensor:
    rows, y = log_rows(x, dim, mask)
    if rows.size(-1) == 0:
        result = rows.sum(-1, keepdim=True) - torch.inf
    else:
        # At the maximum the log-softmax is -log S, and nothing was rounded before the logarithm.
        top, place = rows.max(-1, keepdim=True)
        result = top - y.gather(-1, place)
        result = torch.where(torch.isinf(top), top.detach(), result)
    result = back(result, x, dim)
    return result if keepdim or not x.ndim else result.squeeze(dim)
