# Light is blended from the back to the front; transmittances are products of what passes.
from typing import NamedTuple

import torch
from torch import Tensor, nn


class RenderResult(NamedTuple):
    color: Tensor
    depth: Tensor
    opacity: Tensor
    weights: Tensor
    transmittance: Tensor
    t: Tensor


def require(condition, message):
    if not condition:
        raise ValueError(message)


def bin_edges(near, far, num_samples):
    require(num_samples >= 1, "num_samples must be at least 1")
    inner = [near + (far - near) * (i / num_samples) for i in range(num_samples + 1)]
    return torch.stack(inner, dim=1)


def stratified_samples(near, far, num_samples, u=None):
    edges = bin_edges(near, far, num_samples)
    u = torch.full_like(edges[:, :-1], 0.5) if u is None else u
    require(list(u.shape) == [near.numel(), num_samples], f"u has the shape {list(u.shape)}")
    return edges[:, :-1].addcmul(edges.diff(), u)


def composite(sigma, rgb, t, far, background=None):
    require(sigma.dim() == 2 and sigma.shape == t.shape, "sigma and t differ")
    require(rgb.dim() == 3 and rgb.shape[:2] == t.shape, "rgb and t differ")
    num_rays, num_samples, num_channels = rgb.shape
    far = far.repeat(num_rays) if far.dim() == 0 else far
    tau = sigma * torch.diff(torch.cat([t, far.unsqueeze(1)], 1))
    alpha, passes = -torch.expm1(-tau), torch.exp(-tau)
    before = [torch.ones_like(far)]
    for i in range(num_samples - 1):
        before.append(before[-1] * passes[:, i])
    transmittance = torch.stack(before, 1)
    if background is None:
        background = rgb.new_zeros(num_channels)
    color = background.expand(num_rays, num_channels)
    depth, opacity = far, torch.zeros_like(far)
    for i in reversed(range(num_samples)):
        a, p = alpha[:, i], passes[:, i]
        color = a[:, None] * rgb[:, i] + p[:, None] * color
        depth = a * t[:, i] + p * depth
        opacity = a + p * opacity
    return RenderResult(color, depth, opacity, alpha * transmittance, transmittance, t)


def importance_samples(edges, weights, u, eps=1e-5):
    require(edges.size(0) == weights.size(0), "edges and weights differ")
    require(edges.size(1) == weights.size(1) + 1, "edges are one more than weights")
    require(u.dim() == 2 and u.size(0) == weights.size(0), "u has a row for each ray")
    rows = []
    for e, w, v in zip(edges.detach(), weights.detach(), u.detach(), strict=True):
        mass = torch.clamp_min(w, 0) + eps
        if not mass.any():
            mass = torch.ones_like(mass)
        # Only bins with mass: among these the CDF rises strictly.
        kept = mass.nonzero().flatten()
        p = mass[kept] / mass.sum()
        begins = torch.cat([p.new_zeros(1), p.cumsum(0)[:-1]])
        at = (torch.bucketize(v.contiguous(), begins, right=True) - 1).clamp(min=0)
        left, right = e[kept][at], e[kept + 1][at]
        rows.append(torch.lerp(left, right, ((v - begins[at]) / p[at]).clamp(0, 1)))
    return torch.stack(rows) if rows else u.detach().clone()


class Camera(nn.Module):
    """Look along rays with the same field, more than once."""

    def __init__(self, field, origins, dirs, far, background):
        super().__init__()
        self.field, self.origins, self.far, self.background = field, origins, far, background
        self.unit = nn.functional.normalize(dirs, dim=-1)

    def forward(self, t):
        x = torch.einsum("rs,rc->rsc", t, self.unit) + self.origins.unsqueeze(-2)
        sigma, rgb = self.field(x, self.unit.unsqueeze(-2).expand_as(x).contiguous())
        return composite(sigma, rgb, t, self.far, self.background)


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
    zeros = torch.zeros(len(origins), dtype=origins.dtype)
    near, far = zeros + near, zeros + far
    camera = Camera(field, origins, dirs, far, background)
    t = stratified_samples(near, far, num_coarse, u_coarse).detach()
    if num_fine > 0:
        with torch.inference_mode():
            weights = camera(t).weights.clone()
        weights = weights + 0
        if u_fine is None:
            u_fine = (torch.arange(0.5, num_fine, dtype=origins.dtype) / num_fine).expand(
                len(origins), -1
            )
        fine = importance_samples(bin_edges(near, far, num_coarse), weights, u_fine)
        t, _ = torch.cat([t, fine.detach()], dim=-1).sort(dim=-1)
    return camera(t)
