import torch
from torch import Tensor

NEVER = -torch.inf


def log_sum_exp(
    x: Tensor, dim: int = -1, keepdim: bool = False, mask: Tensor | None = None
) -> Tensor:
    """Return log(sum(exp(x))) along a dimension; -inf where nothing takes part."""
    check(x, dim, mask)
    scores, top = prepare(x, dim, mask)
    # With +inf on top there is nothing to shift: exp and log carry it through without NaN.
    shift = top.masked_fill(top.isinf(), 0.0)
    total = (scores - shift).exp().sum(dim, keepdim=True)
    # Added after the logarithm, so a dead row is -inf + log 1.
    result = total.masked_fill(total == 0, 1.0).log() + top
    return (result if keepdim or x.dim() == 0 else result.squeeze(dim)).to(x.dtype)


def stable_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    """Return exp(x) / sum(exp(x)) along a dimension; 0 where nothing takes part."""
    x = x if dtype is None else x.to(dtype)  # the input is cast before anything is computed
    check(x, dim, mask)
    weights = shift_down(x, dim, mask).exp()
    total = weights.sum(dim, keepdim=True)
    y = weights / total.masked_fill(total == 0, 1.0)
    return hide(y, mask, 0.0).to(x.dtype)


def stable_log_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    """Return the logarithm of the softmax, exact where the softmax itself is 0."""
    x = x if dtype is None else x.to(dtype)
    check(x, dim, mask)
    shifted = shift_down(x, dim, mask)
    total = shifted.exp().sum(dim, keepdim=True)
    y = shifted - total.masked_fill(total == 0, 1.0).log()
    return hide(y, mask, NEVER).to(x.dtype)


def check(x: Tensor, dim: int, mask: Tensor | None) -> None:
    if not x.is_floating_point():
        raise TypeError(f"the result would be {x.dtype}; pass a floating dtype")
    dims = max(x.dim(), 1)
    if not -dims <= dim < dims:
        raise IndexError(f"dim is {dim}, but x has {x.dim()} dimensions")
    if mask is None:
        return
    if mask.dtype != torch.bool:
        raise TypeError(f"mask is {mask.dtype}; True keeps an entry, so it must be bool")
    sizes = zip(reversed(mask.shape), reversed(x.shape), strict=False)
    if mask.dim() > x.dim() or any(of_mask not in (1, of_x) for of_mask, of_x in sizes):
        raise ValueError(f"mask {tuple(mask.shape)} does not broadcast to x {tuple(x.shape)}")


def prepare(x: Tensor, dim: int, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return the scores in the dtype of the computation, -inf where hidden, and their maximum."""
    scores = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    # Before anything is computed: what is hidden is gone, and its gradient is a plain 0.
    scores = hide(scores, mask, NEVER)
    if x.dim() and x.size(dim) == 0:
        return scores, scores.detach().sum(dim, keepdim=True) + NEVER
    # The result does not depend on the shift, so no gradient flows through it.
    return scores, scores.detach().amax(dim, keepdim=True)


def shift_down(x: Tensor, dim: int, mask: Tensor | None) -> Tensor:
    scores, top = prepare(x, dim, mask)
    # -inf - (-inf) is NaN; a row of nothing but -inf is shifted by 0 instead.
    return scores - top.masked_fill(top == NEVER, 0.0)


def hide(values: Tensor, mask: Tensor | None, filler: float) -> Tensor:
    return values if mask is None else values.masked_fill(~mask, filler)
