"""Draw the trainings of c10: batches, schedules, limits, NaN, and where a training is cut."""

from __future__ import annotations

import itertools
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

GROUPS = ("sample", "small", "edge", "scale", "large")
PLAIN = {
    "batches": 4,
    "steps": 4,
    "warmup": 2,
    "max_value": 100.0,
    "floor": None,
    # The updates at which another call begins.
    "cuts": [],
    "accumulate": 1,
    "lr": [0.1, 0.1],
    "momentum": 0.0,
    "stale": False,
    "mode": True,
    # The number of a batch whose targets hold NaN, and what they hold, or nothing.
    "bad": None,
    "scale": 1.0,
}


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    two = {"lr": [0.05, 0.2], "momentum": 0.5}
    plans: dict[str, list[dict[str, Any]]] = {
        "sample": [{}, {"max_value": 0.5, "steps": 5, "warmup": 1}],
        "small": [
            two | {"accumulate": 2, "batches": 3, "steps": 5, "max_value": 0.7},
            two | {"accumulate": 3, "batches": 4, "steps": 6, "warmup": 3, "floor": 0.4},
            two | {"steps": 6, "cuts": [draw.integer(3, 4)], "max_value": 0.5},
            {"accumulate": 2, "batches": 5, "steps": 5, "cuts": [draw.integer(1, 2)], "warmup": 3},
            {"stale": True, "mode": False, "momentum": 0.9},
        ],
        "edge": [
            {"warmup": 0},
            {"warmup": 4, "steps": 4, "batches": 3},
            {"steps": 0, "warmup": 0},
            {"steps": 3, "warmup": 1, "cuts": [3]},
            {"accumulate": 5, "batches": 2, "steps": 3, "max_value": 0.5},
            {"floor": 1.0, "steps": 4, "warmup": 1},
            two | {"bad": [1, "nan"], "steps": 6, "max_value": 0.6, "cuts": [3]},
            two | {"bad": [2, "inf"], "steps": 5, "max_value": 0.6, "batches": 5},
        ],
        "scale": [
            {"scale": 1e3, "max_value": 1.0, "lr": [1e-3, 1e-3]},
            {"scale": 1e-3, "max_value": 1e-5, "accumulate": 2},
        ],
        "large": [
            two
            | {"batches": 7, "accumulate": 2, "steps": 30, "warmup": 5, "max_value": 0.5}
            | {"cuts": [11, 20], "floor": 0.1}
        ],
    }
    return [PLAIN | each for each in plans[group]]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the parameters and the batches of one training."""
    sizes = [draw.integer(2, 3), draw.integer(3, 4), draw.integer(1, 2)]
    inputs, hidden, outputs = sizes
    wide = torch.float64
    state = {
        "first.weight": draw.normal([hidden, inputs], wide),
        "first.bias": draw.normal([hidden], wide),
        "last.weight": draw.normal([outputs, hidden], wide),
        "last.bias": draw.normal([outputs], wide),
    }
    batches = []
    for number in range(params["batches"]):
        x = draw.normal([3, inputs], wide)
        # Far enough from the output that the norm is never a matter of luck.
        y = draw.normal([3, outputs], wide, scale=params["scale"], offset=3 * params["scale"])
        if params["bad"] and number == params["bad"][0]:
            # One infinite target makes infinite gradients, none of which meets another or a zero.
            y[draw.integer(0, 2), 0] = float(params["bad"][1])
        batches.append((x, y))
    names = ("steps", "warmup", "max_value", "accumulate")
    options = {name: params[name] for name in names}
    if params["floor"] is not None:
        options["floor"] = params["floor"]
    borders = [0, *params["cuts"], params["steps"]]
    calls = []
    for start, stop in itertools.pairwise(borders):
        named = {"start": start} if start else {}
        named |= {"stop": stop} if stop < params["steps"] else {}
        calls.append(options | named)
    data = {
        "sizes": sizes,
        "state": state,
        "batches": batches,
        "calls": calls,
        **{name: params[name] for name in ("lr", "momentum", "stale", "mode")},
    }
    return Case(steps=(Request(op="fit", data=data),), secret=data, shown=dict(params))
