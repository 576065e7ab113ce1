"""Draw the inputs of problem 08: models with one shared weight, and modules to count."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import LAYOUTS, Case, Draw, Request, lay_out, module_call

# `tie` stands early and `sample` has no bias: a model that shares a bias, too, dies for that.
GROUPS = ("sample", "tie", "small", "edge", "layout", "grad", "count", "errors", "large")

STATE = ("fc1.weight", "fc1.bias", "fc2.bias")
FACTS = ("plain", "no bias", "float64")
TIES = (
    "instances",
    "load",
    "save",
    "deepcopy",
    "double",
    "bfloat16",
    "frozen",
    "modes",
    "replaced",
    "assigned",
    "step",
)
GRADS = ("accumulate", "sgd", "adam", "frozen weight", "partial load")
COUNTS = (
    "tied embedding",
    "module used twice",
    "batch norm",
    "frozen",
    "meta",
    "empty and 0-d",
    "aliases",
    "view",
    "list with repeats",
    "no parameters",
    "shared mlp",
    "shared mlp without bias",
    "nested",
)
ERRORS = ("features 0", "features negative", "last size", "last size 1")


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    size = draw.integer(3, 6)
    if group == "sample":
        return [{"lead": [2], "features": 3, "bias": False}]
    if group == "small":
        return [
            {"lead": draw.shape(2, 2, 4), "features": size},
            {"lead": draw.shape(3, 2, 3), "features": size},
            {"lead": [draw.integer(2, 4)], "features": size, "bias": False},
            {"lead": [3, 2], "features": size, "dtype": "float64"},
            {"lead": [3], "features": size, "again": True},
        ]
    if group == "edge":
        plain = [{"lead": lead, "features": size} for lead in ([], draw.choice(([0], [2, 0])))]
        one = {"lead": [3], "features": 1}
        return [*plain, one, {"lead": [3], "features": size, "dead": True}]
    if group == "layout":
        return [{"lead": [3, 2], "features": size, "layout": layout} for layout in LAYOUTS[1:]]
    if group == "large":
        # Input and cotangent have a million elements together.
        return [
            {"lead": [64], "features": 128, "twice": False},
            {"lead": [draw.integer(32_000, 33_000)], "features": 16, "twice": False},
        ]
    kinds = {"tie": FACTS + TIES, "grad": GRADS, "count": COUNTS, "errors": ERRORS}[group]
    return [{"kind": kind} for kind in kinds]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the inputs of one case."""
    if group == "tie":
        kind = params["kind"]
        return _facts(kind, draw) if kind in FACTS else _life(kind, draw)
    if group == "grad":
        return _training(params["kind"], draw)
    if group == "count":
        return _count(params["kind"], draw)
    if group == "errors":
        return _error(params["kind"], draw)
    record = _telling(params, draw) if group == "sample" else _record(params, draw)
    request = module_call(
        "SharedMLP",
        record["x"],
        init=record["init"],
        init_kwargs=record["init_kwargs"],
        state=record["state"],
        wrt=(0, *(f"state.{name}" for name in record["state"])),
        cotangents=[record["cotangent"]],
        twice=params.get("twice", True),
    )
    shown = {"x": record["x"]} | record["state"]
    return Case(steps=(request,), secret={"record": record, "kind": "call"}, shown=shown)


def _telling(params: dict[str, Any], draw: Draw) -> dict[str, Any]:
    """Draw until an output is negative, so that an activation at the end shows."""
    for _ in range(20):
        record = _record(params, draw)
        weight = record["state"]["fc1.weight"]
        if float((torch.relu(record["x"] @ weight.T) @ weight.T).min()) < -0.2:
            break
    return record


def _record(params: dict[str, Any], draw: Draw) -> dict[str, Any]:
    """Draw the parameters of a model, an input and a cotangent."""
    features, dtype = params["features"], getattr(torch, params.get("dtype", "float32"))
    bias = params.get("bias", True)
    state = {"fc1.weight": draw.normal([features, features], dtype, scale=features**-0.5)}
    if bias:
        state |= {name: draw.normal([features], dtype) for name in STATE[1:]}
    if params.get("dead"):
        state["fc1.bias"] = state["fc1.bias"] - 100
    keywords: dict[str, Any] = {} if dtype == torch.float32 else {"dtype": dtype}
    if not bias:
        keywords["bias"] = False
    x, cotangent = (_rows([*params["lead"], features], dtype, draw) for _ in range(2))
    if draw.chance(0.5):
        cotangent = lay_out(cotangent, draw.choice(("transposed", "stepped", "offset")))
    return {
        "x": lay_out(x, params.get("layout", "contiguous")),
        "cotangent": cotangent,
        "state": state,
        "init": [features],
        "init_kwargs": keywords,
    }


def _alive(params: dict[str, Any], draw: Draw) -> dict[str, Any]:
    """Draw until the first use of the weight shows in its gradient.

    Where relu stops every hidden unit, a model that detaches them has the right gradient.
    """
    for _ in range(20):
        record = _record(params, draw)
        weight = record["state"]["fc1.weight"]
        bias = record["state"].get("fc1.bias", 0)
        active = record["x"] @ weight.T + bias > 0
        through = torch.where(active, record["cotangent"] @ weight, 0)
        if float((through.T @ record["x"]).abs().max()) > 0.1:
            break
    return record


def _rows(sizes: list[int], dtype: torch.dtype, draw: Draw) -> torch.Tensor:
    """Draw rows; many overlap in one long row, as drawing them all would take too long."""
    num_rows, size = sizes[0], sizes[-1]
    if num_rows < 1000:
        return draw.normal(sizes, dtype)
    step = draw.integer(2, 4)
    return draw.normal([step * (num_rows - 1) + size], dtype).unfold(0, size, step).contiguous()


def _facts(kind: str, draw: Draw) -> Case:
    bias, dtype = kind != "no bias", torch.float64 if kind == "float64" else torch.float32
    features = draw.integer(60, 70)
    keywords: dict[str, Any] = {} if bias else {"bias": False}
    if kind == "float64":
        keywords["dtype"] = dtype
    data = {"init": [features], "init_kwargs": keywords}
    facts = {"features": features, "bias": bias, "dtype": dtype}
    secret = {"facts": facts, "kind": "facts"}
    return Case(steps=(Request(op="facts", data=data),), secret=secret)


def _life(kind: str, draw: Draw) -> Case:
    """Ask whether the tie lives through what happens to a model."""
    features = 100 if kind == "save" else draw.integer(3, 6)
    dtype = "float64" if kind in ("double", "step") else "float32"
    record = _alive({"lead": [4], "features": features, "dtype": dtype}, draw)
    if kind == "double":
        record["init_kwargs"] = {}
    record["weight"] = draw.normal([features, features], getattr(torch, dtype))
    data = {"event": kind} | record
    return Case(steps=(Request(op="life", data=data),), secret={"record": record, "kind": kind})


def _training(kind: str, draw: Draw) -> Case:
    """Ask for gradients that accumulate, and for a few steps of an optimiser."""
    features = draw.integer(3, 5)
    dtype = "float32" if kind == "accumulate" else "float64"
    record = _alive({"lead": [6], "features": features, "dtype": dtype}, draw)
    other = _record({"lead": [6], "features": features, "dtype": dtype}, draw)
    record |= {"other_x": other["x"], "other_cotangent": other["cotangent"]}
    if kind == "adam":
        record["options"] = {"lr": 0.05}
    elif kind in ("sgd", "frozen weight"):
        record["options"] = {"lr": 0.1, "momentum": 0.9}
    data = {"event": kind} | record
    request = Request(op="training", data=data)
    return Case(steps=(request,), secret={"record": record, "kind": kind})


def _count(kind: str, draw: Draw) -> Case:
    data = {"module": kind, "a": draw.integer(3, 9), "b": draw.integer(3, 9)}
    request = Request(op="count", data=data)
    return Case(steps=(request,), secret={"count": data, "kind": "count"})


def _error(kind: str, draw: Draw) -> Case:
    features = draw.integer(3, 5)
    got = {"last size": features + draw.choice((-1, 1)), "last size 1": 1}.get(kind, features)
    if kind == "features 0":
        features = 0
    elif kind == "features negative":
        features = -draw.integer(1, 3)
    request = module_call("SharedMLP", draw.normal([2, got]), init=(features,), twice=False)
    shown = {"features": features, "shape of x": [2, got]}
    return Case(steps=(request,), secret={"raises": kind, "kind": "error"}, shown=shown)
