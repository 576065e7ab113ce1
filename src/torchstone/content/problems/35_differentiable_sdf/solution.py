from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

Field = Callable[[Tensor], Tensor]


def sphere(p: Tensor, radius) -> Tensor:
    """Return the distance of points to a sphere round the origin."""
    return norm(p) - radius


def box(p: Tensor, half_size) -> Tensor:
    """Return the exact distance to a box round the origin, negative inside."""
    q = p.abs() - like(half_size, p)
    # One of the two terms is zero at each point, and vector_norm sends no gradient through a zero.
    return norm(q.clamp(min=0)) + q.amax(-1).clamp(max=0)


def torus(p: Tensor, major, minor) -> Tensor:
    """Return the distance to a torus round the y axis."""
    from_ring = norm(p[..., [0, 2]]) - major
    return norm(torch.stack([from_ring, p[..., 1]], -1)) - minor


def plane(p: Tensor, normal, offset) -> Tensor:
    """Return the signed distance to a plane; the normal may have any length."""
    n = like(normal, p)
    return (p * n).sum(-1) / norm(n) - offset


def capsule(p: Tensor, a, b, radius) -> Tensor:
    """Return the distance to the segment from a to b, less the radius."""
    a, b = like(a, p), like(b, p)
    along, from_a = b - a, p - a
    squared = (along * along).sum()
    # A segment without length is its first end: 0 / 1 in place of 0 / 0.
    share = (from_a * along).sum(-1) / torch.where(squared > 0, squared, 1)
    return norm(from_a - share.clamp(0, 1)[..., None] * along) - radius


def smooth_union(d1: Tensor, d2: Tensor, k: float) -> Tensor:
    """Return the minimum, blended by a quadratic where the distances differ by less than k."""
    if k < 0:
        raise ValueError(f"smooth_union: k is {k}; the width of the blend cannot be negative.")
    if k == 0:
        return torch.minimum(d1, d2)
    h = (0.5 + 0.5 * (d2 - d1) / k).clamp(0, 1)
    return d2 + (d1 - d2) * h - k * h * (1 - h)


def smooth_intersection(d1: Tensor, d2: Tensor, k: float) -> Tensor:
    """Return the smooth maximum."""
    return -smooth_union(-d1, -d2, k)


def smooth_subtraction(d1: Tensor, d2: Tensor, k: float) -> Tensor:
    """Return the first shape without the second."""
    return smooth_intersection(d1, -d2, k)


def gradient(f: Field, p: Tensor, create_graph: bool = True) -> Tensor:
    """Return the gradient of f at each point, whatever the grad mode of the caller is."""
    with torch.enable_grad():
        x = p if p.requires_grad else p.detach().requires_grad_()
        # Points do not depend on each other, so the sum has the gradient of each in its row.
        return torch.autograd.grad(f(x).sum(), x, create_graph=create_graph)[0]


def normals(f: Field, p: Tensor, create_graph: bool = False) -> Tensor:
    """Return unit gradients, and zero where the gradient is zero."""
    g = gradient(f, p, create_graph)
    length = norm(g)[..., None]
    return g / torch.where(length > 0, length, 1)


def eikonal_loss(f: Field, p: Tensor) -> Tensor:
    """Return how far the length of the gradient is from 1, squared, on average."""
    with torch.enable_grad():
        return (norm(gradient(f, p)) - 1).square().mean()


class TraceResult(NamedTuple):
    """Hold where rays meet a surface."""

    t: Tensor
    points: Tensor
    hit: Tensor
    steps: int


def sphere_trace(
    f: Field,
    origins: Tensor,
    dirs: Tensor,
    t_near: float = 0.0,
    t_far: float = 10.0,
    max_steps: int = 128,
    tol: float = 1e-4,
) -> TraceResult:
    """March along rays by the distance itself, then attach the gradient at the last point."""
    unit = dirs / norm(dirs)[..., None]
    t, hit, steps = march(f, origins, unit, t_near, t_far, max_steps, tol)
    points = origins + t[..., None] * unit
    if torch.is_grad_enabled():
        # Two evaluations: one for the slope, one through which the gradient flows.
        slope = (gradient(f, points.detach(), create_graph=False) * unit).sum(-1).detach()
        value = f(points)
        # Zero in value; its derivative is -df / slope, that of the root. Misses divide by one.
        root = -(value - value.detach()) / torch.where(hit, slope, 1)
        t = t + torch.where(hit, root, 0)
        points = origins + t[..., None] * unit
    return TraceResult(t, points, hit, steps)


@torch.no_grad()
def march(f, origins, unit, t_near, t_far, max_steps, tol):
    """Return the arc length of each ray, whether it hit, and the number of evaluations."""
    t = torch.full_like(origins[..., 0], t_near)
    hit = torch.zeros_like(t, dtype=torch.bool)
    alive = ~hit
    steps = 0
    while steps < max_steps and alive.any():
        distance = f(origins + t[..., None] * unit).abs()
        steps += 1
        hit |= alive & (distance < tol)
        t = torch.where(alive & ~hit, t + distance, t)
        alive &= ~hit & (t <= t_far)
    return torch.where(hit, t, t_far), hit, steps


def norm(v: Tensor) -> Tensor:
    """Return lengths along the last dimension; the backward at zero is zero, not NaN."""
    return torch.linalg.vector_norm(v, dim=-1)


def like(value, p: Tensor) -> Tensor:
    """Turn a tuple into a tensor of the dtype of the points; leave the graph of a tensor alone."""
    return torch.as_tensor(value, dtype=p.dtype)
