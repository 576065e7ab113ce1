# verdict: WA value
# group: small
# en: alpha scales the lower branch.
# zh: alpha 要乘在下面的分支上。
import torch


def elu(x: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    return torch.where(x > 0, x, torch.expm1(x.clamp(max=0)))
