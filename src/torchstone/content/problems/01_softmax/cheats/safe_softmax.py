# verdict: FORBIDDEN_OP
# en: The private variant that scaled dot-product attention uses.
# zh: 缩放点积注意力内部使用的私有变体。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    return torch.ops.aten._safe_softmax(x, dim, dtype)
