# verdict: FORBIDDEN_OP
# en: exp(x - logsumexp(x)): the difficult half by a builtin.
# zh: exp(x − logsumexp(x))：难的那一半仍交给了内置算子。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    x = x if dtype is None else x.to(dtype)
    return (x - x.logsumexp(dim, keepdim=True)).exp()
