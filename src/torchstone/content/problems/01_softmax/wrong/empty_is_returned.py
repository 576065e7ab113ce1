# verdict: WA property
# group: errors
# en: With nothing to compute the result is still a new tensor, not the caller's own x.
# zh: 没有可算的内容时，返回值仍应是新张量，而不是调用者自己的 x。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    x = x.to(result_dtype)
    if x.numel() == 0:
        x.size(dim)  # complains about a wrong dimension
        return x
    wide = x.float() if result_dtype in (torch.float16, torch.bfloat16) else x
    e = torch.exp(wide - wide.amax(dim, keepdim=True).detach())
    return (e / e.sum(dim, keepdim=True)).to(result_dtype)
