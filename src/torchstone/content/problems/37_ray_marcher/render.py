"""Render rays in float64 as problem 37 defines it, and say how far rounding may lead.

Runs in the reference process only.

Legend: e edges, t samples, d unit directions, tau optical depths, w weights, T transmittance.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

Tensor = torch.Tensor
Field = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]

# Roundings of a sample t = near + (far - near) (i + u) / S, each at most eps of the larger end.
OF_T = 4
# Roundings of a field, relative to sigma: sums of six terms, an exponential, a softplus.
OF_FIELD = 50
# The colours of a field change by less than this per unit of length: a slope of 1/4 of the sigmoid
# times a row of at most three normal numbers.
STEEPEST_COLOUR = 3.0
# What the CDF of a march may be off by, besides its weights.
OF_CDF = 100


class Rendered(NamedTuple):
    """Hold what rays see."""

    color: Tensor
    depth: Tensor
    opacity: Tensor
    weights: Tensor
    transmittance: Tensor
    t: Tensor


class Marched(NamedTuple):
    """Hold the truth about a march.

    Attributes:
        result: What it returns.
        queries: The points and directions of each query.
        slack: For each output what the rounding of samples and field may change.
        off: How far each sample of each query may lie from its place.
        strain: The change of a transmittance of each ray by rounding, the largest.
    """

    result: Rendered
    queries: list[tuple[Tensor, Tensor]]
    slack: Rendered
    off: list[Tensor]
    strain: Tensor


def composite(
    sigma: Tensor, rgb: Tensor, t: Tensor, far: Tensor, background: Tensor | None
) -> Rendered:
    """Add up the light of samples in a medium of constant pieces."""
    far = far.expand(t.shape[0])
    tau = sigma * (torch.cat([t[:, 1:], far[:, None]], -1) - t)
    passed = [torch.zeros_like(far)]
    for each in tau.unbind(-1):
        passed.append(passed[-1] + each)
    ahead = torch.stack(passed, -1)
    transmittance, escapes = (-ahead[:, :-1]).exp(), (-ahead[:, -1]).exp()
    weights = transmittance * -torch.expm1(-tau)
    color = torch.einsum("rs,rsc->rc", weights, rgb)
    if background is not None:
        color = color + escapes[:, None] * background
    depth = (weights * t).sum(-1) + escapes * far
    return Rendered(color, depth, -torch.expm1(-ahead[:, -1]), weights, transmittance, t)


def place(near: Tensor, far: Tensor, num_samples: int, u: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return the edges of equal bins, and a sample in each."""
    steps = torch.arange(num_samples + 1, dtype=torch.float64) / num_samples
    edges = near[:, None] + (far - near)[:, None] * steps
    share = torch.full_like(edges[:, 1:], 0.5) if u is None else u
    return edges, edges[:, :-1] + share * (edges[:, 1:] - edges[:, :-1])


def invert(edges: Tensor, weights: Tensor, u: Tensor, eps: float) -> Tensor:
    """Invert the distribution of each row, number by number."""
    rows = zip(edges.tolist(), weights.tolist(), u.tolist(), strict=True)
    found = [_invert_row(*row, eps) for row in rows]
    return torch.tensor(found, dtype=torch.float64).reshape(u.shape)


def _invert_row(e: list[float], w: list[float], us: list[float], eps: float) -> list[float]:
    mass = [max(each, 0.0) + eps for each in w]
    if sum(mass) == 0:
        mass = [1.0] * len(mass)
    total = math.fsum(mass)
    levels = [0.0]
    for each in mass:
        levels.append(levels[-1] + each / total)
    bins = [i for i, each in enumerate(mass) if each > 0]
    found = []
    for u in us:
        # The first bin that ends behind u; u = 1 belongs to the last one.
        i = next((i for i in bins if u < levels[i + 1]), bins[-1])
        share = min(max((u - levels[i]) / (mass[i] / total), 0.0), 1.0)
        found.append(e[i] + share * (e[i + 1] - e[i]))
    return found


def invert_between(
    edges: Tensor, weights: Tensor, u: Tensor, eps: float, off: Tensor
) -> tuple[Tensor, Tensor]:
    """Return the inverse, and its change where the distribution is off by so much."""
    value = invert(edges, weights, u, eps)
    low, high = (invert(edges, weights, (u + s * off).clamp(0, 1), eps) for s in (-1, 1))
    return value, high - low


def march(field: Field, data: dict[str, Any], unit_of_dtype: float) -> Marched:
    """March rays of float64.

    Args:
        field: The field, in float64.
        data: Arguments of ``march_rays``, tensors of float64.
        unit_of_dtype: The rounding unit of the precision that is judged.
    """
    origins, dirs = data["origins"], data["dirs"]
    near, far = (
        torch.as_tensor(data[name], dtype=torch.float64).expand(len(origins))
        for name in ("near", "far")
    )
    unit = dirs / dirs.norm(dim=-1, keepdim=True)
    num_coarse, num_fine = data["num_coarse"], data["num_fine"]
    edges, t = place(near, far, num_coarse, data["u_coarse"])
    rounding = OF_T * unit_of_dtype * torch.maximum(near.abs(), far.abs())[:, None]
    off = rounding.expand(t.shape)
    queries, offs = [_points(origins, unit, t)], [off]
    last = _look(field, origins, unit, t, far, data["background"], off, unit_of_dtype)
    if num_fine > 0:
        rendered, _, strain = last
        u = data["u_fine"]
        if u is None:
            middles = (torch.arange(num_fine, dtype=torch.float64) + 0.5) / num_fine
            u = middles.expand(len(origins), num_fine)
        # Each level of the CDF is a difference of transmittances, divided by the mass of all bins.
        mass = rendered.weights.sum(-1) + 1e-5 * num_coarse
        off_of_cdf = (2 * strain / mass)[:, None] + OF_CDF * unit_of_dtype
        fine, change = invert_between(edges, rendered.weights, u, 1e-5, off_of_cdf)
        t, off = _sorted(torch.cat([t, fine], -1), torch.cat([off, change + rounding], -1))
        queries.append(_points(origins, unit, t))
        offs.append(off)
        last = _look(field, origins, unit, t, far, data["background"], off, unit_of_dtype)
    result, slack, strain = last
    return Marched(result, queries, slack, offs, strain)


def _sorted(t: Tensor, off: Tensor) -> tuple[Tensor, Tensor]:
    """Sort samples; the k-th of moved ones lies between the k-th lowest and the k-th highest."""
    middle, low, high = (each.sort(-1).values for each in (t, t - off, t + off))
    return middle, torch.maximum(middle - low, high - middle)


def _points(origins: Tensor, unit: Tensor, t: Tensor) -> tuple[Tensor, Tensor]:
    points = origins[:, None] + t[..., None] * unit[:, None]
    return points, unit[:, None].expand(points.shape)


def _look(
    field: Field,
    origins: Tensor,
    unit: Tensor,
    t: Tensor,
    far: Tensor,
    background: Tensor | None,
    off: Tensor,
    unit_of_dtype: float,
) -> tuple[Rendered, Rendered, Tensor]:
    """Return what rays see, what rounding may change of it, and of any transmittance."""
    with torch.enable_grad():
        leaf = t.detach().requires_grad_()
        sigma, rgb = field(*_points(origins, unit, leaf))
        slope = torch.autograd.grad(sigma.sum(), leaf)[0] if sigma.requires_grad else None
    sigma, rgb = sigma.detach(), rgb.detach()
    result = composite(sigma, rgb, t, far, background)
    delta = torch.cat([t[:, 1:], far[:, None]], -1) - t
    moved = 0 if slope is None else slope.abs() * off * delta
    of_delta = off + torch.cat([off[:, 1:], torch.zeros_like(off[:, :1])], -1)
    of_tau = moved + sigma * of_delta + OF_FIELD * unit_of_dtype * sigma * delta
    # T is off by T times the changes of all that lies in front.
    through = of_tau.cumsum(-1)
    T, w = result.transmittance, result.weights
    before = through - of_tau
    left = (T[:, -1] - w[:, -1]) * through[:, -1]
    of_w = T * of_tau + w * before
    of_rgb = STEEPEST_COLOUR * off[..., None] + OF_FIELD * unit_of_dtype
    of_color = (of_w[..., None] * rgb.abs() + w[..., None] * of_rgb).sum(-2)
    if background is not None:
        of_color = of_color + left[:, None] * background.abs()
    of_depth = (of_w * t.abs() + w * off).sum(-1) + left * far.abs()
    slack = Rendered(of_color, of_depth, left, of_w, T * before, off)
    return result, slack, (T * through).amax(-1)
