# verdict: FORBIDDEN_OP
# en: Calls the function behind torch.optim.SGD.
# zh: 调用 torch.optim.SGD 背后的函数。
import torch
from torch import Tensor
from torch.optim.sgd import sgd


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
    buffers, losses = [None, None], []
    for _ in range(num_steps):
        residual = x @ w + b - y
        losses.append(residual.square().mean())
        share = residual * (2 / residual.numel())
        sgd(
            [w, b],
            [x.T @ share, share.sum(0)],
            buffers,
            weight_decay=0.0,
            momentum=momentum,
            lr=lr,
            dampening=0.0,
            nesterov=False,
            maximize=False,
        )
    return w, b, torch.stack(losses)
