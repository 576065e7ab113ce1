# verdict: FORBIDDEN_OP
# en: Makes the update with the fused operator of SGD.
# zh: 用 SGD 的融合算子完成更新。
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
    shape = (x.shape[1], *y.shape[1:])
    w, b = torch.zeros(shape), torch.zeros(shape[1:])
    losses = []
    for _ in range(num_steps):
        residual = x @ w + b - y
        losses.append(residual.square().mean())
        share = residual * (2 / residual.numel())
        torch._fused_sgd_(
            [w, b],
            [x.T @ share, share.sum(0)],
            [],
            weight_decay=0.0,
            momentum=0.0,
            lr=lr,
            dampening=0.0,
            nesterov=False,
            maximize=False,
            is_first_step=True,
        )
    return w, b, torch.stack(losses)
