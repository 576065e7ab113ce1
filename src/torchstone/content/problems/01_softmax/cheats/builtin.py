# verdict: FORBIDDEN_OP
# en: The operator itself.
# zh: 直接调用内置算子。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    return torch.softmax(x, dim, dtype)
