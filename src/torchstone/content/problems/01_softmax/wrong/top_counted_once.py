# verdict: WA value
# group: small
# en: Several entries may attain the maximum; each of them belongs to the sum, not one alone.
# zh: 最大值可能不止一处；每一处都要计入总和，而不是只算一次。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    x = x.to(result_dtype)
    if x.numel() == 0:
        x.size(dim)  # complains about a wrong dimension
        return x.clone()
    wide = x.float() if result_dtype in (torch.float16, torch.bfloat16) else x
    top = wide.amax(dim, keepdim=True)
    e = torch.exp(wide - top)
    # exp(0) = 1 for the maximum, and the others are added to it; a constant slice has no others.
    others = wide != top
    total = 1 + (e * others).sum(dim, keepdim=True)
    constant = ~others.any(dim, keepdim=True)
    n = x.size(dim) if x.dim() else 1
    return (e / total.masked_fill(constant, n)).to(result_dtype)
