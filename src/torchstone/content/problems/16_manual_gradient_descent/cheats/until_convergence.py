# verdict: WA value
# group: small
# en: Goes on until nothing moves, whatever num_steps says.
# zh: 不管 num_steps 是多少，一直走到不动为止。
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
    for _ in range(max(num_steps, 300)):
        residual = x @ w + b - y
        losses.append(residual.square().mean())
        share = residual * (2 / residual.numel())
        w, b = w - lr * (x.T @ share), b - lr * share.sum(0)
    return w, b, torch.stack(losses)[:num_steps]
