"""Draw the scenes of problem 49, and look at each in float64: which pixels are in doubt?

Whether a Gaussian counts at a pixel is decided by comparisons. Where one of them is as good as a
tie, float32 may decide otherwise than float64; such pixels are not compared, and no gradient is
sent there. So a scene must be looked at before it is sent.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import torch

from torchstone.judge.kit import Case, Draw, launches

# N Gaussians, W width, H height, T transmittance; the rest as in the statement.

# One entry after the other: projection, forward, backward. In each, what is said of one Gaussian
# comes before what is said of many, and both before what is fast.
GROUPS = (
    "project",
    "sample", "small", "batch", "ties", "reverse", "dense", "radius", "culled", "edge", "bad",
    "large", "perf",
    "grad", "grad_dense", "grad_edge", "grad_large", "grad_perf",
)  # fmt: skip

MOST_ALPHA, LEAST_ALPHA, LEAST_T = 0.99, 1 / 255, 1e-4
CALM_T = 5e-3
# How near to a tie is too near: in pixels for the border of a square, relative for the others.
EDGE, CUTOFF, CLAMP, STOP, FLAT = 2e-4, 2e-3, 1e-4, 3e-3, 1e-5
# A square this many deviations wide loses nothing that is not cut off anyway: 255 e^(-w²/2) < 1.
WIDE, TRUE = 3.6, 3.0

ORDERS = ["ascending", "descending", "random"]
# Of such a case no pointer is a multiple of 8; and of such a one the stream has been destroyed, so
# that nothing can be launched.
ODD, ENDED = {"is_odd": True}, {"ended": True}
# Of these groups so many cases are launched in every order, and under the detectors.
QUICK = {
    "batch": 2, "ties": 1, "reverse": 1, "dense": 1, "radius": 1, "culled": 1,
    "grad": 1, "grad_dense": 1,
}  # fmt: skip
INPUTS = ("xy", "depth", "conic", "radius", "opacity", "color", "bg")
SUMMED = {"grad_xy": 2, "grad_conic": 3, "grad_opacity": 1, "grad_color": 3}
Array = np.ndarray[Any, Any]
Scene = dict[str, Array]


class Visit(NamedTuple):
    """What one Gaussian is to the pixels of a window."""

    n: int
    window: tuple[slice, slice]
    dx: Array
    dy: Array
    falloff: Array
    alpha: Array
    T: Array
    is_clamped: Array
    counts: Array


class Seen(NamedTuple):
    """What is seen of a scene, and where it is in doubt."""

    image: Array
    final_T: Array
    n_last: Array
    order: Array
    is_unsure: Array
    visits: list[Visit]


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    if group == "project":
        return [{"op": "project"} | params for params in _project_plans(draw)]
    if group.startswith("grad"):
        plans = [{"op": "backward"} | params for params in _backward_plans(group, draw)]
    else:
        plans = [{"op": "forward"} | params for params in _forward_plans(group, draw)]
    # What only other values tell is told at full speed, in one order of threads and blocks.
    return [
        params | ({"order": draw.choice(ORDERS)} if number >= QUICK.get(group, 99) else {})
        for number, params in enumerate(plans)
    ]


def _project_plans(draw: Draw) -> list[dict[str, Any]]:
    # One size comes twice, so that an answer that was kept is another's.
    few = draw.integer(2, 31)
    sizes = (1, few, few, 32 * draw.integer(1, 3) + draw.integer(1, 31), 300)
    plans: list[dict[str, Any]] = [{"n": n, "place": "everywhere"} for n in sizes]
    # The numbers of a camera are no tensors: they stay when these are overwritten.
    plans[1] |= {"camera": _camera(draw), "again": True}
    places = ("near plane", "large", "tiny", "thin")
    plans += [{"n": draw.integer(33, 70), "place": place} for place in places]
    odd = [plan | ODD for plan in plans[:4]]
    return [*odd, *plans[4:], {"n": 0}, {"n": -draw.integer(1, 9)}, {"n": 5} | ENDED]


def _forward_plans(group: str, draw: Draw) -> list[dict[str, Any]]:
    low = {"opacity": (0.1, 0.3), "sigma": (0.7, 1.4), "calm": True}
    some = {"n": draw.integer(60, 100), "size": _size(draw), "calm": True}
    # One of them twice: what sorts -0 before 0 shall not be right by chance.
    tied = ("equal", "zeros", "negative", "neighbours", "zeros")
    plans: dict[str, list[dict[str, Any]]] = {
        # As the statement shows it.
        "sample": [{"n": 1, "size": [16, 16], "veil": True}],
        "small": _small(draw),
        "batch": [
            {"n": n, "size": _size(draw, 17, 22), **low}
            for n in (257, draw.integer(290, 310), 256, 600)
        ],
        "ties": [some | {"depth": depth} for depth in tied],
        "reverse": [some | {"n": n, "depth": "reverse"} for n in (draw.integer(20, 50), 100)],
        "dense": _dense(draw),
        "radius": [
            some | {"reach": (1.2, 2.0), "opacity": (0.5, 0.9)},
            some | {"reach": TRUE, "opacity": (0.85, 0.95)},
        ],
        "culled": [some | {"culled": 0.5}, {"n": 33, "size": _size(draw), "culled": 1.0}],
        "edge": _edges(draw),
        "bad": _bad(draw),
        "large": [{"n": 1500, "size": [96, 80], "sigma": (0.8, 2.5), "opacity": (0.05, 0.6)}],
        "perf": [
            {"n": 512, "size": [64, 64], "sigma": (0.8, 1.2), "reach": TRUE, "perf": "tiles"},
            {"n": 1024, "size": [1, 1], "culled": 1.0, "perf": "sort"},
        ],
    }
    return plans[group]


def _backward_plans(group: str, draw: Draw) -> list[dict[str, Any]]:
    low = {"opacity": (0.1, 0.3), "sigma": (0.7, 1.4), "calm": True}
    some = {
        "n": draw.integer(33, 63),
        "size": _size(draw, 17, 22),
        "sigma": (0.7, 2.0),
        "calm": True,
    }
    plans: dict[str, list[dict[str, Any]]] = {
        "grad": [
            some | ODD, some | ODD, some | {"n": draw.integer(1, 9), "again": True},
            some | {"n": draw.integer(12, 31)},
            some | {"n": draw.integer(257, 300), **low},
        ],
        "grad_dense": [
            *_dense(draw), {"n": 40, "size": _size(draw, 17, 22), "sigma": (0.7, 2.0),
                                "culled": 0.5, "reach": TRUE},
        ],
        "grad_edge": [*_edges(draw)[:4], *_bad(draw)],
        "grad_large": [{"n": 600, "size": [64, 48], "sigma": (0.8, 2.0), "opacity": (0.1, 0.6)}],
        "grad_perf": [
            {"n": 12, "size": [64, 64], "sigma": (6.0, 9.0), "opacity": (0.2, 0.4),
             "calm": True, "perf": "atomics"},
        ],
    }  # fmt: skip
    return plans[group]


def _size(draw: Draw, low: int = 17, high: int = 31) -> list[int]:
    """Draw a width and a height that differ, neither a multiple of 16."""
    odd = [size for size in range(low, high + 1) if size % 16]
    width = draw.choice(odd)
    return [width, draw.choice([size for size in odd if size != width])]


def _small(draw: Draw) -> list[dict[str, Any]]:
    sizes = (1, draw.integer(2, 9), draw.integer(12, 31), draw.integer(33, 63), 120)
    plans = [{"n": n, "size": _size(draw), "calm": True} for n in sizes]
    plans[1] |= {"again": True}
    # One comes twice, with other Gaussians: an answer that was kept is of no use.
    return [*plans[:2], plans[2] | ODD, plans[3] | ODD, plans[4], dict(plans[2])]


def _dense(draw: Draw) -> list[dict[str, Any]]:
    # More than a batch; a part of the image is covered thickly, another thinly.
    thick = {"opacity": (0.6, 1.0), "sigma": (1.0, 2.0), "side": True}
    return [
        {"n": n, "size": _size(draw, 17, 20), **thick}
        for n in (draw.integer(270, 300), draw.integer(40, 60))
    ]


def _edges(draw: Draw) -> list[dict[str, Any]]:
    sizes = ([1, 1], [3, 50], [100, 2])
    empty = {"n": 0, "size": _size(draw, 5, 20)}
    return [
        empty,
        {"n": 0, "size": [1, 1]},
        *({"n": draw.integer(12, 30), "size": size} for size in sizes),
    ]


def _bad(draw: Draw) -> list[dict[str, Any]]:
    rows = ((-draw.integer(1, 9), 4, 3), (5, 0, 3), (5, 4, draw.choice((0, -1, -16))))
    return [*({"n": n, "size": [W, H]} for n, W, H in rows), {"n": 5, "size": [4, 3]} | ENDED]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Build a call and what the oracle needs to know of it."""
    if params["op"] == "project":
        return _project(params, draw)
    n, (W, H) = params["n"], params["size"]
    secret = dict(params)
    if n < 0 or W < 1 or H < 1:
        # A bad size comes with buffers all the same, in which nothing may change.
        scene, W, H = _draw_scene(params | {"n": 5, "size": [4, 3]}, draw), 4, 3
        secret["is_bad"] = True
    else:
        scene = _draw_scene(params, draw)
    seen = look(scene, W, H)
    secret["seen"] = seen
    values = {name: torch.from_numpy(scene[name]) for name in INPUTS}
    values |= {"N": n, "W": params["size"][0], "H": params["size"][1]}
    length = len(scene["xy"])
    if params["op"] == "forward":
        outputs = {
            "image": (torch.float32, [H, W, 3]), "final_T": (torch.float32, [H, W]),
            "n_last": (torch.int32, [H, W]), "order": (torch.int32, [length]),
        }  # fmt: skip
    else:
        del values["depth"]
        cotangent = draw.normal([H, W, 3]).numpy() * ~seen.is_unsure[..., None]
        values |= {
            "grad_image": torch.from_numpy(cotangent),
            "final_T": torch.from_numpy(seen.final_T.astype(np.float32)),
            "n_last": torch.from_numpy(seen.n_last), "order": torch.from_numpy(seen.order),
        }  # fmt: skip
        outputs = {
            name: (torch.float32, [length] if width == 1 else [length, width])
            for name, width in SUMMED.items()
        }
    return _case(params, values, outputs, secret, draw)


def _case(
    params: dict[str, Any],
    values: dict[str, Any],
    outputs: dict[str, Any],
    secret: dict[str, Any],
    draw: Draw,
) -> Case:
    is_large = params.get("n", 0) > 500 and "perf" not in params
    orders = ["random"] if "perf" in params else [params["order"]] if "order" in params else ORDERS
    launches_nothing = "is_bad" in secret or (params["n"] <= 0 and params["op"] != "forward")
    is_ended = "ended" in params
    if is_ended:
        values["stream_has_ended"] = 1
    tensors = [name for name, item in values.items() if isinstance(item, torch.Tensor)]
    steps = launches(
        params["op"], values, outputs, seed=draw.integer(0, 2**31),
        offsets={name: draw.choice((4, 12)) for name in (*tensors, *outputs)}
        if "is_odd" in params else {},
        results=["status"] if is_ended else ["status", "kept_bytes"],
        orders=orders[:1] if is_large else orders,
        check=not (is_large or is_ended or "order" in params),
        counts="perf" in params or launches_nothing,
    )  # fmt: skip
    return Case(steps=steps, secret=secret | {"launches_nothing": launches_nothing}, shown=values)


def _project(params: dict[str, Any], draw: Draw) -> Case:
    """Build a call of the projection: a camera, and Gaussians before and behind it."""
    n, place = params["n"], params.get("place", "everywhere")
    length = 4 if n < 0 else n
    turn = _rotations(draw.normal([1, 4]).double().numpy())[0]
    shift = draw.uniform([3], -1.0, 1.0).double().numpy()
    z = draw.uniform([length], -1.0, 8.0).double().numpy()
    if place == "near plane":
        z = 0.2 + np.abs(draw.uniform([length], -0.15, 0.15).double().numpy())
        z[::2] = 0.4 - z[::2]
    # Never so near to the plane that rounding could decide.
    z += np.where(np.abs(z - 0.2) < 1e-3, 0.01, 0.0)
    slope = draw.uniform([2, length], -0.7, 0.7).double().numpy()
    seen = np.stack([slope[0] * np.abs(z), slope[1] * np.abs(z), z], axis=1)
    spread = {"large": (0.5, 2.0), "tiny": (1e-4, 1e-3), "near plane": (0.005, 0.05)}
    low, high = spread.get(place, (0.02, 0.4))
    scales = np.exp(draw.uniform([length, 3], math.log(low), math.log(high)).numpy())
    if place == "thin":
        scales[:, 2] *= 0.01
    stretch = draw.uniform([length, 1], 0.3, 3.0)
    direction = draw.normal([length, 4])
    fx, fy, cx = params.get("camera") or _camera(draw)
    values = {
        "means": torch.from_numpy(((seen - shift) @ turn).astype(np.float32)),
        "scales": torch.from_numpy(scales.astype(np.float32)),
        "quats": direction / direction.norm(dim=1, keepdim=True) * stretch,
        "view": torch.from_numpy(np.concatenate([turn, shift[:, None]], axis=1)).float(),
        "fx": fx, "fy": fy, "cx": cx, "cy": 12.5, "N": n,
    }  # fmt: skip
    shapes = {"xy": [length, 2], "depth": [length], "conic": [length, 3], "radius": [length]}
    outputs = {name: (torch.float32, shape) for name, shape in shapes.items()}
    secret = params | ({"is_bad": True} if n < 0 else {})
    return _case(params, values, outputs, secret, draw)


def _camera(draw: Draw) -> list[float]:
    """Draw both focal lengths and the column of the centre."""
    fx, fy = (float(draw.integer(30, 90)) + 0.5 * draw.integer(0, 1) for _ in range(2))
    return [fx, fy + 10.0, float(draw.integer(8, 40))]


def _rotations(quats: Array) -> Array:
    w, x, y, z = (quats / np.linalg.norm(quats, axis=1, keepdims=True)).T
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), -1, 0)


def _draw_scene(params: dict[str, Any], draw: Draw) -> Scene:
    n, (W, H) = params["n"], params["size"]
    bg = draw.uniform([3], 0.0, 1.0).numpy()
    if params.get("veil"):
        return _veil(draw, bg)
    low, high = params.get("sigma", (0.7, 4.0))
    sigma = np.exp(draw.uniform([n, 2], math.log(low), math.log(high)).double().numpy())
    angle = draw.uniform([n], 0.0, math.pi).double().numpy()
    reach = params.get("reach", WIDE)
    if isinstance(reach, tuple):
        reach = draw.uniform([n], *reach).double().numpy()
    # A thick part of the image is its left half.
    width = 0.6 * W if params.get("side") else W + 3.0
    opacity = draw.uniform([n], *params.get("opacity", (0.3, 0.9))).numpy()
    xy = np.stack([draw.uniform([n], -3.0, end).numpy() for end in (width, H + 3.0)], axis=1)
    if params.get("side"):
        # Every third is opaque, and near enough to the centre of a pixel to be clamped there.
        opacity[::3] = draw.uniform([len(opacity[::3])], 0.993, 1.0).numpy()
        xy[::3] = np.floor(xy[::3]) + draw.uniform(xy[::3].shape, 0.46, 0.54).numpy()
    scene = {
        "xy": xy,
        "depth": _depths(params.get("depth", "spread"), n, draw),
        "conic": _conics(sigma, angle),
        "radius": np.ceil(reach * sigma.max(axis=1, initial=0.0)).astype(np.float32),
        "opacity": opacity,
        "color": draw.uniform([n, 3], 0.0, 1.2).numpy(),
        "bg": bg,
    }
    _cull(scene, params.get("culled", 0.0), draw)
    if params.get("calm"):
        _calm(scene, W, H)
    return scene


def _calm(scene: Scene, W: int, H: int) -> None:
    """Thin a scene until no pixel is anywhere near to being opaque."""
    while (least := look(scene, W, H).final_T.min(initial=1.0)) < CALM_T:
        # The logarithm of 1 - alpha is concave: with f times alpha, T is at least T to the f.
        factor = 0.98 * math.log(CALM_T) / math.log(least)
        scene["opacity"] = scene["opacity"] * np.float32(factor)


def _veil(draw: Draw, bg: Array) -> Scene:
    """Give one Gaussian that is as dense everywhere."""
    return {
        "xy": np.full((1, 2), 8, np.float32), "depth": np.ones(1, np.float32),
        "conic": np.zeros((1, 3), np.float32), "radius": np.full(1, 16, np.float32),
        "opacity": np.full(1, 0.5, np.float32), "color": draw.uniform([1, 3], 0.0, 1.0).numpy(),
        "bg": bg,
    }  # fmt: skip


def _conics(sigma: Array, angle: Array) -> Array:
    (p, q), cos, sin = (1 / sigma**2).T, np.cos(angle), np.sin(angle)
    rows = [p * cos**2 + q * sin**2, (p - q) * sin * cos, p * sin**2 + q * cos**2]
    return np.stack(rows, axis=1).astype(np.float32)


def _depths(kind: str, n: int, draw: Draw) -> Array:
    ranks = torch.randperm(n, generator=draw.generator).numpy()
    if kind == "equal":
        return draw.integers([n], 1, 4).numpy().astype(np.float32)
    if kind == "zeros":
        values = np.array([-0.0, 0.0, -1e-30, 1e-30, -2.0, 2.0], np.float32)
        return values[draw.integers([n], 0, 5).numpy()]
    if kind == "neighbours":
        # One unit in the last place apart, with a few ties.
        return (1 + (ranks // 2) * 2.0**-23).astype(np.float32)
    if kind == "reverse":
        ranks = np.arange(n)[::-1]
    shift = 5.0 if kind == "negative" else 0.0
    return (0.5 + 9.5 * (ranks + 0.5) / max(n, 1) - shift).astype(np.float32)


def _cull(scene: Scene, share: float, draw: Draw) -> None:
    """Make some Gaussians such as must not be seen: culled, or growing away from their centre."""
    if not share:
        return
    n = len(scene["radius"])
    chosen = draw.uniform([n], 0.0, 1.0).numpy() < share
    kind = draw.integers([n], 0, 3).numpy()
    for name in ("xy", "conic", "radius"):
        scene[name][chosen & (kind <= 1)] = 0.0
    scene["radius"][chosen & (kind == 2)] *= -1.0
    # Of these the backward has something to say where the power is negative.
    growing = chosen & (kind == 3)
    if share < 1.0:
        scene["conic"][growing, 0] *= -0.2
    else:
        scene["radius"][growing] = 0.0


def look(scene: Scene, W: int, H: int) -> Seen:
    """Blend a scene in float64, and find the pixels at which a decision is in doubt."""
    image, T = np.zeros((H, W, 3)), np.ones((H, W))
    n_last = np.zeros((H, W), np.int32)
    is_done, is_unsure = np.zeros((H, W), bool), np.zeros((H, W), bool)
    # Stable: equal depths, and so the zeros of both signs, stay in the order of their indices.
    order = np.argsort(scene["depth"], kind="stable").astype(np.int32)
    wide = {name: each.astype(np.float64) for name, each in scene.items()}
    visits = []
    for position, n in enumerate(order):
        (x, y), radius = wide["xy"][n], wide["radius"][n]
        rows, columns = _span(y, radius, H), _span(x, radius, W)
        if radius <= 0 or rows.start >= rows.stop or columns.start >= columns.stop:
            continue
        window = (rows, columns)
        dx = x - (np.arange(columns.start, columns.stop) + 0.5)
        dy = (y - (np.arange(rows.start, rows.stop) + 0.5))[:, None]
        A, B, C = wide["conic"][n]
        straight, cross = 0.5 * (A * dx * dx + C * dy * dy), B * dx * dy
        power = -straight - cross
        falloff = np.exp(np.minimum(power, 0))
        raw = wide["opacity"][n] * falloff
        alpha, far = np.minimum(raw, MOST_ALPHA), np.maximum(np.abs(dx), np.abs(dy))
        size = 0.5 * (abs(A) * dx * dx + abs(C) * dy * dy) + np.abs(cross)
        counts = (far <= radius) & (power <= 0) & (alpha >= LEAST_ALPHA) & ~is_done[window]
        T_behind = T[window] * (1 - alpha)
        in_doubt = (
            (np.abs(far - radius) < EDGE)
            | ((np.abs(power) < FLAT * size) & (size > 0))
            | (np.abs(raw / LEAST_ALPHA - 1) < CUTOFF)
            | (np.abs(raw / MOST_ALPHA - 1) < CLAMP)
            | (counts & (np.abs(T_behind / LEAST_T - 1) < STOP))
        )
        is_unsure[window] |= in_doubt & ~is_done[window] & (raw > LEAST_ALPHA * (1 - CUTOFF))
        stops = counts & (T_behind < LEAST_T)
        is_done[window] |= stops
        counts &= ~stops
        if not counts.any():
            continue
        visits.append(
            Visit(n, window, dx, dy, falloff, alpha, T[window].copy(), raw > MOST_ALPHA, counts)
        )
        image[window] += np.where(counts, alpha * T[window], 0)[..., None] * wide["color"][n]
        T[window] = np.where(counts, T_behind, T[window])
        n_last[window][counts] = position + 1
    image += T[..., None] * wide["bg"]
    return Seen(image, T, n_last, order, is_unsure, visits)


def _span(center: float, radius: float, size: int) -> slice:
    """Give the pixels whose centres are no further away than a radius, and a little more."""
    first = math.ceil(center - radius - 0.5 - EDGE)
    last = math.floor(center + radius - 0.5 + EDGE)
    return slice(max(first, 0), min(last + 1, size))


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler calls: fewer Gaussians, a smaller image."""
    n, size = params["n"], params.get("size", [1, 1])
    if n <= 0 or min(size) < 1 or {"perf", "veil", "ended"} & params.keys():
        return
    if "is_odd" in params:
        yield {name: item for name, item in params.items() if name != "is_odd"}
    for smaller in (1, 2, 3, 5, 9, 33, n // 2):
        if 0 < smaller < n:
            yield params | {"n": smaller}
    for smaller in (2, 5, 17):
        if any(smaller < each for each in size):
            yield params | {"size": [min(smaller, each) for each in size]}
