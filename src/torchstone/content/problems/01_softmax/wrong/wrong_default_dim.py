# verdict: WA value
# group: small
# en: The sum runs over `dim`; a hard-coded last dimension passes only the default call.
# zh: 求和要沿 `dim` 进行；写死最后一维，只有默认调用才对。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    if not -max(x.ndim, 1) <= dim < max(x.ndim, 1):
        raise IndexError(f"dim {dim} is out of range")
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    x = x.to(result_dtype)
    if x.numel() == 0:
        return x.clone()
    wide = x.float() if result_dtype in (torch.float16, torch.bfloat16) else x
    weights = (wide - wide.amax(-1, keepdim=True)).exp()
    return (weights / weights.sum(-1, keepdim=True)).to(result_dtype)
