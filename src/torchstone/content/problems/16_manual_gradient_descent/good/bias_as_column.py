"""The bias is the weight of a column of ones; one matrix holds all parameters."""

import torch


def check(x, y, weight, bias):
    if x.ndim != 2:
        raise ValueError("x must be 2-D")
    if y.ndim < 1 or y.ndim > 2:
        raise ValueError("y must be 1-D or 2-D")
    n, d = x.shape
    if n == 0 or y.shape[0] != n:
        raise ValueError("x and y need the same number of samples, at least one")
    if weight is not None and weight.shape != torch.Size([d]) + y.shape[1:]:
        raise ValueError("weight")
    if bias is not None and bias.shape != y.shape[1:]:
        raise ValueError("bias")


@torch.no_grad()
def train_linear(x, y, *, lr=0.1, num_steps=100, momentum=0.0, l2=0.0, weight=None, bias=None):
    check(x, y, weight, bias)
    if lr < 0.0 or num_steps < 0 or l2 < 0.0 or momentum < 0.0 or momentum >= 1.0:
        raise ValueError("a hyperparameter is out of range")
    n, d = x.shape
    dtype = torch.result_type(x, y)
    if not dtype.is_floating_point:
        dtype = torch.get_default_dtype()
    high = torch.promote_types(dtype, torch.float32)
    targets = y.to(high).reshape(n, -1)
    design = torch.hstack([x.to(high), torch.ones(n, 1, dtype=high)])
    k = targets.shape[1]
    theta = torch.zeros(d + 1, k, dtype=high)
    if weight is not None:
        theta[:d] = weight.reshape(d, k)
    if bias is not None:
        theta[d] = bias.reshape(k)
    penalised = torch.ones(d + 1, 1, dtype=high)
    penalised[d] = 0
    velocity = torch.zeros_like(theta)
    losses = []
    for _ in range(num_steps):
        error = torch.addmm(targets, design, theta, beta=-1)
        losses.append(((error**2).mean() + l2 * (penalised * theta**2).sum()).item())
        gradient = 2 / (n * k) * torch.einsum("nd,nk->dk", design, error)
        velocity = momentum * velocity + gradient + 2 * l2 * penalised * theta
        theta = theta - lr * velocity
    shape = y.shape[1:]
    w = theta[:d].reshape(d, *shape).to(dtype)
    b = theta[d].reshape(shape).to(dtype)
    return w, b, torch.tensor(losses, dtype=high).to(dtype)
