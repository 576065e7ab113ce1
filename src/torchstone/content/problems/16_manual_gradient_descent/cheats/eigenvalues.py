# verdict: FORBIDDEN_OP
# en: Jumps to step k by the eigenvalues of the Hessian.
# zh: 用海森矩阵的特征值直接跳到第 k 步。
import torch
from torch import Tensor


def train_linear(
    x: Tensor,
    y: Tensor,
    *,
    lr: float = 0.1,
    num_steps: int = 100,
    momentum: float = 0.0,
    l2: float = 0.0,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    design = torch.cat([x, torch.ones(len(x), 1)], 1)
    values, vectors = torch.linalg.eigh(design.T @ design * (2 / y.numel()))
    target = vectors.T @ (design.T @ y.reshape(len(y), -1)) * (2 / y.numel())
    factor = (1 - (1 - lr * values) ** num_steps) / values
    point = vectors @ (factor.unsqueeze(1) * target)
    shape = (x.shape[1], *y.shape[1:])
    return point[:-1].reshape(shape), point[-1].reshape(shape[1:]), torch.zeros(num_steps)
