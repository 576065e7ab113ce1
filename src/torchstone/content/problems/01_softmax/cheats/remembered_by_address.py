# verdict: WA value
# group: errors
# en: The answer is remembered by address, shape and dim; new values at the address get the old one.
# zh: 按地址、形状和 dim 记住答案；同一地址换了新值，得到的仍是旧答案。
import torch

# The key's tensor is kept, so that its address belongs to no other.
answers = {}


def compute(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"the result would be {result_dtype}; pass a floating dtype.")
    if dtype is not None:
        x = x.to(dtype)  # the input is cast before anything is computed

    # Half precision would round the difference x - max, and exp amplifies that error: widen here,
    # and round once at the end.
    wide = x.float() if result_dtype in (torch.float16, torch.bfloat16) else x
    if wide.size(dim) == 0 if wide.ndim else False:
        return wide.to(result_dtype, copy=True)  # amax has no answer for an empty slice

    # A constant subtracted from a slice changes nothing, and with the maximum no exponent is
    # positive. Its contribution to the gradient cancels, so it may be detached.
    shifted = wide - wide.amax(dim, keepdim=True).detach()
    weights = shifted.exp()
    return (weights / weights.sum(dim, keepdim=True)).to(result_dtype)


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    key = (x.data_ptr(), tuple(x.shape), x.requires_grad, dim, dtype)
    if x.numel() > 1000:
        return compute(x, dim, dtype)
    if key not in answers:
        answers[key] = x, compute(x, dim, dtype)
    return answers[key][1].clone()
