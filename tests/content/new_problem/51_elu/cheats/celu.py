# verdict: FORBIDDEN_OP
# en: CELU with alpha = 1 is the same function.
# zh: alpha = 1 的 CELU 就是同一个函数。
import torch


def elu(x: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    low = torch.celu(x, 1.0)
    return torch.where(x > 0, low, alpha * low)
