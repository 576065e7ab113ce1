# One pass over blocks; a new maximum rescales the sum so far.
import torch
from torch import Tensor

BLOCK = 2048


def validated(x: Tensor, dim: int, mask: Tensor | None) -> Tensor | None:
    if x.dtype not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        raise TypeError(f"{x.dtype} is not a floating dtype")
    if not -max(1, x.ndim) <= dim <= max(1, x.ndim) - 1:
        raise IndexError(f"Dimension out of range: {dim}")
    if mask is None:
        return None
    if mask.dtype != torch.bool:
        raise TypeError("the mask has to be a bool tensor")
    try:
        common = torch.broadcast_shapes(mask.shape, x.shape)
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    if common != x.shape:
        raise ValueError("the mask would enlarge x")
    return mask.broadcast_to(x.shape)


def scan(x: Tensor, dim: int, keep: Tensor | None):
    """Return the wide scores, the reference point of the sum, the maximum, and the sum."""
    z = x.float() if x.dtype.itemsize == 2 else x
    if keep is not None:
        z = torch.where(keep, z, z.new_full((), -torch.inf))
    if x.ndim == 0:
        z = z.unsqueeze(0)
    shape = list(z.shape)
    shape[dim] = 1
    top = torch.full(shape, -torch.inf, dtype=z.dtype)
    point, total = torch.zeros_like(top), torch.zeros_like(top)
    for block in z.split(BLOCK, dim):
        if block.size(dim) == 0:
            continue
        new_top = torch.maximum(top, block.detach().max(dim, keepdim=True).values)
        new_point = new_top.masked_fill(new_top == -torch.inf, 0)
        # Nothing has been summed while the maximum is -inf: whatever the factor, 0 stays 0.
        total = total * (point - new_point).clamp(max=0).exp()
        total = total + (block - new_point).exp().sum(dim, keepdim=True)
        top, point = new_top, new_point
    return z, point, top, total


def finish(y: Tensor, x: Tensor, keep: Tensor | None, rest: float) -> Tensor:
    y = y.reshape(x.shape)
    return (y if keep is None else torch.where(keep, y, y.new_full((), rest))).to(x.dtype)


def stable_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    if dtype is not None:
        x = x.to(dtype)
    keep = validated(x, dim, mask)
    z, point, _, total = scan(x, dim, keep)
    return finish((z - point).exp() / torch.where(total == 0, 1, total), x, keep, 0.0)


def stable_log_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    if dtype is not None:
        x = x.to(dtype)
    keep = validated(x, dim, mask)
    z, point, _, total = scan(x, dim, keep)
    return finish((z - point) - torch.where(total == 0, 1, total).log(), x, keep, -torch.inf)


def log_sum_exp(
    x: Tensor, dim: int = -1, keepdim: bool = False, mask: Tensor | None = None
) -> Tensor:
    _, point, top, total = scan(x, dim, validated(x, dim, mask))
    result = torch.where(torch.isinf(top), top, point + torch.where(total == 0, 1, total).log())
    if x.ndim == 0:
        return result.squeeze(0).to(x.dtype)
    return (result if keepdim else result.squeeze(dim)).to(x.dtype)
