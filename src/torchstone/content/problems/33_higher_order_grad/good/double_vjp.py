"""The product of a Hessian by two transposed products: a dummy cotangent turns a VJP into a JVP."""

import torch
from torch import Tensor


def as_tuple(x):
    return (x,) if isinstance(x, Tensor) else tuple(x)


def zeros_where_none(found, xs):
    return [torch.zeros_like(x) if g is None else g for g, x in zip(found, xs, strict=True)]


def tracked(x):
    return x.view_as(x) if x.requires_grad else x.detach().clone().requires_grad_(True)


def value_of(f, xs):
    y = f(*xs)
    if y.numel() != 1:
        raise ValueError("f must return exactly one number")
    return y


@torch.enable_grad()
def hvp(f, inputs, v, create_graph=False):
    if isinstance(inputs, Tensor) is not isinstance(v, Tensor):
        raise ValueError("v has another structure than inputs")
    xs, vs = [tracked(x) for x in as_tuple(inputs)], as_tuple(v)
    if len(xs) != len(vs) or any(x.shape != d.shape for x, d in zip(xs, vs, strict=True)):
        raise ValueError("v has other shapes than inputs")
    y = value_of(f, xs)
    out = [torch.zeros_like(x) for x in xs]
    if y.requires_grad:
        grads = torch.autograd.grad(y, xs, torch.ones_like(y), create_graph=True, allow_unused=True)
        curved = [(g, x) for g, x in zip(grads, xs, strict=True) if g is not None]
        curved = [(g, x) for g, x in curved if g.requires_grad]
        if curved:
            # u -> H^T u is linear in u. Its own transposed product with v is H v, whatever u is.
            dummies = [torch.zeros_like(g).requires_grad_() for g, _ in curved]
            gs = [g for g, _ in curved]
            pulled = torch.autograd.grad(gs, xs, dummies, create_graph=True, allow_unused=True)
            pairs = [(p, d) for p, d in zip(pulled, vs, strict=True) if p is not None]
            pairs = [(p, d) for p, d in pairs if p.requires_grad]
            if pairs:
                found = torch.autograd.grad(
                    [p for p, _ in pairs],
                    dummies,
                    [d for _, d in pairs],
                    create_graph=create_graph,
                    allow_unused=True,
                )
                place = {id(x): h for (_, x), h in zip(curved, found, strict=True)}
                out = zeros_where_none([place.get(id(x)) for x in xs], xs)
    return out[0] if isinstance(inputs, Tensor) else tuple(out)


@torch.enable_grad()
def hessian(f, x, create_graph=False):
    x = tracked(x)
    y = value_of(f, [x])
    matrix = torch.zeros(x.numel(), x.numel(), dtype=x.dtype)
    if not y.requires_grad:
        return matrix.reshape(x.shape * 2)
    (g,) = torch.autograd.grad(y.reshape(()), x, create_graph=True, allow_unused=True)
    if g is None or not g.requires_grad:
        return matrix.reshape(x.shape * 2)
    rows = []
    for one_hot in torch.eye(x.numel(), dtype=x.dtype):
        (row,) = torch.autograd.grad(
            g,
            x,
            one_hot.reshape(x.shape),
            retain_graph=True,
            create_graph=create_graph,
            allow_unused=True,
        )
        rows.append(torch.zeros_like(x) if row is None else row)
    return torch.stack(rows).reshape(x.shape * 2)


@torch.enable_grad()
def laplacian(f, x, create_graph=True):
    num_rows, num_columns = x.shape
    x = tracked(x)
    y = f(x)
    if list(y.shape) not in ([num_rows], [num_rows, 1]):
        raise ValueError("f must return one number for each row")
    total = torch.zeros(num_rows, dtype=x.dtype)
    if not y.requires_grad:
        return total
    (g,) = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True, allow_unused=True)
    if g is None or not g.requires_grad:
        return total
    for d in range(num_columns):
        direction = torch.zeros_like(x)
        direction[:, d] = 1
        (column,) = torch.autograd.grad(
            g, x, direction, retain_graph=True, create_graph=create_graph, allow_unused=True
        )
        if column is not None:
            total = total + (column * direction).sum(1)
    return total


@torch.enable_grad()
def gradient_penalty(critic, real, fake, alpha, target=1.0):
    if real.shape != fake.shape:
        raise ValueError("real and fake differ in shape")
    if alpha.numel() != real.shape[0] or alpha.shape[:1] != real.shape[:1]:
        raise ValueError("alpha must be one number for each sample")
    alpha = alpha.reshape(-1, *(1 for _ in real.shape[1:]))
    point = torch.lerp(fake.detach(), real.detach(), alpha.detach()).requires_grad_(True)
    scores = critic(point)
    g = None
    if scores.requires_grad:
        (g,) = torch.autograd.grad(
            scores, point, torch.ones_like(scores), create_graph=True, allow_unused=True
        )
    g = torch.zeros_like(point) if g is None else g
    return ((g.reshape(len(real), -1).norm(2, dim=1) - target) ** 2).mean()
