"""Draw the inputs of problem 36: twists of every size, and cameras that look at points.

Legend: R rotation, t translation of a pose; z depth; f focal length.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from torchstone.judge.kit import Case, Draw, Request, call, lay_out, refusals
from torchstone.judge.kit import shrink as shrink_sizes

GROUPS = ("sample", "small", "edge", "scale", "layout")

# From an angle that rounding cannot tell from 0 to one at which no series is short. A float32
# 1 - cos is 0 below 2e-4, and a float64 one has no digit left at 1e-8.
ANGLES = (
    *(1e-12, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 5e-5, 1.5e-4, 4e-4, 9e-4, 3e-3, 9e-3, 0.03, 0.09),
    *(0.2, 0.45, 0.7, 1.0),
    # Around the zeros of sin and of 1 - cos, and beyond the first turn.
    *(1.5, 2.2, 3.0, math.pi - 1e-3, math.pi, 3.3, 4.5, 2 * math.pi - 1e-4, 6.4, 9.0, 12.0),
)
# No depth is closer to near than this, so valid is never a matter of rounding.
MARGIN = 0.8
FIELDS = ("uv", "depth", "valid")
NAMES = ("points", "pose", "K", "dist")


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    plans = {
        "sample": _plan_sample,
        "small": _plan_small,
        "edge": _plan_edge,
        "scale": _plan_scale,
        "layout": _plan_layout,
    }
    return plans[group](draw)


def _plan_sample(draw: Draw) -> list[dict[str, Any]]:
    return [
        {"angles": [draw.choice((0.8, 1.1, 1.7))], "one": True},
        _view([4], [], [], plain=True),
        _view([4], [], [], dist=[], plain=True),
    ]


def _plan_small(draw: Draw) -> list[dict[str, Any]]:
    # As many points as poses or cameras: a missing dimension fits without a complaint, and the
    # wrong value says more than an exception. Sizes that differ come in the group layout.
    size, few = draw.integer(4, 5), draw.integer(2, 3)
    by_cameras = _view([size], [size, 1], [size], dtype="float64", dist=[])
    return [
        {
            "parts": {
                "poses": _view([size], [size], []),
                "cameras": _view([size], [], [size], dtype="float64"),
                "lenses": _view([size], [], [], dist=[size]),
                "three by three": _view([3], [3], [3]),
                # Without a lens, dimensions of 1 meet others.
                "one pose, cameras": _view([size], [1], [size]),
                "poses, one camera": _view([size], [size], [1], dtype="float64"),
            }
        },
        {
            "parts": {
                "one of each": _view([size, size], [size], [size], dist=[size], style="keyword"),
                "poses by cameras": by_cameras,
                "clouds by poses": _view([few, 1, size], [size], [], dist=[size], near=0.5),
                "twists": {"angles": [0.3, 1.2, 2.9, 0.9], "batch": [2, 2]},
            }
        },
    ]


def _plan_edge(draw: Draw) -> list[dict[str, Any]]:
    zeros = {"angles": [0.0, 0.0], "rhos": [0.0, 1.0]}
    # In float64 an eps of 1e-8 beside an angle shows at 1.3.
    among = {"angles": [1.3, 0.0, 0.4], "rhos": [1.0, 1.0, 0.0], "dtype": "float64"}
    lens = {"lens": True, "dtype": "float64"}
    return [
        _once(
            {
                "xi = 0": {"angles": [0.0], "rhos": [0.0], "one": True},
                "phi = 0": zeros,
                "phi = 0 in float64": zeros | {"dtype": "float64"},
                "one phi = 0": among,
            }
        ),
        _once(
            {
                "behind some": _view([6], [2], [], far=0.5),
                "behind": {"kind": "invalid"},
                "behind, uv alone": {"kind": "invalid", "alone": True, "lens": True},
                "nothing in front": {"kind": "invisible", "alone": True} | lens,
                "nothing in front, depth": {"kind": "invisible"},
                "at the centre": {"kind": "centre"},
                "just in front": {"kind": "close", "dtype": "float64"},
            }
        ),
        _once(
            {
                "no points": _view([0], [2], [], dist=[]),
                "no clouds": _view([0, 3], [], []),
                "no poses": _view([3], [0], []),
                "no twists": {"angles": [], "batch": [0]},
            }
        ),
        {"kind": "errors"},
    ]


def _once(parts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Call each part a single time: whether a second call agrees, the other groups ask."""
    return {"parts": {name: each | {"twice": False} for name, each in parts.items()}}


def _plan_scale(draw: Draw) -> list[dict[str, Any]]:
    angles = list(ANGLES)
    dtypes = ("float32", "float64")
    return [{"parts": {dtype: {"angles": angles, "dtype": dtype} for dtype in dtypes}}]


def _plan_layout(draw: Draw) -> list[dict[str, Any]]:
    few = draw.integer(2, 3)
    laid = {
        "transposed": _view([4], [few], [few], layout="transposed", dtype="float64", dist=[few]),
        "stepped": _view([few, 5], [few], [4, 1], layout="stepped", dist=[few], wrt=[0, 3]),
        "expanded": _view([4], [3], [3], layout="expanded", dist=[3], wrt=[1, 2]),
    }
    twists = {
        layout: {"angles": [0.02, 0.6, 2.0], "layout": layout}
        for layout in ("transposed", "offset")
    }
    return [
        {"parts": laid | twists},
        _view([4], [2], [], dist=[], again=True),
        {"angles": [0.3, 1e-4, 2.0], "again": True, "dtype": "float64"},
        # What is remembered for inference alone shows in no call with gradients.
        _view([4], [2], [], dist=[], again=True, wrt=[]),
        {"angles": [0.3, 1e-4, 2.0], "again": True, "wrt": []},
    ]


def _view(points: list[int], pose: list[int], K: list[int], **more: Any) -> dict[str, Any]:
    """Describe a projection: the batch of each argument, with the number of points."""
    return {"points": points, "pose": pose, "K": K} | more


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler parameters of a failing case: one of its twists alone, or smaller sizes."""
    angles = params.get("angles", ())
    if len(angles) > 1 and "batch" not in params:
        rhos = params.get("rhos", [1.0] * len(angles))
        yield from (
            params | {"angles": [angle], "rhos": [rho]}
            for angle, rho in zip(angles, rhos, strict=True)
        )
    if "points" in params:
        yield from shrink_sizes(params)


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the inputs of one case."""
    if "angles" in params:
        return _twists(params, draw)
    kind = params.get("kind")
    if kind == "errors":
        return _errors(draw)
    if kind is not None:
        return _edge(kind, params, draw)
    return _scene(params, draw)


# Twists


def _twists(params: dict[str, Any], draw: Draw) -> Case:
    dtype = getattr(torch, params.get("dtype", "float32"))
    angles = torch.tensor(params["angles"], dtype=torch.float64)
    rhos = torch.tensor(params.get("rhos", [1.0] * len(angles)), dtype=torch.float64)
    # An axis near a coordinate axis would hide a wrong sign of the other components.
    axis = draw.uniform([len(angles), 3], 0.3, 1.0, torch.float64)
    axis = axis * (2 * draw.integers(axis.shape, 0, 1) - 1)
    phi = axis / axis.norm(dim=-1, keepdim=True) * angles[:, None]
    rho = draw.normal(phi.shape, torch.float64) * rhos[:, None]
    xi = torch.cat([rho, phi], -1).to(dtype)
    if params.get("one"):
        xi = xi[0].clone()
    elif "batch" in params:
        xi = xi.reshape(*params["batch"], 6)
    xi = lay_out(xi, params.get("layout", "contiguous"))
    cotangent = draw.normal([*xi.shape[:-1], 4, 4], dtype)
    wrt = params.get("wrt", [0])
    options = {"cotangents": [cotangent] if wrt else [], "twice": params.get("twice", True)}
    request = call("se3_exp", xi, wrt=wrt, **options)
    secret = {"xi": xi, "cotangent": cotangent, "is_asked": bool(wrt)}
    return Case(steps=(request,), secret=secret, shown={"xi": xi})


# Cameras


def _scene(params: dict[str, Any], draw: Draw) -> Case:
    dtype = getattr(torch, params.get("dtype", "float32"))
    *clouds, num_points = params["points"]
    lens = params.get("dist")
    try:
        torch.broadcast_shapes(clouds, params["pose"], params["K"], lens or [])
    except RuntimeError as error:
        raise ValueError(f"the shapes of {params} do not fit") from error
    near = params.get("near", 1e-6)
    pose = _pose(params["pose"], params.get("far", 4.0), draw)
    K = _intrinsics(params["K"], draw)
    if not params.get("plain"):
        # What nobody may read.
        pose[..., 3, :] = draw.normal(pose.shape[:-1], torch.float64)
        K[..., 1, 0] = draw.normal(K.shape[:-2], torch.float64, scale=50.0)
        K[..., 2, :] = draw.normal(K.shape[:-1], torch.float64)
    pose, K = pose.to(dtype), K.to(dtype)
    points = _points(clouds, num_points, pose, near, "far" in params, draw).to(dtype)
    dist = None if lens is None else _lens(lens, draw).to(dtype)
    layout = params.get("layout", "contiguous")
    points, pose, K = lay_out(points, layout), _inner(pose, layout), _inner(K, layout)
    if dist is not None:
        dist = lay_out(dist, layout)
    return _ask(points, pose, K, dist, near, params, draw)


def _inner(matrices: Tensor, layout: str) -> Tensor:
    """Lay out a batch of matrices; `transposed` means column by column, as `.mT` leaves them."""
    if layout == "transposed":
        return matrices.mT.contiguous().mT
    return lay_out(matrices, layout)


def _rotations(batch: list[int], draw: Draw) -> Tensor:
    """Draw rotations of any angle, by unit quaternions."""
    q = draw.normal([*batch, 4], torch.float64)
    w, x, y, z = (q / q.norm(dim=-1, keepdim=True)).unbind(-1)
    rows = [
        *(1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
        *(2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
        *(2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
    ]
    return torch.stack(rows, -1).reshape(*batch, 3, 3)


def _pose(batch: list[int], far: float, draw: Draw) -> Tensor:
    pose = torch.eye(4, dtype=torch.float64).repeat(*batch, 1, 1)
    pose[..., :3, :3] = _rotations(batch, draw)
    pose[..., :3, 3] = draw.uniform([*batch, 3], -0.6, 0.6, torch.float64)
    pose[..., 2, 3] += far
    return pose


def _intrinsics(batch: list[int], draw: Draw) -> Tensor:
    K = torch.eye(3, dtype=torch.float64).repeat(*batch, 1, 1)
    K[..., 0, 0] = draw.uniform(batch, 300, 400, torch.float64)
    K[..., 1, 1] = draw.uniform(batch, 500, 600, torch.float64)
    K[..., 0, 1] = draw.uniform(batch, 20, 40, torch.float64) * draw.choice((-1, 1))
    K[..., 0, 2] = draw.uniform(batch, 200, 300, torch.float64)
    K[..., 1, 2] = draw.uniform(batch, 100, 160, torch.float64)
    return K


def _lens(batch: list[int], draw: Draw) -> Tensor:
    """Draw k1, k2, p1, p2, k3, no two of which can be exchanged unseen."""
    signs = 2 * draw.integers([*batch, 5], 0, 1) - 1
    low = torch.tensor([0.15, 0.08, 0.02, 0.04, 0.03], dtype=torch.float64)
    return low * draw.uniform([*batch, 5], 1.0, 1.4, torch.float64) * signs


def _points(
    clouds: list[int], num_points: int, pose: Tensor, near: float, behind: bool, draw: Draw
) -> Tensor:
    """Draw points again until each depth is far from near, and beyond it unless `behind`."""
    points = draw.normal([*clouds, num_points, 3], torch.float64, scale=0.9)
    while points.numel() and pose.numel():
        depth = points @ pose[..., 2, :3, None].double() + pose[..., None, 2:3, 3].double() - near
        is_bad = (depth.abs() if behind else depth) < MARGIN
        again = is_bad.reshape(-1, num_points).any(0)[:, None]
        if not again.any():
            break
        points = torch.where(again, draw.normal(points.shape, torch.float64), points)
    return points


def _edge(kind: str, params: dict[str, Any], draw: Draw) -> Case:
    """Look along the z axis, so that depths in binary fractions have no rounding at all."""
    dtype = getattr(torch, params.get("dtype", "float32"))
    near = 0.5
    pose = torch.eye(4, dtype=torch.float64)
    angle = draw.uniform([], 0.3, 1.2, torch.float64)
    pose[0, 0] = pose[1, 1] = angle.cos()
    pose[0, 1], pose[1, 0] = -angle.sin(), angle.sin()
    # The last but one is the centre of the camera; the depth of 0 before it is in its plane.
    depths = [-2.5, 0.25, 0.0, 0.0, -0.5]
    if kind == "close":
        near, pose = 1e-6, torch.eye(4, dtype=torch.float64)
        depths = [2.0**-15]
    elif kind == "invalid":
        depths = [2.5, -1.5, 0.25, 3.0, 0.0, 0.0, 0.75]
    z = torch.tensor(depths, dtype=torch.float64)
    xy = draw.uniform([len(depths), 2], 0.3, 1.5, torch.float64)
    if kind == "close":
        xy = (xy * 8).round() / 8 * z[:, None]
    points = torch.cat([xy, z[:, None]], -1)
    if kind == "centre":
        # Whatever the rotation, the origin is the centre of this camera.
        pose = _pose([], 0.0, draw)
        pose[:3, 3] = 0.0
        points = torch.stack(
            [torch.zeros(3, dtype=torch.float64), pose[:3, :3].mT @ points[0].abs()]
        )
    elif kind != "close":
        points[-2, :2] = 0.0
        pose[2, 3] = 1.0
        points[:, 2] -= 1.0
    dist = _lens([], draw).to(dtype) if params.get("lens") else None
    return _ask(
        points.to(dtype), pose.to(dtype), _intrinsics([], draw).to(dtype), dist, near, params, draw
    )


def _ask(
    points: Tensor,
    pose: Tensor,
    K: Tensor,
    dist: Tensor | None,
    near: float,
    params: dict[str, Any],
    draw: Draw,
) -> Case:
    batch = torch.broadcast_shapes(
        points.shape[:-2], pose.shape[:-2], K.shape[:-2], () if dist is None else dist.shape[:-1]
    )
    shape = (*batch, points.shape[-2])
    of_uv = draw.normal([*shape, 2], points.dtype)
    of_depth = None if params.get("alone") else draw.normal(shape, points.dtype, scale=30.0)
    inputs = {"points": points, "pose": pose, "K": K}
    if dist is not None:
        inputs["dist"] = dist
    names = [NAMES[at] for at in params.get("wrt", range(4)) if NAMES[at] in inputs]
    cotangents = [of_uv, of_depth, None] if names else []
    options: dict[str, Any] = {"fields": FIELDS, "cotangents": cotangents}
    options["twice"] = params.get("twice", True)
    extra = {} if near == 1e-6 else {"near": near}
    if params.get("style") == "keyword":
        reverse = dict(reversed(inputs.items()))
        request = call("project", wrt=names, **options, **extra, **reverse)
        keys = {name: name for name in names}
    else:
        keys = {name: str(NAMES.index(name)) for name in names}
        wrt = [NAMES.index(name) for name in names]
        request = call("project", *inputs.values(), wrt=wrt, **options, **extra)
    secret = {"inputs": inputs, "near": near, "of_uv": of_uv, "of_depth": of_depth, "keys": keys}
    return Case(steps=(request,), secret=secret, shown=inputs | extra)


def _errors(draw: Draw) -> Case:
    xi = draw.normal([2, 7])
    points, pose, K = draw.normal([5, 3]), _pose([], 4.0, draw).float(), torch.eye(3)
    lens = _lens([], draw).float()
    wrong = {
        "xi of 7": ("se3_exp", xi),
        "xi of 5": ("se3_exp", xi[:, :5].clone()),
        "xi of 3": ("se3_exp", xi[0, :3].clone()),
        "points of 4": ("project", draw.normal([5, 4]), pose, K),
        "points of 2": ("project", draw.normal([5, 2]), pose, K),
        "points of 1": ("project", draw.normal([5, 1]), pose, K),
        "pose of 3 x 4": ("project", points, pose[:3].clone(), K),
        "pose of 3 x 3": ("project", points, pose[:3, :3].clone(), K),
        "pose of 4 x 3": ("project", points, pose[:, :3].clone(), K),
        "K of 3 x 4": ("project", points, pose, draw.normal([3, 4])),
        "K of 2 x 3": ("project", points, pose, K[:2].clone()),
        "K of 4 x 4": ("project", points, pose, torch.eye(4)),
        "dist of 4": ("project", points, pose, K, lens[:4].clone()),
        "dist of 8": ("project", points, pose, K, draw.normal([8])),
        "dist of 1": ("project", points, pose, K, lens[:1].clone()),
    }
    calls: dict[str, Request] = {name: call(*args) for name, args in wrong.items()}
    shown = {name: args[-1] for name, args in wrong.items()}
    return Case(steps=(refusals(calls),), secret={"raises": list(calls)}, shown=shown)
