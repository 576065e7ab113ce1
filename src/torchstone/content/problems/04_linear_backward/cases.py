"""Draw the inputs of problem 04: layers, and scripts of what is called on them in which order."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, lay_out

GROUPS = ("sample", "small", "edge", "half", "scale", "layout", "grad", "errors", "large")

# A command is (what, layer, ...): forward x -> y, backward g -> gx, read the gradients under a
# name, read the parameters under a name, zero_grad, step; refused x or g, of a wrong shape; recover
# g -> gx, a backward after a refusal; overwrite all tensors with other values, in place. x0, g0 and
# so on name drawn tensors.
SCRIPTS: dict[str, list[list[Any]]] = {
    "once": [["forward", 0, "x0", "y0"], ["backward", 0, "g0", "gx0"], ["read", 0, "after"]],
    "accumulate": [
        ["read", 0, "before"],
        ["forward", 0, "x0", "y0"],
        ["backward", 0, "g0", "gx0"],
        ["forward", 0, "x1", "y1"],
        ["backward", 0, "g1", "gx1"],
        ["read", 0, "two"],
        ["zero_grad", 0],
        ["read", 0, "zeroed"],
        ["forward", 0, "x2", "y2"],
        ["backward", 0, "g2", "gx2"],
        ["read", 0, "third"],
    ],
    "interleaved": [
        ["forward", 0, "x0", "y0"],
        ["forward", 1, "x1", "y1"],
        ["backward", 0, "g0", "gx0"],
        ["zero_grad", 1],
        ["read", 0, "first"],
        ["backward", 1, "g1", "gx1"],
        ["read", 1, "second"],
        ["read", 0, "first again"],
    ],
    "latest": [
        ["forward", 0, "x0", "y0"],
        ["forward", 0, "x1", "y1"],
        ["backward", 0, "g1", "gx1"],
        ["read", 0, "after"],
    ],
    # The same tensors hold other values; what was accumulated stays.
    "overwritten": [
        ["forward", 0, "x0", "y0"],
        ["backward", 0, "g0", "gx0"],
        ["overwrite", 0],
        ["read", 0, "kept"],
        ["forward", 0, "x0", "y1"],
        ["backward", 0, "g0", "gx1"],
        ["read", 0, "both"],
    ],
    "twice": [
        ["forward", 0, "x0", "y0"],
        ["forward", 0, "x0", "y0 again"],
        ["backward", 0, "g0", "gx0"],
        ["read", 0, "after"],
    ],
    "step": [
        ["forward", 0, "x0", "y0"],
        ["backward", 0, "g0", "gx0"],
        ["step", 0, 0.25],
        ["weights", 0, "stepped"],
        ["read", 0, "kept"],
        ["zero_grad", 0],
        ["read", 0, "zeroed"],
        ["step", 0, 0.5],
        ["weights", 0, "unmoved"],
    ],
    # What is refused changes nothing: the forward before it is still pending.
    "refused forward": [
        ["forward", 0, "x0", "y0"],
        ["refused", 0, "x bad", "forward"],
        ["recover", 0, "g0", "gx0"],
        ["read", 0, "after"],
    ],
    "refused backward": [
        ["forward", 0, "x0", "y0"],
        ["refused", 0, "g bad", "backward"],
        ["recover", 0, "g0", "gx0"],
        ["read", 0, "after"],
    ],
    "step first": [["step", 0, 0.5], ["weights", 0, "unmoved"], ["read", 0, "nothing"]],
}
CALLS = ("forward", "backward", "refused", "recover")
FACTS = ("float32", "float64", "bfloat16", "no bias")
ERRORS = (
    "in 0",
    "out 0",
    "in negative",
    "0-d",
    "0-d, in 1",
    "last size",
    "last size 1",
    "row cotangent",
    "cotangent without batch",
    "cotangent of another shape",
    "no forward",
    "consumed",
    "consumed latest",
)


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    if group == "sample":
        return [{"lead": [2], "in": 3, "out": 2, "script": "once"}]
    if group == "small":
        return _plan_small(draw)
    if group == "edge":
        return _plan_edge(draw)
    if group == "half":
        # Many rows are there for their sums, which few features show as well.
        shapes = [
            {"lead": [rows], "in": draw.integer(4, 6), "out": draw.integer(4, 6)}
            for rows in (64, 4096)
        ]
        dtypes = ("float16", "bfloat16")
        return [s | {"dtype": d, "script": "once"} for s in shapes for d in dtypes]
    if group == "scale":
        shape = {"lead": [draw.integer(3, 6)], "in": 5, "out": 4, "script": "once"}
        return [shape | {"scale": scale} for scale in (1e4, 1e-6)]
    if group == "layout":
        return _plan_layout(draw)
    if group == "grad":
        chain = {"kind": "chain", "lead": [draw.integer(3, 5)], "sizes": draw.shape(3, 2, 5)}
        descent = {"kind": "descent", "rows": 16, "in": draw.integer(2, 4), "out": 2}
        both = (chain, descent)
        return [each | {"dtype": dtype} for each in both for dtype in ("float64", "float32")]
    if group == "errors":
        shape = {"lead": [draw.integer(2, 4)], "in": draw.integer(2, 5), "out": draw.integer(2, 5)}
        refused = [shape | {"script": f"refused {what}"} for what in ("forward", "backward")]
        return [{"kind": kind} for kind in ERRORS] + refused
    # The outer products of all rows would take 1.1 GB in the second case.
    many = {"lead": [64, 128], "in": draw.integer(3, 5), "out": draw.integer(3, 5)}
    wide = {"lead": [50, 50], "in": 410, "out": draw.integer(270, 275)}
    return [many | {"script": "once"}, wide | {"script": "once", "distinct": 80}]


def _plan_small(draw: Draw) -> list[dict[str, Any]]:
    sizes = [{"in": draw.integer(2, 5), "out": draw.integer(6, 8)} for _ in range(4)]
    return [
        {"lead": [draw.integer(2, 4)], "in": 4, "out": 4, "script": "once"},
        {"lead": [3], "in": 3, "out": 3, "script": "once", "fill": "assign"},
        {"lead": draw.shape(1, 2, 5), "script": "once"} | sizes[0],
        {"lead": draw.shape(2, 2, 4), "script": "once"} | sizes[1],
        {"lead": draw.shape(3, 2, 3), "script": "once", "fill": "assign"} | sizes[2],
        {"lead": [3], "script": "once", "bias": False} | sizes[3],
        {"lead": [3, 2], "script": "once", "dtype": "float64"} | sizes[0],
        {"lead": [3], "script": "accumulate"} | sizes[1],
        {"lead": [3], "script": "accumulate", "bias": False, "dtype": "float64"} | sizes[2],
        {"lead": [4], "script": "interleaved"} | sizes[3],
        {"lead": [2, 3], "script": "latest"} | sizes[0],
        {"lead": [3], "script": "overwritten"} | sizes[1],
    ]


def _plan_edge(draw: Draw) -> list[dict[str, Any]]:
    size = {"in": draw.integer(2, 5), "out": draw.integer(2, 5)}
    return [
        {"lead": [], "script": "accumulate"} | size,
        {"lead": [0], "script": "once"} | size,
        {"lead": [2, 0], "script": "once"} | size,
        {"lead": [0], "script": "once", "bias": False} | size,
        {"lead": [1], "in": 1, "out": 1, "script": "once"},
        {"lead": [3], "in": 1, "out": 4, "script": "once"},
        {"lead": [3], "script": "step"} | size,
        {"lead": [3], "script": "step", "bias": False} | size,
        {"lead": [3], "script": "step first"} | size,
        *({"kind": kind} for kind in FACTS),
    ]


def _plan_layout(draw: Draw) -> list[dict[str, Any]]:
    size = {"in": draw.integer(3, 5), "out": draw.integer(3, 5), "script": "twice"}
    kinds = (
        # lead, layout of x, layout of the cotangent
        ([4], "transposed", "contiguous"),
        ([2, 3], "transposed", "transposed"),
        ([3], "stepped", "stepped"),
        ([2, 3], "offset", "offset"),
        ([4], "contiguous", "expanded"),
        ([3, 2], "expanded", "transposed"),
        ([3, 2], "stepped", "expanded"),
    )
    return [{"lead": lead, "layout": x, "cotangent": g} | size for lead, x, g in kinds]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the inputs of one case."""
    if "script" in params:
        return _script(params, draw)
    kind = params["kind"]
    if group == "errors":
        return _error(kind, draw)
    if kind == "chain":
        return _chain(params, draw)
    if kind == "descent":
        return _descent(params, draw)
    return _facts(kind, draw)


def _layer(params: dict[str, Any], draw: Draw, in_features: int, out_features: int) -> Any:
    """Describe one layer: how it is made, and what is put into its parameters."""
    dtype, bias = getattr(torch, params.get("dtype", "float32")), params.get("bias", True)
    keywords: dict[str, Any] = {} if dtype == torch.float32 else {"dtype": dtype}
    if not bias:
        keywords["bias"] = False
    return {
        "init": [in_features, out_features],
        "init_kwargs": keywords,
        "weight": draw.normal([out_features, in_features], dtype),
        "bias": draw.normal([out_features], dtype) if bias else None,
        "fill": params.get("fill", "copy"),
    }


def _script(params: dict[str, Any], draw: Draw) -> Case:
    script, lead = SCRIPTS[params["script"]], params["lead"]
    sizes = params["in"], params["out"]
    dtype = getattr(torch, params.get("dtype", "float32"))
    layers = [_layer(params, draw, *sizes) for _ in {command[1] for command in script}]
    calls = [each for each in script if each[0] in CALLS]
    names = sorted({name for _, _, name, _ in calls})
    sizes_of = {name: sizes[name[0] == "g"] + name.endswith("bad") for name in names}
    secret: dict[str, Any] = {}
    if "distinct" in params:
        # A few rows, each met many times: their products cost the oracle a fraction of all.
        index = draw.integers(lead, 0, params["distinct"] - 1)
        few = {n: draw.normal([params["distinct"], size], dtype) for n, size in sizes_of.items()}
        tensors = {name: rows[index] for name, rows in few.items()}
        secret = {"index": index, "rows": few}
    else:
        tensors = {
            n: _tensor(n, [*lead, size], dtype, params, draw) for n, size in sizes_of.items()
        }
    data = {"layers": layers, "script": script, "tensors": tensors}
    if ["overwrite", 0] in script:
        data["others"] = {name: draw.normal(x.shape, dtype) for name, x in tensors.items()}
    shown = {key: layers[0][key] for key in ("weight", "bias")} | tensors
    request = Request(op="script", data=data)
    return Case(steps=(request,), secret={"script": data, **secret}, shown=shown)


def _tensor(
    name: str, shape: list[int], dtype: torch.dtype, params: dict[str, Any], draw: Draw
) -> torch.Tensor:
    x = draw.normal(shape, dtype, params.get("scale", 1.0))
    layout = params.get("layout" if name[0] == "x" else "cotangent", "contiguous")
    if layout == "contiguous" and draw.chance(0.3):
        layout = "offset"
    return lay_out(x, layout)


def _chain(params: dict[str, Any], draw: Draw) -> Case:
    dtype, (a, b, c) = getattr(torch, params["dtype"]), params["sizes"]
    layers = [_layer(params, draw, a, b), _layer(params, draw, b, c)]
    x, g = draw.normal([*params["lead"], a], dtype), draw.normal([*params["lead"], c], dtype)
    data = {"layers": layers, "x": x, "g": g}
    return Case(steps=(Request(op="chain", data=data),), secret={"chain": data})


def _descent(params: dict[str, Any], draw: Draw) -> Case:
    dtype, rows = getattr(torch, params["dtype"]), params["rows"]
    layer = _layer(params, draw, params["in"], params["out"])
    x = draw.normal([rows, params["in"]], dtype)
    target = draw.normal([rows, params["out"]], dtype)
    data = {"layers": [layer], "x": x, "target": target, "lr": 0.2, "num_steps": 40}
    return Case(steps=(Request(op="descent", data=data),), secret={"descent": data})


def _facts(kind: str, draw: Draw) -> Case:
    """Ask what a constructor makes; large enough that its statistics are sharp."""
    in_features, out_features = draw.integer(20, 40), draw.integer(900, 1000)
    dtype = torch.float32 if kind == "no bias" else getattr(torch, kind)
    keywords: dict[str, Any] = {} if kind == "float32" else {"dtype": dtype}
    if kind == "no bias":
        keywords = {"bias": False}
    seeds = [draw.integer(0, 10**9), draw.integer(0, 10**9)]
    init = [in_features, out_features]
    # Whether two draws are the same shows in a small layer as well.
    small = [in_features, draw.integer(5, 9)]
    data = {"init": init, "small": small, "init_kwargs": keywords, "seeds": seeds}
    secret = {"facts": {"sizes": init, "dtype": dtype, "bias": kind != "no bias"}}
    return Case(steps=(Request(op="facts", data=data),), secret=secret)


def _error(kind: str, draw: Draw) -> Case:
    sizes = [draw.integer(3, 5), draw.integer(2, 4)]
    rows = draw.integer(2, 4)
    x, g = draw.normal([rows, sizes[0]]), draw.normal([rows, sizes[1]])
    legal = ["forward", x]
    calls: list[list[Any]] = {
        "in 0": [],
        "out 0": [],
        "in negative": [],
        "0-d": [["forward", draw.normal([])]],
        "0-d, in 1": [["forward", draw.normal([])]],
        "last size": [["forward", draw.normal([rows, sizes[0] + 1])]],
        "last size 1": [["forward", draw.normal([rows, 1])]],
        "row cotangent": [legal, ["backward", g[:1].clone()]],
        "cotangent without batch": [legal, ["backward", g[0].clone()]],
        "cotangent of another shape": [legal, ["backward", g[:, None].clone()]],
        "no forward": [["backward", g]],
        "consumed": [legal, ["backward", g], ["backward", g]],
        # What an earlier forward saved is no refuge: only the latest can be consumed.
        "consumed latest": [legal, legal, ["backward", g], ["backward", g]],
    }[kind]
    special_sizes = {
        "in 0": [0, 3],
        "out 0": [3, 0],
        "in negative": [-draw.integer(1, 3), 3],
        "0-d, in 1": [1, sizes[1]],
    }
    sizes = special_sizes.get(kind, sizes)
    data = {"init": sizes, "calls": calls}
    secret = {"raises": kind}
    shown = {"in_features": sizes[0], "out_features": sizes[1], "illegal": kind}
    return Case(steps=(Request(op="illegal", data=data),), secret=secret, shown=shown)
