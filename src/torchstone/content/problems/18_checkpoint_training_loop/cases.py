"""Draw blocks, batches and calls for problem 18.

Legend: n blocks, k segments, U bytes of one activation of a large block.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

Params = dict[str, Any]

GROUPS = ("sample", "small", "rng", "edge", "checkpoint", "raises", "memory", "errors")

DEFAULTS: Params = {
    "op": "train",
    "kinds": "affine",
    "segments": 2,
    "batches": 2,
    "dtype": "float32",
    "optimizer": "sgd",
    "form": "list",
    "frozen": [],
    "order": None,
    # What the trace is compared with; see the oracle.
    "cuts": None,
}
KINDS = (
    *("smooth", "closed_over", "mixed_arguments", "tuple_result", "half_used", "module"),
    *("random_masks", "loose_masks", "non_leaf", "two_in_a_row", "detached_inside", "unused"),
    *("in_place", "twice", "under_no_grad", "tuple_under_no_grad", "nested"),
    *("autocast_forward", "autocast_float16", "autocast_tuple", "autocast_backward"),
)
# 144 KiB: above 128 KiB, from which on the C library maps a block of its own.
# What the functions of `raises_at_once` and `raises_later` raise, by its name in the probe.
ERRORS = ("LookupError", "RuntimeError", "ValueError", "TypeError", "OSError", "Broken")
TILE, REPEATS = 512, 72
DEPTHS = ((1, 1), (16, 4), (64, 8))


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the inputs of one case."""
    return BUILDERS[params["op"]](params, draw)


def shrink(params: Params) -> list[Params]:
    """Return simpler parameters: fewer batches, fewer blocks."""
    if params["op"] != "train":
        return []
    found = []
    if params["batches"] > 1:
        found.append(params | {"batches": 1})
    if params["n"] > 2 and params["order"] is None and not params["frozen"]:
        found.append(params | {"n": params["n"] - 1})
    return found


def _train(n: int, segments: int | None, **options: Any) -> Params:
    return DEFAULTS | {"n": n, "segments": segments} | options


def _sample(draw: Draw) -> list[Params]:
    return [_train(4, 2), _train(6, 3, optimizer="adam", batches=3)]


def _small(draw: Draw) -> list[Params]:
    at_most: Params = {"cuts": "at most"}
    one: Params = at_most | {"batches": 1}
    n = draw.choice((7, 8, 10))
    return [
        _train(n, 3, **at_most),
        _train(draw.choice((9, 11)), 4, optimizer="adam", kinds="mixed", **one),
        _train(5, 1, **one),
        _train(6, 6, **one),
        _train(3, draw.integer(4, 9), **one),
        _train(draw.choice((5, 10, 11)), None, **one),
        _train(8, 5, dtype="float64", kinds="mixed", form="generator", **at_most),
    ]


def _rng(draw: Draw) -> list[Params]:
    return [
        _train(4, 2, kinds="noisy"),
        _train(6, 3, kinds="noisy", optimizer="adam"),
        _train(5, 1, kinds="noisy", batches=1),
        _train(4, 4, kinds="noisy", dtype="float64", form="generator"),
    ]


def _edge(draw: Draw) -> list[Params]:
    return [
        _train(3, 2, batches=0),
        _train(3, 2, batches=0, form="generator"),
        _train(6, 3, frozen=[0, 1]),
        _train(6, 3, frozen=[4, 5], batches=1),
        _train(6, 2, frozen=[0, 2, 3], form="generator"),
        _train(6, 3, frozen=[2, 3], optimizer="adam", kinds="noisy"),
        _train(5, 3, order=[0, 1, 2, 3, 0, 4], batches=1),
        _train(4, 3, order=[0, 1, 2, 0, 3, 1], form="generator", optimizer="adam"),
        _train(1, None, batches=1),
        _train(2, None, kinds="mixed", batches=1),
    ]


def _memory(draw: Draw) -> list[Params]:
    exactly: Params = {"cuts": "exactly", "kinds": "wave", "batches": 1}
    return [
        _train(draw.choice((11, 12)), 4, **exactly),
        _train(draw.choice((13, 14)), None, **exactly),
        _train(draw.choice((14, 15)), 5, **exactly),
        {"op": "measure", "depths": [list(each) for each in DEPTHS]},
    ]


def _errors(draw: Draw) -> list[Params]:
    return [
        {"op": "refuse", "segments": 0},
        {"op": "refuse", "segments": -draw.integer(1, 4)},
    ]


def _raises(draw: Draw) -> list[Params]:
    return [
        {"op": "checkpoint", "kind": kind, "error": error}
        for error in ERRORS
        for kind in ("raises_at_once", "raises_later")
    ]


PLANS = {
    "sample": _sample,
    "small": _small,
    "rng": _rng,
    "edge": _edge,
    "checkpoint": lambda draw: [{"op": "checkpoint", "kind": kind} for kind in KINDS],
    "raises": _raises,
    "memory": _memory,
    "errors": _errors,
}


def _block(kind: str, width: int, dtype: torch.dtype, draw: Draw, *, frozen: bool) -> Params:
    if kind == "wave":
        tensors = [draw.uniform([], 0.8, 1.2, dtype), draw.uniform([], 0.2, 0.6, dtype)]
    else:
        scale = 1.0 / math.sqrt(width)
        tensors = [draw.normal([width, width], dtype, scale), draw.normal([width], dtype, 0.1)]
    return {"kind": kind, "tensors": tensors, "frozen": frozen}


def _build_train(params: Params, draw: Draw) -> Case:
    n, dtype = params["n"], getattr(torch, params["dtype"])
    width, rows = draw.integer(4, 9), draw.integer(3, 6)
    kinds = {"mixed": ("affine", "wave")}.get(params["kinds"], (params["kinds"],))
    blocks = [
        _block(kinds[at % len(kinds)], width, dtype, draw, frozen=at in params["frozen"])
        for at in range(n)
    ]
    batches = [
        [draw.normal([rows, width], dtype), draw.normal([rows, width], dtype)]
        for _ in range(params["batches"])
    ]
    data: Params = {
        "blocks": blocks,
        "order": params["order"] or list(range(n)),
        "batches": batches,
        "num_segments": params["segments"],
        "optimizer": params["optimizer"],
        "lr": 0.05,
        "form": params["form"],
        "seed": draw.integer(0, 2**31),
    }
    shown = {
        "blocks": len(data["order"]),
        "kinds": params["kinds"],
        "num_segments": params["segments"],
        "batches": params["batches"],
        "x": torch.stack([x for x, _ in batches]) if batches else None,
    }
    secret = {"op": "train", "data": data, "cuts": params["cuts"]}
    return Case(steps=(Request(op="train", data=data),), secret=secret, shown=shown)


def _build_measure(params: Params, draw: Draw) -> Case:
    requests = []
    for depth, segments in params["depths"]:
        data: Params = {
            "tile": draw.normal([TILE]),
            "repeats": REPEATS,
            "target": draw.uniform([], -1.0, 1.0),
            "weights": [
                _block("wave", 1, torch.float32, draw, frozen=False)["tensors"]
                for _ in range(depth)
            ],
            "segments": segments,
            "lr": 0.5,
            "alone": True,
        }
        requests.append(Request(op="measure", data=data))
    shown = {"depths and segments": params["depths"], "bytes of an activation": 4 * TILE * REPEATS}
    secret = {"op": "measure", "steps": [request.data for request in requests]}
    return Case(steps=tuple(requests), secret=secret, shown=shown)


def _build_refuse(params: Params, draw: Draw) -> Case:
    data = {
        "block": _block("affine", 3, torch.float32, draw, frozen=False),
        "x": draw.normal([2, 3]),
        "num_segments": params["segments"],
    }
    shown = {"num_segments": params["segments"]}
    secret = {"op": "refuse", "data": data}
    return Case(steps=(Request(op="refuse", data=data),), secret=secret, shown=shown)


def _build_checkpoint(params: Params, draw: Draw) -> Case:
    rows, width = draw.integer(3, 5), draw.integer(2, 5)
    dtype = torch.float32 if params["kind"].startswith("autocast") else torch.float64
    data = {
        "kind": params["kind"],
        "x": draw.normal([rows, width], dtype),
        "z": draw.normal([rows, width], dtype),
        "weight": draw.normal([width, width], dtype),
        "cotangent": draw.normal([rows, width], dtype),
        "seed": draw.integer(0, 2**31),
        "error": params.get("error", ERRORS[0]),
    }
    shown = {name: data[name] for name in ("kind", "error", "x", "weight", "cotangent")}
    secret = {"op": "checkpoint", "data": data}
    return Case(steps=(Request(op="checkpoint", data=data),), secret=secret, shown=shown)


BUILDERS = {
    "train": _build_train,
    "measure": _build_measure,
    "refuse": _build_refuse,
    "checkpoint": _build_checkpoint,
}
