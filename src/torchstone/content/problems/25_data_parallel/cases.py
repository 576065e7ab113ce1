"""Draw modules, batches and devices for problem 25. Everything is float64.

Legend: B batch, n devices, m devices that get a shard.
"""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

Params = dict[str, Any]
Tensor = torch.Tensor

GROUPS = (
    "value",
    "tied",
    "grad",
    "accumulate",
    "no_grad",
    "structure",
    "dim",
    "device",
    "concurrency",
    "error",
    "buffers",
    "functions",
    "stress",
)
BATCHES = ((8, 2), (7, 3), (5, 4), (1, 3), (6, 1), (0, 2))
REPEATS = 50
MOST_SLEEP_S = 0.0003
DEFAULTS: Params = {
    "op": "apply",
    "kind": "Net",
    "batch": 7,
    "devices": 3,
    "dim": 0,
    "output": None,
    "calls": 1,
    "grad": False,
    "train": True,
    "eval": False,
    "reversed": False,
    "meet": False,
}


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    return [DEFAULTS | params for params in PLANS[group](draw)]


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the inputs of one case."""
    data = BUILDERS[params["op"]](params, draw)
    return Case(
        steps=(Request(op=params["op"], data=data),),
        secret={"op": params["op"], "data": data, "params": params},
        shown=_shown(data),
    )


def shrink(params: Params) -> list[Params]:
    """Return simpler parameters: fewer devices, fewer samples, one call."""
    found = []
    if params["op"] == "apply" and not params["meet"] and params["kind"] != "Normed":
        if params["devices"] > 2 and params["output"] is None:
            found.append(params | {"devices": params["devices"] - 1})
        if params["batch"] > 3:
            found.append(params | {"batch": params["batch"] - 1})
        if params["calls"] > 1:
            found.append(params | {"calls": 1, "reversed": False})
    return found


def num_shards(batch: int, devices: int) -> int:
    """Return how many parts chunk makes."""
    size = -(-batch // devices)
    return -(-batch // size) if size else 1


def _shown(data: Params) -> dict[str, Any]:
    found = {name: data[name] for name in ("devices", "dim", "output") if data.get(name)}
    for number, call in enumerate(data.get("calls", ())):
        names = [f"argument {place}" for place in range(len(call["args"]))]
        if len(data["calls"]) > 1:
            names = [f"call {number}, {name}" for name in names]
        found |= dict(zip(names, call["args"], strict=True))
    return found


# --- plans ----------------------------------------------------------------------------------------


def _value(draw: Draw) -> list[Params]:
    return [{"batch": batch, "devices": devices} for batch, devices in BATCHES]


def _tied(draw: Draw) -> list[Params]:
    return [{"kind": "Tied", "batch": draw.integer(5, 9), "devices": devices} for devices in (2, 3)]


def _grad(draw: Draw) -> list[Params]:
    nets = [
        {"grad": True, "batch": batch, "devices": devices}
        for batch, devices in ((7, 3), (5, 4), (6, 1), (0, 2))
    ]
    others = [
        {"kind": kind, "grad": True, "batch": draw.integer(7, 9), "devices": 3}
        for kind in ("Words", "Tied")
    ]
    return [*nets, *others]


def _accumulate(draw: Draw) -> list[Params]:
    return [
        {"grad": True, "calls": 2, "reversed": turned, "batch": draw.integer(5, 9), "devices": n}
        for turned, n in ((False, 2), (True, 3))
    ]


def _no_grad(draw: Draw) -> list[Params]:
    return [{"train": False, "batch": draw.integer(4, 9), "devices": n} for n in (2, 3)]


def _structure(draw: Draw) -> list[Params]:
    return [
        {"kind": "Odd", "batch": 7, "devices": 3},
        {"kind": "Odd", "batch": 5, "devices": 4, "grad": True},
        {"kind": "Losses", "batch": 7, "devices": 3, "grad": True},
        {"kind": "Loss", "batch": 8, "devices": 2},
        {"kind": "Loss", "batch": 6, "devices": 1},
        {"kind": "Odd", "batch": 6, "devices": 1},
        {"kind": "Plain", "batch": 2, "devices": 2},
        {"kind": "Kept", "batch": 5, "devices": 2},
    ]


def _dim(draw: Draw) -> list[Params]:
    return [
        {"kind": "Columns", "dim": 1, "grad": True, "batch": batch, "devices": devices}
        for batch, devices in ((7, 3), (2, 4))
    ]


def _device(draw: Draw) -> list[Params]:
    return [
        {"output": output, "batch": batch, "devices": devices, "grad": True}
        for output, batch, devices in ((1, 8, 2), (2, 7, 3))
    ]


def _concurrency(draw: Draw) -> list[Params]:
    return [{"meet": True, "batch": 2 * devices, "devices": devices} for devices in (3, 4)]


def _error(draw: Draw) -> list[Params]:
    return [
        {"op": "refuse"},
        {"op": "fail", "batch": 8, "devices": 4, "raising": "several"},
        {"op": "fail", "batch": 8, "devices": 4, "raising": "one"},
    ]


def _buffers(draw: Draw) -> list[Params]:
    return [
        {"kind": "Normed", "batch": 9, "devices": 3, "calls": 2},
        {"kind": "Normed", "batch": 8, "devices": 2, "grad": True},
        {"kind": "Normed", "batch": 8, "devices": 2, "eval": True},
    ]


def _functions(draw: Draw) -> list[Params]:
    return [{"op": "shard"}, {"op": "join"}, {"op": "beside"}]


def _stress(draw: Draw) -> list[Params]:
    return [{"op": "stress", "kind": "Layer", "batch": 7, "devices": 2}]


PLANS = {
    "value": _value,
    "tied": _tied,
    "grad": _grad,
    "accumulate": _accumulate,
    "no_grad": _no_grad,
    "structure": _structure,
    "dim": _dim,
    "device": _device,
    "concurrency": _concurrency,
    "error": _error,
    "buffers": _buffers,
    "functions": _functions,
    "stress": _stress,
}


# --- requests -------------------------------------------------------------------------------------


def _normal(draw: Draw, *shape: int, scale: float = 1.0) -> Tensor:
    return draw.normal(list(shape), scale=scale, dtype=torch.float64)


def _model(kind: str, draw: Draw, *, train: bool = True) -> Params:
    """Draw sizes and values of a module of the probe."""
    sizes = [draw.integer(3, 6) for _ in range(3)]
    i, h, o = sizes
    state: Params = {}
    if kind == "Words":
        state = {
            "table.weight": _normal(draw, i, h),
            "frozen.weight": _normal(draw, o, h),
            "frozen.bias": _normal(draw, o),
            "factor": _normal(draw).abs() + 0.5,
        }
    elif kind == "Tied":
        for name in ("encode", "decode", "blocks.0"):
            state[f"{name}.weight"] = _normal(draw, i, i, scale=0.6)
            state[f"{name}.bias"] = _normal(draw, i)
        state["scale"] = _normal(draw, i)
    elif kind == "Normed":
        state = {
            "linear.weight": _normal(draw, h, i),
            "linear.bias": _normal(draw, h),
            "running.weight": _normal(draw, h),
            "running.bias": _normal(draw, h),
            "running.running_mean": _normal(draw, h),
            "running.running_var": _normal(draw, h).square() + 0.5,
            "calls": _normal(draw, 2).abs() + 1,
        }
    elif kind == "Odd":
        state = {"linear.weight": _normal(draw, h, i)}
    elif kind == "Layer":
        state = {"layer.weight": _normal(draw, h, i), "layer.bias": _normal(draw, h)}
    else:
        state = {
            "first.weight": _normal(draw, h, i),
            "first.bias": _normal(draw, h),
            "second.weight": _normal(draw, o, h),
            "second.bias": _normal(draw, o),
        }
    return {"kind": kind, "sizes": sizes, "state": state, "train": train}


def _call(params: Params, model: Params, draw: Draw) -> Params:
    """Draw the arguments of a call, and cotangents for its results."""
    kind, batch, grad = params["kind"], params["batch"], params["grad"]
    i, h, o = model["sizes"]
    leaves = [0] if grad else []
    odd = False
    if kind == "Words":
        words = draw.integers([batch], 0, i - 1)
        args, shapes, leaves = [words, _normal(draw, batch, h)], [[batch, o]], [1]
    elif kind == "Columns":
        args, shapes = [_normal(draw, i, batch)], [[o, batch]]
    elif kind == "Odd":
        # x, y, z, w and the weights: the probe builds the structure.
        args = [_normal(draw, batch, i), _normal(draw, batch, h), _normal(draw, batch, 2)]
        args += [_normal(draw, batch), _normal(draw, batch, 1).abs() + 0.5]
        odd, leaves = True, [0, 4] if grad else []
        shards = num_shards(batch, params["devices"])
        shapes = [[batch, h], [batch], [shards]]
    elif kind == "Plain":
        args, shapes = ["text", draw.integer(2, 5)], [[h, i]]
    elif kind in ("Losses", "Loss"):
        args, shards = [_normal(draw, batch, i)], num_shards(batch, params["devices"])
        shapes = [[shards], [shards], [batch, o]] if kind == "Losses" else [[shards]]
    else:
        width = h if kind in ("Normed", "Layer") else o
        width = i if kind == "Tied" else width
        args, shapes = [_normal(draw, batch, i)], [[batch, width]]
    cotangents = [_normal(draw, *shape) for shape in shapes] if grad else []
    return {
        "args": args,
        "kwargs": {},
        "leaves": leaves,
        "cotangents": cotangents,
        "odd": odd,
    }


def _apply(params: Params, draw: Draw) -> Params:
    model = _model(params["kind"], draw, train=not params["eval"])
    return {
        "model": model,
        "calls": [_call(params, model, draw) for _ in range(params["calls"])],
        "devices": params["devices"],
        "dim": params["dim"],
        "output": params["output"],
        "train": params["train"],
        "reversed": params["reversed"],
        "meet": num_shards(params["batch"], params["devices"]) if params["meet"] else 0,
    }


def _stressed(params: Params, draw: Draw) -> Params:
    sleeps = draw.uniform([REPEATS, params["devices"]], 0.0, MOST_SLEEP_S, dtype=torch.float64)
    shards = num_shards(params["batch"], params["devices"])
    return _apply(params, draw) | {"sleeps": sleeps, "meet": shards}


def _failing(params: Params, draw: Draw) -> Params:
    kinds = ["ValueError", "KeyError", "ZeroDivisionError", "OSError", "RuntimeError", "Broken"]
    # By device: what it raises and after which time; the lowest one is the last to do so.
    raises = [
        {"1": (low, 0.003), "2": (other, 0.0), "3": (other, 0.001)}
        for low, other in zip(kinds, [*kinds[1:], kinds[0]], strict=True)
    ]
    if params["raising"] == "one":
        raises = [{device: (kind, 0.0)} for kind in kinds for device in ("0", "3")]
    return _apply(params, draw) | {"raises": raises, "meet": 4}


def _refused(params: Params, draw: Draw) -> Params:
    model = _model("Net", draw)
    names = [["loss", "out"], ["loss"]]
    names = names[::-1] if draw.chance(0.5) else names
    return {"model": model, "x": _normal(draw, 4, model["sizes"][0]), "names": names}


def _scattered(params: Params, draw: Draw) -> Params:
    def call(batch: int, devices: int, dim: int = 0, *, alone: bool = False) -> Params:
        shape = [draw.integer(2, 4)] * dim + [batch, draw.integer(2, 4)]
        args, kwargs = [_normal(draw, *shape)], {"mask": _normal(draw, *shape) > 0, "text": "t"}
        return {
            **{"args": args, "kwargs": {} if alone else kwargs, "alone": alone},
            **{"devices": devices, "dim": dim},
        }

    odd = [_normal(draw, 7, 2), _normal(draw, 7, 1), _normal(draw, 7), _normal(draw, 7)]
    bare = {"args": ["text", 3, None], "kwargs": {"on": True}, "alone": False}
    return {
        "scatters": {
            "even": call(6, 3, alone=True),
            "rest": call(draw.choice([7, 10]), 3),
            "few": call(2, 4),
            "empty": call(0, 3),
            "second dim": call(5, 2, 1),
            "one device": call(4, 1),
            "nested": {
                **{"args": [*odd, _normal(draw, 7)], "kwargs": {}, "odd": True, "alone": False},
                **{"devices": 3, "dim": 0},
            },
            "no tensor": bare | {"devices": 3, "dim": 0},
        }
    }


def _gathered(params: Params, draw: Draw) -> Params:
    width = draw.integer(2, 4)

    def nested(rows: int) -> Params:
        pair = {"first": _normal(draw, rows, width), "second": [_normal(draw), None]}
        return {"pair": pair, "mask": draw.integers([rows], 0, 1) > 0, "t": (_normal(draw, rows),)}

    rows = [3, 3, 1]
    return {
        "gathers": {
            "rows": {"outputs": [_normal(draw, n, width) for n in rows], "dim": 0, "to": 0},
            "columns": {"outputs": [_normal(draw, width, n) for n in rows], "dim": 1, "to": 2},
            "numbers": {"outputs": [_normal(draw) for _ in rows], "dim": 0, "to": 1},
            "nothing": {"outputs": [None, None], "dim": 0, "to": 0},
            "nested": {"outputs": [nested(n) for n in rows], "dim": 0, "to": 1},
            "alone": {"outputs": [_normal(draw, 4, width)], "dim": 0, "to": 0},
        }
    }


def _side_by_side(params: Params, draw: Draw) -> Params:
    models = [_model("Net", draw) for _ in range(3)]
    widths = [model["sizes"][0] for model in models]
    shift = draw.integer(1, 9) / 8

    def inputs(sizes: list[int]) -> list[list[Tensor]]:
        return [[_normal(draw, rows, size)] for rows, size in enumerate(sizes, 2)]

    same = widths[:1] * 2
    return {
        "runs": {
            "three modules": {
                **{"models": models, "inputs": inputs(widths), "placed": True},
                "kwargs": [{"shift": shift}, {}, {"shift": -shift}],
            },
            "no devices": {
                **{"models": models, "inputs": inputs(widths), "placed": False},
                "kwargs": [{}, {"shift": shift}, {"shift": 2 * shift}],
            },
            "replicas": {
                **{"models": models[:1], "inputs": inputs(same), "placed": True, "kwargs": None}
            },
        }
    }


BUILDERS = {
    "apply": _apply,
    "stress": _stressed,
    "fail": _failing,
    "refuse": _refused,
    "shard": _scattered,
    "join": _gathered,
    "beside": _side_by_side,
}
