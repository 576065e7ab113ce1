# Samples, differences and sums in float64, whatever the precision of the rays.
from typing import NamedTuple

import torch


class RenderResult(NamedTuple):
    color: torch.Tensor
    depth: torch.Tensor
    opacity: torch.Tensor
    weights: torch.Tensor
    transmittance: torch.Tensor
    t: torch.Tensor


def bin_edges(near, far, num_samples):
    if num_samples < 1:
        raise ValueError("num_samples must be positive")
    steps = torch.arange(num_samples + 1, dtype=torch.float64) / num_samples
    wide = near.double()[:, None] + (far.double() - near.double())[:, None] * steps
    return wide.to(near.dtype)


def stratified_samples(near, far, num_samples, u=None):
    if num_samples < 1:
        raise ValueError("num_samples must be positive")
    if u is None:
        u = torch.full((len(near), num_samples), 0.5, dtype=near.dtype)
    if u.shape != torch.Size([len(near), num_samples]):
        raise ValueError("one u for each sample")
    steps = (torch.arange(num_samples, dtype=torch.float64) + u.double()) / num_samples
    length = far.double() - near.double()
    return (near.double().unsqueeze(-1) + length.unsqueeze(-1) * steps).to(near.dtype)


def composite(sigma, rgb, t, far, background=None):
    if sigma.shape != t.shape or rgb.shape[:2] != t.shape:
        raise ValueError("shapes of sigma, rgb and t")
    dtype = sigma.dtype
    ends = torch.cat([t[:, 1:], far.expand(t.size(0)).unsqueeze(-1)], dim=-1)
    tau = sigma.double() * (ends.double() - t.double())
    total = torch.cat([torch.zeros_like(tau[:, :1]), torch.cumsum(tau, dim=-1)], dim=-1)
    light = torch.exp(-total)
    weights = light[:, :-1] * -torch.special.expm1(-tau)
    color = (weights.unsqueeze(-1) * rgb.double()).sum(1)
    if background is not None:
        color = color + light[:, -1:] * background.double()
    depth = (weights * t.double()).sum(1) + light[:, -1] * far.double()
    wide = (color, depth, weights.sum(1), weights, light[:, :-1])
    return RenderResult(*(each.to(dtype) for each in wide), t=t)


def importance_samples(edges, weights, u, eps=1e-5):
    if u.ndim != 2 or not len(edges) == len(weights) == len(u):
        raise ValueError("one row for each ray")
    if edges.shape[1] - weights.shape[1] != 1:
        raise ValueError("one edge more than bins")
    with torch.no_grad():
        mass = weights.double().clamp(min=0).add(eps)
        empty = mass.sum(1, keepdim=True) == 0
        mass = mass.masked_fill(empty, 1.0)
        ends = mass.cumsum(1)
        target = u.double() * ends[:, -1:]
        index = torch.searchsorted(ends, target, right=True)
        full = torch.arange(mass.shape[1]).expand_as(mass).masked_fill(mass == 0, 0)
        index = torch.minimum(index, full.amax(1, keepdim=True))
        held = mass.gather(1, index)
        share = 1 - (ends.gather(1, index) - target) / held
        left, right = edges.double().gather(1, index), edges.double().gather(1, index + 1)
        return torch.lerp(left, right, share.clamp(0, 1)).to(weights.dtype)


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
    num_rays, dtype = origins.shape[0], origins.dtype
    near, far = (
        each.detach() if torch.is_tensor(each) else torch.full((num_rays,), each, dtype=dtype)
        for each in (near, far)
    )
    unit = dirs / torch.linalg.norm(dirs, dim=1, keepdim=True)

    def see(t):
        points = origins.unsqueeze(1) + t.unsqueeze(-1) * unit.unsqueeze(1)
        return field(points, unit.unsqueeze(1).expand_as(points))

    coarse = stratified_samples(near, far, num_coarse, u_coarse)
    if num_fine == 0:
        return composite(*see(coarse), coarse, far, background)
    with torch.no_grad():
        first = composite(*see(coarse), coarse, far)
        if u_fine is None:
            u_fine = torch.full((num_rays, num_fine), 1 / num_fine, dtype=dtype).cumsum(1)
            u_fine = u_fine - 0.5 / num_fine
        fine = importance_samples(bin_edges(near, far, num_coarse), first.weights, u_fine)
        t = torch.cat([coarse, fine], dim=1).sort(dim=1)[0]
    return composite(*see(t), t, far, background)
