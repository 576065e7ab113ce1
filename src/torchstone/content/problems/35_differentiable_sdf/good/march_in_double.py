# A march in float64 and in grad mode, each step detached; the gradient is attached in two parts.
from typing import NamedTuple

import torch
from torch import Tensor, autograd


class TraceResult(NamedTuple):
    t: Tensor
    points: Tensor
    hit: Tensor
    steps: int


def norm(v, keepdim=False):
    return torch.linalg.vector_norm(v, ord=2, dim=-1, keepdim=keepdim)


def to_points(value, like):
    # A tuple of Python numbers passes through float64 once, not through float32.
    return value if isinstance(value, Tensor) else torch.tensor(value, dtype=torch.float64).to(like)


def sphere(p, radius):
    return norm(p).sub(radius)


def box(p, half_size):
    q = p.abs().sub(to_points(half_size, p))
    outside = norm(torch.max(q, torch.zeros_like(q)))
    biggest = torch.sort(q, dim=-1).values[..., -1]
    return outside + torch.clamp_max(biggest, 0.0)


def torus(p, major, minor):
    flat = norm(p[..., ::2])
    return norm(torch.stack((flat - major, p[..., 1]), dim=-1)) - minor


def plane(p, normal, offset):
    unit = torch.nn.functional.normalize(to_points(normal, p), dim=0)
    return torch.einsum("...i,i->...", p, unit) - offset


def capsule(p, a, b, radius):
    a, b = to_points(a, p), to_points(b, p)
    edge = b - a
    weight = torch.sum(edge * edge)
    h = torch.einsum("...i,i->...", p - a, edge)
    h = torch.clamp(h / weight, 0, 1) if weight > 0 else torch.zeros_like(h)
    return norm(p - (a + h[..., None] * edge)) - radius


def check(k):
    if not k >= 0:
        raise ValueError(f"k = {k} < 0")


def smooth_union(d1, d2, k):
    check(k)
    if not k:
        return torch.where(d1 < d2, d1, d2)
    h = torch.clamp(0.5 * (1 + (d2 - d1) / k), 0.0, 1.0)
    return torch.lerp(d2, d1, h) - k * h * (1.0 - h)


def smooth_intersection(d1, d2, k):
    check(k)
    if not k:
        return torch.where(d1 > d2, d1, d2)
    h = torch.clamp(0.5 * (1 - (d2 - d1) / k), 0.0, 1.0)
    return torch.lerp(d2, d1, h) + k * h * (1.0 - h)


def smooth_subtraction(d1, d2, k):
    return smooth_intersection(d1, -d2, k)


def gradient(f, p, create_graph=True):
    with torch.set_grad_enabled(True):
        x = p if p.requires_grad else p.detach().requires_grad_()
        y = f(x)
        (g,) = autograd.grad([y], [x], [torch.ones_like(y)], create_graph=create_graph)
    return g


def normals(f, p, create_graph=False):
    g = gradient(f, p, create_graph)
    size = norm(g, keepdim=True)
    return g / size.masked_fill(size == 0, 1.0)


def eikonal_loss(f, p):
    with torch.enable_grad():
        return torch.nn.functional.mse_loss(norm(gradient(f, p)), torch.ones(p.shape[:-1]).to(p))


def sphere_trace(f, origins, dirs, t_near=0.0, t_far=10.0, max_steps=128, tol=1e-4):
    unit = dirs / norm(dirs, keepdim=True)
    o64, d64 = origins.detach().double(), unit.detach().double()
    t64 = torch.full(o64.shape[:-1], float(t_near), dtype=torch.float64)
    state = torch.zeros(t64.shape, dtype=torch.int8)  # 0 going, 1 hit, 2 lost
    steps = 0
    for _ in range(max_steps):
        if not (state == 0).any():
            break
        # In grad mode: the graph of each step ends with the step.
        s = f(torch.addcmul(o64, t64[..., None], d64)).detach().abs()
        steps += 1
        state[(state == 0) & (s < tol)] = 1
        t64 = t64 + torch.where(state == 0, s, 0.0)
        state[(state == 0) & (t64 > t_far)] = 2
    hit = state == 1
    t0 = torch.where(hit, t64, t_far).to(origins.dtype)
    x = (origins + t0[..., None] * unit).detach().requires_grad_()
    with torch.enable_grad():
        value = f(x)
        (n,) = autograd.grad(value.sum(), x, retain_graph=True)
    inverse = torch.where(hit, 1 / (n * unit.detach()).sum(-1), 0)
    # f at x carries the gradient of what f closes over, n that of the point.
    moved = (n * (origins + t0[..., None] * unit - x.detach())).sum(-1)
    carrier = f(x.detach())
    t = t0 - torch.where(hit, carrier - carrier.detach() + moved, 0) * inverse.nan_to_num(0.0)
    t = torch.where(hit, t, t0)
    return TraceResult(t, origins + t[..., None] * unit, hit, steps)
