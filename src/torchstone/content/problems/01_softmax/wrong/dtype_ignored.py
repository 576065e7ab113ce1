# verdict: WA dtype
# group: half
# en: `dtype` casts the input and sets the dtype of the result; accepting it is not enough.
# zh: `dtype` 要先转换输入，并决定结果的类型；只接收参数是不够的。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    if x.numel() == 0:
        return x.clone()
    wide = x if x.dtype in (torch.float32, torch.float64) else x.float()
    weights = (wide - wide.amax(dim, keepdim=True).detach()).exp()
    return (weights / weights.sum(dim, keepdim=True)).to(x.dtype)
