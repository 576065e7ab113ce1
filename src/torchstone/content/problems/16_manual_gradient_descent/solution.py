import torch
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
    with torch.no_grad():
        x, y = x.to(wide), y.to(wide)
        shape = (x.shape[1], *y.shape[1:])
        # Copies: the start belongs to the caller, and the updates below are in place.
        w = x.new_zeros(shape) if weight is None else weight.to(wide, copy=True)
        b = x.new_zeros(shape[1:]) if bias is None else bias.to(wide, copy=True)
        velocity_w, velocity_b = torch.zeros_like(w), torch.zeros_like(b)
        # Everything is of the sum of squares; the mean is taken once, by the size of a step.
        columns, count, losses = x.T, y.numel(), []
        for _ in range(num_steps):
            residual = x @ w + b - y
            loss = residual.square().sum()
            grad_w, grad_b = columns @ residual, residual.sum(0)
            if l2:
                loss += l2 * count * w.square().sum()
                grad_w.add_(w, alpha=l2 * count)
            losses.append(loss)
            velocity_w = grad_w.add_(velocity_w, alpha=momentum)
            velocity_b = grad_b.add_(velocity_b, alpha=momentum)
            w.sub_(velocity_w, alpha=2 * lr / count)
            b.sub_(velocity_b, alpha=2 * lr / count)
        history = torch.stack(losses) / count if losses else x.new_empty(0)
        return w.to(dtype), b.to(dtype), history.to(dtype)
