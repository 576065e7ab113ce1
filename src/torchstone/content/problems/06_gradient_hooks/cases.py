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
        _batch(kind, params["rows"], spec, draw) for kind in params.get("batches", ["normal"])
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
    steep, odd = {"batches": ["steep"]}, {"batches": ["odd"]}
    return [
        _case("dropout", draw, look, {"hidden": draw.integer(3, 5)}, **steep),
        _case("dropout", draw, look, {"hidden": draw.integer(3, 5)}, train=False, **steep),
        _case("shared", draw, look, {"gain": 2.0}, **steep),
        _case("residual", draw, look, {}, **odd),
        _case("tanh", draw, look, {}, **odd),
        _case("nested", draw, [["leaks", 0, "backward"]], {"hidden": 4}),
        _case("nested", draw, [["leaks", 0, "nothing"]], {"hidden": 4}),
    ]


def _small(draw: Draw) -> list[dict[str, Any]]:
    by_grad = [["attach", "a"], ["grad", 0], ["read", "a"]]
    report, spoil = ["report", "a"], ["spoil", "a"]
    reports = [["attach", "a"], report, spoil, ["run", 0], report, spoil, ["read", "a"]]
    return [
        _case("nested", draw, WATCH_ONE, {"hidden": draw.integer(2, 4)}, batches=["negative tiny"]),
        _case("branch", draw, WATCH_ONE, {"hidden": draw.integer(2, 4)}),
        _case("residual", draw, WATCH_ONE, {}),
        _case("gained", draw, WATCH_ONE, {}, batches=["negative tiny"]),
        _case("nested", draw, by_grad, {"hidden": draw.integer(2, 4)}),
        _case("nested", draw, reports, {"hidden": 3}),
        _case("split", draw, WATCH_ONE, {"use": 2}),
        _case("split", draw, WATCH_ONE, {"use": 3}),
    ]


def _edge(draw: Draw) -> list[dict[str, Any]]:
    report = [*WATCH_ONE, ["report", "a"]]
    unborn = [["attach", "a"], ["forward", 0], ["report", "a"], ["backward", 0], ["read", "a"]]
    dead = {"hidden": 3, "act": "ReLU", "out": 2}
    return [
        _case("shared", draw, WATCH_ONE, {"gain": 30.0}),
        _case("shared", draw, WATCH_ONE, {"gain": 0.01}),
        _case("partial", draw, WATCH_ONE, {"pick": 0}),
        _case("partial", draw, WATCH_ONE, {"pick": 1}, wants_grad=True),
        _case("frozen", draw, WATCH_ONE, {}),
        _case("split", draw, WATCH_ONE, {"use": 0}),
        _case("split", draw, WATCH_ONE, {"use": 1}),
        _case("linear", draw, report, {"width": 1}, rows=1),
        _case("tanh", draw, WATCH_ONE, {}, wants_grad=True),
        _case("ramp", draw, report, {}, batches=["infinite"]),
        _case("empty", draw, WATCH_ONE, {}),
        _case("nested", draw, unborn, {"hidden": 3}, rows=0),
        _case("perceptron", draw, report, dead, weights="dead"),
        _case("nested", draw, WATCH_ONE, {"hidden": 3}, batches=["zero"]),
    ]


def _accum(draw: Draw) -> list[dict[str, Any]]:
    first, second, third = (["run", index] for index in range(3))
    read, reset = ["read", "a"], ["reset", "a"]

    def script(*actions: list[Any]) -> list[list[Any]]:
        return [["attach", "a"], *actions, read]

    rising = script(first, read, second, read, ["grad", 0])
    retained = [["backward", 0, True], read, ["backward", 1, True], read, ["backward", 0]]
    spoilt = script(first, read, second, read, reset, read, second)
    same = script(["hold", 0], read, reset, ["hold", 1])
    nan_later, size = {"batches": ["normal", "nan", "normal"]}, {"hidden": 3}
    return [
        _case("nested", draw, rising, size, batches=["small", "large"]),
        _case("nested", draw, script(first, reset, read, second), size, batches=["large", "small"]),
        _case("nested", draw, spoilt, size, batches=["nan", "normal"]),
        _case("branch", draw, script(first, second, third), size, **nan_later),
        _case("split", draw, script(first, ["report", "a"]), {"use": 4}),
        _case("split", draw, script(first), {"use": 5}),
        # The tensors of the first batch are overwritten by the second one.
        _case("nested", draw, same, size, batches=["large", "small"]),
        _case("nested", draw, script(["forward", 0], *retained), size, batches=["small", "large"]),
    ]


def _removal(draw: Draw) -> list[dict[str, Any]]:
    remember, compare = ["remember"], ["compare"]
    attach, read, remove = ["attach", "a"], ["read", "a"], ["remove", "a"]
    first, second = ["run", 0], ["run", 1]
    foreign = [["foreign"], remember, attach, first, remove, compare, second, read, ["count"]]
    # The graph that is still there when the monitor goes must not reach it either.
    late = [remember, attach, first, ["forward", 0], remove, remove, compare]
    late += [["backward", 1], read, second, read]
    both = [["read", "b"], read]
    two = [remember, attach, ["attach", "b"], first, ["remove", "b"], second, *both]
    later = [remember, attach, first, ["attach", "b"], second, *both, ["remove", "b"]]
    unused = [remember, attach, remove, compare, first, read]
    leave = [compare, second, read]
    size, rising = {"hidden": 3}, {"batches": ["normal", "large"]}
    return [
        _case("nested", draw, late, size, **rising),
        _case("residual", draw, unused, {}, **rising),
        _case("branch", draw, foreign, size, **rising),
        _case("nested", draw, [remember, ["within", "a", 0, False], *leave], size, **rising),
        _case("nested", draw, [remember, ["within", "a", 0, True], *leave], size, **rising),
        _case("nested", draw, [*two, remove, compare], size, **rising),
        _case("nested", draw, [*later, remove, compare], size, **rising),
    ]


def _large(draw: Draw) -> list[dict[str, Any]]:
    # A million gradients arrive at the last layer.
    wide = {"hidden": 8, "act": "Tanh", "out": 1000}
    deep = [*WATCH_ONE, ["report", "a"]]
    return [
        _case("deep", draw, deep, {"width": 8, "depth": 40}, weights="growing"),
        _case("perceptron", draw, WATCH_ONE, wide, rows=draw.integer(1001, 1020), batches=["wide"]),
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
        else:
            state[name] = draw.normal(shape, scale=0.7)
    if weights == "dead":
        state["0.bias"] = torch.full_like(state["0.bias"], -1000.0)
    elif weights == "growing":
        # Orthogonal matrices times 1.7: every layer makes the gradient longer.
        matrices = [name for name, value in state.items() if value.ndim == 2]
        grown, _ = torch.linalg.qr(torch.stack([state[name] for name in matrices]))
        grown *= 1.7 / 0.95
        state |= {name: each.clone() for name, each in zip(matrices, grown, strict=True)}
    return state


def _batch(kind: str, rows: int, spec: dict[str, Any], draw: Draw) -> dict[str, Any]:
    scale = {"steep": 1000.0, "small": 0.05, "large": 40.0}.get(kind, 1.0)
    width, out = spec["width"], spec.get("out", spec["width"])
    if kind == "positive":
        x, cotangent = draw.uniform([rows, width], 0.1, 1.0), draw.uniform([rows, out], 0.1, 0.9)
        return {"x": x, "cotangent": cotangent}
    x = draw.normal([rows, width])
    if kind == "wide":
        # A product of two vectors: no million numbers have to be drawn.
        cotangent = draw.normal([rows, 1]) * draw.normal([1, out])
    elif kind == "negative tiny":
        cotangent = draw.uniform([rows, out], -3e-6, -1e-6)
    elif kind == "zero":
        cotangent = torch.zeros(rows, out)
    else:
        cotangent = draw.normal([rows, out], scale=scale)
    if kind == "odd":
        # What comes back from some arithmetic on these has other bits.
        cotangent.view(-1)[:3] = torch.tensor([-0.0, math.nan, math.inf])
    elif kind in ("nan", "infinite"):
        special = math.nan if kind == "nan" else draw.choice((math.inf, -math.inf))
        cotangent[draw.integer(0, rows - 1), draw.integer(0, out - 1)] = special
    return {"x": x, "cotangent": cotangent}
