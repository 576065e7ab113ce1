# verdict: FORBIDDEN_OP
# en: The in-place overload on a copy.
# zh: 在副本上调用原位重载。
import torch


def elu(x: torch.Tensor, alpha: float = 1.0) -> torch.Tensor:
    return torch.ops.aten.elu_(x.clone(), alpha)
