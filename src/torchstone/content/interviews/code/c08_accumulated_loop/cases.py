"""Draw the trainings of c08: models, batches of uneven sizes, and losses of validation."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

GROUPS = ("sample", "small", "edge", "large")
PLAIN = {
    "epochs": 2,
    "train": [4, 4],
    "val": [4, 4],
    "norm": True,
    "lr": 0.1,
    "momentum": 0.5,
    "mode": True,
    "stale": False,
    "accumulate": 2,
    "patience": None,
    # The losses of validation, one for each epoch; each batch deviates by what cancels in the mean.
    "losses": [3.0, 2.0],
}


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    uneven = {"train": [5, 2, draw.integer(3, 4), 2, 6], "val": [6, draw.integer(1, 2)]}
    plans: dict[str, list[dict[str, Any]]] = {
        "sample": [
            {"norm": False},
            {"epochs": 5, "losses": [5.0, 4.0, 4.0, 6.0, 3.0], "patience": 2},
        ],
        "small": [
            uneven | {"losses": [2.0, 3.0]},
            uneven | {"losses": [2.0, 1.0, 3.0], "epochs": 3, "accumulate": 3, "norm": False},
            # Worse, better, worse: only epochs in a row count.
            {"losses": [4.0, 5.0, 3.0, 3.5, 2.0, 2.5], "epochs": 6, "patience": 2},
            {"losses": [1.0, 2.0, 3.0, 4.0, 0.5], "epochs": 5, "patience": 3},
            {"losses": [2.0, 1.0], "stale": True, "mode": False},
        ],
        "edge": [
            {"epochs": 0, "losses": [], "mode": False},
            {"epochs": 3, "losses": [2.0, 2.0, 2.0], "patience": 2},
            {"epochs": 4, "losses": [2.0, 2.0, 1.0, 0.5], "patience": 1},
            {"epochs": 1, "losses": [2.0], "patience": 1, "train": [draw.integer(3, 5)]},
            {"epochs": 3, "losses": [1.0, 2.0, 3.0], "accumulate": 9, "train": [3, 2, 4]},
            {"epochs": 2, "losses": [2.0, 1.0], "accumulate": 1, "train": [3, 2]},
        ],
        "large": [
            {
                "epochs": 7,
                "losses": [5.0, 4.0, 4.5, 3.0, 3.5, 3.25, 3.75],
                "patience": 4,
                "train": [8, 3, 5, 2, 7],
                "accumulate": 2,
                "lr": 0.05,
            }
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
    kept = ("epochs", "norm", "lr", "momentum", "mode", "stale")
    data = {"sizes": sizes, "state": state, "train": train, "val": val}
    data["script"] = _script(params["losses"], params["val"])
    data["options"] = {"accumulate": params["accumulate"]}
    if params["patience"] is not None:
        data["options"]["patience"] = params["patience"]
    data |= {name: params[name] for name in kept}
    shown = {name: params[name] for name in PLAIN}
    return Case(steps=(Request(op="fit", data=data),), secret=data, shown=shown)


def _script(losses: list[float], counts: list[int]) -> list[float]:
    """Return the loss of each batch of validation: their mean over samples is the epoch's."""
    first, second = counts
    return [part for loss in losses for part in (loss - 0.25 * second, loss + 0.25 * first)]
