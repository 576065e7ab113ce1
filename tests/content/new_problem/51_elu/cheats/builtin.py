# verdict: FORBIDDEN_OP
# en: The operator itself.
# zh: 直接调用内置算子。
import torch


def elu(x: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    return torch.nn.functional.elu(x, alpha)
