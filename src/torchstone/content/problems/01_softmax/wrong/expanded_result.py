# verdict: WA property
# group: errors
# en: An expanded result is one number seen many times; the next in-place operator on it fails.
# zh: expand 得到的结果只是把同一个数看了许多遍，下一个原地操作就会出错。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    x = x.to(result_dtype)
    if x.numel() == 0:
        x.size(dim)  # complains about a wrong dimension
        return x.clone()
    wide = x.float() if result_dtype in (torch.float16, torch.bfloat16) else x
    top = wide.amax(dim, keepdim=True).detach()
    if not x.requires_grad and bool((wide == top).all()) and bool(top.isfinite().all()):
        n = x.size(dim) if x.dim() else 1
        return torch.full((), 1 / n, dtype=result_dtype).expand(x.shape)
    e = torch.exp(wide - top)
    return (e / e.sum(dim, keepdim=True)).to(result_dtype)
