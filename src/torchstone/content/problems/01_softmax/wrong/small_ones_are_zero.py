# verdict: WA value
# group: scale
# en: exp(-85) is small, but a float32 like any other: only below exp(-87) do the numbers end.
# zh: exp(-85) 虽小，仍是正常的 float32：到 exp(-87) 以下才没有正常数可用。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"softmax: the result would be {result_dtype}; pass a floating dtype.")
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
    weights = torch.where(shifted > -80, shifted.exp(), 0)
    return (weights / weights.sum(dim, keepdim=True)).to(result_dtype)
