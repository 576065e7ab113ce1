"""Draw the networks of c05: widths, depths, images and states in the documented order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

GROUPS = ("sample", "small", "edge", "grad")
PLAIN = {
    "widths": [3, 4],
    "depths": [1, 1],
    "channels": 3,
    "image": [6, 6],
    "batch": 2,
    "classes": 3,
}
# A convolution, a batch norm or the head: kind, inputs, outputs, size of the kernel.
Layer = tuple[str, int, int, int]


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    plans: dict[str, list[dict[str, Any]]] = {
        "sample": [{"fresh": True}, {}],
        "small": [
            {"fresh": True, "widths": [3, 5, 4], "depths": [2, 1, 2], "channels": 1},
            {"widths": [3, 5], "depths": [2, 2]},
            {"widths": [2, 3, 4], "depths": [1, 2, 1], "image": [7, 9]},
            {"widths": [4], "depths": [draw.integer(1, 2)], "channels": draw.integer(1, 2)},
        ],
        "edge": [
            # The channels stay and the size does not: that needs a projection as well.
            {"widths": [3, 3], "depths": [1, 2]},
            {"widths": [3, 2], "image": [5, 4], "batch": 1},
            {"widths": [2, 3, 2], "depths": [1, 1, 1], "image": [1, 1], "batch": 5},
            {"refused": {"lengths": [[4, 4], [1]], "empty": [[], []]}},
        ],
        "grad": [{"widths": [4, 3], "depths": [2, 2], "image": [5, 7], "batch": 3}],
    }
    return [PLAIN | each for each in plans[group]]


def layers(params: dict[str, Any]) -> Iterator[Layer]:
    """Yield all layers with a state, in the documented order."""
    widths, channels = params["widths"], params["widths"][0]
    yield "conv", params["channels"], channels, 3
    yield "norm", channels, channels, 0
    for stage, (width, depth) in enumerate(zip(widths, params["depths"], strict=True)):
        for number in range(depth):
            yield "conv", channels, width, 3
            yield "norm", width, width, 0
            yield "conv", width, width, 3
            yield "zero", width, width, 0
            if channels != width or (stage and not number):
                yield "conv", channels, width, 1
                yield "norm", width, width, 0
            channels = width
    yield "head", channels, params["classes"], 0


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the state and the images of one network."""
    if "refused" in params:
        data: dict[str, Any] = {"sizes": params["refused"]}
        return Case(steps=(Request(op="refused", data=data),), secret={"op": "refused"} | data)
    state: list[torch.Tensor] = []
    norms, spread, buffers, zeros = [], [], [], []
    for kind, inputs, outputs, size in layers(params):
        place = len(state)
        if kind in ("conv", "head"):
            spread.append(place)
        else:
            norms.append(place)
            buffers += [place + 2, place + 3, place + 4]
            if kind == "zero":
                zeros.append(place)
        state += _drawn(kind, inputs, outputs, size, draw)
    options = {} if params["channels"] == 3 else {"in_channels": params["channels"]}
    init = [params["classes"], params["widths"], params["depths"]]
    data = {"init": init, "options": options}
    secret = {"params": params, "state": state, "zeros": zeros, "buffers": buffers}
    shown = {name: params[name] for name in PLAIN}
    if params.get("fresh"):
        sizes = [[8, 8], [5, 7], [draw.integer(1, 2), 1]]
        shapes = [list(each.shape) for each in state]
        data |= {"shapes": shapes, "norms": norms, "spread": spread, "sizes": sizes}
        data["channels"] = params["channels"]
        secret |= {"op": "fresh", "norms": norms}
        return Case(steps=(Request(op="fresh", data=data),), secret=secret, shown=shown)
    wide = torch.float64
    x = draw.normal([params["batch"], params["channels"], *params["image"]], wide)
    g = draw.normal([params["batch"], params["classes"]], wide)
    data |= {"state": state, "x": x, "g": g, "buffers": buffers}
    secret |= {"op": "run", "x": x, "g": g}
    return Case(steps=(Request(op="network", data=data),), secret=secret, shown=shown)


def _drawn(kind: str, inputs: int, outputs: int, size: int, draw: Draw) -> list[torch.Tensor]:
    """Draw the state of one layer, such that values keep their size through the network."""
    wide = torch.float64
    if kind == "conv":
        scale = 1.4 / (math.sqrt(inputs) * size)
        return [draw.normal([outputs, inputs, size, size], wide, scale=scale)]
    if kind == "head":
        return [draw.normal([outputs, inputs], wide), draw.normal([outputs], wide)]
    return [
        draw.uniform([outputs], 0.5, 1.5, wide),
        draw.normal([outputs], wide, scale=0.5),
        draw.normal([outputs], wide, scale=0.3),
        draw.uniform([outputs], 0.5, 2.0, wide),
        torch.tensor(draw.integer(1, 9)),
    ]
