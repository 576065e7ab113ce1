"""Draw the scenes of problem 48: rays that cross, touch and miss a cube, thick and thin fields."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, launches
from torchstone.judge.kit.problem import load_module

MARCH = load_module(Path(__file__).with_name("march.py"))

# The forward comes before the gradient of a single ray, that before rays which meet in a node, and
# what stops a ray before what no float holds.
GROUPS = (
    "sample", "small", "grad", "collide", "stop", "opaque", "thin", "huge_raw", "face", "miss",
    "null", "dt", "edge", "bad", "large", "perf",
)  # fmt: skip

# No sample is nearer to a face, and no transmittance to T_min (relative), than rounding can decide.
FACE_GAP, STOP_GAP = 2e-5, 1e-3
# A wrong size comes with buffers all the same, in which nothing may change.
UNTOUCHED = 4
FORWARD, BACKWARD = {"op": "forward"}, {"op": "backward"}
BOTH = (FORWARD, BACKWARD)
# Detectors cost more than anything else; they look on where control or memory differs.
UNWATCHED = {"is_watched": False}
INPUTS = ("rays_o", "rays_d", "bg")
OUTPUTS = ("rgb", "depth", "opacity", "steps")
GRADS = ("grad_rgb", "grad_depth", "grad_opacity")


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases; what is not said is in ``_completed``."""
    return [_completed(params, draw) for params in PLANS[group](draw)]


def _sample(draw: Draw) -> list[dict[str, Any]]:
    return [FORWARD | {"R": 8, "G": 4, "S": 16}]


def _small(draw: Draw) -> list[dict[str, Any]]:
    few, many = draw.integer(2, 31), draw.integer(65, 100)
    return [
        FORWARD | {"R": R, "G": G, "S": S, "again": R == few}
        for R, G, S in (
            (1, draw.integer(3, 5), 4),
            (few, 2, draw.integer(5, 12)),
            (32, 9, 65),
            (draw.integer(33, 40), draw.integer(3, 8), draw.integer(31, 33)),
            (many, draw.integer(4, 8), draw.integer(13, 24)),
        )
    ]


def _grad(draw: Draw) -> list[dict[str, Any]]:
    """Plan rays that share no node, so that only what a sample gives is judged."""
    return [
        BACKWARD | {"R": R, "G": G, "S": S, "rays": rays, "again": R == 3}
        for R, G, S, rays in (
            (1, 2, 1, "camera"),
            (1, draw.integer(3, 6), draw.integer(4, 12), "camera"),
            (1, 9, 65, "camera"),
            (3, 9, draw.integer(20, 40), "apart"),
            (2, 9, draw.integer(33, 50), "apart"),
        )
    ]


def _stop(draw: Draw) -> list[dict[str, Any]]:
    some = round(draw.integer(50, 300) / 1000, 3)
    return [
        op
        | {"R": draw.integer(20, 40), "G": draw.integer(3, 8), "S": S, "density": density}
        | {"T_min": T_min, "is_watched": T_min == some}
        for T_min, density, S in ((0.5, 1.5, 24), (some, 2.5, 40), (1e-2, 4.0, 33), (1e-4, 8.0, 64))
        for op in BOTH
    ]


def _opaque(draw: Draw) -> list[dict[str, Any]]:
    """Plan fields of raw density 200: exp(200) is infinite in float, sigma * dt need not be."""
    thick = {"density": 200.0, "spread": 10.0, "R": draw.integer(10, 30), "G": draw.integer(3, 6)}
    # Little is absorbed in a step, and colours have a sigmoid whose exp overflows.
    partial = thick | {"rays": "within", "S": 40, "dt": 0.01, "colours": 150.0} | UNWATCHED
    # exp(-sigma * dt) is 0 in float; T_min = 0 marches on.
    total = thick | {"rays": "camera", "S": draw.integer(4, 5)}
    stopped = total | {"T_min": 1e-3} | UNWATCHED
    again = FORWARD | total | {"R": 24, "G": 3} | UNWATCHED
    return [*(op | each for each in (partial, total, stopped) for op in BOTH), again]


def _thin(draw: Draw) -> list[dict[str, Any]]:
    sizes = {"R": draw.integer(10, 30), "G": draw.integer(3, 6), "S": draw.integer(33, 48)}
    sizes |= {"spread": 0.3} | UNWATCHED
    return [op | sizes | {"density": raw} for raw in (-12.0, -60.0) for op in BOTH]


def _huge_raw(draw: Draw) -> list[dict[str, Any]]:
    sizes = {"R": draw.integer(10, 30), "G": draw.integer(3, 6), "S": draw.integer(20, 40)}
    near = sizes | {"rays": "within", "spread": 100.0, "dt": 1e-3, "colours": 1500.0} | UNWATCHED
    return [op | near | {"density": raw} for raw in (1500.0, -1500.0) for op in BOTH]


def _face(draw: Draw) -> list[dict[str, Any]]:
    sizes = {"R": draw.integer(20, 30), "S": 20, "dt": 0.125, "t_near": 0.0625}
    return [op | sizes | {"G": G, "rays": "faces"} for G in (2, draw.integer(3, 8)) for op in BOTH]


def _null(draw: Draw) -> list[dict[str, Any]]:
    sizes = {"R": draw.integer(4, 12), "G": draw.integer(3, 5), "S": draw.integer(8, 20)}
    return [
        BACKWARD | sizes | {"null": null}
        for null in (["grad_depth"], ["grad_opacity"], ["grad_depth", "grad_opacity"])
    ]


def _dt(draw: Draw) -> list[dict[str, Any]]:
    sizes = {"R": draw.integer(10, 30), "G": draw.integer(3, 8)} | UNWATCHED
    fine = sizes | {"rays": "within", "S": 64, "dt": 1e-3}
    coarse = sizes | {"S": draw.integer(4, 6), "dt": 0.75, "t_near": 0.0}
    far = sizes | {"S": 48, "dt": 0.0625, "t_near": 12.0}
    behind = sizes | {"S": 32, "dt": 0.125, "t_near": -3.0}
    return [op | each for each in (fine, coarse, far, behind) for op in BOTH]


def _edge(draw: Draw) -> list[dict[str, Any]]:
    T_min = {"T_min": draw.choice((0.0, 0.01))}
    return [
        op | {"G": draw.integer(2, 4)} | size | T_min
        for size in ({"R": draw.integer(3, 40), "S": 0}, {"R": 0, "S": 8}, {"R": 0, "S": 0})
        for op in BOTH
    ]


def _bad(draw: Draw) -> list[dict[str, Any]]:
    wrong = (
        {"R": draw.choice((-1, -256))},
        {"S": draw.choice((-1, -32))},
        {"G": 1},
        {"G": draw.choice((0, -2))},
    )
    ended = {"ended": True} | UNWATCHED
    return [op | {"R": 4, "G": 3, "S": 8} | each for each in (*wrong, ended) for op in BOTH]


def _perf(draw: Draw) -> list[dict[str, Any]]:
    # All rays begin near a face and would end near the other: nothing but T_min ends them before.
    across = {"G": 8, "S": 256, "rays": "across", "dt": 0.00625, "phases": {}}
    opaque = across | {"R": 256, "T_min": 1e-3, "density": 200.0, "spread": 10.0, "perf": "opaque"}
    thin = across | {"R": 16, "density": -2.0, "perf": "thin"}
    return [op | each for each in (opaque, thin) for op in BOTH]


PLANS = {
    "sample": _sample,
    "small": _small,
    "grad": _grad,
    "collide": lambda draw: [
        BACKWARD | {"R": 256, "G": 2, "S": draw.integer(5, 8)},
        BACKWARD | {"R": draw.integer(40, 60), "G": draw.integer(3, 4), "S": draw.integer(8, 12)},
    ],
    "stop": _stop,
    "opaque": _opaque,
    "thin": _thin,
    "huge_raw": _huge_raw,
    "face": _face,
    "miss": lambda draw: [
        op | {"R": draw.integer(5, 40), "G": 3, "S": draw.integer(4, 20), "rays": "miss"}
        for op in BOTH
    ],
    "null": _null,
    "dt": _dt,
    "edge": _edge,
    "bad": _bad,
    "large": lambda draw: [
        op
        | {"R": 3000, "G": 24, "S": 160, "dt": 0.0125, "T_min": 1e-2, "density": 14.0}
        | {"rays": "across", "is_large": True}
        | UNWATCHED
        for op in BOTH
    ],
    "perf": _perf,
}


def _completed(params: dict[str, Any], draw: Draw) -> dict[str, Any]:
    """Add what a case does not say: where rays begin, how thick the field is, how tensors lie."""
    near = round(draw.integer(20, 80) / 100, 2)
    phases = {name: draw.choice((0, 4, 8, 12)) for name in (*INPUTS, *OUTPUTS, *GRADS)}
    # Only the lattice is promised to lie at a multiple of 16 bytes; its gradient is not.
    phases |= {"field": draw.choice((0, 16, 48)), "grad_field": draw.choice((4, 8, 12))}
    filled = {"rays": "camera", "density": 0.5, "spread": 1.5, "T_min": 0.0, "t_near": near}
    filled |= {"dt": (4.0 - near) / max(params["S"], 1), "phases": phases} | params
    if filled["rays"] in ("within", "across"):
        filled["t_near"] = 0.0
    for name in ("t_near", "dt", "T_min"):
        filled[name] = float(torch.tensor(filled[name], dtype=torch.float32))
    return filled


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Build a call, and the march of its rays."""
    R, G, S = params["R"], params["G"], params["S"]
    is_bad = R < 0 or S < 0 or G < 2
    num_rays, nodes = (UNTOUCHED, UNTOUCHED) if is_bad else (R, G)
    scene, marched = _scene(params | {"R": num_rays, "G": nodes, "S": max(S, 0)}, draw)
    secret: dict[str, Any] = {
        "op": params["op"],
        "perf": params.get("perf"),
        "is_bad": is_bad,
        "ended": "ended" in params,
        "launches_nothing": is_bad or (R == 0 and params["op"] == "forward"),
        "scene": scene,
        "march": marched,
    }
    values: dict[str, Any] = {"R": R, "G": G, "S": S}
    # On a stream that has been destroyed nothing can be launched.
    values |= {"stream_has_ended": 1} if "ended" in params else {}
    values |= {name: params[name] for name in ("t_near", "dt", "T_min")}
    values |= {name: getattr(scene, name) for name in ("rays_o", "rays_d", "field", "bg")}
    if params["op"] == "forward":
        shapes = {"rgb": [num_rays, 3], "depth": [num_rays], "opacity": [num_rays]}
        outputs = {name: (torch.float32, shape) for name, shape in shapes.items()}
        outputs["steps"] = (torch.int32, [num_rays])
    else:
        values |= {
            "rgb": marched.rgb.float(),
            "depth": marched.depth.float(),
            "opacity": (1 - marched.left).float(),
            "steps": marched.steps.int(),
        }
        given = {
            name: draw.normal([num_rays, 3] if name == "grad_rgb" else [num_rays]) for name in GRADS
        }
        absent = params.get("null", ())
        values |= {name: item for name, item in given.items() if name not in absent}
        secret["cotangents"] = [
            item.double() * (name not in absent) for name, item in given.items()
        ]
        outputs = {"grad_field": (torch.float32, [nodes, nodes, nodes, 4])}
    is_large, is_counted = bool(params.get("is_large")), "perf" in params
    steps = launches(
        params["op"], values, outputs,
        seed=draw.integer(0, 2**31),
        offsets={name: phase for name, phase in params["phases"].items()
                 if name in values or name in outputs},
        results=["status"],
        orders=[draw.choice(("ascending", "descending"))] if is_large or is_counted else
        ["ascending", "descending", "random"],
        check=params.get("is_watched", True), counts=secret["launches_nothing"] or is_counted,
    )  # fmt: skip
    return Case(steps=steps, secret=secret, shown=dict(values))


def _scene(params: dict[str, Any], draw: Draw) -> tuple[Any, Any]:
    """Draw more rays than are wanted and keep those on which every right answer agrees."""
    R = params["R"]
    drawn = R + R // 8 + 16 if R else 0
    rays_o, rays_d = RAYS[params["rays"]](drawn, params, draw)
    numbers = {name: params[name] for name in ("t_near", "dt", "S", "T_min")}
    spare = MARCH.Scene(
        rays_o=rays_o, rays_d=rays_d, field=_field(params, draw), bg=draw.uniform([3], 0.2, 1.0),
        **numbers,
    )  # fmt: skip
    marched = MARCH.march(spare)
    from_face, from_stop = MARCH.gaps(spare, marched)
    fits = torch.nonzero((from_face >= FACE_GAP) & (from_stop >= STOP_GAP))[:, 0]
    if params["rays"] == "apart":
        fits = fits[_apart(fits)]
    if len(fits) < R:
        raise ValueError(f"of {drawn} rays {len(fits)} are far from every decision; {R} are wanted")
    return spare.take(fits[:R]), marched.take(fits[:R])


def _field(params: dict[str, Any], draw: Draw) -> torch.Tensor:
    G = params["G"]
    field = draw.normal([G, G, G, 4])
    density = params["density"] + params["spread"] * field[..., :1].clamp(-3, 3)
    colours = 1.5 * field[..., 1:]
    if "colours" in params:
        # Of one sign in each channel: between two nodes of +1500 and -1500 lies a jump. One is
        # positive always, and one negative.
        signs = torch.tensor([1.0, -1.0, draw.choice((1.0, -1.0))])
        order = torch.randperm(3, generator=draw.generator)
        colours = signs[order] * params["colours"] * (1 + 0.05 * field[..., 1:].clamp(-3, 3))
    return torch.cat([density, colours], -1).contiguous()


def _directions(count: int, draw: Draw) -> torch.Tensor:
    """Draw directions that are not of unit length."""
    return torch.nn.functional.normalize(draw.normal([count, 3])) * draw.uniform(
        [count, 1], 0.6, 1.4
    )


def _camera(count: int, params: dict[str, Any], draw: Draw) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw rays that reach a point of the cube halfway, from outside or from behind."""
    rays_d = _directions(count, draw)
    middle = params["t_near"] + params["S"] * params["dt"] / 2
    reached = middle + draw.uniform([count, 1], -0.4, 0.4)
    return draw.uniform([count, 3], -0.7, 0.7) - reached * rays_d, rays_d


def _apart_rays(
    count: int, params: dict[str, Any], draw: Draw
) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw rays that stay in one of three layers of cells, of which no two share a node."""
    rays_o, rays_d = _camera(count, params, draw)
    layer = torch.arange(count) % 3
    rays_d[:, 2] = draw.uniform([count], -0.01, 0.01)
    # Of eight layers of cells, the first, the fourth and the seventh.
    rays_o[:, 2] = -0.875 + 0.75 * layer + draw.uniform([count], -0.05, 0.05)
    return rays_o, rays_d


def _apart(fits: torch.Tensor) -> torch.Tensor:
    """Choose one ray of each layer."""
    return torch.tensor([int(torch.nonzero(fits % 3 == layer)[0]) for layer in range(3)])


def _within(count: int, params: dict[str, Any], draw: Draw) -> tuple[torch.Tensor, torch.Tensor]:
    return draw.uniform([count, 3], -0.9, 0.9), _directions(count, draw)


def _across(count: int, params: dict[str, Any], draw: Draw) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw rays that never leave the cube, from one face to the other."""
    rays_o = draw.uniform([count, 3], -0.5, 0.5)
    rays_d = draw.uniform([count, 3], -0.2, 0.2)
    axis = draw.integer(0, 2)
    rays_o[:, axis] = draw.uniform([count], -0.98, -0.9)
    rays_d[:, axis] = draw.uniform([count], 0.9, 1.1)
    return rays_o, rays_d


def _miss(count: int, params: dict[str, Any], draw: Draw) -> tuple[torch.Tensor, torch.Tensor]:
    rays_o, rays_d = _camera(count, params, draw)
    axis = draw.integer(0, 2)
    rays_o[:, axis] = draw.uniform([count], 1.1, 1.5)
    rays_d[:, axis] = draw.uniform([count], 0.0, 0.5)
    return rays_o, rays_d


def _faces(count: int, params: dict[str, Any], draw: Draw) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw rays in faces and along edges, and into corners; a coordinate there is exactly 1."""
    corners = torch.tensor([[0.0, 0.0, 0.0], [-1.0, -1.0, -1.0], [0.0, 1.0, 1.0], [1.0, 0.0, 1.0]])
    aims = torch.tensor([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    rays_o, rays_d = _camera(count, params, draw)
    for ray in range(count):
        axes = torch.randperm(3, generator=draw.generator)[: 1 + draw.integer(0, 1)]
        rays_o[ray, axes] = torch.tensor([draw.choice((1.0, -1.0)) for _ in axes])
        rays_d[ray, axes] = 0.0
    # The upper corner and two edges in every case, at multiples of an eighth.
    return torch.cat([corners, rays_o]), torch.cat([aims, rays_d])


RAYS = {
    "camera": _camera,
    "apart": _apart_rays,
    "within": _within,
    "across": _across,
    "miss": _miss,
    "faces": _faces,
}


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler calls: fewer rays, fewer samples over the same way, fewer nodes."""
    R, S, G = params["R"], params["S"], params["G"]
    if params.get("perf") or "ended" in params or min(R, S, G) < 1 or params["rays"] == "faces":
        return
    for rays in (1, 2, R // 2):
        if 0 < rays < R:
            yield params | {"R": rays}
    for samples in (1, 2, 4, S // 2):
        if 0 < samples < S:
            dt = float(torch.tensor(params["dt"] * S / samples, dtype=torch.float32))
            yield params | {"S": samples, "dt": dt}
    for nodes in (2, 3):
        if nodes < G and params["rays"] != "apart":
            yield params | {"G": nodes}
    if any(params["phases"].values()):
        yield params | {"phases": {}}
    if params["t_near"] and not math.isclose(params["t_near"], 0.5):
        yield params | {"t_near": 0.5}
