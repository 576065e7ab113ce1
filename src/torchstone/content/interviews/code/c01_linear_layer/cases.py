"""Draw the inputs of c01: layers, leading dimensions, layouts, cotangents and directions."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, call, lay_out, module_call

GROUPS = ("sample", "small", "edge", "layout", "grad", "large")


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def _sizes(draw: Draw) -> dict[str, int]:
    """Draw sizes that differ, so that a transposed product does not fit."""
    return {"in": draw.integer(2, 4), "out": draw.integer(5, 7)}


def _sample(draw: Draw) -> list[dict[str, Any]]:
    return [
        {"lead": [2], "in": 3, "out": 2},
        {"lead": [draw.integer(2, 4)], "module": True} | _sizes(draw),
    ]


def _small(draw: Draw) -> list[dict[str, Any]]:
    square = draw.integer(3, 5)
    return [
        {"lead": draw.shape(2, 2, 4)} | _sizes(draw),
        {"lead": draw.shape(3, 2, 3), "dtype": "float64"} | _sizes(draw),
        {"lead": [3], "in": square, "out": square, "dtype": "float64"},
        {"lead": [3], "bias": False, "dtype": "float64"} | _sizes(draw),
        {"lead": [3], "bias": False, "module": True} | _sizes(draw),
        {"lead": [2, 3], "module": True} | _sizes(draw),
        {"lead": [4], "again": True, "dtype": "float64"} | _sizes(draw),
    ]


def _edge(draw: Draw) -> list[dict[str, Any]]:
    return [
        {"lead": []} | _sizes(draw),
        {"lead": [0]} | _sizes(draw),
        {"lead": [2, 0], "dtype": "float64"} | _sizes(draw),
        {"lead": [1], "in": 1, "out": 1},
        {"lead": [3], "in": 1, "out": 4, "module": True},
        {"lead": [0], "bias": False, "module": True} | _sizes(draw),
        {"kind": "layer", "bias": True},
        {"kind": "layer", "bias": False},
        {"kind": "double"} | _sizes(draw),
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
        {"lead": [3], "second": True, "dtype": "float64", "bias": False} | _sizes(draw),
        {"lead": [3], "wrt": [1]} | _sizes(draw),
        {"lead": [3], "wrt": [0, 2], "dtype": "float64"} | _sizes(draw),
        *({"kind": "in place", "lead": [draw.integer(3, 5)]} | _sizes(draw) for _ in range(2)),
    ]


def _large(draw: Draw) -> list[dict[str, Any]]:
    # The outer products of all rows would take 1.3 GB.
    return [{"lead": [50, 40], "in": 410, "out": draw.integer(398, 402), "g": "expanded"}]


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
        return _layer(params["bias"], draw)
    dtype = getattr(torch, params.get("dtype", "float64" if kind else "float32"))
    sizes, lead = (params["in"], params["out"]), params.get("lead", [3])
    x = lay_out(draw.normal([*lead, sizes[0]], dtype), params.get("x", "contiguous"))
    weight = draw.normal([sizes[1], sizes[0]], dtype)
    weight = lay_out(weight, params.get("weight", "contiguous"))
    bias = draw.normal([sizes[1]], dtype) if params.get("bias", True) else None
    g = lay_out(draw.normal([*lead, sizes[1]], dtype), params.get("g", "contiguous"))
    values = {"x": x, "weight": weight, "bias": bias, "g": g}
    if kind:
        data = values | ({"init": list(sizes)} if kind == "double" else {})
        return Case(steps=(Request(op=kind, data=data),), secret=values | {"kind": kind})
    return _called(values, params, draw)


def _called(values: dict[str, Any], params: dict[str, Any], draw: Draw) -> Case:
    x, weight, bias, g = values.values()
    wrt = params.get("wrt", [0, 1] if bias is None else [0, 1, 2])
    second: list[torch.Tensor] = []
    if params.get("second"):
        second = [
            draw.normal(each.shape, x.dtype) for each in (x, weight, bias) if each is not None
        ]
    options: dict[str, Any] = {"cotangents": [g], "second": second}
    if params.get("module"):
        state = {"weight": weight} | ({} if bias is None else {"bias": bias})
        request = module_call(
            "Linear",
            x,
            init=[params["in"], params["out"]],
            init_kwargs={} if bias is not None else {"bias": False},
            state=state,
            wrt=[0, *(f"state.{name}" for name in state)],
            **options,
        )
    else:
        options["twice"] = params["in"] < 100
        request = call("LinearFunction.apply", x, weight, bias, wrt=wrt, **options)
    secret = values | {"second": second, "module": params.get("module", False), "wrt": wrt}
    return Case(steps=(request,), secret=secret, shown=values)


def _layer(bias: bool, draw: Draw) -> Case:
    """Ask what a constructor makes; large enough that its statistics are sharp."""
    small, seed = [draw.integer(3, 5), draw.integer(6, 8)], draw.integer(1, 10**9)
    large = [draw.integer(20, 40), draw.integer(900, 1000)]
    data = {
        "small": small,
        "large": large,
        "options": {} if bias else {"bias": False},
        "seeds": [seed, seed, seed + 1],
        "x": draw.normal([2, small[0]]),
    }
    secret = {"kind": "layer", "small": small, "large": large, "bias": bias}
    shown = {"in_features": small[0], "out_features": small[1], "bias": bias}
    return Case(steps=(Request(op="layer", data=data),), secret=secret, shown=shown)
