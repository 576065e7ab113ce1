"""Draw the inputs of c02: groups, leading dimensions, layouts, cotangents and directions."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, call, lay_out, module_call

GROUPS = ("sample", "small", "edge", "layout", "grad", "large")
REFUSED = ([4, 6, 3], [6, 4, 3], [0, 2, 1], [2, 0, 1], [2, 2, 0], [-2, 2, 1], [5, 5, 2])


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def _sizes(draw: Draw) -> dict[str, int]:
    """Draw sizes of one group that differ, so that a transposed product does not fit."""
    return {"G": draw.integer(2, 3), "I": draw.integer(2, 4), "O": draw.integer(5, 6)}


def _sample(draw: Draw) -> list[dict[str, Any]]:
    return [
        {"lead": [2], "G": 2, "I": 2, "O": 3},
        {"lead": [draw.integer(2, 4)], "module": True} | _sizes(draw),
    ]


def _small(draw: Draw) -> list[dict[str, Any]]:
    square = draw.integer(3, 4)
    return [
        {"lead": draw.shape(2, 2, 4)} | _sizes(draw),
        {"lead": draw.shape(3, 2, 3), "dtype": "float64"} | _sizes(draw),
        {"lead": [3], "G": 2, "I": square, "O": square, "dtype": "float64"},
        {"lead": [3], "G": square, "I": 2, "O": 2, "dtype": "float64"},
        {"lead": [2, 3], "module": True} | _sizes(draw),
        {"lead": [4], "again": True, "dtype": "float64"} | _sizes(draw),
    ]


def _edge(draw: Draw) -> list[dict[str, Any]]:
    return [
        {"lead": []} | _sizes(draw),
        {"lead": [0]} | _sizes(draw),
        {"lead": [2, 0], "dtype": "float64"} | _sizes(draw),
        {"lead": [3], "G": 1, "I": 3, "O": 2},
        {"lead": [2], "G": 4, "I": 1, "O": 1, "module": True},
        {"kind": "layer"},
        {"kind": "double"} | _sizes(draw),
        {"kind": "refused"},
    ]


def _layout(draw: Draw) -> list[dict[str, Any]]:
    kinds = (
        # lead, layout of x, of the weight, of the cotangent
        ([4], "transposed", "contiguous", "contiguous"),
        ([2, 3], "stepped", "transposed", "stepped"),
        ([2, 3], "transposed", "stepped", "transposed"),
        ([3, 2], "expanded", "offset", "expanded"),
        ([3], "offset", "contiguous", "expanded"),
    )
    return [
        {"lead": lead, "x": x, "weight": weight, "g": g, "dtype": "float64"} | _sizes(draw)
        for lead, x, weight, g in kinds
    ]


def _grad(draw: Draw) -> list[dict[str, Any]]:
    return [
        {"lead": [3], "second": True, "dtype": "float64"} | _sizes(draw),
        {"lead": [2, 3], "second": True, "dtype": "float64"} | _sizes(draw),
        {"lead": [3], "wrt": [1]} | _sizes(draw),
        *({"kind": "in place", "lead": [draw.integer(3, 5)]} | _sizes(draw) for _ in range(2)),
    ]


def _large(draw: Draw) -> list[dict[str, Any]]:
    # A dense matrix of all features would take 600 MB.
    return [{"lead": [2], "G": 128, "I": 96, "O": 96, "flat": True}]


PLANS = {
    "sample": _sample,
    "small": _small,
    "edge": _edge,
    "layout": _layout,
    "grad": _grad,
    "large": _large,
}


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the inputs of one case."""
    kind = params.get("kind")
    if kind == "layer":
        return _layer(draw)
    if kind == "refused":
        data: dict[str, Any] = {"sizes": list(REFUSED)}
        return Case(steps=(Request(op="refused", data=data),), secret=data | {"kind": kind})
    dtype = getattr(torch, params.get("dtype", "float64" if kind else "float32"))
    groups, inner, outer, lead = params["G"], params["I"], params["O"], params.get("lead", [3])
    sizes = [groups * inner, groups * outer, groups]
    x = lay_out(draw.normal([*lead, sizes[0]], dtype), params.get("x", "contiguous"))
    shape = [groups, outer, inner + 1]
    if params.get("flat"):
        # One matrix, scaled for each group: drawing a million numbers takes longer than judging.
        weight = (draw.normal(shape[1:], dtype) * draw.normal([groups, 1, 1], dtype)).contiguous()
    else:
        weight = draw.normal(shape, dtype)
    weight = lay_out(weight, params.get("weight", "contiguous"))
    g = lay_out(draw.normal([*lead, sizes[1]], dtype), params.get("g", "contiguous"))
    values = {"x": x, "weight": weight, "g": g}
    if kind:
        data = values | ({"init": sizes} if kind == "double" else {})
        return Case(steps=(Request(op=kind, data=data),), secret=values | {"kind": kind})
    return _called(values, sizes, params, draw)


def _called(values: dict[str, Any], sizes: list[int], params: dict[str, Any], draw: Draw) -> Case:
    x, weight, g = values.values()
    wrt = params.get("wrt", [0, 1])
    second: list[torch.Tensor] = []
    if params.get("second"):
        second = [draw.normal(each.shape, x.dtype) for each in (x, weight)]
    options: dict[str, Any] = {"cotangents": [g], "second": second}
    if params.get("module"):
        wanted = [0, "state.weight"]
        request = module_call(
            "Linear", x, init=sizes, state={"weight": weight}, wrt=wanted, **options
        )
    else:
        options["twice"] = not params.get("flat")
        request = call("LinearFunction.apply", x, weight, wrt=wrt, **options)
    secret = values | {"second": second, "module": params.get("module", False), "wrt": wrt}
    return Case(steps=(request,), secret=secret, shown=values)


def _layer(draw: Draw) -> Case:
    """Ask what a constructor makes; large enough that its statistics are sharp."""
    groups, inner, outer = draw.integer(2, 3), draw.integer(2, 4), draw.integer(5, 6)
    small = [groups * inner, groups * outer, groups]
    large = [4 * draw.integer(10, 20), 4 * draw.integer(200, 250), 4]
    seed = draw.integer(1, 10**9)
    data = {
        "small": small,
        "large": large,
        "seeds": [seed, seed, seed + 1],
        "x": draw.normal([2, small[0]]),
    }
    secret = {"kind": "layer", "small": small, "large": large}
    shown = dict(zip(("in_features", "out_features", "groups"), small, strict=True))
    return Case(steps=(Request(op="layer", data=data),), secret=secret, shown=shown)
