# verdict: WA value
# group: sample
# en: `.grad` is never cleared, so every step adds all earlier gradients.
# zh: 从不清空 `.grad`，每一步都加上了以前的全部梯度。
import torch
import torch.nn.functional as F
from torch import Tensor


def check(x, y, lr, num_steps, momentum, l2, weight, bias) -> None:
    if x.ndim != 2 or len(x) == 0:
        raise ValueError(f"x must have shape (N, D) with N > 0; got {tuple(x.shape)}")
    if y.ndim not in (1, 2) or len(y) != len(x):
        raise ValueError(f"y must have shape (N,) or (N, K); got {tuple(y.shape)}")
    if weight is not None and weight.shape != (x.shape[1], *y.shape[1:]):
        raise ValueError(f"weight has the wrong shape {tuple(weight.shape)}")
    if bias is not None and bias.shape != y.shape[1:]:
        raise ValueError(f"bias has the wrong shape {tuple(bias.shape)}")
    if lr < 0 or num_steps < 0 or l2 < 0 or not 0 <= momentum < 1:
        raise ValueError("lr, num_steps and l2 must be >= 0, and momentum in [0, 1)")


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
    check(x, y, lr, num_steps, momentum, l2, weight, bias)
    dtype = torch.result_type(x, y)
    if not dtype.is_floating_point:
        dtype = torch.get_default_dtype()
    # A small update is lost in a half weight: add it up in float32.
    wide = torch.float32 if dtype.itemsize == 2 else dtype
    with torch.inference_mode(False), torch.enable_grad():
        x, y = x.detach().clone().to(wide), y.detach().clone().to(wide)
        shape = (x.shape[1], *y.shape[1:])
        w = x.new_zeros(shape) if weight is None else weight.detach().to(wide).clone()
        b = x.new_zeros(shape[1:]) if bias is None else bias.detach().to(wide).clone()
        w.requires_grad_()
        b.requires_grad_()
        velocities, losses = [torch.zeros_like(w), torch.zeros_like(b)], []
        for _ in range(num_steps):
            loss = F.mse_loss(x @ w + b, y) + l2 * w.square().sum()
            loss.backward()
            losses.append(loss.detach())
            with torch.no_grad():
                for p, v in zip((w, b), velocities, strict=True):
                    v.mul_(momentum).add_(p.grad)
                    p -= lr * v
        history = torch.stack(losses) if losses else x.new_empty(0)
        return w.detach().to(dtype), b.detach().to(dtype), history.to(dtype)
