"""A Function that is the identity in forward and solves the adjoint equation in backward.

The mixing weights come from the pseudo-inverse; they are the affine ones, with sum one.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn


class SolveInfo(NamedTuple):
    converged: bool
    num_iterations: int
    residual: float


def weights(residuals: Tensor) -> Tensor:
    """Return for each sample the alphas, with sum one, that minimise the mixed residual."""
    newest = residuals[:, -1]
    others = (residuals[:, :-1] - newest[:, None]).mT
    alpha = -(torch.linalg.pinv(others) @ newest[:, :, None])[:, :, 0]
    return torch.cat([alpha, 1 - alpha.sum(1, keepdim=True)], 1)


def anderson(f, z0, m=5, max_iter=50, tol=1e-6, beta=1.0):
    window = m + 1
    with torch.no_grad():
        z = z0.clone()
        zs, fs, records = [], [], []
        while True:
            fz = f(z)
            records.append((float("inf"), z))
            finite = torch.isfinite(fz).all().item()
            if finite:
                a, b = (fz - z).flatten(1), fz.flatten(1)
                relative = (a * a).sum(1).sqrt() / (b * b).sum(1).sqrt().clamp(min=1)
                records[-1] = (max(relative.tolist(), default=0.0), z)
            if not finite or records[-1][0] <= tol or len(records) >= max_iter:
                break
            zs, fs = [*zs, z.flatten(1)][-window:], [*fs, fz.flatten(1)][-window:]
            points, images = torch.stack(zs, 1), torch.stack(fs, 1)
            alpha = weights(images - points)[:, :, None]
            z = (alpha * (beta * images + (1 - beta) * points)).sum(1).view_as(z0)
        residual, best = min(records, key=lambda pair: pair[0])
        return best, SolveInfo(residual <= tol, len(records), residual)


class AdjointSolve(torch.autograd.Function):
    @staticmethod
    def forward(ctx, y, layer, step, z):
        ctx.layer, ctx.step, ctx.z = layer, step, z
        return y.view_as(y)

    @staticmethod
    def backward(ctx, g):
        def adjoint(u):
            (v,) = torch.autograd.grad(ctx.step, ctx.z, u, retain_graph=True)
            return g + v

        u, info = ctx.layer.solver(adjoint, g, **ctx.layer.adjoint_options)
        ctx.layer.last_backward_info = info
        return u, None, None, None


class DEQ(nn.Module):
    def __init__(
        self, cell, *, solver=anderson, tol=1e-6, max_iter=50, backward_tol=None,
        backward_max_iter=None,
    ):  # fmt: skip
        super().__init__()
        self.cell, self.solver = cell, solver
        self.options = {"tol": tol, "max_iter": max_iter}
        self.adjoint_options = {
            "tol": tol if backward_tol is None else backward_tol,
            "max_iter": max_iter if backward_max_iter is None else backward_max_iter,
        }
        self.last_info, self.last_backward_info = None, None

    def forward(self, x, z0=None):
        if z0 is None:
            z0 = torch.zeros_like(x)
        with torch.no_grad():
            z, info = self.solver(lambda z: self.cell(z, x), z0, **self.options)
        self.last_info = info
        if not torch.is_grad_enabled():
            return z
        leaf = z.detach().requires_grad_()
        step = self.cell(leaf, x.detach())
        return AdjointSolve.apply(self.cell(z.detach(), x), self, step.requires_grad_(), leaf)
