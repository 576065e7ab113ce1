from typing import NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor


class RenderResult(NamedTuple):
    """Hold what rays see, and how."""

    color: Tensor
    depth: Tensor
    opacity: Tensor
    weights: Tensor
    transmittance: Tensor
    t: Tensor


def bin_edges(near: Tensor, far: Tensor, num_samples: int) -> Tensor:
    """Return the edges of equal bins from near to far."""
    if num_samples < 1:
        raise ValueError(f"bin_edges: num_samples is {num_samples}; at least 1 bin is needed.")
    steps = torch.arange(num_samples + 1, dtype=near.dtype, device=near.device) / num_samples
    return near[:, None] + (far - near)[:, None] * steps


def stratified_samples(near: Tensor, far: Tensor, num_samples: int, u: Tensor | None = None):
    """Return one sample in each bin: at the share u of its width, or in its middle."""
    edges = bin_edges(near, far, num_samples)
    if u is not None and u.shape != (len(near), num_samples):
        raise ValueError(f"stratified_samples: u has shape {tuple(u.shape)}.")
    return edges[:, :-1] + (0.5 if u is None else u) * edges.diff(dim=-1)


def composite(sigma, rgb, t, far, background=None) -> RenderResult:
    """Add up the light of samples, front to back, in a medium of constant pieces."""
    if sigma.shape != t.shape or rgb.shape[:-1] != sigma.shape:
        shapes = f"{tuple(sigma.shape)}, {tuple(rgb.shape)} and {tuple(t.shape)}"
        raise ValueError(f"composite: sigma, rgb and t do not match: {shapes}.")
    num_channels = rgb.shape[-1]
    if far.shape not in ((), t.shape[:1]):
        raise ValueError(f"composite: far has shape {tuple(far.shape)}.")
    of_background = ((num_channels,), (len(t), num_channels))
    if background is not None and background.shape not in of_background:
        raise ValueError(f"composite: background has shape {tuple(background.shape)}.")
    far = far.expand(len(t))
    tau = sigma * (torch.cat([t[:, 1:], far[:, None]], -1) - t)
    # Of what lies in front: a shift of the sum, as tau may be infinite and inf - inf is NaN.
    total = F.pad(tau.cumsum(-1), (1, 0))
    transmittance = torch.exp(-total[:, :-1])
    weights = transmittance * -torch.expm1(-tau)
    escapes = torch.exp(-total[:, -1])
    color = (weights[..., None] * rgb).sum(-2)
    if background is not None:
        color = color + escapes[:, None] * background
    depth = (weights * t).sum(-1) + escapes * far
    return RenderResult(color, depth, -torch.expm1(-total[:, -1]), weights, transmittance, t)


@torch.no_grad()
def importance_samples(edges: Tensor, weights: Tensor, u: Tensor, eps: float = 1e-5) -> Tensor:
    """Return where the distribution of the weights reaches u; it is linear in each bin."""
    num_rays, num_bins = weights.shape
    if edges.shape != (num_rays, num_bins + 1):
        raise ValueError(f"importance_samples: {num_bins} weights need {num_bins + 1} edges.")
    if u.ndim != 2 or len(u) != num_rays:
        raise ValueError(f"importance_samples: u has shape {tuple(u.shape)}.")
    mass = weights.clamp(min=0) + eps
    mass = torch.where(mass.sum(-1, keepdim=True) > 0, mass, 1)
    p = mass / mass.sum(-1, keepdim=True)
    cdf = F.pad(p.cumsum(-1), (1, 0))
    # With right=True a plateau is passed: u belongs to the next bin that has any mass.
    place = torch.searchsorted(cdf, u.contiguous(), right=True) - 1
    # The last bin with mass: u = 1 ends there, and so does a sum that rounds to less than 1.
    last = num_bins - 1 - (p > 0).flip(-1).to(torch.int8).argmax(-1, keepdim=True)
    place = torch.minimum(place, last)
    left, right = edges.gather(-1, place), edges.gather(-1, place + 1)
    share = (u - cdf.gather(-1, place)) / p.gather(-1, place)
    return left + share.clamp(0, 1) * (right - left)


def march_rays(
    field,
    origins: Tensor,
    dirs: Tensor,
    near,
    far,
    num_coarse: int,
    num_fine: int = 0,
    u_coarse: Tensor | None = None,
    u_fine: Tensor | None = None,
    background: Tensor | None = None,
) -> RenderResult:
    """Render rays through a field; with num_fine look twice, the second time where light stops."""
    num_rays = len(origins)
    if u_fine is not None and num_fine > 0 and u_fine.shape != (num_rays, num_fine):
        raise ValueError(f"march_rays: u_fine has shape {tuple(u_fine.shape)}.")
    near, far = (torch.as_tensor(end, dtype=origins.dtype).expand(num_rays) for end in (near, far))
    unit = dirs / torch.linalg.vector_norm(dirs, dim=-1, keepdim=True)

    def look(t: Tensor) -> RenderResult:
        points = origins[:, None] + t[..., None] * unit[:, None]
        sigma, rgb = field(points, unit[:, None].expand_as(points))
        return composite(sigma, rgb, t, far, background)

    with torch.no_grad():
        t = stratified_samples(near, far, num_coarse, u_coarse)
        if num_fine > 0:
            if u_fine is None:
                middles = (torch.arange(num_fine, dtype=t.dtype) + 0.5) / num_fine
                u_fine = middles.expand(num_rays, -1)
            weights = look(t).weights
            fine = importance_samples(bin_edges(near, far, num_coarse), weights, u_fine)
            t = torch.cat([t, fine], -1).sort(-1).values
    return look(t)
