# A product with a triangular matrix for the transmittance, and counting for the inverse.
from collections import namedtuple

import torch

RenderResult = namedtuple(
    "RenderResult", ["color", "depth", "opacity", "weights", "transmittance", "t"]
)


def bin_edges(near, far, num_samples):
    if num_samples < 1:
        raise ValueError("at least one bin")
    share = torch.linspace(0, 1, num_samples + 1, dtype=near.dtype)
    return torch.lerp(near[:, None], far[:, None], share)


def stratified_samples(near, far, num_samples, u=None):
    if num_samples < 1:
        raise ValueError("at least one sample")
    num_rays = near.shape[0]
    if u is None:
        u = near.new_full((num_rays, num_samples), 0.5)
    if tuple(u.shape) != (num_rays, num_samples):
        raise ValueError("u has the shape of the samples")
    place = (torch.arange(num_samples, dtype=near.dtype) + u) / num_samples
    return near.unsqueeze(1) + (far - near).unsqueeze(1) * place


def composite(sigma, rgb, t, far, background=None):
    num_rays, num_samples = sigma.shape
    if t.shape != sigma.shape or rgb.shape[:2] != sigma.shape:
        raise ValueError("shapes do not match")
    last = torch.broadcast_to(far, (num_rays,)).reshape(num_rays, 1)
    delta = torch.diff(t, dim=1, append=last)
    # An infinite depth times a zero of the matrix is NaN; behind 1e30 nothing gets through.
    tau = (sigma * delta).clamp(max=1e30)
    ahead = tau @ torch.ones(num_samples, num_samples, dtype=tau.dtype).triu(1)
    transmittance = ahead.neg().exp()
    weights = transmittance * tau.neg().expm1().neg()
    total = tau.sum(1)
    escapes = total.neg().exp()
    color = torch.einsum("rs,rsc->rc", weights, rgb)
    if background is not None:
        color = torch.addcmul(color, escapes[:, None], background.expand(color.shape))
    depth = torch.einsum("rs,rs->r", weights, t) + escapes * last[:, 0]
    return RenderResult(color, depth, -torch.expm1(-total), weights, transmittance, t)


def importance_samples(edges, weights, u, eps=1e-5):
    num_rays, num_bins = weights.shape
    if edges.shape != (num_rays, num_bins + 1) or u.ndim != 2 or u.shape[0] != num_rays:
        raise ValueError("shapes do not match")
    edges, weights, u = edges.detach(), weights.detach(), u.detach()
    mass = torch.relu(weights) + eps
    total = mass.sum(1, keepdim=True)
    mass = torch.where(total == 0, torch.ones_like(mass), mass)
    p = mass / mass.sum(1, keepdim=True)
    ends = p.cumsum(1)
    # How many bins end at u or before it; bins of no mass behind the last one do not count.
    passed = (ends[:, None, :] <= u[:, :, None]).sum(-1)
    last = torch.where(p > 0, torch.arange(num_bins), 0).amax(1, keepdim=True)
    bins = torch.minimum(passed, last)
    width = edges.diff(dim=1)
    begin = (ends - p).gather(1, bins)
    share = ((u - begin) / p.gather(1, bins)).clamp(0, 1)
    return torch.addcmul(edges.gather(1, bins), share, width.gather(1, bins))


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
    num_rays = origins.shape[0]
    near = near if torch.is_tensor(near) else origins.new_full((num_rays,), near)
    far = far if torch.is_tensor(far) else origins.new_full((num_rays,), far)
    unit = torch.nn.functional.normalize(dirs, dim=-1)
    t = stratified_samples(near, far, num_coarse, u_coarse).detach()
    if num_fine:
        with torch.no_grad():
            view = unit[:, None, :].repeat(1, num_coarse, 1)
            sigma, rgb = field(torch.addcmul(origins[:, None], t[..., None], unit[:, None]), view)
            weights = composite(sigma, rgb, t, far).weights
            if u_fine is None:
                u_fine = ((torch.arange(num_fine).to(t) + 0.5) / num_fine).repeat(num_rays, 1)
            fine = importance_samples(bin_edges(near, far, num_coarse), weights, u_fine)
            t, _ = torch.sort(torch.cat((t, fine), dim=1), dim=1)
    view = unit[:, None, :].repeat(1, t.shape[1], 1)
    sigma, rgb = field(torch.addcmul(origins[:, None], t[..., None], unit[:, None]), view)
    return composite(sigma, rgb, t, far, background)
