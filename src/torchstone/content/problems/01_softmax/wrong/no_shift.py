# verdict: WA value
# group: scale
# en: exp overflows above 88 in float32; subtract the slice's maximum first.
# zh: float32 中 exp 超过 88 就溢出；先减去该切片的最大值。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    x = x.to(result_dtype)
    wide = x.float() if result_dtype in (torch.float16, torch.bfloat16) else x
    weights = wide.exp()
    return (weights / weights.sum(dim, keepdim=True)).to(result_dtype)
