# An autograd.Function for the root, and a square root whose slope at zero is zero.
from collections import namedtuple

import torch

TraceResult = namedtuple("TraceResult", ["t", "points", "hit", "steps"])


class SafeSqrt(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        root = x.sqrt()
        ctx.save_for_backward(root)
        return root

    @staticmethod
    def backward(ctx, g):
        (root,) = ctx.saved_tensors
        zero = root == 0
        return torch.where(zero, 0, g / (2 * torch.where(zero, 1, root)))


def dot(a, b):
    return (a * b).sum(-1)


def length(v):
    return SafeSqrt.apply(dot(v, v))


def vector(value, p):
    if isinstance(value, torch.Tensor):
        return value
    return torch.tensor([float(each) for each in value], dtype=p.dtype)


def sphere(p, radius):
    return length(p) - radius


def box(p, half_size):
    q = p.abs() - vector(half_size, p)
    qx, qy, qz = q[..., 0], q[..., 1], q[..., 2]
    largest = torch.maximum(qx, torch.maximum(qy, qz))
    outside = torch.where(q > 0, q, torch.zeros_like(q))
    return length(outside) + torch.where(largest < 0, largest, torch.zeros_like(largest))


def torus(p, major, minor):
    ring = length(torch.cat([p[..., :1], p[..., 2:]], -1)) - major
    return SafeSqrt.apply(ring**2 + p[..., 1] ** 2) - minor


def plane(p, normal, offset):
    n = vector(normal, p)
    return dot(p, n) / length(n) - offset


def capsule(p, a, b, radius):
    a, b = vector(a, p), vector(b, p)
    if bool((a == b).all()):
        # Either end is right; their mean gives each half of the gradient.
        return length(p - (a + b) / 2) - radius
    h = (dot(p - a, b - a) / dot(b - a, b - a)).clamp(0, 1)
    return length(p - torch.lerp(a, b, h[..., None])) - radius


def smooth_union(d1, d2, k):
    if k < 0:
        raise ValueError
    difference = (d1 - d2).abs()
    blend = torch.where(difference < k, (k - difference) ** 2 / (4 * k or 1), 0)
    return torch.minimum(d1, d2) - blend


def smooth_intersection(d1, d2, k):
    return -smooth_union(-d1, -d2, k)


def smooth_subtraction(d1, d2, k):
    return smooth_intersection(d1, -d2, k)


def gradient(f, p, create_graph=True):
    with torch.enable_grad():
        x = p if p.requires_grad else p.detach().clone().requires_grad_(True)
        return torch.autograd.grad(f(x).sum(), [x], create_graph=create_graph)[0]


def normals(f, p, create_graph=False):
    g = gradient(f, p, create_graph)
    squared = dot(g, g)
    safe = torch.where(squared > 0, squared, torch.ones_like(squared))
    return g * safe.rsqrt()[..., None]


def eikonal_loss(f, p):
    with torch.enable_grad():
        g = gradient(f, p, create_graph=True)
        return torch.mean((length(g) - 1.0) ** 2)


class Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value, t, slope, hit):
        ctx.save_for_backward(slope, hit)
        return t.clone()

    @staticmethod
    def backward(ctx, g):
        slope, hit = ctx.saved_tensors
        return torch.where(hit, -g / slope, 0), None, None, None


def sphere_trace(f, origins, dirs, t_near=0.0, t_far=10.0, max_steps=128, tol=1e-4):
    d = dirs / length(dirs).unsqueeze(-1)
    with torch.no_grad():
        t = torch.zeros_like(origins[..., 0]) + t_near
        hit = torch.zeros(t.shape, dtype=torch.bool)
        lost = hit.clone()
        steps = 0
        for _ in range(max_steps):
            s = f(origins + t.unsqueeze(-1) * d).abs()
            steps += 1
            going = ~(hit | lost)
            hit |= going & (s < tol)
            going = ~(hit | lost)
            t += s * going
            lost |= going & (t > t_far)
            if bool((hit | lost).all()):
                break
    at = origins + t.unsqueeze(-1) * d
    value = f(at)
    slope = dot(gradient(f, at.detach(), create_graph=False), d.detach())
    slope = torch.where(hit, slope, torch.ones_like(slope))
    t = Root.apply(value, torch.where(hit, t, torch.full_like(t, t_far)), slope, hit)
    return TraceResult(t, origins + t.unsqueeze(-1) * d, hit, steps)
