# verdict: WA value
# group: small
# en: alpha stands before the exponential, not in the exponent.
# zh: alpha 乘在指数函数之外，不在指数里。
import torch


def elu(x: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    return torch.where(x > 0, x, torch.expm1(alpha * x.clamp(max=0)))
