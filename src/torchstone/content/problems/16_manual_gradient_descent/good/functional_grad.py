"""Gradients by torch.func.grad_and_value of a pure function."""

import torch
from torch.func import grad_and_value


def train_linear(x, y, *, lr=0.1, num_steps=100, momentum=0.0, l2=0.0, weight=None, bias=None):
    if x.ndim != 2 or y.ndim not in (1, 2) or len(x) != len(y) or len(x) == 0:
        raise ValueError("x must be (N, D), y (N,) or (N, K)")
    dims = x.shape[1:] + y.shape[1:]
    if weight is not None and weight.shape != dims:
        raise ValueError("weight has a wrong shape")
    if bias is not None and bias.shape != y.shape[1:]:
        raise ValueError("bias has a wrong shape")
    if any(value < 0 for value in (lr, num_steps, momentum, l2)) or momentum >= 1:
        raise ValueError("a number is out of range")
    dtype = torch.result_type(x, y)
    dtype = dtype if dtype.is_floating_point else torch.get_default_dtype()
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    with torch.no_grad():
        x, y = x.detach().clone().to(wide), y.detach().clone().to(wide)
        p = {
            "w": torch.zeros(dims, dtype=wide) if weight is None else weight.clone().to(wide),
            "b": torch.zeros(y.shape[1:], dtype=wide) if bias is None else bias.clone().to(wide),
        }
        p = {name: value.detach() for name, value in p.items()}
        velocity = {name: torch.zeros_like(value) for name, value in p.items()}

        def objective(p):
            error = (x @ p["w"] + p["b"]).sub(y)
            return error.square().mean() + l2 * p["w"].square().sum()

        step, losses = grad_and_value(objective), torch.zeros(num_steps, dtype=wide)
        for index in range(num_steps):
            gradients, losses[index] = step(p)
            velocity = {name: momentum * velocity[name] + gradients[name] for name in p}
            p = {name: p[name] - lr * velocity[name] for name in p}
        return p["w"].to(dtype), p["b"].to(dtype), losses.to(dtype)
