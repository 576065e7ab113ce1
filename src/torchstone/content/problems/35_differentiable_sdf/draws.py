"""Draw what the cases of problem 35 consist of: constants, points and rays.

Legend: p points, c constants of a field, b half sizes of a box.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import Draw
from torchstone.judge.kit.problem import load_module

Params = dict[str, Any]
Tensor = torch.Tensor

FIELDS = load_module(Path(__file__).with_name("probe.py"))
MARCH = load_module(Path(__file__).with_name("march.py"))

# What is drawn stays this far from each zero of a norm, each kink and each tie.
GAP = 0.2
# The default tolerance of ``sphere_trace``.
LAST_TOL = 1e-4


def _sphere(params: Params, draw: Draw) -> Params:
    return {"radius": number(draw, 0.5, 1.5)}


def _box(params: Params, draw: Draw) -> Params:
    if params.get("given") == "integers":
        return {"half_size": (1, 2, 1)}
    return {"half_size": tuple(number(draw, 0.6, 1.4) for _ in range(3))}


def _torus(params: Params, draw: Draw) -> Params:
    # The roots of the squares of these are exact, so that the ring can be met exactly.
    major = draw.choice((1.0, 1.25, 1.5)) if params["at"] == "ring" else number(draw, 1.0, 1.5)
    return {"major": major, "minor": number(draw, 0.2, 0.5)}


def _plane(params: Params, draw: Draw) -> Params:
    if params.get("given") == "integers":
        return {"normal": (0, 3, 4), "offset": 1}
    normal = tuple(draw.choice((-1, 1)) * number(draw, 0.3, 2.0) for _ in range(3))
    return {"normal": normal, "offset": number(draw, -1.0, 1.0)}


def _capsule(params: Params, draw: Draw) -> Params:
    a = tuple(number(draw, -1.5, -0.5) for _ in range(3))
    b = a if params["at"] == "one end" else tuple(number(draw, 0.5, 1.5) for _ in range(3))
    if params["at"] == "short":
        b = tuple(start + number(draw, 0.2, 0.4) for start in a)
    return {"a": a, "b": b, "radius": number(draw, 0.2, 0.5)}


SHAPES = {"sphere": _sphere, "box": _box, "torus": _torus, "plane": _plane, "capsule": _capsule}


def number(draw: Draw, low: float, high: float) -> float:
    return float(draw.uniform([], low, high, torch.float64))


def _direction(shape: list[int], draw: Draw) -> Tensor:
    """Draw directions without a component near zero: none lies in a plane of coordinates."""
    sizes = draw.uniform([*shape, 3], 0.3, 1.0, torch.float64)
    signs = draw.integers([*shape, 3], 0, 1).double() * 2 - 1
    return torch.nn.functional.normalize(sizes * signs, dim=-1)


def points(name: str, params: Params, c: dict[str, Tensor], draw: Draw) -> Tensor:
    """Draw points of float64 for a primitive, in the region that the case names."""
    shape, at = params["points"], params["at"]
    way = _direction(shape, draw)
    far = draw.uniform([*shape, 1], 0.3, 2.5, torch.float64)
    if at in SPECIAL:
        return SPECIAL[at](way, c, draw)
    if name == "box":
        return _round_box(at, way, c["half_size"], draw)
    if name == "torus":
        # Round the ring, at a distance of 0.25 to 0.8: neither on it nor near the axis.
        return _ring(way, c["major"]) + way * draw.uniform([*shape, 1], 0.25, 0.8, torch.float64)
    if name == "capsule":
        share = draw.uniform([*shape, 1], -0.4, 1.4, torch.float64)
        along = c["b"] - c["a"]
        across = way - (way @ along)[..., None] * along / (along @ along)
        return c["a"] + share * along + torch.nn.functional.normalize(across, dim=-1) * far
    return way * far * (2 if name == "sphere" else 1)


def _round_box(at: str, way: Tensor, b: Tensor, draw: Draw) -> Tensor:
    sign = way.sign()
    if at == "corner":
        return sign * (b + draw.uniform(way.shape, GAP, 1.2, torch.float64))
    # One coordinate decides: outside above a face, or inside nearest to it.
    chosen = torch.randint(3, way.shape[:-1], generator=draw.generator)[..., None]
    depth = draw.uniform(way.shape, 0.6, 0.9, torch.float64) * b.min()
    nearest = draw.uniform([*way.shape[:-1], 1], 0.05, 0.5, torch.float64) * b.min()
    nearest = -nearest if at == "side" else nearest
    return sign * (b - depth.scatter(-1, chosen, nearest))


def _ring(way: Tensor, major: Tensor) -> Tensor:
    level = way * torch.tensor([1.0, 0.0, 1.0], dtype=torch.float64)
    return torch.nn.functional.normalize(level, dim=-1) * major


def _exact_ring(way: Tensor, c: dict[str, Tensor], draw: Draw) -> Tensor:
    # On the axes of coordinates the ring is met exactly, in any precision.
    places = torch.eye(3, dtype=torch.float64)[draw.integers(way.shape[:-1], 0, 1) * 2]
    return places * way.sign() * c["major"]


def _on_axis(way: Tensor, c: dict[str, Tensor], draw: Draw) -> Tensor:
    return way * torch.tensor([0.0, 1.0, 0.0], dtype=torch.float64)


def _on_face(way: Tensor, c: dict[str, Tensor], draw: Draw) -> Tensor:
    b = c["half_size"]
    chosen = torch.randint(3, way.shape[:-1], generator=draw.generator)[..., None]
    on = torch.zeros_like(way, dtype=torch.bool).scatter(-1, chosen, value=True)
    return torch.where(on, way.sign() * b, way * b * 0.5)


SPECIAL = {
    "centre": lambda way, c, draw: way * 0,
    "middle": lambda way, c, draw: way * 0,
    "ring": _exact_ring,
    "axis": _on_axis,
    "face": _on_face,
    "one end": lambda way, c, draw: c["a"] + way * draw.uniform([*way.shape[:-1], 1], 0.4, 2.0),
    "on axis": lambda way, c, draw: c["a"].expand(way.shape) * 1,
}


def constants(scene: str, draw: Draw, dtype: torch.dtype) -> dict[str, Tensor]:
    """Draw what a field hides."""
    if scene == "network":
        sizes = {"weight_1": [3, 6], "bias_1": [6], "weight_2": [6], "bias_2": []}
        return {key: draw.normal(size, dtype, scale=0.7) for key, size in sizes.items()}
    if scene == "bowl":
        return {"widths": draw.uniform([3], 0.5, 1.5, dtype)}
    if scene == "floor":
        return {
            "normal": draw.uniform([3], 0.5, 2.0, dtype),
            "offset": draw.uniform([], -1, 0, dtype),
        }
    if scene == "blend":
        ends = draw.uniform([2, 3], 0.3, 0.8, dtype) * torch.tensor([[-1], [1]])
        return {
            "major": draw.uniform([], 0.9, 1.2, dtype),
            "minor": draw.uniform([], 0.3, 0.4, dtype),
            "a": ends[0].clone() - torch.tensor([0, 0.5, 0]).to(dtype),
            "b": ends[1].clone() + torch.tensor([0, 0.5, 0]).to(dtype),
            "radius": draw.uniform([], 0.3, 0.4, dtype),
        }
    ball = {
        "centre": draw.uniform([3], -0.4, 0.4, dtype),
        "radius": draw.uniform([], 0.8, 1.1, dtype),
    }
    if scene == "ball":
        return ball
    if scene == "corridor":
        # The floor is y = 0; the ball lies on it, far from the rays along it.
        axis = torch.tensor([0.0, draw.choice((0.5, 1.0, 2.0)), 0.0], dtype=dtype)
        return ball | {"normal": axis, "offset": torch.zeros([], dtype=dtype)}
    place = draw.uniform([3], -0.3, 0.3, dtype)
    half_size = draw.uniform([3], 0.6, 0.9, dtype)
    ball["centre"] = place + half_size * draw.uniform([3], 0.9, 1.1, dtype)
    ball["radius"] = draw.uniform([], 0.6, 0.8, dtype)
    return ball | {"place": place, "half_size": half_size}


def rays(params: Params, c: dict[str, Tensor], draw: Draw) -> tuple[Tensor, Tensor]:
    """Draw origins and directions of float64; lengths of directions are not 1."""
    shape, kind = params["rays"], params.get("kind", "out")
    way = _direction(shape, draw)
    lengths = draw.uniform([*shape, 1], 0.3, 3.0, torch.float64)
    centre = c.get("centre", torch.zeros(3)).double()
    if kind == "inside":
        return centre + way * 0.3 * c["radius"].double(), _direction(shape, draw) * lengths
    if kind == "through":
        # At t = 4 the ray is inside the sphere, behind the first wall.
        return centre - way * 4.0 + _direction(shape, draw) * 0.2, way * lengths
    if kind == "touching":
        # Some rays start on the ball, the others above it.
        height = torch.where(torch.arange(math.prod(shape)) % 2 == 0, 0.0, 0.2).view(*shape, 1)
        return centre + way.abs() * (c["radius"].double() + height), -way.abs() * lengths
    if kind in ("level", "down", "last step"):
        return _above_floor(kind, shape, c, draw)
    if kind == "along":
        return _along(shape, draw)
    spread = 1.3 if params["scene"] != "floor" else 0.5
    target = draw.uniform([*shape, 3], -spread, spread, torch.float64)
    origins = way * draw.uniform([*shape, 1], 3.0, 3.8, torch.float64)
    return origins, torch.nn.functional.normalize(target - origins, dim=-1) * lengths


def _above_floor(
    kind: str, shape: list[int], c: dict[str, Tensor], draw: Draw
) -> tuple[Tensor, Tensor]:
    """Draw rays over a plane: parallel to it, straight down, or so that one step decides."""
    n = torch.nn.functional.normalize(c["normal"].double(), dim=-1)
    across = torch.linalg.cross(n.expand(*shape, 3), _direction(shape, draw))
    across = torch.nn.functional.normalize(across, dim=-1)
    lengths = draw.uniform([*shape, 1], 0.3, 3.0, torch.float64)
    is_even = (torch.arange(math.prod(shape)) % 2 == 0).view(*shape, 1)
    height = draw.uniform([*shape, 1], 0.5, 1.5, torch.float64)
    way = across
    if kind == "down":
        height = height + torch.where(torch.arange(math.prod(shape)) % 4 < 2, 0.5, 2.1).view(-1, 1)
        way = torch.where(is_even, -n, 0.6 * across - 0.8 * n)
    elif kind == "last step":
        # The distance shrinks by r a step; after 127 or 128 steps it is 0.97 of the tolerance. The
        # way there is the height divided by 1 - r, at most 7.
        height = height * 0.3
        steps = torch.where(is_even, 127, 128)
        r = (0.97 * LAST_TOL / height) ** (1 / steps)
        way = (1 - (1 - r) ** 2).sqrt() * across - (1 - r) * n
    return n * (c["offset"].double() + height), way * lengths


def _along(shape: list[int], draw: Draw) -> tuple[Tensor, Tensor]:
    """Draw rays along a floor: each second one looks down at it instead."""
    start = draw.uniform([*shape, 3], 0.04, 0.05, torch.float64)
    start[..., 0] += 3
    # Away from the ball, level; or straight down from high above, where two evaluations suffice.
    ahead = torch.tensor([1.0, 0.0, 0.0], dtype=torch.float64)
    down = torch.tensor([0.02, -1.0, 0.01], dtype=torch.float64)
    looks_down = (torch.arange(math.prod(shape)) % 2 == 0).view(*shape, 1)
    high = torch.tensor([0.0, 2.0, 0.0], dtype=torch.float64)
    lengths = draw.uniform([*shape, 1], 0.3, 3.0, torch.float64)
    return torch.where(looks_down, start + high, start), torch.where(
        looks_down, down, ahead
    ) * lengths


def clear_points(scene: str, c: dict[str, Tensor], shape: list[int], draw: Draw) -> Tensor:
    """Draw points whose surroundings are smooth: many are drawn, and the first fit ones kept."""
    wide = {key: value.double() for key, value in c.items()}

    def f(p: Tensor) -> Tensor:
        return FIELDS.SCENES[scene](p, wide)

    count = math.prod(shape)
    drawn = draw.normal([400, 3], torch.float64, scale=1.0)
    value, n = MARCH.differentiate(f, drawn)
    fit = drawn[~MARCH.turns(f, drawn, n) & (value.abs() > GAP / 2)]
    assert len(fit) >= count, "400 points hold enough smooth ones"
    return fit[:count].reshape(*shape, 3)
