"""A Function that keeps only z and x, and computes the step again in backward.

The mixing system is the Gram matrix of the differences with a ridge relative to its trace.
"""

from typing import NamedTuple

import torch
from torch import nn


class SolveInfo(NamedTuple):
    converged: bool
    num_iterations: int
    residual: float


@torch.no_grad()
def anderson(f, z0, m=5, max_iter=50, tol=1e-6, beta=1.0):
    shape, batch = z0.shape, z0.shape[0]
    history = []  # pairs of a point and its residual vector, both (B, n)
    best = (float("inf"), z0)
    z = z0
    for count in range(1, max_iter + 1):
        image = f(z)
        if not bool(torch.isfinite(image).all()):
            return best[1], SolveInfo(best[0] <= tol, count, best[0])
        flat, image = z.reshape(batch, shape[1:].numel()), image.reshape(batch, shape[1:].numel())
        step = image - flat
        scale = torch.linalg.vector_norm(image, dim=1).clamp_min(1)
        ratios = torch.linalg.vector_norm(step, dim=1) / scale
        residual = float(ratios.max()) if batch else 0.0
        if residual < best[0]:
            best = (residual, z)
        if residual <= tol or count == max_iter:
            break
        history.append((flat, step))
        del history[: -(m + 1)]
        z = extrapolate(history, beta).reshape(shape)
    return best[1], SolveInfo(best[0] <= tol, count, best[0])


def extrapolate(history, beta):
    point, step = history[-1]
    if len(history) == 1:
        return point + beta * step
    dz = torch.stack([point - each for each, _ in history[:-1]], 1)
    dr = torch.stack([step - each for _, each in history[:-1]], 1)
    # Columns of length one: the condition of the Gram matrix is then that of the directions alone.
    size = torch.linalg.vector_norm(dr, dim=2, keepdim=True)
    size = torch.where(size > 0, size, torch.ones_like(size))
    dz, dr = dz / size, dr / size
    gram = dr @ dr.mT
    ridge = torch.finfo(gram.dtype).eps * gram.shape[1]
    eye = torch.eye(gram.shape[1], dtype=gram.dtype)
    gamma = torch.linalg.solve(gram + ridge * eye, dr @ step[:, :, None])
    return point + beta * step - ((dz + beta * dr).mT @ gamma)[:, :, 0]


class Equilibrium(torch.autograd.Function):
    @staticmethod
    def forward(ctx, layer, z, x, *parameters):
        ctx.layer = layer
        ctx.save_for_backward(z, x)
        return layer.cell(z, x)

    @staticmethod
    def backward(ctx, grad_output):
        layer = ctx.layer
        z, x = (item.detach() for item in ctx.saved_tensors)
        z.requires_grad_()
        x.requires_grad_(ctx.needs_input_grad[2])
        with torch.enable_grad():
            step = layer.cell(z, x)

        def adjoint(u):
            return torch.autograd.grad(step, z, u, retain_graph=True)[0] + grad_output

        u, layer.last_backward_info = layer.solver(
            adjoint,
            torch.zeros_like(grad_output),
            tol=layer.backward_tol,
            max_iter=layer.backward_max_iter,
        )
        inputs = [x, *layer.cell.parameters()]
        wanted = [item for item in inputs if item.requires_grad]
        found = iter(torch.autograd.grad(step, wanted, u, allow_unused=True))
        return None, None, *[next(found) if item.requires_grad else None for item in inputs]


class DEQ(nn.Module):
    def __init__(self, cell, *, solver=anderson, tol=1e-6, max_iter=50, **backward):
        super().__init__()
        self.cell = cell
        self.solver = solver
        self.tol, self.max_iter = tol, max_iter
        options = {"backward_tol": None, "backward_max_iter": None} | backward
        if len(options) > 2:
            raise TypeError(f"unknown options: {sorted(options)}")
        self.backward_tol = tol if options["backward_tol"] is None else options["backward_tol"]
        self.backward_max_iter = max_iter
        if options["backward_max_iter"] is not None:
            self.backward_max_iter = options["backward_max_iter"]
        self.last_info = None
        self.last_backward_info = None

    def forward(self, x, z0=None):
        start = torch.zeros_like(x) if z0 is None else z0

        def f(z):
            return self.cell(z, x)

        with torch.no_grad():
            z, self.last_info = self.solver(f, start.detach(), tol=self.tol, max_iter=self.max_iter)
        return Equilibrium.apply(self, z.detach(), x, *self.cell.parameters())
