# A loop front to back that carries the optical depth, and an inverse found bin by bin.
import typing

import torch
from torch import Tensor


class RenderResult(typing.NamedTuple):
    color: Tensor
    depth: Tensor
    opacity: Tensor
    weights: Tensor
    transmittance: Tensor
    t: Tensor


def bin_edges(near, far, num_samples):
    if num_samples <= 0:
        raise ValueError(f"{num_samples} samples")
    width = (far - near) / num_samples
    return torch.stack([near + i * width for i in range(num_samples)] + [far], dim=-1)


def stratified_samples(near, far, num_samples, u=None):
    edges = bin_edges(near, far, num_samples)
    left, right = edges[:, :-1], edges[:, 1:]
    if u is None:
        return (left + right) / 2
    if u.shape != left.shape:
        raise ValueError(f"u: {u.shape}")
    return left * (1 - u) + right * u


def composite(sigma, rgb, t, far, background=None):
    if not (sigma.shape == t.shape == rgb.shape[:-1]):
        raise ValueError("sigma, rgb and t belong together")
    num_samples, num_channels = rgb.shape[1:]
    far = far + torch.zeros_like(t[:, 0])
    passed = torch.zeros_like(far)
    color, depth = rgb.new_zeros(len(t), num_channels), torch.zeros_like(far)
    weights, arrives = [], []
    for i in range(num_samples):
        behind = t[:, i + 1] if i + 1 < num_samples else far
        tau = sigma[:, i] * (behind - t[:, i])
        light = torch.exp(-passed)
        weight = light * (-torch.expm1(-tau))
        color = color + weight[:, None] * rgb[:, i]
        depth = depth + weight * t[:, i]
        weights.append(weight)
        arrives.append(light)
        passed = passed + tau
    escapes = torch.exp(-passed)
    if background is not None:
        color = color + escapes[:, None] * background
    return RenderResult(
        color,
        depth + escapes * far,
        -torch.expm1(-passed),
        torch.stack(weights, 1),
        torch.stack(arrives, 1),
        t.clone(),
    )


def importance_samples(edges, weights, u, eps=1e-5):
    rays, bins = weights.shape
    if edges.shape[0] != rays or edges.shape[1] != bins + 1:
        raise ValueError("one edge more than weights")
    if u.dim() != 2 or u.shape[0] != rays:
        raise ValueError("u has a row for each ray")
    with torch.no_grad():
        mass = torch.maximum(weights, torch.zeros_like(weights)) + eps
        total = mass.sum(-1)
        mass[total == 0] = 1
        target = u * mass.sum(-1, keepdim=True)
        begin = torch.zeros_like(target)
        found = torch.empty_like(target)
        is_open = torch.ones_like(target, dtype=torch.bool)
        for i in range(bins):
            m = mass[:, i : i + 1].expand_as(target)
            left, right = edges[:, i : i + 1], edges[:, i + 1 : i + 2]
            inside = is_open & (m > 0)
            share = ((target - begin) / torch.where(m > 0, m, 1)).clamp(0, 1)
            found = torch.where(inside, left + share * (right - left), found)
            begin = begin + m
            is_open = is_open & (target >= begin)
        return found


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
    ones = torch.ones_like(origins[:, 0]).detach()
    near, far = near * ones, far * ones
    directions = dirs / (dirs * dirs).sum(-1, keepdim=True).sqrt()

    def query(t):
        x = origins.unsqueeze(1) + directions.unsqueeze(1) * t.unsqueeze(2)
        return field(x, directions.unsqueeze(1) + torch.zeros_like(x))

    t = stratified_samples(near, far, num_coarse, u_coarse)
    if num_fine > 0:
        with torch.no_grad():
            weights = composite(*query(t), t, far).weights
        if u_fine is None:
            u_fine = ones[:, None] * ((torch.arange(num_fine).to(ones) + 0.5) / num_fine)
        fine = importance_samples(bin_edges(near, far, num_coarse), weights, u_fine)
        t = torch.cat([t, fine], 1)
        t = t.gather(1, t.argsort(1))
    t = t.detach()
    return composite(*query(t), t, far, background)
