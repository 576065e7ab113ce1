"""Draw the inputs of problem 07: rows of every size, scale, offset, dtype and layout."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import LAYOUTS, Case, Draw, Request, lay_out, module_call

# `scale` stands early: it tells where eps belongs, which float64 would tell as well.
GROUPS = ("sample", "scale", "small", "edge", "half", "layout", "module", "grad", "errors", "large")

SCALES = (
    # scale, offset, dtype
    (1.0, 1e3, "float32"),
    (10.0, -3e4, "float32"),
    (1e-3, 0.0, "float32"),
    (1e-6, 0.0, "float32"),
    (1e10, 0.0, "float32"),
    (1.0, 1e6, "float64"),
)
HALF = (
    # dtype, rows, columns, offset
    ("float16", 512, 12, 0.0),
    ("bfloat16", 512, 12, 0.0),
    ("float16", 32, 200, 30.0),
    ("bfloat16", 32, 200, 30.0),
)
EDGES = ("batch 0", "n = 1", "n = 2", "constant rows", "constant drawn", "vector", "nan row")
FACTS = ("int", "no bias", "no affine", "float64", "list and eps")
LIVES = ("load", "deepcopy", "double", "modes")
GRAPHS = (
    "interleaved",
    "two instances",
    "frozen weight",
    "frozen input",
    "nothing needs it",
    "no_grad",
)
ERRORS = (
    "last size",
    "size 1",
    "no affine",
    "no affine size 1",
    "too few dims",
    "same count",
    "swapped",
)
PARAMETERS = ("weight", "bias")


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    if group == "sample":
        return [{"lead": [3], "normalized": [8], "scale": 100.0}]
    if group == "scale":
        rows = [{"scale": s, "offset": o, "dtype": dtype} for s, o, dtype in SCALES]
        return [{"lead": [4], "normalized": [draw.integer(12, 40)]} | row for row in rows]
    if group == "small":
        return _plan_small(draw)
    if group == "half":
        columns = ("dtype", "lead", "normalized", "offset")
        rows = [(dtype, [rows], [n], offset) for dtype, rows, n, offset in HALF]
        return [dict(zip(columns, row, strict=True)) for row in rows]
    if group == "layout":
        wide, size = draw.shape(2, 2, 4), draw.integer(4, 6)
        shapes = (([3], wide), ([3, 2], [size]))
        plans = [
            {"lead": lead, "normalized": shape, "layout": layout}
            for layout, (lead, shape) in zip(LAYOUTS[1:], shapes * 2, strict=True)
        ]
        return [*plans, {"lead": [3], "normalized": [size], "layout": "transposed"}]
    if group == "grad":
        double = {"lead": [draw.integer(2, 4)], "dtype": "float64", "second": True}
        shapes = (draw.shape(1, 4, 7), draw.shape(2, 2, 4))
        graphs = [{"kind": kind, "lead": [3], "normalized": [6]} for kind in GRAPHS]
        again = {"lead": [3], "normalized": [6], "again": True}
        return [*({"normalized": shape} | double for shape in shapes), *graphs, again]
    if group == "large":
        # Input and cotangent have a million elements together.
        rows = draw.integer(500, 530)
        shapes = (([rows], [1024]), ([3], [100, 200]))
        options = {"windows": True, "twice": False}
        return [{"lead": lead, "normalized": shape} | options for lead, shape in shapes]
    kinds = {"edge": EDGES, "module": FACTS + LIVES, "errors": ERRORS}[group]
    return [{"kind": kind} for kind in kinds]


def _plan_small(draw: Draw) -> list[dict[str, Any]]:
    one, two = draw.shape(1, 3, 6), draw.shape(2, 2, 4)
    return [
        # As many rows as columns: a weight on the wrong dimension fits without a word.
        {"lead": one, "normalized": one},
        {"lead": draw.shape(2, 2, 4), "normalized": one, "style": "int"},
        {"lead": draw.shape(1, 2, 4), "normalized": two, "style": "list"},
        {"lead": [3], "normalized": draw.shape(3, 2, 3)},
        {"lead": draw.shape(1, 2, 5), "normalized": one, "eps": 0.3},
        {"lead": draw.shape(1, 2, 5), "normalized": two, "eps": 0.3, "affine": False},
        {"lead": draw.shape(1, 2, 5), "normalized": one, "bias": False},
        {"lead": draw.shape(2, 2, 4), "normalized": one, "dtype": "float64"},
    ]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the inputs of one case."""
    if group == "edge":
        return _edge(params["kind"], draw)
    if group == "module":
        return (
            _fact(params["kind"], draw) if params["kind"] in FACTS else _life(params["kind"], draw)
        )
    if group == "errors":
        return _error(params["kind"], draw)
    if "kind" in params:
        return _graph(params, draw)
    return _plain(_record(params, draw), params, draw)


def _record(params: dict[str, Any], draw: Draw) -> dict[str, Any]:
    """Draw one layer, one input for it and one cotangent."""
    shape, dtype = params["normalized"], getattr(torch, params.get("dtype", "float32"))
    affine, bias = params.get("affine", True), params.get("bias", True)
    sizes = [*params["lead"], *shape]
    if params.get("windows"):
        x, cotangent = _windows(sizes, draw), _windows(sizes, draw)
    else:
        x = draw.normal(sizes, dtype, params.get("scale", 1.0), params.get("offset", 0.0))
        cotangent = draw.normal(sizes, dtype)
    state = {}
    if affine:
        state["weight"] = draw.normal(shape, dtype, offset=1.0)
        if bias:
            state["bias"] = draw.normal(shape, dtype)
    if draw.chance(0.5):
        cotangent = lay_out(cotangent, draw.choice(("transposed", "stepped", "offset")))
    return {
        "x": lay_out(x, params.get("layout", "contiguous")),
        "shape": shape,
        "eps": params.get("eps", 1e-5),
        "state": state,
        "cotangent": cotangent,
        "init": [_spell(shape, params.get("style", "tuple"))],
        "init_kwargs": _keywords(params, dtype),
    }


def _windows(sizes: list[int], draw: Draw) -> torch.Tensor:
    """Draw rows that overlap in one long row: to draw them all would take longer than to judge."""
    size = math.prod(sizes[1:])
    step = max(1, size // draw.integer(7, 9))
    return draw.normal([step * (sizes[0] - 1) + size]).unfold(0, size, step).reshape(sizes)


def _spell(shape: list[int], style: str) -> int | list[int] | tuple[int, ...]:
    if style == "int" and len(shape) == 1:
        return shape[0]
    return list(shape) if style == "list" else tuple(shape)


def _keywords(params: dict[str, Any], dtype: torch.dtype) -> dict[str, Any]:
    keywords: dict[str, Any] = {key: params[key] for key in ("eps", "bias") if key in params}
    if "affine" in params:
        keywords["elementwise_affine"] = params["affine"]
    if dtype != torch.float32:
        keywords["dtype"] = dtype
    return keywords


def _plain(record: dict[str, Any], params: dict[str, Any], draw: Draw) -> Case:
    """Ask for the value and every gradient of one layer."""
    wrt = (0, *(f"state.{name}" for name in record["state"]))
    second = []
    if params.get("second"):
        second = [
            draw.normal(item.shape, item.dtype) for item in (record["x"], *record["state"].values())
        ]
    request = module_call(
        "LayerNorm",
        record["x"],
        init=record["init"],
        init_kwargs=record["init_kwargs"],
        state=record["state"],
        wrt=wrt,
        cotangents=[record["cotangent"]],
        second=second,
        twice=params.get("twice", True),
    )
    keys = {"out": "out", "x": "grad.0", "weight": "grad.state.weight", "bias": "grad.state.bias"}
    secret = {"records": [record | {"keys": keys}], "second": second}
    shown = {"x": record["x"], "normalized_shape": record["init"][0], "eps": record["eps"]}
    return Case(steps=(request,), secret=secret, shown=shown | record["state"])


def _edge(kind: str, draw: Draw) -> Case:
    params: dict[str, Any] = {"lead": [draw.integer(2, 4)], "normalized": [draw.integer(3, 6)]}
    if kind == "batch 0":
        params["lead"] = draw.choice(([0], [2, 0]))
    elif kind == "n = 1":
        params["normalized"] = draw.choice(([1], [1, 1]))
    elif kind == "n = 2":
        params["normalized"] = [2]
    elif kind == "vector":
        params |= {"lead": [], "normalized": draw.shape(draw.integer(1, 2), 2, 5)}
    record = _record(params, draw)
    if kind == "constant rows":
        # Eight times a multiple of a quarter is summed without rounding: the variance is exactly 0.
        record = _record(params | {"normalized": [8]}, draw)
        record["x"] = torch.tensor([[1.5], [-0.25], [0.0], [3.0]]).repeat(1, 8)[: params["lead"][0]]
    elif kind == "constant drawn":
        record["x"] = draw.normal([params["lead"][0], 1]).repeat(1, params["normalized"][0])
    elif kind == "nan row":
        record["x"][0, draw.integer(0, 2)] = math.nan
        keywords = {key: record[key] for key in ("init", "init_kwargs", "state")}
        request = module_call("LayerNorm", record["x"], **keywords)
        secret = {"records": [record | {"keys": {"out": "out"}}], "second": []}
        return Case(steps=(request,), secret=secret, shown={"x": record["x"]})
    return _plain(record, params, draw)


def _fact(kind: str, draw: Draw) -> Case:
    """Ask what kind of module a constructor call makes."""
    size = draw.integer(2, 6)
    shape = [size] if kind == "int" else draw.shape(2, 2, 4)
    init: list[Any] = [size if kind == "int" else tuple(shape)]
    affine, bias, eps, dtype = kind != "no affine", kind != "no bias", 1e-5, torch.float32
    keywords: dict[str, Any] = {}
    if kind == "no affine":
        keywords["elementwise_affine"] = False
    elif kind == "no bias":
        keywords["bias"] = False
    elif kind == "float64":
        keywords["dtype"] = dtype = torch.float64
    elif kind == "list and eps":
        eps = draw.integer(1, 9) / 1000
        init = [list(shape), eps]
    names = [
        name for name, there in zip(PARAMETERS, (affine, affine and bias), strict=True) if there
    ]
    data = {"init": init, "init_kwargs": keywords}
    facts = {"shape": tuple(shape), "eps": eps, "names": names, "dtype": dtype}
    return Case(steps=(Request(op="facts", data=data),), secret={"facts": facts})


def _life(kind: str, draw: Draw) -> Case:
    """Ask what a module gives after loading, copying, casting and changing its mode."""
    record = _record({"lead": [3], "normalized": draw.shape(2, 2, 4)}, draw)
    data = {key: record[key] for key in ("init", "init_kwargs", "state", "x")}
    if kind == "double":
        record = {key: _double(item) for key, item in record.items()}
        data |= {"state": record["state"], "x": record["x"]}
    outs = {
        "load": ("out",),
        "deepcopy": ("out", "copy"),
        "double": ("out",),
        "modes": ("train", "eval"),
    }[kind]
    records = [record | {"keys": {"out": out}} for out in outs]
    secret = {"records": records, "second": [], "life": kind}
    return Case(steps=(Request(op=kind, data=data),), secret=secret)


def _double(item: Any) -> Any:
    if isinstance(item, torch.Tensor):
        return item.double()
    return (
        {key: value.double() for key, value in item.items()}
        if isinstance(item, dict) and "weight" in item
        else item
    )


def _graph(params: dict[str, Any], draw: Draw) -> Case:
    """Ask for gradients in unusual orders, and for no graph where nobody needs one."""
    kind, records = params["kind"], [_record(params, draw)]
    frozen = {
        "frozen weight": ["weight"],
        "frozen input": ["x"],
        "nothing needs it": ["x", "weight", "bias"],
    }
    shared = kind in ("interleaved", "nothing needs it", "no_grad")
    if shared or kind == "two instances":
        other = _record(params, draw)
        if shared:
            other["state"] = records[0]["state"]
        records.append(other)
    calls = [
        {key: item[key] for key in ("init", "init_kwargs", "state", "x", "cotangent")}
        for item in records
    ]
    data = {
        "calls": calls,
        "frozen": frozen.get(kind, []),
        "shared": shared,
        "no_grad": kind == "no_grad",
    }
    silent = kind in ("nothing needs it", "no_grad")
    wanted = [] if silent else [name for name in ("x", *PARAMETERS) if name not in data["frozen"]]
    for position, item in enumerate(records):
        item["keys"] = {"out": f"out.{position}"} | {
            name: f"grad.{position}.{name}" for name in wanted
        }
    secret = {"records": records, "second": [], "graph": not silent}
    return Case(steps=(Request(op="graph", data=data),), secret=secret)


def _error(kind: str, draw: Draw) -> Case:
    size = draw.integer(3, 5)
    shape, got, affine = (size,), [3, size + draw.choice((-1, 1))], True
    if kind == "size 1":
        got = [3, 1]
    elif kind == "no affine":
        affine = False
    elif kind == "no affine size 1":
        got, affine = [3, 1], False
    elif kind == "too few dims":
        shape, got = (2, size), [size]
    elif kind == "same count":
        shape, got, affine = (2, size), [3, 1, 2 * size], False
    elif kind == "swapped":
        shape, got, affine = (2, size), [3, size, 2], False
    keywords = {} if affine else {"elementwise_affine": False}
    request = module_call(
        "LayerNorm", draw.normal(got), init=(shape,), init_kwargs=keywords, twice=False
    )
    return Case(
        steps=(request,), secret={"raises": True}, shown={"x": got, "normalized_shape": shape}
    )
