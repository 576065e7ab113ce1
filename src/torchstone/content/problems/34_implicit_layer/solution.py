from typing import NamedTuple

import torch
from torch import Tensor, nn


class SolveInfo(NamedTuple):
    """Tell what a solver reached."""

    converged: bool
    num_iterations: int
    residual: float


def residual_of(z, fz):
    """Return the largest relative residual of the samples."""
    if len(z) == 0:
        return 0.0
    error = (fz - z).flatten(1).norm(dim=1)
    size = fz.flatten(1).norm(dim=1)
    return (error / size.clamp(min=1.0)).max().item()


def mix(points, values, beta):
    """Return the next point: the mixture whose residuals cancel best, for each sample."""
    steps = torch.stack([(f - z).flatten(1) for z, f in zip(points, values, strict=True)], 2)
    images = torch.stack(
        [(beta * f + (1 - beta) * z).flatten(1) for z, f in zip(points, values, strict=True)], 2
    )
    newest = images[..., -1:]
    if len(points) > 1:
        # In differences the weights sum to one by construction.
        gamma = torch.linalg.lstsq(steps.diff(dim=2), steps[..., -1:]).solution
        newest = newest - images.diff(dim=2) @ gamma
    return newest.reshape(points[-1].shape)


def anderson(f, z0, m=5, max_iter=50, tol=1e-6, beta=1.0):
    """Solve f(z) = z by Anderson acceleration; return the best evaluated point and a report."""
    z, points, values = z0.detach(), [], []
    best, best_residual, calls = z, float("inf"), 0
    while calls < max_iter:
        fz = f(z).detach()
        calls += 1
        if not fz.isfinite().all():
            break
        residual = residual_of(z, fz)
        if residual < best_residual:
            best, best_residual = z, residual
        if residual <= tol:
            break
        points, values = [*points[-m:], z], [*values[-m:], fz]
        z = mix(points, values, beta)
    return best, SolveInfo(best_residual <= tol, calls, best_residual)


class DEQ(nn.Module):
    """Return the fixed point of a cell; differentiate it by the implicit function theorem."""

    def __init__(
        self,
        cell,
        *,
        solver=anderson,
        tol=1e-6,
        max_iter=50,
        backward_tol=None,
        backward_max_iter=None,
    ):
        super().__init__()
        self.cell, self.solver = cell, solver
        self.tol, self.max_iter = tol, max_iter
        self.backward_tol = tol if backward_tol is None else backward_tol
        self.backward_max_iter = max_iter if backward_max_iter is None else backward_max_iter
        self.last_info = self.last_backward_info = None

    def forward(self, x: Tensor, z0: Tensor | None = None) -> Tensor:
        """Solve without a graph, then take one step with it."""
        z0 = torch.zeros_like(x) if z0 is None else z0.detach()
        with torch.no_grad():
            z, self.last_info = self.solver(
                lambda z: self.cell(z, x), z0, tol=self.tol, max_iter=self.max_iter
            )
        y = self.cell(z, x)
        if y.requires_grad:
            self._correct(y, z, x)
        return y

    def _correct(self, y, z, x):
        """Let the gradient of y pass through the adjoint equation u = g + J^T u."""
        # A second copy of the step, on a detached z: its VJP must not call the hook of y.
        point = z.detach().clone().requires_grad_()
        step = self.cell(point, x.detach())

        def solve_adjoint(g):
            u, self.last_backward_info = self.solver(
                lambda u: g + torch.autograd.grad(step, point, u, retain_graph=True)[0],
                g,
                tol=self.backward_tol,
                max_iter=self.backward_max_iter,
            )
            return u

        y.register_hook(solve_adjoint)
