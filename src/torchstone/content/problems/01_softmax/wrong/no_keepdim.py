# verdict: WA value | RTE
# group: small
# en: Without keepdim the maximum is broadcast against the wrong dimension; square inputs hide it.
# zh: 不加 keepdim，最大值会沿错误的维度广播，方阵恰好看不出来。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    x = x.to(result_dtype)
    if x.numel() == 0:
        return x.clone()
    wide = x.float() if result_dtype in (torch.float16, torch.bfloat16) else x
    top = wide.amax(dim)
    weights = (wide - top.unsqueeze(-1)).exp()
    return (weights / weights.sum(dim, keepdim=True)).to(result_dtype)
