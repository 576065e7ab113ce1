"""Gradients by torch.autograd.grad; every step makes new leaves."""

import torch
from torch import Tensor


def train_linear(
    x: Tensor, y: Tensor, *, lr=0.1, num_steps=100, momentum=0.0, l2=0.0, weight=None, bias=None
):
    if x.dim() != 2 or x.size(0) < 1 or y.dim() not in (1, 2) or y.size(0) != x.size(0):
        raise ValueError("x must be (N, D) and y (N,) or (N, K), with N > 0")
    tail = tuple(y.shape[1:])
    for start, shape in ((weight, (x.size(1), *tail)), (bias, tail)):
        if start is not None and tuple(start.shape) != shape:
            raise ValueError(f"a start must have shape {shape}")
    if min(lr, num_steps, l2, momentum) < 0 or momentum >= 1:
        raise ValueError("lr, num_steps, momentum or l2 is out of range")
    out = torch.result_type(x, y)
    out = out if out.is_floating_point else torch.get_default_dtype()
    compute = {torch.half: torch.float, torch.bfloat16: torch.float}.get(out, out)
    with torch.inference_mode(False):
        # Clones, since an inference tensor cannot be saved for backward.
        inputs, target = (each.clone().detach().to(compute) for each in (x, y))
        starts = (weight, (x.size(1), *tail)), (bias, tail)
        points = [
            torch.zeros(shape, dtype=compute) if p is None else p.clone().detach().to(compute)
            for p, shape in starts
        ]
        velocity = [torch.zeros_like(p) for p in points]
        losses = torch.empty(num_steps, dtype=compute)
        for step in range(num_steps):
            leaves = [p.requires_grad_() for p in points]
            with torch.enable_grad():
                error = (inputs @ leaves[0] + leaves[1]).sub(target)
                loss = (error * error).sum() / error.numel() + l2 * (leaves[0] ** 2).sum()
                gradients = torch.autograd.grad(loss, leaves)
            losses[step] = loss.detach()
            velocity = [momentum * v + g for v, g in zip(velocity, gradients, strict=True)]
            points = [(p - lr * v).detach() for p, v in zip(points, velocity, strict=True)]
        return points[0].detach().to(out), points[1].detach().to(out), losses.to(out)
