# verdict: WA property
# group: edge
# en: A tensor kept for the next call has two owners; writing into one result changes the other.
# zh: 留给下一次调用的张量有两个主人；改写其中一个返回值，另一个也跟着变。
import functools

import torch


@functools.cache
def make_ones(shape: torch.Size, dtype: torch.dtype) -> torch.Tensor:
    return torch.ones(shape, dtype=dtype)


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    x = x.to(result_dtype)
    if x.numel() == 0:
        x.size(dim)  # complains about a wrong dimension
        return x.clone()
    if x.dim() and x.size(dim) == 1 and not x.requires_grad and bool(x.isfinite().all()):
        return make_ones(x.shape, result_dtype)
    wide = x.float() if result_dtype in (torch.float16, torch.bfloat16) else x
    e = torch.exp(wide - wide.amax(dim, keepdim=True).detach())
    return (e / e.sum(dim, keepdim=True)).to(result_dtype)
