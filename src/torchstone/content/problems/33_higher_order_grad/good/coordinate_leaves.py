"""Laplacian over one leaf for each coordinate, loops, and a square root that is safe at zero."""

import torch
from torch import Tensor


def diff(y, xs, keep):
    """Differentiate a 0-d tensor; None becomes zeros."""
    if y.requires_grad:
        found = torch.autograd.grad(y, xs, create_graph=keep, retain_graph=True, allow_unused=True)
    else:
        found = [None for _ in xs]
    return [torch.zeros_like(x) if d is None else d for x, d in zip(xs, found, strict=True)]


def check_number(y):
    if y.numel() != 1:
        raise ValueError("f returned several numbers")
    return y.squeeze() if y.ndim else y


def with_graph(x):
    return x + 0 if x.requires_grad else x.detach().clone().requires_grad_()


def hvp(f, inputs, v, create_graph=False):
    one = isinstance(inputs, Tensor)
    if one != isinstance(v, Tensor):
        raise ValueError("inputs and v differ in structure")
    inputs, v = ([inputs], [v]) if one else (list(inputs), list(v))
    if len(inputs) != len(v):
        raise ValueError("inputs and v differ in length")
    for x, direction in zip(inputs, v, strict=True):
        if x.shape != direction.shape:
            raise ValueError("inputs and v differ in shape")
    with torch.enable_grad():
        xs = [with_graph(x) for x in inputs]
        grads = diff(check_number(f(*xs)), xs, True)
        totals = [torch.zeros_like(x) for x in xs]
        # Block by block: the derivatives of each part of the gradient, cross blocks included.
        for g, direction in zip(grads, v, strict=True):
            blocks = diff(torch.sum(g * direction), xs, create_graph)
            totals = [total + block for total, block in zip(totals, blocks, strict=True)]
    return totals[0] if one else tuple(totals)


def hessian(f, x, create_graph=False):
    with torch.enable_grad():
        # One leaf for each entry; f sees them put together.
        entries = list(with_graph(x).reshape(-1).unbind())
        y = check_number(f(torch.stack(entries).reshape(x.shape)))
        rows = [torch.stack(diff(g, entries, create_graph)) for g in diff(y, entries, True)]
        return torch.stack(rows).reshape(x.shape + x.shape)


def laplacian(f, x, create_graph=True):
    with torch.enable_grad():
        columns = list(with_graph(x).unbind(1))
        y = f(torch.stack(columns, 1))
        if y.shape not in [(len(x),), (len(x), 1)]:
            raise ValueError("f must give one number for each row")
        result = torch.zeros_like(columns[0])
        for column in columns:
            (first,) = diff(y.sum(), [column], True)
            (second,) = diff(first.sum(), [column], create_graph)
            result = result + second
    return result


def gradient_penalty(critic, real, fake, alpha, target=1.0):
    if real.shape != fake.shape:
        raise ValueError("real and fake differ in shape")
    if alpha.ndim == 0 or len(alpha) != len(real) or alpha.ndim not in (1, real.ndim):
        raise ValueError("alpha does not fit")
    if any(size != 1 for size in alpha.shape[1:]):
        raise ValueError("alpha has more than one number for a sample")
    real, fake, alpha = real.detach(), fake.detach(), alpha.detach()
    mixed = [a * r + (1 - a) * f for a, r, f in zip(alpha.reshape(-1), real, fake, strict=True)]
    with torch.enable_grad():
        point = torch.stack(mixed).requires_grad_()
        (g,) = diff(critic(point).sum(), [point], True)
        squares = g.square().reshape(len(g), -1).sum(1)
        nonzero = squares > 0
        # The root of what is zero is never taken: 1 stands in for it, and is not selected.
        norms = torch.where(nonzero, torch.where(nonzero, squares, 1.0).sqrt(), 0.0)
        return sum((norm - target) ** 2 for norm in norms) / len(norms)
