# Only the rays that are alive march on; t is one Newton step whose slope is detached.
from typing import NamedTuple

import torch
from torch.linalg import vector_norm


def as_tensor(value, p):
    return value if torch.is_tensor(value) else torch.tensor(value, dtype=p.dtype)


def sphere(p, radius):
    return vector_norm(p, dim=-1) - radius


def box(p, half_size):
    q = abs(p) - as_tensor(half_size, p)
    inside = torch.minimum(q.max(dim=-1).values, q.new_zeros(()))
    return vector_norm(torch.relu(q), dim=-1) + inside


def torus(p, major, minor):
    x, y, z = p.unbind(-1)
    across = vector_norm(torch.stack((x, z), dim=-1), dim=-1) - major
    return vector_norm(torch.stack((across, y), dim=-1), dim=-1) - minor


def plane(p, normal, offset):
    normal = as_tensor(normal, p)
    return p @ (normal / vector_norm(normal)) - offset


def capsule(p, a, b, radius):
    a, b = as_tensor(a, p), as_tensor(b, p)
    axis = b - a
    share = ((p - a) @ axis / axis.dot(axis).clamp(min=torch.finfo(p.dtype).tiny)).clamp(0, 1)
    return vector_norm(p - a - share.unsqueeze(-1) * axis, dim=-1) - radius


def smooth_union(d1, d2, k):
    if k < 0:
        raise ValueError("k must not be negative")
    nearer = torch.minimum(d1, d2)
    if k == 0:
        return nearer
    overlap = torch.relu(k - (d1 - d2).abs())
    return nearer - overlap * overlap / (4 * k)


def smooth_intersection(d1, d2, k):
    return -smooth_union(-d1, -d2, k)


def smooth_subtraction(d1, d2, k):
    return -smooth_union(-d1, d2, k)


@torch.enable_grad()
def gradient(f, p, create_graph=True):
    x = p.view_as(p) if p.requires_grad else p.clone().requires_grad_()
    d = f(x)
    (g,) = torch.autograd.grad(d, x, torch.ones_like(d), create_graph=create_graph)
    return g


def normals(f, p, create_graph=False):
    return torch.nn.functional.normalize(gradient(f, p, create_graph), dim=-1)


@torch.enable_grad()
def eikonal_loss(f, p):
    return ((vector_norm(gradient(f, p), dim=-1) - 1) ** 2).mean()


class TraceResult(NamedTuple):
    t: torch.Tensor
    points: torch.Tensor
    hit: torch.Tensor
    steps: int


def sphere_trace(f, origins, dirs, t_near=0.0, t_far=10.0, max_steps=128, tol=1e-4):
    d = torch.nn.functional.normalize(dirs, dim=-1)
    flat_o, flat_d = origins.detach().reshape(-1, 3), d.detach().reshape(-1, 3)
    t = flat_o.new_full((len(flat_o),), t_near)
    hit = torch.zeros(len(flat_o), dtype=torch.bool)
    live = torch.arange(len(flat_o))
    steps = 0
    with torch.no_grad():
        while steps < max_steps and len(live):
            s = f(flat_o[live] + t[live, None] * flat_d[live]).abs()
            steps += 1
            hit[live] = s < tol
            live, s = live[s >= tol], s[s >= tol]
            t[live] += s
            live = live[t[live] <= t_far]
    hit = hit.view(origins.shape[:-1])
    t = t.view(origins.shape[:-1])
    # What is past the end is brought back, and takes no part.
    at = origins[hit] + t[hit][:, None] * d[hit]
    slope = (gradient(f, at.detach(), False) * d[hit]).sum(-1).detach()
    ends = torch.full_like(t, t_far)
    t = ends.masked_scatter(hit, t[hit] - f(at) / slope) if at.numel() else ends
    return TraceResult(t, origins + t.unsqueeze(-1) * d, hit, steps)
