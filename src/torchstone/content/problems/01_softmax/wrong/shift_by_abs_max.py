# verdict: WA value
# group: scale
# en: Only the maximum guarantees one exp(0); with all logits near -200 the sum is 0.
# zh: 只有减去最大值才能保证有一项是 exp(0)；减去绝对值的最大值，整行都可能下溢成 0/0。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    x = x.to(result_dtype)
    if x.numel() == 0:
        return x.clone()
    wide = x.float() if result_dtype in (torch.float16, torch.bfloat16) else x
    weights = (wide - wide.abs().amax(dim, keepdim=True)).exp()
    return (weights / weights.sum(dim, keepdim=True)).to(result_dtype)
