"""Draw the inputs: plain values, values near 0 and far from it, layouts, special values."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import LAYOUTS, Case, Draw, call, lay_out

GROUPS = ("sample", "scale", "small", "huge", "layout", "edge", "large")


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    two = [{"shape": draw.shape(2, 3, 6), "alpha": draw.choice((0.5, 2.0))} for _ in range(2)]
    plans: dict[str, list[dict[str, Any]]] = {
        "sample": [{"shape": [4, 5], "whole": True}],
        # Whole numbers hold zeros, where the two slopes meet.
        "small": [
            *({"shape": draw.shape(ndim, 3, 6)} for ndim in (1, 2, 3)),
            *two,
            {"shape": [6, 6], "whole": True, "alpha": 2.0},
        ],
        "scale": [{"shape": [12], "scale": 1e-6}, {"shape": [12], "scale": 1e-5}],
        "huge": [{"shape": [20], "scale": 200.0}, {"shape": [20], "scale": 2000.0}],
        "layout": [{"shape": draw.shape(3, 2, 5), "layout": layout} for layout in LAYOUTS[1:]],
        "edge": [{"kind": kind} for kind in ("empty", "0-d", "special", "float64")],
        "large": [{"shape": [1000, draw.integer(1000, 1010)]}],
    }
    return plans[group]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the inputs of one case."""
    kind, alpha = params.get("kind", ""), params.get("alpha", 1.0)
    if kind == "empty":
        x = torch.empty(0, draw.integer(1, 3))
    elif kind == "special":
        x = torch.tensor([-math.inf, -1.0, 0.0, 1.0, math.inf, math.nan])
    elif kind:
        x = draw.normal([] if kind == "0-d" else [5], torch.float64)
    elif params.get("whole"):
        x = draw.integers(params["shape"], -3, 3, torch.float32)
    else:
        x = draw.normal(params["shape"], scale=params.get("scale", 1.5))
        x = lay_out(x, params.get("layout", "contiguous"))
    arguments = (x,) if alpha == 1.0 else (x, alpha)
    secret: dict[str, Any] = {"x": x, "alpha": alpha}
    if kind == "special":
        return Case(steps=(call("elu", *arguments),), secret=secret, shown={"x": x})
    secret["cotangent"] = draw.normal(x.shape, x.dtype)
    request = call("elu", *arguments, wrt=[0], cotangents=[secret["cotangent"]])
    return Case(steps=(request,), secret=secret, shown={"x": x, "alpha": alpha})
