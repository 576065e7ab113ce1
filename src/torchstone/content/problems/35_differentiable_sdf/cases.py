"""Draw points, fields and rays for problem 35.

Legend: p points, d1 and d2 distances, k the width of a blend, c constants of a field.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, call, lay_out, refusals
from torchstone.judge.kit.problem import load_module

Params = dict[str, Any]
Tensor = torch.Tensor

DRAWS = load_module(Path(__file__).with_name("draws.py"))
FIELDS, MARCH = DRAWS.FIELDS, DRAWS.MARCH

GROUPS = ("sample", "small", "edge", "grad", "perf")
DTYPES = {"float32": torch.float32, "float64": torch.float64}


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases: its traces together, and its derivatives.

    Traces of the edges stay apart: there the first one that is wrong says what is wrong.
    """
    cases: list[Params] = []
    asked: dict[str, dict[str, Params]] = {}
    for number, params in enumerate(PLANS[group](draw)):
        op = params.get("op")
        if op == "derive" or (op == "trace" and group != "edge"):
            asked.setdefault(op, {})[f"{op} {number + 1}"] = params
        else:
            cases.append(params)
    return [*cases, *({"parts": parts} for parts in asked.values())]


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the inputs of one case."""
    return BUILDERS[params["op"]](params, draw)


def shrink(params: Params) -> list[Params]:
    """Return simpler parameters: fewer rays."""
    rays = params.get("rays", [])
    if params["op"] == "trace" and len(rays) == 1 and rays[0] > 4 and not params.get("moves"):
        return [params | {"rays": [rays[0] // 2]}]
    return []


def _shape(name: str, **options: Any) -> Params:
    base: Params = {"op": "shape", "name": name, "dtype": "float64", "points": [7], "at": ""}
    return base | {"wrt": True} | options


def _smooth(name: str, k: float, **options: Any) -> Params:
    base: Params = {"op": "smooth", "name": name, "k": k, "dtype": "float64", "points": [9]}
    return base | {"wrt": True} | options


def _trace(scene: str, **options: Any) -> Params:
    base: Params = {"op": "trace", "scene": scene, "dtype": "float64", "rays": [24], "kind": "out"}
    return base | {"wrt": "all", "options": {"tol": 1e-6}} | options


def _derive(function: str, scene: str, **options: Any) -> Params:
    base: Params = {"op": "derive", "function": function, "scene": scene, "dtype": "float64"}
    rest: Params = {"points": [5], "of_points": True, "through": False, "grad_mode": True}
    more: Params = {"options": {}, "at": "", "with_grad": False, "wrt": True, "moves": False}
    return base | rest | more | options


def _together(*each: Params) -> Params:
    return {"parts": {f"call {place + 1}": part for place, part in enumerate(each)}}


def _sample(draw: Draw) -> list[Params]:
    single: Params = {"dtype": "float32"}
    return [
        _together(
            _shape("sphere"),
            _shape("box", at="corner", given="tuple"),
            _shape("torus", **single),
            _shape("plane", points=[2, 3]),
            _shape("capsule", **single),
        ),
        _together(
            _shape("sphere", given="numbers", **single),
            _shape("box", at="side", layout="stepped"),
            _shape("torus", given="numbers", points=[]),
            _shape("plane", given="tuple", **single),
            _shape("capsule", given="tuple", at="short"),
        ),
        _shape("box", at="corner", points=[6], again=True),
        # What is remembered for inference alone shows in no call with gradients.
        _shape("box", at="corner", points=[6], again=True, wrt=False),
        _trace("ball"),
        _trace("ball", rays=[3, 4], wrt="field"),
    ]


def _small(draw: Draw) -> list[Params]:
    return [
        _together(
            *(_smooth(f"smooth_{name}", k) for name in OPERATIONS for k in (0.1, 1.0)),
            *(_smooth(f"smooth_{name}", 0.0) for name in OPERATIONS),
        ),
        _together(
            *(_smooth(f"smooth_{name}", 0.1, dtype="float32") for name in OPERATIONS),
            _smooth("smooth_union", 1, points=[2, 3]),
            _smooth("smooth_union", 0, points=[]),
        ),
        _derive("gradient", "network", options={"create_graph": True}),
        _derive("gradient", "network", through=True, points=[2, 3]),
        _derive("gradient", "room", dtype="float32", options={"create_graph": False}, wrt=False),
        _derive("normals", "network", wrt=False),
        _derive("normals", "network", options={"create_graph": True}),
        _derive("normals", "blend", wrt=False, dtype="float32", of_points=False, points=[2, 2]),
        _derive("eikonal_loss", "network", points=[6], of_points=False),
        _derive("eikonal_loss", "network", points=[2, 3], of_points=False),
        _derive("eikonal_loss", "network", dtype="float32", of_points=False),
        _trace("room"),
        _trace("blend", moves=True),
        _trace("blend", moves=True, wrt=""),
        _smooth("smooth_union", 0.4, again=True),
        # As of the box in the sample.
        *(_shape(name, points=[6], again=True, wrt=False) for name in REGULAR if name != "box"),
        *(_smooth(f"smooth_{name}", 0.4, again=True, wrt=False) for name in OPERATIONS),
        _derive("gradient", "network", moves=True),
        _derive("normals", "network", moves=True, wrt=False),
        _derive("eikonal_loss", "network", moves=True, wrt=False, of_points=False),
    ]


def _edge(draw: Draw) -> list[Params]:
    single: Params = {"dtype": "float32"}
    inside = _trace("ball", kind="inside", rays=[12])
    return [
        _together(
            _shape("sphere", at="centre"),
            _shape("box", at="inside"),
            _shape("torus", at="ring"),
            _shape("torus", at="axis"),
            _shape("capsule", at="one end"),
            _shape("box", at="face"),
        ),
        _together(
            _shape("sphere", at="centre", points=[], **single),
            _shape("box", at="inside", points=[2, 3], **single),
            _shape("box", at="middle"),
            _shape("capsule", at="on axis", **single),
            _shape("capsule", at="one end", given="tuple", **single),
            _shape("plane", given="integers"),
            _shape("box", at="corner", given="integers", **single),
        ),
        _together(
            *(_shape(name, points=[0], at=REGULAR[name]) for name in REGULAR),
            _shape("box", at="inside", points=[2, 0], **single),
            _smooth("smooth_union", 0.5, points=[0]),
            *(_smooth(f"smooth_{name}", 0, ties=True) for name in OPERATIONS),
        ),
        {"op": "refuse"},
        _derive("gradient", "network", grad_mode=False, of_points=False, wrt=False),
        _derive("gradient", "blend", grad_mode=False, wrt=False, options={"create_graph": False}),
        _derive("gradient", "network", of_points=False, with_grad=True),
        _derive("gradient", "network", points=[0]),
        _derive("normals", "bowl", at="zero", options={"create_graph": True}),
        _derive("normals", "ball", at="zero", wrt=False, dtype="float32"),
        _derive("normals", "network", grad_mode=False, wrt=False, points=[]),
        _derive("eikonal_loss", "network", with_grad=True, of_points=False),
        inside,
        _trace("room", kind="inside", rays=[10], wrt="field"),
        _trace("ball", kind="through", options={"tol": 1e-6, "t_near": 4.0}),
        _trace("ball", options={"tol": 1e-6, "t_far": 2.5}),
        # No gradient is asked: the march itself says nothing about a ray that it never moved.
        _trace("room", kind="touching", options={"max_steps": 1}, rays=[8], wrt=""),
        _trace("room", options={"tol": 1e-6, "max_steps": 5}),
        _trace("corridor", kind="along", options={"tol": 1e-5, "max_steps": 20}, rays=[10]),
        _trace("floor", kind="level", rays=[6]),
        # A step that ends on the surface, but behind the end.
        _trace("floor", kind="down", options={"tol": 1e-6, "t_far": 2.5}, rays=[10]),
        # So far from the origin, not from where the march starts.
        _trace("floor", kind="down", options={"tol": 1e-6, "t_near": 0.9, "t_far": 2.5}),
        # The last evaluation hits, and is one too few for others: with the defaults.
        _trace("floor", kind="last step", options={}, rays=[8], wrt="", spread=1.01),
        _trace("ball", rays=[0]),
        _trace("ball", rays=[], wrt="rays"),
        _trace("room", rays=[2, 3], dtype="float32", options={}, wrt=""),
        _trace("room", with_grad=True, wrt="field", rays=[8]),
    ]


def _grad(draw: Draw) -> list[Params]:
    return [
        _together(*(_shape(name, points=[12], at=at) for name, at in REGULAR.items())),
        _together(
            _shape("box", at="side", given="tensors", points=[8], dtype="float32"),
            _shape("box", at="inside", points=[8]),
            _smooth("smooth_subtraction", 0.4, points=[12]),
        ),
        _trace("room", rays=[40]),
        _trace("carved", rays=[32], wrt="field"),
        _trace("blend", rays=[32], wrt="rays"),
        _trace("room", rays=[32], wrt="field", dtype="float32", options={"tol": 1e-5}),
        _derive("normals", "blend", options={"create_graph": True}, points=[8]),
    ]


def _perf(draw: Draw) -> list[Params]:
    return [
        {"op": "measure", "scene": "corridor", "rays": [256], "dtype": "float64", "wrt": "all"},
        {"op": "measure", "scene": "corridor", "rays": [400], "dtype": "float32", "wrt": "field"},
    ]


OPERATIONS = ("union", "intersection", "subtraction")
REGULAR = {"sphere": "", "box": "corner", "torus": "", "plane": "", "capsule": ""}
PLANS = {"sample": _sample, "small": _small, "edge": _edge, "grad": _grad, "perf": _perf}


def _shape_case(params: Params, draw: Draw) -> Case:
    """Ask for the distance of points to one primitive."""
    name, dtype = params["name"], DTYPES[params["dtype"]]
    constants = DRAWS.SHAPES[name](params, draw)
    wide = {key: torch.tensor(value, dtype=torch.float64) for key, value in constants.items()}
    p = DRAWS.points(name, params, wide, draw).to(dtype)
    p = lay_out(p, params.get("layout", "contiguous"))
    given = params.get("given", "tensors")
    arguments = list(constants.values())
    if given == "tensors":
        arguments = [value.to(dtype) for value in wide.values()]
    cotangent = draw.normal(p.shape[:-1], dtype)
    positions = range(1, len(arguments) + 1) if given == "tensors" else ()
    wrt, cotangents = ([0, *positions], [cotangent]) if params["wrt"] else ([], [])
    request = call(name, p, *arguments, wrt=wrt, cotangents=cotangents)
    # The truth starts from what was sent: numbers as they are, tensors as they were rounded.
    exact = {
        key: value.double() if isinstance(value, Tensor) else wide[key]
        for key, value in zip(wide, arguments, strict=True)
    }
    secret = {"p": p, "constants": exact, "cotangent": cotangent, "positions": list(positions)}
    return Case(steps=(request,), secret={"kind": "shape", "name": name, **secret} | params)


def _smooth_case(params: Params, draw: Draw) -> Case:
    """Ask for a smooth operation of distances on both sides of the blend."""
    dtype, k, shape = DTYPES[params["dtype"]], params["k"], params["points"]
    d1 = draw.uniform(shape, 0.3, 1.5, torch.float64)
    d1 = d1 * (draw.integers(shape, 0, 1).double() * 2 - 1)
    # Within the blend, and outside of it; never at its border, where the second derivative jumps.
    width = k or 0.4
    inner = draw.uniform(shape, 0.1, 0.8, torch.float64) * width
    outer = width * 1.2 + draw.uniform(shape, 0.1, 1.0, torch.float64)
    gap = torch.where(draw.integers(shape, 0, 2) > 0, inner, outer)
    gap = gap * (draw.integers(shape, 0, 1).double() * 2 - 1)
    second = d1 * 0 + gap if not params.get("ties") else d1 * 0
    d2 = d1 + second
    if params["name"] == "smooth_subtraction":
        d2 = -d2
    d1, d2 = d1.to(dtype), d2.to(dtype)
    cotangent = draw.normal(shape, dtype)
    wrt, cotangents = ([0, 1], [cotangent]) if params["wrt"] else ([], [])
    request = call(params["name"], d1, d2, k, wrt=wrt, cotangents=cotangents)
    secret = {"kind": "smooth", "d1": d1, "d2": d2, "cotangent": cotangent, **params}
    return Case(steps=(request,), secret=secret)


def _refuse(params: Params, draw: Draw) -> Case:
    d1, d2 = draw.normal([4]), draw.normal([4])
    k = -DRAWS.number(draw, 0.01, 1.0)
    calls = {f"smooth_{name}": call(f"smooth_{name}", d1, d2, k) for name in OPERATIONS}
    return Case(
        steps=(refusals(calls),),
        secret={"kind": "refuse", "names": list(calls)},
        shown={"d1": d1, "d2": d2, "k": k},
    )


def _trace_case(params: Params, draw: Draw) -> Case:
    """Ask for the trace of rays through a field with hidden constants."""
    params = {"moves": False} | params
    data, truth = _traced(params, draw)
    secret: Params = {"kind": "trace", "truth": truth, "data": data, "dtype": params["dtype"]}
    if params["moves"]:
        other, later = _traced(params, draw)
        data["again"] = {key: other[key] for key in ("origins", "dirs")} | other["constants"]
        data["cotangents_again"] = other["cotangents"]
        secret |= {"later": later, "other": other}
    shown = {key: data[key] for key in ("scene", "origins", "dirs", "constants", "options")}
    return Case(steps=(Request(op="trace", data=data),), secret=secret, shown=shown)


def _traced(params: Params, draw: Draw) -> tuple[Params, Any]:
    dtype = DTYPES[params["dtype"]]
    constants = DRAWS.constants(params["scene"], draw, dtype)
    origins, dirs = (each.to(dtype) for each in DRAWS.rays(params, constants, draw))
    wide = {key: value.double() for key, value in constants.items()}

    def f(p: Tensor) -> Tensor:
        return FIELDS.SCENES[params["scene"]](p, wide)

    options = params["options"]
    truth = MARCH.follow(f, origins, dirs, options, spread=params.get("spread", 2.0))
    if "max_steps" not in options and params["kind"] != "last step":
        origins, dirs, truth = _arriving(origins, dirs, truth)
    of_rays = ["origins", "dirs"] if params["wrt"] in ("all", "rays") else []
    of_field = list(constants) if params["wrt"] in ("all", "field") else []
    of_t = draw.normal(truth.t.shape, dtype)
    of_points = draw.normal(origins.shape, dtype)
    # t is asked at decided misses, too: there its gradient is zero.
    asked = truth.smooth | (~truth.hit & truth.decided)
    data: Params = {
        "scene": params["scene"],
        "constants": constants,
        "origins": origins,
        "dirs": dirs,
        "options": dict(options),
        "wrt": of_rays + of_field,
        "cotangents": [of_t * asked, of_points * truth.smooth[..., None]],
        "with_grad": params.get("with_grad", False),
    }
    return data, truth


def _arriving(origins: Tensor, dirs: Tensor, truth: Any) -> tuple[Tensor, Tensor, Any]:
    """Put another ray in the place of each that grazes a surface until no step is left.

    Such rays belong to the cases that limit the steps.
    """
    order = torch.arange(truth.t.numel())
    lingers = truth.ran_out.reshape(-1)
    if bool(lingers.any()) and not bool(lingers.all()):
        order[lingers] = order[~lingers][0]
    moved = (each.reshape(-1, 3)[order].reshape(each.shape) for each in (origins, dirs))
    return *moved, truth.taken(order)


def _measure_case(params: Params, draw: Draw) -> Case:
    """Ask for the memory of a few and of many steps, with rays that take all of them."""
    params = params | {"kind": "along", "options": {"tol": 1e-5, "max_steps": 100}}
    data, truth = _traced(params, draw)
    data["limits"] = [5, 100]
    secret = {"kind": "trace", "truth": truth, "data": data, "dtype": params["dtype"]}
    shown = {"origins": data["origins"], "dirs": data["dirs"], "max_steps": data["limits"]}
    return Case(steps=(Request(op="measure", data=data),), secret=secret, shown=shown)


def _derive_case(params: Params, draw: Draw) -> Case:
    """Ask for gradients, normals or the eikonal loss of a field."""
    data = _derived(params, draw)
    secret: Params = {"kind": "derive", "data": data, "dtype": params["dtype"]}
    if params["moves"]:
        other = secret["other"] = _derived(params, draw)
        data["again"] = {"p": other["p"]} | other["constants"]
        data["cotangents_again"] = other["cotangents"]
    shown = {key: data[key] for key in ("function", "scene", "p", "constants", "options")}
    return Case(steps=(Request(op="derive", data=data),), secret=secret, shown=shown)


def _derived(params: Params, draw: Draw) -> Params:
    dtype, shape = DTYPES[params["dtype"]], params["points"]
    constants = DRAWS.constants(params["scene"], draw, dtype)
    p = draw.normal([*shape, 3], torch.float64, scale=0.8)
    if params["scene"] in ("room", "blend"):
        p = DRAWS.clear_points(params["scene"], constants, shape, draw)
    if params["at"] == "zero":
        p[0] = 0 if params["scene"] == "bowl" else constants["centre"].double()
    p = p.to(dtype)
    is_loss = params["function"] == "eikonal_loss"
    out_shape = [] if is_loss else list(p.shape)
    cotangent = draw.normal(out_shape, dtype)
    if params["at"] == "zero":
        cotangent[0] = 0
    wrt = (["p"] if params["of_points"] else []) + list(constants) if params["wrt"] else []
    return {
        "function": params["function"],
        "scene": params["scene"],
        "constants": constants,
        "p": p,
        "options": dict(params["options"]),
        "through": params["through"],
        "grad_mode": params["grad_mode"],
        "with_grad": params["with_grad"],
        "wrt": wrt,
        "cotangents": [cotangent],
    }


BUILDERS = {
    "shape": _shape_case,
    "smooth": _smooth_case,
    "refuse": _refuse,
    "trace": _trace_case,
    "measure": _measure_case,
    "derive": _derive_case,
}
