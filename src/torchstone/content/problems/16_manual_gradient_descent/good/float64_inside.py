"""Everything in float64 inside, with in-place updates and losses as numbers of Python."""

import torch


def train_linear(x, y, *, lr=0.1, num_steps=100, momentum=0.0, l2=0.0, weight=None, bias=None):
    good = x.ndim == 2 and y.ndim in (1, 2) and 0 < x.shape[0] == y.shape[0]
    if not good or lr < 0 or num_steps < 0 or not 0 <= momentum < 1 or l2 < 0:
        raise ValueError("train_linear: a bad shape or number")
    w = start(weight, (x.shape[1], *y.shape[1:]))
    b = start(bias, tuple(y.shape[1:]))
    with torch.no_grad():
        return descend(x, y, w, b, lr, num_steps, momentum, l2)


def start(given, shape):
    if given is None:
        return torch.zeros(shape, dtype=torch.float64)
    if tuple(given.shape) != shape:
        raise ValueError(f"a start has shape {tuple(given.shape)}, not {shape}")
    return given.detach().double().clone()


def descend(x, y, w, b, lr, num_steps, momentum, l2):
    dtype = torch.result_type(x, y)
    if not dtype.is_floating_point:
        dtype = torch.get_default_dtype()
    x, y = x.detach().double(), y.detach().double()
    weight_velocity, bias_velocity, losses = 0.0 * w, 0.0 * b, []
    for _ in range(num_steps):
        error = torch.matmul(x, w).add_(b).sub_(y)
        losses.append(float(error.pow(2).mean()) + l2 * float(w.pow(2).sum()))
        error.mul_(2.0 / error.numel())
        weight_velocity.mul_(momentum).add_(torch.matmul(x.t(), error)).add_(w, alpha=2 * l2)
        bias_velocity.mul_(momentum).add_(error.sum(dim=0))
        w.sub_(weight_velocity, alpha=lr)
        b.sub_(bias_velocity, alpha=lr)
    # A loss beyond the largest float32 is infinite there.
    history = torch.tensor(losses, dtype=torch.float64).to(dtype)
    return w.to(dtype), b.to(dtype), history
