# verdict: WA grad
# group: small
# en: A result computed under no_grad, or from x.data, carries no graph.
# zh: 在 no_grad 下（或用 x.data）算出的结果不带计算图。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    x = x.to(result_dtype)
    if x.numel() == 0:
        return x.clone()
    wide = x.float() if result_dtype in (torch.float16, torch.bfloat16) else x
    with torch.no_grad():
        weights = (wide - wide.amax(dim, keepdim=True)).exp()
        return (weights / weights.sum(dim, keepdim=True)).to(result_dtype)
