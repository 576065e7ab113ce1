# verdict: WA value
# group: scale
# en: exp(x) - 1 loses the digits of x near 0; expm1 keeps them.
# zh: 在 0 附近 exp(x) − 1 丢掉了 x 的有效数字；expm1 能保住它们。
import torch


def elu(x: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    return torch.where(x > 0, x, alpha * (x.clamp(max=0).exp() - 1))
