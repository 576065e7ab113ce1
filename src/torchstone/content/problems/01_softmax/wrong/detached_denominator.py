# verdict: WA grad
# group: small
# en: The denominator depends on x, too; without it the gradients of a slice do not sum to zero.
# zh: 分母也依赖 x；漏掉它，同一切片的梯度之和就不为零。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    x = x.to(result_dtype)
    if x.numel() == 0:
        return x.clone()
    wide = x.float() if result_dtype in (torch.float16, torch.bfloat16) else x
    weights = (wide - wide.amax(dim, keepdim=True).detach()).exp()
    return (weights / weights.sum(dim, keepdim=True).detach()).to(result_dtype)
