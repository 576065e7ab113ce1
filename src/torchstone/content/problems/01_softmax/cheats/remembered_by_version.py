# verdict: WA value
# group: errors
# en: The answer is remembered by the object and its version counter, which writes can leave alone.
# zh: 按对象及其版本计数器记住答案；而写入可以不改变版本计数器。
import torch

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
    key = (id(x), x._version, dim, dtype)
    if x.numel() > 1000:
        return compute(x, dim, dtype)
    if key not in answers:
        answers[key] = x, compute(x, dim, dtype)
    return answers[key][1].clone()
