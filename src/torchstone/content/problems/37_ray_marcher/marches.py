"""Draw rays through fields for problem 37.

Legend: x points, v unit directions, C channels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import EPS, Draw, lay_out
from torchstone.judge.kit.problem import load_module

Params = dict[str, Any]
Tensor = torch.Tensor

PROBE = load_module(Path(__file__).with_name("probe.py"))
RENDER = load_module(Path(__file__).with_name("render.py"))
MEDIA = load_module(Path(__file__).with_name("media.py"))

# No number of float32: rays of float64 have to take them as they are.
NEAR, FAR = 1.1, 5.3
# How far the eye is from the middle of the field.
DISTANCE = 3.0


def drawn(params: Params, dtype: torch.dtype, draw: Draw) -> tuple[Params, Any]:
    """Draw the arguments of a march and its cotangents, with the truth about it."""
    rays, coarse, fine = params["rays"], params["coarse"], params["fine"]
    origins, dirs = _rays(params, dtype, draw)
    near, far = _ends(params, dtype, draw)
    shape = {"one": [params["channels"]], "rays": [rays, params["channels"]]}
    of_behind = shape.get(params["background"])
    us = params["us"]
    data: Params = {
        "scene": params["scene"],
        "constants": {name: c.to(dtype) for name, c in _constants(params, draw).items()},
        "origins": origins,
        "dirs": dirs,
        "near": near,
        "far": far,
        "num_coarse": coarse,
        "num_fine": fine,
        "u_coarse": draw.uniform([rays, coarse], 0.03, 0.97, dtype) if us != "none" else None,
        "u_fine": draw.uniform([rays, fine], 0.0, 1.0, dtype) if fine and us == "both" else None,
        "background": draw.uniform(of_behind, 0.2, 1.0, dtype) if of_behind else None,
        "grad_mode": params["grad_mode"],
    }
    optional = ("num_fine", "u_coarse", "u_fine", "background")
    is_given = {
        name: data[name] is not None and (name != "num_fine" or fine > 0) for name in optional
    }
    data["options"] = ["num_coarse", *(name for name in optional if is_given[name])]
    data["wrt"] = ["origins", "dirs", *data["constants"]] if params["wrt"] else []
    truth = RENDER.march(field_of(data), widened(data), EPS[dtype])
    opaque = MEDIA.is_opaque(truth.result) if params["depth"] == "opaque" else None
    total = coarse + fine
    of_all = MEDIA.cotangents(rays, total, params["channels"], opaque, dtype, draw)
    data["cotangents"] = {name: of_all[name] for name in PROBE.DIFFERENTIATED}
    data["is_depth_compared"] = opaque
    return data, truth


def widened(data: Params) -> Params:
    """Return the arguments of a march in float64."""
    return {
        name: item.double() if isinstance(item, Tensor) and item.is_floating_point() else item
        for name, item in data.items()
    }


def field_of(data: Params, constants: dict[str, Tensor] | None = None) -> Any:
    """Return the field of a march in float64, with its own constants or with others."""
    wide = constants or {name: c.double() for name, c in data["constants"].items()}
    scene = PROBE.SCENES[data["scene"]]

    def field(x: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        found: tuple[Tensor, Tensor] = scene(x, v, wide)
        return found

    return field


def _rays(params: Params, dtype: torch.dtype, draw: Draw) -> tuple[Tensor, Tensor]:
    """Draw rays that pass near the middle; lengths of directions are not 1."""
    rays, layout = params["rays"], params["layout"]
    sizes = draw.uniform([rays, 3], 0.3, 1.0, torch.float64)
    signs = draw.integers([rays, 3], 0, 1).double() * 2 - 1
    unit = torch.nn.functional.normalize(sizes * signs, dim=-1)
    lengths = draw.uniform([rays, 1], 0.3, 0.7, torch.float64)
    longer = torch.where(torch.arange(rays)[:, None] % 2 == 0, lengths, lengths + 1.0)
    dirs = lay_out((unit * longer).to(dtype), layout)
    middle = draw.uniform([rays, 3], -0.4, 0.4, torch.float64)
    ahead = torch.nn.functional.normalize(dirs.double(), dim=-1)
    origins = (middle - DISTANCE * ahead).to(dtype)
    return lay_out(origins, "contiguous" if layout == "expanded" else layout), dirs


def _ends(params: Params, dtype: torch.dtype, draw: Draw) -> tuple[Any, Any]:
    rays = [params["rays"]]
    near = draw.uniform(rays, 0.5, 1.5, dtype) if params["ends"] == "rays" else NEAR
    far = FAR if params["ends"] == "numbers" else draw.uniform(rays, 4.5, 5.5, dtype)
    return near, far


def _constants(params: Params, draw: Draw) -> dict[str, Tensor]:
    """Draw what a field hides."""
    channels = params["channels"]
    of_colour = {
        "of_place": draw.uniform([3, channels], -1.0, 1.0, torch.float64),
        "of_view": draw.uniform([3, channels], -1.0, 1.0, torch.float64),
        "bias": draw.uniform([channels], -0.5, 0.5, torch.float64),
    }
    if params["scene"] == "fog":
        amount = params.get("amount", 0.3)
        return {"amount": torch.tensor(amount, dtype=torch.float64)} | of_colour
    if params["scene"] == "network":
        hidden = {
            "hidden": draw.uniform([3, 6], -1.0, 1.0, torch.float64),
            "last": draw.uniform([6], -1.0, 1.0, torch.float64),
            "level": draw.uniform([], -0.5, 0.5, torch.float64),
        }
        return hidden | of_colour
    ball = {
        "centre": draw.uniform([3], -0.2, 0.2, torch.float64),
        "width": draw.uniform([], 0.4, 0.6, torch.float64),
        "amount": draw.uniform([], 25.0, 35.0, torch.float64),
    }
    return ball | of_colour
