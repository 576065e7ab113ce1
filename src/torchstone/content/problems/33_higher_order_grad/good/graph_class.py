"""A class that holds the graph of a gradient, and is asked for products with it."""

from __future__ import annotations

import torch
from torch import Tensor


class Gradient:
    """The gradient of one number, kept with the graph of its computation."""

    def __init__(self, value: Tensor, points: list[Tensor]) -> None:
        self.points = points
        self.parts = self.pull(value, None, True)

    def pull(self, of, cotangent, create_graph):
        """Return a transposed product; zeros where there is no graph or no path."""
        of = list(of) if isinstance(of, list | tuple) else [of]
        cotangent = [None] * len(of) if cotangent is None else list(cotangent)
        pairs = [(y, c) for y, c in zip(of, cotangent, strict=True) if y.requires_grad]
        if not pairs:
            return [torch.zeros_like(point) for point in self.points]
        found = torch.autograd.grad(
            [y for y, _ in pairs],
            self.points,
            [c for _, c in pairs],
            retain_graph=True,
            create_graph=create_graph,
            allow_unused=True,
        )
        return [
            torch.zeros_like(point) if g is None else g
            for g, point in zip(found, self.points, strict=True)
        ]

    def product(self, directions, create_graph):
        return self.pull(self.parts, directions, create_graph)

    def column(self, d: int, create_graph: bool) -> Tensor:
        """Second derivatives along coordinate d of each row."""
        direction = torch.zeros_like(self.points[0])
        direction.select(1, d).fill_(1)
        return self.product([direction], create_graph)[0].select(1, d)


def leaf_or_graph(x: Tensor) -> Tensor:
    if x.requires_grad:
        return x.view_as(x)
    copy = torch.empty_like(x).copy_(x)
    return copy.requires_grad_()


def of_number(f, points):
    y = f(*points)
    if y.numel() != 1:
        raise ValueError("f must return a number")
    return Gradient(y.reshape([]), points)


def hvp(f, inputs, v, create_graph=False):
    with torch.set_grad_enabled(True):
        if torch.is_tensor(inputs):
            if not torch.is_tensor(v):
                raise ValueError("v must be a tensor, too")
            (product,) = hvp(f, (inputs,), (v,), create_graph)
            return product
        if torch.is_tensor(v) or [i.size() for i in inputs] != [j.size() for j in v]:
            raise ValueError("v must match inputs")
        points = [leaf_or_graph(x) for x in inputs]
        return tuple(of_number(f, points).product(v, create_graph))


def hessian(f, x, create_graph=False):
    with torch.set_grad_enabled(True):
        gradient = of_number(f, [leaf_or_graph(x)])
        whole = x.new_zeros(x.numel(), x.numel())
        for i in range(x.numel()):
            unit = torch.zeros(x.numel(), dtype=x.dtype)
            unit[i] = 1
            row = gradient.product([unit.reshape(x.size())], create_graph)[0]
            whole[i] = row.reshape(-1)
        return whole.reshape(x.size() + x.size())


def laplacian(f, x, create_graph=True):
    with torch.set_grad_enabled(True):
        point = leaf_or_graph(x)
        y = f(point)
        if y.size() != x.size()[:1] and y.size() != (x.size(0), 1):
            raise ValueError("f must return a number for each row")
        gradient = Gradient(y.sum(), [point])
        columns = [gradient.column(d, create_graph) for d in range(x.size(1))]
        return torch.stack(columns, dim=1).sum(dim=1)


def gradient_penalty(critic, real, fake, alpha, target=1.0):
    per_sample = real.size()[:1]
    if real.size() != fake.size():
        raise ValueError("real and fake must match")
    if alpha.size() != per_sample and alpha.size() != per_sample + (1,) * (real.dim() - 1):
        raise ValueError("alpha must be given for each sample")
    with torch.no_grad():
        a = alpha.view(per_sample + (1,) * (real.dim() - 1))
        point = a * real + (1 - a) * fake
    with torch.set_grad_enabled(True):
        point.requires_grad_()
        gradient = Gradient(critic(point).sum(), [point]).parts[0]
        lengths = torch.stack([torch.linalg.vector_norm(each) for each in gradient])
        return torch.mean(torch.pow(lengths - target, 2))
