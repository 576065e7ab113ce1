"""Draw media, samples and distributions for problem 37."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import Draw, lay_out
from torchstone.judge.kit.problem import load_module

Params = dict[str, Any]
Tensor = torch.Tensor

RENDER = load_module(Path(__file__).with_name("render.py"))

# Rays that let less through than this are opaque: their depth is the same by any definition.
ESCAPES = 1e-9
# Powers of ten of the optical depths of a ladder.
POWERS = range(-9, 9)
# Masses whose sums and quotients are exact in every precision.
DYADIC = (1.0, 2.0, 1.0, 4.0)


def ends(rays: int, dtype: torch.dtype, draw: Draw) -> tuple[Tensor, Tensor]:
    """Draw near and far."""
    near = draw.uniform([rays], 0.4, 1.5, torch.float64)
    return near.to(dtype), (near + draw.uniform([rays], 2.0, 4.0, torch.float64)).to(dtype)


def medium(params: Params, dtype: torch.dtype, draw: Draw) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Draw sigma, rgb, t and far."""
    rays, samples, layout = params["rays"], params["samples"], params["layout"]
    near, far = ends(rays, torch.float64, draw)
    if params["medium"] == "overflow":
        far = near + 3.0 * samples
    if params["far"] == "one":
        far = (near.amax() + 2.0) * torch.ones(()) if rays else far.sum() + 1
    elif layout == "expanded":
        # Each ray gets the samples of the first one.
        far = far.amax() * torch.ones_like(far)
    length = (far - near)[:, None]
    shift = draw.uniform([rays, samples], 0.05, 0.95, torch.float64)
    share = (torch.arange(samples) + shift) / samples
    t = near[:, None] + length * share
    sigma = MEDIA[params["medium"]](rays, samples, draw)
    rgb = draw.uniform([rays, samples, params["channels"]], 0.1, 1.0, torch.float64)
    laid = [lay_out(each.to(dtype), layout) for each in (sigma, rgb, t)]
    return laid[0], laid[1], laid[2], far.to(dtype)


def _mixed(rays: int, samples: int, draw: Draw) -> Tensor:
    """Draw rays of which each second one is opaque."""
    factors = torch.where(torch.arange(rays) % 2 == 0, 1.0, 15.0)[:, None]
    return draw.uniform([rays, samples], 0.1, 2.0, torch.float64) * factors


def _ladder(rays: int, samples: int, draw: Draw) -> Tensor:
    powers = torch.tensor([10.0 ** POWERS[row % len(POWERS)] for row in range(rays)])
    return draw.uniform([rays, samples], 0.5, 2.0, torch.float64) * powers[:, None].double()


def _thin(rays: int, samples: int, draw: Draw) -> Tensor:
    return draw.uniform([rays, samples], 1e-9, 1e-8, torch.float64)


def _wall(rays: int, samples: int, draw: Draw) -> Tensor:
    """Draw one opaque sample on each ray, with light before and behind it."""
    sigma = draw.uniform([rays, samples], 0.0, 0.5, torch.float64)
    at = draw.integers([rays, 1], 1, samples - 2)
    return sigma.scatter(-1, at, 1e8)


def _overflow(rays: int, samples: int, draw: Draw) -> Tensor:
    """Draw densities whose optical depth no float32 holds, in some samples of some rays."""
    sigma = draw.uniform([rays, samples], 0.1, 0.4, torch.float64)
    is_full = draw.integers([rays, samples], 0, 1) == 1
    is_full[:, 0] = torch.arange(rays) % 3 == 0
    is_full[:, 1:3] = True
    return torch.where(is_full, 3e38, sigma)


def _constant(rays: int, samples: int, draw: Draw) -> Tensor:
    powers = 10.0 ** draw.uniform([rays, 1], -9.0, 1.0, torch.float64)
    return powers.expand(rays, samples) * 1.0


MEDIA = {
    "mixed": _mixed,
    "ladder": _ladder,
    "thin": _thin,
    "wall": _wall,
    "empty": lambda rays, samples, draw: torch.zeros([rays, samples], dtype=torch.float64),
    "overflow": _overflow,
    "constant": _constant,
}


def opaque(inputs: dict[str, Tensor]) -> Tensor:
    """Return which rays let nothing through."""
    wide = {name: each.double() for name, each in inputs.items()}
    found = RENDER.composite(
        wide["sigma"], wide["rgb"], wide["t"], wide["far"], wide.get("background")
    )
    return is_opaque(found)


def is_opaque(result: Any) -> Tensor:
    """Return which rays of a result let nothing through."""
    opaque: Tensor = result.opacity > 1 - ESCAPES
    return opaque


def cotangents(
    rays: int,
    samples: int,
    channels: int,
    opaque: Tensor | None,
    dtype: torch.dtype,
    draw: Draw,
) -> dict[str, Tensor]:
    """Draw a cotangent for each output; zero where its value is not compared."""
    shapes = {
        "color": [rays, channels],
        "depth": [rays],
        "opacity": [rays],
        "weights": [rays, samples],
        "transmittance": [rays, samples],
        "t": [rays, samples],
    }
    drawn = {name: draw.normal(shape, dtype) for name, shape in shapes.items()}
    if opaque is not None:
        drawn["depth"] = drawn["depth"] * opaque
    return drawn


def distribution(params: Params, dtype: torch.dtype, draw: Draw) -> tuple[Tensor, Tensor, Tensor]:
    """Draw edges of bins, their weights, and where the distribution is inverted."""
    rays, bins, samples, kind = (params[name] for name in ("rays", "bins", "samples", "kind"))
    weights = draw.uniform([rays, bins], 0.05, 1.0, torch.float64)
    u = draw.uniform([rays, samples], 0.0, 1.0, torch.float64)
    if kind == "plateaus":
        weights, u = _plateaus(rays, samples, draw)
    elif kind == "zeros":
        weights = weights * 0
    elif kind == "some zeros":
        weights = torch.where(torch.arange(rays)[:, None] % 2 == 0, 0.0, weights)
    elif kind == "negative":
        is_first = torch.arange(bins) % 2 == 0
        weights = torch.where(is_first, weights, -weights)
    elif kind == "thin":
        weights = weights * 1e-8
    elif kind == "ends":
        u[:, 0], u[:, -1] = 1.0, 0.0
    widths = draw.uniform([rays, weights.shape[-1] + 1], 0.2, 1.0, torch.float64)
    given = (widths.cumsum(-1), weights, u)
    laid = [lay_out(each.to(dtype), params["layout"]) for each in given]
    return laid[0], laid[1], laid[2]


def _plateaus(rays: int, samples: int, draw: Draw) -> tuple[Tensor, Tensor]:
    """Draw masses with bins of none between them, and u on the plateaus, on edges and at ends."""
    weights, u = torch.zeros(rays, 8, dtype=torch.float64), []
    for row in range(rays):
        order = torch.randperm(4, generator=draw.generator).tolist()
        inner = (torch.randperm(6, generator=draw.generator)[:2] + 1).sort().values.tolist()
        places = [0, *inner, 7]
        masses = [DYADIC[i] for i in order]
        weights[row, places] = torch.tensor(masses, dtype=torch.float64)
        levels = (torch.tensor(masses, dtype=torch.float64).cumsum(-1) / sum(masses)).tolist()
        # Each level but the last lies on a plateau or on an edge; 0 and 1 are the ends.
        between = [0.0, *levels, (levels[0] + levels[1]) / 2, levels[0] / 2, (levels[2] + 1) / 2]
        u.append([between[i] for i in torch.randperm(8, generator=draw.generator).tolist()])
    return weights, torch.tensor(u, dtype=torch.float64)[:, :samples].reshape(rays, samples)
