"""Draw the trainings of c07: models, batches of uneven sizes, and how the model arrives."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

GROUPS = ("sample", "small", "edge", "grad", "large")
PLAIN = {
    "epochs": 2,
    "train": [4, 4],
    "val": [4, 4],
    "norm": True,
    "lr": 0.1,
    "momentum": 0.0,
    "mode": True,
    "stale": False,
    "raises_at": 0,
    # Whose outputs validation asks for: those of the model as it came, so that training leads away.
    "target": "drawn",
}


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    ragged = {"train": [5, 5, draw.integer(2, 3)], "val": [6, draw.integer(1, 2)]}
    plans: dict[str, list[dict[str, Any]]] = {
        "sample": [{"norm": False}, {"momentum": 0.5}],
        "small": [
            ragged | {"epochs": 3, "momentum": 0.9},
            ragged | {"epochs": 4, "target": "start", "norm": False},
            ragged | {"epochs": 3, "target": "start"},
            {"epochs": 2, "stale": True, "momentum": 0.5},
        ],
        "edge": [
            {"epochs": 0, "mode": False},
            {"epochs": 3, "lr": 0.0, "norm": False},
            {"epochs": 1, "train": [draw.integer(3, 5)], "val": [1], "mode": False},
            {"epochs": 2, "mode": False, "raises_at": 2},
            {"epochs": 2, "mode": False, "raises_at": draw.integer(3, 4)},
        ],
        "grad": [{"epochs": 2, "train": [3] * 6, "val": [3] * 6, "norm": False}],
        "large": [
            {"epochs": 8, "train": [8, 8, 8, 3], "val": [16, 5], "momentum": 0.9, "lr": 0.02}
        ],
    }
    return [PLAIN | each for each in plans[group]]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the parameters and the batches of one training."""
    sizes = [draw.integer(2, 4), draw.integer(3, 5), draw.integer(1, 3)]
    inputs, hidden, outputs = sizes
    wide = torch.float64
    state: dict[str, torch.Tensor] = {
        "first.weight": draw.normal([hidden, inputs], wide),
        "first.bias": draw.normal([hidden], wide),
    }
    if params["norm"]:
        state |= {
            "norm.weight": draw.uniform([hidden], 0.5, 1.5, wide),
            "norm.bias": draw.normal([hidden], wide),
            "norm.running_mean": draw.normal([hidden], wide),
            "norm.running_var": draw.uniform([hidden], 0.5, 2.0, wide),
            "norm.num_batches_tracked": torch.tensor(draw.integer(1, 9)),
        }
    state |= {
        "last.weight": draw.normal([outputs, hidden], wide),
        "last.bias": draw.normal([outputs], wide),
    }

    def batches(counts: list[int]) -> list[tuple[torch.Tensor, torch.Tensor]]:
        return [
            (draw.normal([count, inputs], wide), draw.normal([count, outputs], wide))
            for count in counts
        ]

    train, val = batches(params["train"]), batches(params["val"])
    if params["target"] == "start":
        val = [(x, _output(state, x)) for x, _ in val]
    kept = ("epochs", "norm", "lr", "momentum", "mode", "stale", "raises_at")
    data = {"sizes": sizes, "state": state, "train": train, "val": val}
    data |= {name: params[name] for name in kept}
    shown = {name: params[name] for name in PLAIN}
    return Case(steps=(Request(op="fit", data=data),), secret=data, shown=shown)


def _output(state: dict[str, torch.Tensor], x: torch.Tensor) -> torch.Tensor:
    """Compute what the model as it came gives in evaluation mode."""
    hidden = x @ state["first.weight"].T + state["first.bias"]
    if "norm.weight" in state:
        spread = (state["norm.running_var"] + 1e-5).sqrt()
        hidden = (hidden - state["norm.running_mean"]) / spread
        hidden = hidden * state["norm.weight"] + state["norm.bias"]
    return hidden.tanh() @ state["last.weight"].T + state["last.bias"]
