"""Ring buffers of fixed size, a QR factorisation, and a hook on the step itself."""

from typing import NamedTuple

import torch
from torch import nn


class SolveInfo(NamedTuple):
    converged: bool
    num_iterations: int
    residual: float


class Ring:
    """Hold the last m differences of points and residuals."""

    def __init__(self, like, m):
        size = like.flatten(1).shape[1]
        self.points = like.new_zeros(like.shape[0], size, m)
        self.steps = like.new_zeros(like.shape[0], size, m)
        self.count, self.m = 0, m

    def put(self, dz, dr):
        at = self.count % self.m
        self.points[:, :, at] = dz
        self.steps[:, :, at] = dr
        self.count += 1

    def next_point(self, z, r, beta):
        k = min(self.count, self.m)
        if k == 0:
            return z + beta * r
        dz, dr = self.points[:, :, :k], self.steps[:, :, :k]
        gamma = least_squares(dr, r)
        return z + beta * r - ((dz + beta * dr) @ gamma[:, :, None])[:, :, 0]


def least_squares(a, b):
    """Solve by QR of [a; eps I] in columns of length one, so that no triangle is singular."""
    sizes = a.square().sum(1).sqrt()
    sizes = sizes.masked_fill(sizes == 0, 1.0)
    small = torch.eye(a.shape[2], dtype=a.dtype) * torch.finfo(a.dtype).eps * 8
    tall = torch.cat([a / sizes[:, None], small.expand(len(a), -1, -1)], 1)
    rhs = torch.cat([b, b.new_zeros(len(b), a.shape[2])], 1)
    q, r = torch.linalg.qr(tall)
    y = torch.linalg.solve_triangular(r, (q.mT @ rhs[:, :, None]), upper=True)
    return y[:, :, 0] / sizes


def anderson(f, z0, m=5, max_iter=50, tol=1e-6, beta=1.0):
    with torch.no_grad():
        ring = Ring(z0, m)
        z = z0.detach().clone()
        best, lowest, k = z.clone(), float("inf"), 0
        old = None
        while k < max_iter:
            image = f(z.clone())
            k += 1
            if not torch.isfinite(image).all():
                break
            flat, target = z.flatten(1), image.flatten(1)
            r = target - flat
            found = 0.0
            if z.shape[0] > 0:
                found = (r.norm(dim=1) / torch.maximum(target.norm(dim=1), r.new_ones(()))).amax()
                found = found.item()
            if found < lowest:
                lowest = found
                best.copy_(z)
            if found <= tol:
                break
            if old is not None:
                ring.put(flat - old[0], r - old[1])
            old = flat.clone(), r
            z = ring.next_point(flat, r, beta).view(z0.shape)
    return best, SolveInfo(converged=lowest <= tol, num_iterations=k, residual=lowest)


class DEQ(nn.Module):
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
        self.f = cell
        self.solve = solver
        self.forward_limits = (tol, max_iter)
        self.backward_limits = (
            backward_tol if backward_tol is not None else tol,
            backward_max_iter if backward_max_iter is not None else max_iter,
        )
        self.last_info = self.last_backward_info = None

    def forward(self, x, z0=None):
        tol, max_iter = self.forward_limits
        start = x.new_zeros(x.shape) if z0 is None else z0.detach()
        with torch.no_grad():
            z, self.last_info = self.solve(
                lambda z: self.f(z, x), start, tol=tol, max_iter=max_iter
            )
        if not torch.is_grad_enabled():
            return z
        z = z.detach().requires_grad_()
        step = self.f(z, x)
        if not (x.requires_grad or any(p.requires_grad for p in self.f.parameters())):
            return step.detach()
        # The edge from the step to z is cut: z is a leaf of our own, and the hook adds its part.
        fixed = self.f(z.detach(), x)

        def hook(g):
            tol, max_iter = self.backward_limits

            def transposed(u):
                return g + torch.autograd.grad(step, z, u, retain_graph=True)[0]

            u, self.last_backward_info = self.solve(
                transposed, g.clone(), tol=tol, max_iter=max_iter
            )
            return u

        fixed.register_hook(hook)
        return fixed
