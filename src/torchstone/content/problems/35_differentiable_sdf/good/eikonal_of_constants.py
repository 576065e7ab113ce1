# The eikonal loss at points that are constants; a Newton step with a detached slope for live rays.
from typing import NamedTuple

import torch
from torch import Tensor


class TraceResult(NamedTuple):
    t: Tensor
    points: Tensor
    hit: Tensor
    steps: int


def _norm(x):
    s = (x * x).sum(-1)
    zero = s == 0
    return torch.where(zero, 0.0, torch.where(zero, 1.0, s).sqrt())


def _as(v, p):
    return v.to(p.dtype) if torch.is_tensor(v) else torch.tensor(v, dtype=p.dtype)


def sphere(p, radius):
    return _norm(p) - _as(radius, p)


def box(p, half_size):
    q = p.abs() - _as(half_size, p)
    return _norm(torch.where(q > 0, q, 0.0)) + torch.where(q.amax(-1) < 0, q.max(-1).values, 0.0)


def torus(p, major, minor):
    ring = _norm(torch.stack([p[..., 0], p[..., 2]], -1)) - _as(major, p)
    return _norm(torch.stack([ring, p[..., 1]], -1)) - _as(minor, p)


def plane(p, normal, offset):
    n = _as(normal, p)
    return (p * (n / _norm(n))).sum(-1) - _as(offset, p)


def capsule(p, a, b, radius):
    a, b = _as(a, p), _as(b, p)
    ab, ap = b - a, p - a
    length = (ab * ab).sum()
    safe = torch.where(length == 0, 1.0, length)
    h = torch.where(length == 0, 0.0, (ap * ab).sum(-1) / safe).clamp(0, 1)
    return _norm(ap - h[..., None] * ab) - _as(radius, p)


def smooth_union(d1, d2, k):
    if k < 0:
        raise ValueError("k")
    low = torch.minimum(d1, d2)
    if k == 0:
        return low
    return low - torch.relu(k - (d1 - d2).abs()) ** 2 / (4 * k)


def smooth_intersection(d1, d2, k):
    return -smooth_union(-d1, -d2, k)


def smooth_subtraction(d1, d2, k):
    return smooth_intersection(d1, -d2, k)


def gradient(f, p, create_graph=True):
    with torch.enable_grad():
        q = p.clone() if p.requires_grad and create_graph else p.detach().clone().requires_grad_()
        y = f(q)
        if not y.requires_grad:
            return torch.zeros_like(p)
        (g,) = torch.autograd.grad(
            y, q, torch.ones_like(y), create_graph=create_graph, allow_unused=True
        )
        return torch.zeros_like(p) if g is None else g


def normals(f, p, create_graph=False):
    g = gradient(f, p, create_graph)
    with torch.set_grad_enabled(create_graph):
        n = _norm(g)[..., None]
        return g / torch.where(n == 0, 1.0, n)


def eikonal_loss(f, p):
    with torch.enable_grad():
        return ((_norm(gradient(f, p.detach(), True)) - 1) ** 2).mean()


def sphere_trace(f, origins, dirs, t_near=0.0, t_far=10.0, max_steps=128, tol=1e-4):
    d = dirs / _norm(dirs)[..., None]
    shape = origins.shape[:-1]
    with torch.no_grad():
        o, u = origins.detach().reshape(-1, 3), d.detach().reshape(-1, 3)
        t = torch.full((o.shape[0],), float(t_near), dtype=o.dtype)
        hit = torch.zeros(o.shape[0], dtype=torch.bool)
        live = torch.arange(o.shape[0])
        steps = 0
        while steps < max_steps and live.numel():
            s = f(o[live] + t[live, None] * u[live]).abs()
            steps += 1
            near = s < tol
            hit[live[near]] = True
            live, s = live[~near], s[~near]
            t[live] += s
            live = live[t[live] <= t_far]
        t[~hit] = t_far
    t, hit = t.reshape(shape), hit.reshape(shape)
    if torch.is_grad_enabled() and hit.any():
        at = (origins.detach() + t[..., None] * d.detach())[hit]
        slope = (gradient(f, at, False) * d.detach()[hit]).sum(-1)
        slope = torch.where(slope == 0, 1.0, slope)
        value = f(origins[hit] + t[hit][..., None] * d[hit])
        correction = (value - value.detach()) / slope
        t = t.masked_scatter(hit, t[hit] - correction)
    points = origins + t[..., None] * d
    return TraceResult(t, points, hit, steps)
