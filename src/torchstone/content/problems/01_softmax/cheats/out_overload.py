# verdict: FORBIDDEN_OP
# en: The out= overload of the private kernel.
# zh: 私有核函数的 out= 重载。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    x = x if dtype is None else x.to(dtype)
    return torch.ops.aten._softmax.out(x, dim, False, out=torch.empty_like(x))
