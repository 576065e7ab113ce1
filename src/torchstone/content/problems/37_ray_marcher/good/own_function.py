# A Function whose backward is one reversed cumulative sum.
from typing import NamedTuple

import torch
from torch import Tensor


class RenderResult(NamedTuple):
    color: Tensor
    depth: Tensor
    opacity: Tensor
    weights: Tensor
    transmittance: Tensor
    t: Tensor


class Absorb(torch.autograd.Function):
    """Map optical depths to weights, transmittances and what escapes."""

    @staticmethod
    def forward(ctx, tau):
        total = torch.cumsum(tau, -1)
        behind = torch.exp(-total)
        before = torch.cat([torch.ones_like(tau[:, :1]), behind[:, :-1]], -1)
        weights = before * -torch.expm1(-tau)
        ctx.save_for_backward(weights, before, behind)
        return weights, before, behind[:, -1].clone(), -torch.expm1(-total[:, -1])

    @staticmethod
    def backward(ctx, of_weights, of_before, of_escapes, of_opacity):
        weights, before, behind = ctx.saved_tensors
        # What a unit of tau takes from all that lies behind it.
        lost = of_weights * weights + of_before * before
        later = lost.flip(-1).cumsum(-1).flip(-1) - lost
        end = (of_escapes - of_opacity) * behind[:, -1]
        return of_weights * behind - later - end[:, None]


def bin_edges(near, far, num_samples):
    if num_samples < 1:
        raise ValueError
    i = torch.arange(num_samples + 1).to(near)
    return near[:, None] * (1 - i / num_samples) + far[:, None] * (i / num_samples)


def stratified_samples(near, far, num_samples, u=None):
    edges = bin_edges(near, far, num_samples)
    if u is None:
        return 0.5 * (edges[:, 1:] + edges[:, :-1])
    if u.shape != edges[:, 1:].shape:
        raise ValueError
    return torch.lerp(edges[:, :-1], edges[:, 1:], u)


def composite(sigma, rgb, t, far, background=None):
    if sigma.shape != t.shape or sigma.shape != rgb.shape[:-1]:
        raise ValueError(f"{sigma.shape}, {rgb.shape}, {t.shape}")
    far = far.expand(t.shape[:1])
    delta = torch.hstack([t[:, 1:] - t[:, :-1], (far - t[:, -1])[:, None]])
    weights, before, escapes, opacity = Absorb.apply(sigma * delta)
    color = torch.bmm(weights[:, None], rgb)[:, 0]
    color = color if background is None else color + escapes[:, None] * background
    depth = torch.sum(weights * t, -1) + escapes * far
    return RenderResult(color, depth, opacity, weights, before, t)


def importance_samples(edges, weights, u, eps=1e-5):
    if edges.shape[-1] != weights.shape[-1] + 1 or len(edges) != len(weights):
        raise ValueError
    if u.ndim != 2 or len(u) != len(weights):
        raise ValueError
    edges, u = edges.detach().double(), u.detach().double()
    mass = weights.detach().double().clamp(min=0) + eps
    mass = mass + (mass.sum(-1, keepdim=True) == 0)
    cdf = torch.nn.functional.pad(mass.cumsum(-1), (1, 0))
    cdf = cdf / cdf[:, -1:]
    above = torch.searchsorted(cdf, u, side="right")
    # u = 1 is the end of the last bin that holds anything.
    above = torch.minimum(above, torch.searchsorted(cdf, cdf[:, -1:].contiguous()))
    below = above - 1
    c0, c1 = cdf.gather(-1, below), cdf.gather(-1, above)
    e0, e1 = edges.gather(-1, below), edges.gather(-1, above)
    return (e0 + (u - c0) / (c1 - c0) * (e1 - e0)).to(weights.dtype)


def march_rays(
    field,
    origins,
    dirs,
    near,
    far,
    num_coarse,
    num_fine=0,
    u_coarse=None,
    u_fine=None,
    background=None,
):
    rays = len(origins)
    near = torch.as_tensor(near, dtype=origins.dtype).expand(rays)
    far = torch.as_tensor(far, dtype=origins.dtype).expand(rays)
    unit = dirs * (dirs * dirs).sum(-1, keepdim=True).rsqrt()

    def points(t):
        x = origins[:, None, :] + t[:, :, None] * unit[:, None, :]
        return x, unit[:, None, :].expand(x.shape)

    t = stratified_samples(near, far, num_coarse, u_coarse)
    if num_fine:
        with torch.no_grad():
            weights = composite(*field(*points(t)), t, far)[3]
        if u_fine is None:
            u_fine = torch.linspace(0.5, num_fine - 0.5, num_fine).to(t) / num_fine
            u_fine = u_fine.expand(rays, num_fine)
        t = torch.cat([t, importance_samples(bin_edges(near, far, num_coarse), weights, u_fine)], 1)
        t = torch.sort(t, 1)[0]
    t = t.detach()
    return composite(*field(*points(t)), t, far, background)
