# verdict: INPUT_MUTATED
# group: sample
# en: The caller still owns x; write the shifted scores into a tensor of your own.
# zh: x 属于调用者；减去最大值的结果要写进自己的张量。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    if dtype is not None:
        x = x.to(dtype)
    if x.numel() == 0:
        return x.clone()
    x -= x.amax(dim, keepdim=True)
    weights = (x.float() if x.dtype in (torch.float16, torch.bfloat16) else x).exp()
    return (weights / weights.sum(dim, keepdim=True)).to(result_dtype)
