# verdict: WA grad
# group: sample
# en: The lower branch has a derivative, too: alpha times exp(x).
# zh: 下面的分支也有导数：alpha 乘 exp(x)。
import torch


def elu(x: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    return torch.where(x > 0, x, alpha * torch.expm1(x.detach().clamp(max=0)))
