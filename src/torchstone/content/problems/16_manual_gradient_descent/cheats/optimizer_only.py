# verdict: FORBIDDEN_OP
# en: Has its own loss, and lets torch.optim.SGD do the steps.
# zh: 损失自己算，步子交给 torch.optim.SGD。
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
    w = torch.zeros(shape, requires_grad=True)
    b = torch.zeros(shape[1:], requires_grad=True)
    optimizer = torch.optim.SGD([w, b], lr=lr, momentum=momentum)
    losses = []
    for _ in range(num_steps):
        loss = (x @ w + b - y).square().mean() + l2 * w.square().sum()
        w.grad, b.grad = torch.autograd.grad(loss, (w, b))
        optimizer.step()
        losses.append(loss.detach())
    return w.detach(), b.detach(), torch.stack(losses)
