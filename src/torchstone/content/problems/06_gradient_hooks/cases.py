"""Draw models, batches and scripts for problem 06.

A script is a list of actions of the probe: attach a monitor, run a batch through the model and
back, read the values... What a right monitor must say follows from the oracle's own rerun.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request
from torchstone.judge.kit.problem import load_module

# "grad" comes early: it asks for no values, only for what a monitor must not touch.
GROUPS = ("sample", "grad", "small", "edge", "accum", "removal", "large")

ZOO = load_module(Path(__file__).with_name("probe.py"))

WATCH_ONE = [["attach", "a"], ["run", 0], ["read", "a"]]


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw parameters and batches for a model and a script."""
    spec = params["model"]
    state = _state(spec, params.get("weights", "normal"), draw)
    batches = [
        _batch(kind, params["rows"], spec["width"], draw)
        for kind in params.get("batches", ["normal"])
    ]
    for batch in batches:
        batch["wants_grad"] = params.get("wants_grad", False)
    data = {
        "model": spec,
        "train": params.get("train", True),
        "state": state,
        "batches": batches,
        "script": params["script"],
    }
    shown = {"model": str(spec), "script": str(params["script"]), "x": batches[0]["x"]}
    return Case(
        steps=(Request(op="watch", data=data),),
        secret={"data": data},
        shown=shown | {"cotangent": batches[0]["cotangent"]},
    )


def _case(
    kind: str, draw: Draw, script: list[Any], sizes: dict[str, Any], **more: Any
) -> dict[str, Any]:
    spec = {"kind": kind, "width": draw.integer(2, 5)} | sizes
    return {"model": spec, "rows": draw.integer(2, 4), "script": script} | more


def _sample(draw: Draw) -> list[dict[str, Any]]:
    # Everything is positive here: the sign of a gradient is a lesson of a later group.
    return [
        _case("nested", draw, WATCH_ONE, {"hidden": 3}, weights="positive", batches=["positive"])
    ]


def _grad(draw: Draw) -> list[dict[str, Any]]:
    look = [["transparency", 0, draw.integer(0, 10**6)]]
    steep = {"batches": ["steep"]}
    return [
        _case("nested", draw, look, {"hidden": draw.integer(2, 4)}, **steep),
        _case("dropout", draw, look, {"hidden": draw.integer(3, 5)}, **steep),
        _case("dropout", draw, look, {"hidden": draw.integer(3, 5)}, train=False, **steep),
        _case("residual", draw, look, {}, **steep),
        _case("shared", draw, look, {"gain": 2.0}, **steep),
        _case("nested", draw, [["leaks", 0, "backward"]], {"hidden": 4}),
        _case("nested", draw, [["leaks", 0, "nothing"]], {"hidden": 4}),
    ]


def _small(draw: Draw) -> list[dict[str, Any]]:
    by_grad = [["attach", "a"], ["grad", 0], ["read", "a"]]
    reports = [["attach", "a"], ["report", "a"], ["run", 0], ["report", "a"], ["read", "a"]]
    spoils = [["attach", "a"], ["spoil", "a"], ["run", 0], ["spoil", "a"], ["read", "a"]]
    return [
        _case("nested", draw, WATCH_ONE, {"hidden": draw.integer(2, 4)}, batches=["negative tiny"]),
        _case("nested", draw, WATCH_ONE, {"hidden": draw.integer(2, 4)}),
        _case("branch", draw, WATCH_ONE, {"hidden": draw.integer(2, 4)}),
        _case("residual", draw, WATCH_ONE, {}),
        _case("gained", draw, WATCH_ONE, {}, batches=["negative tiny"]),
        _case("nested", draw, by_grad, {"hidden": draw.integer(2, 4)}),
        _case("branch", draw, by_grad, {"hidden": 3}),
        _case("nested", draw, reports, {"hidden": 3}),
        _case("nested", draw, spoils, {"hidden": 3}),
        _case("split", draw, WATCH_ONE, {"use": 2}),
        _case("split", draw, WATCH_ONE, {"use": 3}),
    ]


def _edge(draw: Draw) -> list[dict[str, Any]]:
    nothing = [["attach", "a"], ["forward", 0], ["read", "a"], ["report", "a"]]
    dead = {"hidden": 3, "act": "ReLU"}
    return [
        _case("shared", draw, WATCH_ONE, {"gain": 30.0}),
        _case("shared", draw, WATCH_ONE, {"gain": 0.01}),
        _case("partial", draw, WATCH_ONE, {"pick": 0}),
        _case("partial", draw, WATCH_ONE, {"pick": 1}, wants_grad=True),
        _case("frozen", draw, WATCH_ONE, {}),
        _case("split", draw, WATCH_ONE, {"use": 0}),
        _case("split", draw, WATCH_ONE, {"use": 1}),
        _case("linear", draw, [*WATCH_ONE, ["report", "a"]], {}),
        _case("linear", draw, WATCH_ONE, {"width": 1}, rows=1),
        _case("tanh", draw, WATCH_ONE, {}, wants_grad=True),
        _case("ramp", draw, [*WATCH_ONE, ["report", "a"]], {}, batches=["infinite"]),
        _case("empty", draw, WATCH_ONE, {}),
        _case("nested", draw, WATCH_ONE, {"hidden": 3}, rows=0),
        _case("nested", draw, nothing, {"hidden": 3}),
        _case("nested", draw, WATCH_ONE, {"hidden": 3}, wants_grad=True),
        _case("perceptron", draw, [*WATCH_ONE, ["report", "a"]], dead, weights="dead"),
        _case("nested", draw, WATCH_ONE, {"hidden": 3}, batches=["zero"]),
    ]


def _accum(draw: Draw) -> list[dict[str, Any]]:
    def script(*actions: list[Any]) -> list[list[Any]]:
        return [["attach", "a"], *actions, ["read", "a"]]

    first, second, third = (["run", index] for index in range(3))
    read, reset = ["read", "a"], ["reset", "a"]
    again = script(["forward", 0], ["backward", 0, True], read, ["backward", 1])
    nan_first, nan_later = ["nan", "normal", "normal"], ["normal", "nan", "normal"]
    rising, falling = ["small", "normal", "large"], ["large", "normal", "small"]
    size = {"hidden": 3}
    return [
        _case("nested", draw, script(first, second, third), size, batches=rising),
        _case("nested", draw, script(first, read, second, third), size, batches=falling),
        _case("nested", draw, script(["grad", 0], ["grad", 1]), size, batches=["large", "small"]),
        _case("nested", draw, script(first, read, second), size, batches=nan_first),
        _case("branch", draw, script(first, second, third), size, batches=nan_later),
        _case("split", draw, script(first, ["report", "a"]), {"use": 4}),
        _case("split", draw, script(first), {"use": 5}),
        _case("nested", draw, script(first, reset, read, second), size, batches=["large", "small"]),
        _case("nested", draw, script(first, second, reset, third), size, batches=nan_later),
        _case("nested", draw, again, size, batches=["normal", "large"]),
        _case("nested", draw, again, size, batches=["large", "normal"]),
    ]


def _removal(draw: Draw) -> list[dict[str, Any]]:
    attach, read, remove = ["attach", "a"], ["read", "a"], ["remove", "a"]
    first, second = ["run", 0], ["run", 1]
    rising = {"batches": ["normal", "large"]}
    foreign = [
        ["foreign"],
        ["remember"],
        attach,
        first,
        remove,
        ["compare"],
        second,
        read,
        ["count"],
    ]
    late = [attach, ["forward", 0], remove, ["backward", 0], read, second, read]
    both = [["read", "b"], read]
    two = [["remember"], attach, ["attach", "b"], first, ["remove", "b"], second, *both]
    later = [attach, first, ["attach", "b"], *both, second, *both, ["remove", "b"], remove]
    twice = [["remember"], attach, first, remove, remove, ["compare"], second, read]
    unused = [["remember"], attach, remove, ["compare"], first, read]
    within = [["remember"], ["within", "a", 0, False], ["compare"], second, read]
    fails = [["remember"], ["within", "a", 0, True], ["compare"], second, read]
    size = {"hidden": 3}
    return [
        _case("nested", draw, twice, size, **rising),
        _case("residual", draw, unused, {}, **rising),
        _case("nested", draw, foreign, size, **rising),
        _case("branch", draw, foreign, size, **rising),
        _case("nested", draw, within, size, **rising),
        _case("nested", draw, fails, size, **rising),
        _case("nested", draw, late, size, **rising),
        _case("nested", draw, [*two, remove, ["compare"]], size, **rising),
        _case("nested", draw, [["remember"], *later, ["compare"]], size, **rising),
    ]


def _large(draw: Draw) -> list[dict[str, Any]]:
    script = [*WATCH_ONE, ["report", "a"]]
    wide = {"width": 1000, "hidden": 8, "act": "Tanh"}
    return [
        _case("deep", draw, script, {"width": 8, "depth": 40}, weights="growing"),
        _case("perceptron", draw, WATCH_ONE, wide, rows=draw.integer(1001, 1020)),
    ]


PLANS = {
    "sample": _sample,
    "grad": _grad,
    "small": _small,
    "edge": _edge,
    "accum": _accum,
    "removal": _removal,
    "large": _large,
}


def _state(spec: dict[str, Any], weights: str, draw: Draw) -> dict[str, torch.Tensor]:
    state = {}
    for name, parameter in ZOO.build_model(spec).named_parameters():
        shape = list(parameter.shape)
        if weights == "positive":
            state[name] = draw.uniform(shape, 0.1, 0.5)
        elif weights == "growing" and len(shape) == 2:
            # An orthogonal matrix times 1.7: every layer makes the gradient longer.
            state[name] = 1.7 / 0.95 * torch.linalg.qr(draw.normal(shape))[0].contiguous()
        else:
            state[name] = draw.normal(shape, scale=0.7)
    if weights == "dead":
        state["0.bias"] = torch.full_like(state["0.bias"], -1000.0)
    return state


def _batch(kind: str, rows: int, width: int, draw: Draw) -> dict[str, Any]:
    scale = {"steep": 1000.0, "small": 0.05, "large": 40.0}.get(kind, 1.0)
    x, cotangent = draw.normal([rows, width]), draw.normal([rows, width], scale=scale)
    if kind == "positive":
        x, cotangent = draw.uniform([rows, width], 0.1, 1.0), draw.uniform([rows, width], 0.1, 0.9)
    elif kind == "negative tiny":
        cotangent = draw.uniform([rows, width], -3e-6, -1e-6)
    elif kind == "zero":
        cotangent = torch.zeros(rows, width)
    elif kind in ("nan", "infinite"):
        special = math.nan if kind == "nan" else draw.choice((math.inf, -math.inf))
        cotangent[draw.integer(0, rows - 1), draw.integer(0, width - 1)] = special
    return {"x": x, "cotangent": cotangent}
