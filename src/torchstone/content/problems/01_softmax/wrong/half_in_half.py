# verdict: WA value
# group: half
# en: x - max is rounded before exp amplifies it; compute in float32, round once.
# zh: 半精度下差值先被舍入，exp 再把误差放大；应在 float32 中计算，最后只舍入一次。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    result_dtype = dtype or x.dtype
    if not result_dtype.is_floating_point:
        raise TypeError(f"{result_dtype} is not a floating dtype")
    x = x.to(result_dtype)
    if x.numel() == 0:
        return x.clone()
    weights = (x - x.amax(dim, keepdim=True).detach()).exp()
    return weights / weights.sum(dim, keepdim=True)
