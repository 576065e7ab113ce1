# verdict: WA value
# group: edge
# en: -inf minus a finite maximum needs no mask; only a slice of nothing but -inf is NaN.
# zh: -inf 减去有限的最大值仍是 -inf，不需要掩码；只有整行都是 -inf 才得 NaN，而且就应当是 NaN。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    x = x.to(result_dtype)
    if x.numel() == 0:
        return x.clone()
    wide = x.float() if result_dtype in (torch.float16, torch.bfloat16) else x
    shifted = wide - wide.amax(dim, keepdim=True).detach()
    weights = torch.where(wide == -torch.inf, 0.0, shifted.exp())
    y = weights / weights.sum(dim, keepdim=True)
    return torch.where(wide == -torch.inf, 0.0, y).to(result_dtype)
