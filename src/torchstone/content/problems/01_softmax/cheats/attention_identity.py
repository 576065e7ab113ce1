# verdict: FORBIDDEN_OP
# en: Attention with identity matrices is a softmax in disguise.
# zh: 用单位矩阵作 value 的注意力，其实就是 softmax。
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    scores = (x if dtype is None else x.to(dtype)).movedim(dim, -1)
    n = scores.shape[-1]
    rows = scores.reshape(1, 1, -1, n)
    eye = torch.eye(n, dtype=scores.dtype).reshape(1, 1, n, n)
    y = torch.nn.functional.scaled_dot_product_attention(rows, eye, eye, scale=1.0)
    return y.reshape(scores.shape).movedim(-1, dim)
