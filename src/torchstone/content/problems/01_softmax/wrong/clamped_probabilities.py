# verdict: WA value
# group: scale
# en: A clamp changes small probabilities and kills their gradient; the formula needs none.
# zh: 截断会改变很小的概率，并抹掉它们的梯度；公式本身不需要截断。
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
    y = weights / weights.sum(dim, keepdim=True)
    return y.clamp(min=1e-7).to(result_dtype)
