"""Draw the trainings of c09: batches, lengths of the schedule, limits, and what is not finite."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

GROUPS = ("sample", "small", "edge", "scale", "large")
PLAIN = {
    "batches": 4,
    "steps": 4,
    "warmup": 2,
    "max_norm": 100.0,
    "accumulate": 1,
    "lr": [0.1, 0.1],
    "momentum": 0.0,
    "stale": False,
    "mode": True,
    # The number of a batch that holds an infinity, or nothing.
    "infinite": None,
    "scale": 1.0,
}


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    two = {"lr": [0.05, 0.2], "momentum": 0.5}
    plans: dict[str, list[dict[str, Any]]] = {
        "sample": [{}, {"max_norm": 0.1, "steps": 3, "warmup": 1}],
        "small": [
            two | {"accumulate": 2, "batches": 4, "steps": 5},
            two | {"accumulate": 2, "batches": 5, "steps": draw.integer(7, 8), "max_norm": 0.2},
            {"accumulate": 3, "batches": 7, "steps": 6, "warmup": 3, "max_norm": 0.1},
            {"stale": True, "mode": False, "momentum": 0.9},
        ],
        "edge": [
            {"warmup": 0},
            {"warmup": 4, "steps": 4, "batches": 3},
            {"steps": 0, "warmup": 0},
            {"accumulate": 5, "batches": 3, "steps": 3, "max_norm": 0.5},
            {"batches": 1, "accumulate": 2, "steps": 5, "warmup": 1},
            two | {"infinite": 1, "steps": 5, "max_norm": 0.3},
            two | {"infinite": 2, "accumulate": 2, "batches": 5, "steps": 6, "max_norm": 0.3},
        ],
        "scale": [
            {"scale": 1e3, "max_norm": 1.0, "lr": [1e-3, 1e-3]},
            {"scale": 1e-3, "max_norm": 1e-5, "accumulate": 2},
        ],
        "large": [two | {"batches": 9, "accumulate": 2, "steps": 30, "warmup": 5, "max_norm": 0.4}],
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
        if number == params["infinite"]:
            y[draw.integer(0, 2), 0] = math.inf
        batches.append((x, y))
    names = ("steps", "warmup", "max_norm", "accumulate")
    data = {
        "sizes": sizes,
        "state": state,
        "batches": batches,
        "options": {name: params[name] for name in names},
        **{name: params[name] for name in ("lr", "momentum", "stale", "mode")},
    }
    return Case(steps=(Request(op="fit", data=data),), secret=data, shown=dict(params))
