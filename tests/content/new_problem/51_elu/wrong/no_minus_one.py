# verdict: WA value
# group: sample
# en: Without the minus one the function jumps at 0.
# zh: 不减一，函数在 0 处有跳跃。
import torch


def elu(x: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    return torch.where(x > 0, x, alpha * x.clamp(max=0).exp())
