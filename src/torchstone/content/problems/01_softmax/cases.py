"""Draw the inputs of problem 01: scores of every shape, dtype, scale and layout."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Product, Request, call, lay_out, refusals
from torchstone.judge.kit import shrink as shrink_sizes

# Scales come before the special values: a missing shift should be told by scores that overflow,
# not by the infinities that it spoils as well.
GROUPS = ("sample", "small", "half", "scale", "edge", "layout", "grad", "errors", "large")

HALF = (
    # A row is a case; input dtype, dtype argument, classes, spread of the scores (or their kind).
    # Long slices stay above the smallest probabilities of their dtype.
    (("float16", None, 7, 1.0), ("float16", None, 3000, 1.0)),
    (("bfloat16", None, 7, 1.0), ("bfloat16", None, 3000, 1.0)),
    (
        ("float16", "float32", 12, 1.0),
        ("float32", "float64", 12, 1.0),
        # Near 50 bfloat16 knows only quarters: casting the result instead of the input shows.
        ("float32", "bfloat16", 12, "near 50"),
    ),
    (("int64", "float32", 12, 1.0), ("bool", "float16", 12, 1.0)),
)
# A row for each: what spoils one of them shows, along the last dimension and along the first.
FAR = ("times 300", "at 1000", "at -1000", "float32 max", "plain")
NEAR = ("all near -200", "one far above", "far below", "tiny", "plain")
# An offset and a step are counted in elements, of whatever width.
LAID = {"transposed": "float32", "stepped": "bfloat16", "offset": "float64"}
# So far below the maximum that the probability is just still a normal number.
DEEPEST = {"float32": 86.0, "bfloat16": 86.0, "float64": 700.0, "float16": 9.0}
EDGES = (
    # Without a gradient to be made, a constant may be handed out twice.
    ("0-d, dim 0", "0-d, dim -1", "empty dim", "empty elsewhere", "one class", "one class, value"),
    ("-inf inside", "ties", "two at the top"),
)
# Slices that come to NaN, each for its own reason, among others that do not.
POISONS = ("plain", "all -inf", "+inf", "nan", "plain")
ERRORS = ("dim", "dtype", "same shape twice", "graph")


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    if group == "small":
        return _plan_small(draw)
    if group == "layout":
        return _plan_layouts(draw)
    if group == "half":
        return [{"parts": {_name_half(*row): _half(*row) for row in rows}} for rows in HALF]
    plans: dict[str, list[dict[str, Any]]] = {
        # Only the value: a wrong gradient is told by the groups that follow.
        "sample": [{"shape": [2, 3], "dim": -1, "style": "default", "wrt": False}],
        "edge": [
            *({"parts": {kind: {"kind": kind} for kind in kinds}} for kinds in EDGES),
            *({"kind": "poisoned", "rows": list(POISONS), "dim": dim} for dim in (-1, 0)),
        ],
        "scale": _plan_scales(draw),
        "grad": [{"parts": {f"dim {dim}": _second(dim, draw) for dim in (0, -1)}}],
        "errors": [
            *({"kind": kind} for kind in ERRORS),
            {"kind": "same tensor twice", "shape": draw.shape(2, 2, 5), "again": True},
        ],
        "large": [
            {"shape": [5, draw.integer(200_000, 201_000)], "dim": -1, "wrt": False},
            # So many slices that a Python loop over them, and over its backward, takes too long,
            # or too much memory for its graph: each slice leaves 6 kB.
            {"shape": [draw.integer(400, 410), 2, 500], "dim": 1},
        ],
    }
    return plans[group]


def _name_half(dtype: str, cast: str | None, num_classes: int, values: str | float) -> str:
    return f"{dtype} to {cast}" if cast else f"{num_classes} of {dtype}"


def _half(dtype: str, cast: str | None, num_classes: int, values: str | float) -> dict[str, Any]:
    return {"shape": [2, num_classes], "dim": -1, "dtype": dtype, "cast": cast, "values": values}


def _plan_layouts(draw: Draw) -> list[dict[str, Any]]:
    plain = {
        layout: {"shape": draw.shape(3, 2, 5), "dim": draw.integer(0, 2), "layout": layout}
        | {"dtype": dtype}
        for layout, dtype in LAID.items()
    }
    # Stride 0 along the classes themselves, and along the batch, outside and inside.
    expanded = [
        {
            layout: {"shape": [4, draw.integer(3, 6)], "dim": dim, "layout": layout}
            for layout in ("expanded", "expanded inside")
        }
        for dim in (0, 1)
    ]
    return [{"parts": parts} for parts in (plain, *expanded)]


def _second(dim: int, draw: Draw) -> dict[str, Any]:
    return {"shape": draw.shape(2, 3, 6), "dim": dim, "dtype": "float64", "second": True}


def _plan_scales(draw: Draw) -> list[dict[str, Any]]:
    rows = [
        {
            f"dim {dim}": {"rows": list(rows), "classes": draw.integer(5, 9), "dim": dim}
            for dim in (-1, 0)
        }
        for rows in (FAR, NEAR)
    ]
    # More classes than a chunk is likely to hold, and maxima that float16 does not reach.
    long = {"shape": [3, draw.integer(12_000, 12_100)], "dim": -1, "values": "long at 100000"}
    wide = {"shape": [3, draw.integer(5, 9)], "dim": -1, "values": "beyond float16"}
    last = {"long": long, "bfloat16": wide | {"dtype": "bfloat16"}}
    last |= {
        dtype: wide | {"values": "far below", "dtype": dtype} for dtype in ("float16", "float64")
    }
    return [{"parts": parts} for parts in (*rows, last)]


def _plan_small(draw: Draw) -> list[dict[str, Any]]:
    # Square shapes first: they let a maximum be broadcast along the wrong dimension without a
    # complaint, and the wrong value explains more than an exception about shapes.
    square = {"shape": [4, 4], "dim": 0, "style": "positional"}
    cube = {"shape": [3, 3, 3], "dim": 1, "style": "keyword"}
    one = {"shape": draw.shape(1, 2, 5), "dim": -1, "style": "default"}
    two = {"shape": draw.shape(2, 2, 5), "dim": 0, "style": "keyword"}
    three = {"shape": draw.shape(3, 2, 5), "dim": draw.integer(-3, 2), "style": "positional"}
    four = {"shape": draw.shape(4, 2, 5), "dim": draw.integer(-4, 3), "style": "keyword"}
    double = {"shape": [2, 3, 4], "dim": draw.integer(-3, -2), "dtype": "float64"}
    top = {"shape": [2, draw.integer(3, 5)], "dim": -1, "values": "two at the top"}
    return [
        square,
        cube,
        {"parts": {"1-d": one, "2-d": two}},
        {"parts": {"3-d": three, "4-d": four}},
        {"parts": {"float64": double, "two at the top": top}},
    ]


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler parameters of a failing case: one of its rows alone, then smaller sizes."""
    rows = params.get("rows", ())
    if len(rows) > 1:
        yield from (params | {"rows": [row]} for row in rows)
    yield from shrink_sizes(params)


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the inputs of one case."""
    if params.get("kind") == "poisoned":
        return _poisoned(params, draw)
    if group == "edge":
        return _edge(params["kind"], draw)
    if group == "errors":
        return _error(params, draw)
    if group == "large":
        return _large(params, draw)
    dtype = getattr(torch, params.get("dtype", "float32"))
    if "rows" in params:
        x = torch.stack([_row(kind, params["classes"], draw) for kind in params["rows"]])
        return _ask(x if params["dim"] else x.T.contiguous(), params, draw)
    x = _scores(params["shape"], params["dim"], dtype, params.get("values", 2.0), draw)
    layout = params.get("layout", "contiguous")
    if layout == "expanded inside":
        return _ask(lay_out(x.T, "expanded").T, params, draw)
    return _ask(lay_out(x, layout), params, draw)


def _large(params: dict[str, Any], draw: Draw) -> Case:
    """Ask once, about one row or page at several scales: to draw and to send all costs too much."""
    num_copies, *rest = params["shape"]
    scales = draw.uniform([num_copies, *(1 for _ in rest)], 0.6, 1.0)
    # No wider: a sum of 200 000 terms, one after another, would lose the small ones.
    x = Product(draw.normal(rest, scale=2.0), scales)
    data = {"x": x.left * x.right, "dim": params["dim"], "dtype": None}
    if not params.get("wrt", True):
        request = call("softmax", x, params["dim"], twice=False)
        return Case(steps=(request,), secret=data | {"wrt": None}, shown=data)
    g = draw.normal(rest).expand(num_copies, *rest)
    request = call("softmax", x, params["dim"], wrt=[0], cotangents=[g], twice=False)
    secret = data | {"wrt": "0", "cotangent": g, "second": []}
    return Case(steps=(request,), secret=secret, shown=data)


def _scores(
    shape: list[int], dim: int, dtype: torch.dtype, values: str | float, draw: Draw
) -> torch.Tensor:
    if dtype == torch.bool:
        return draw.integers(shape, 0, 1, dtype)
    if not dtype.is_floating_point:
        return draw.integers(shape, -4, 4, dtype)
    if isinstance(values, float):
        return draw.normal(shape, dtype, scale=values)
    if values == "two at the top":
        return _with_two_at_the_top(draw.normal(shape, dtype), dim, draw)
    if values == "far below":
        return _far_below(shape, dtype, draw)
    if values == "long at 100000":
        return draw.normal(shape, dtype) + torch.tensor([1e5, -1e5, 0.0])[: shape[0], None]
    if values == "beyond float16":
        wide = draw.normal(shape[1:], dtype, scale=1e30)
        return torch.stack([wide, *_far_below([shape[0] - 1, *shape[1:]], dtype, draw)])
    return draw.normal(shape, dtype, scale=2.0, offset=50.0)


def _row(kind: str, num_classes: int, draw: Draw) -> torch.Tensor:
    if kind == "far below":
        return _far_below([num_classes], torch.float32, draw)
    if kind == "float32 max":
        return draw.uniform([num_classes], -3.4e38, 3.4e38)
    scale, offset = {
        "times 300": (300.0, 0.0),
        "at 1000": (1.0, 1000.0),
        "at -1000": (1.0, -1000.0),
        "all near -200": (1.0, -200.0),
        "tiny": (1e-6, 0.0),
    }.get(kind, (1.0, 0.0))
    row = draw.normal([num_classes], scale=scale, offset=offset)
    if kind == "one far above":
        row[draw.integer(0, num_classes - 1)] += 95.0
    return row


def _far_below(shape: list[int], dtype: torch.dtype, draw: Draw) -> torch.Tensor:
    """Draw one score of each slice near 0, and all others near the end of the normal numbers."""
    deepest = DEEPEST[str(dtype).removeprefix("torch.")]
    x = draw.uniform(shape, -deepest, -0.82 * deepest, torch.float64)
    x[..., draw.integer(0, shape[-1] - 1)] = draw.uniform([], 0.0, 0.1, torch.float64)
    return x.to(dtype)


def _with_two_at_the_top(x: torch.Tensor, dim: int, draw: Draw) -> torch.Tensor:
    """Let every slice attain its maximum at two entries, and not at all of them."""
    places = torch.randperm(x.shape[dim], generator=draw.generator)[:2]
    top = x.amax(dim, keepdim=True) + 0.5
    return x.index_copy(dim, places, top.repeat_interleave(len(places), dim))


def _ask(x: torch.Tensor, params: dict[str, Any], draw: Draw) -> Case:
    """Ask for the value, and where x is floating for its VJP, in one of three spellings."""
    dim, cast = params["dim"], getattr(torch, params.get("cast") or "", None)
    style = params.get("style", "positional")
    options: dict[str, Any] = {}
    secret: dict[str, Any] = {"x": x, "dim": dim, "dtype": cast, "wrt": None}
    if x.dtype.is_floating_point and params.get("wrt", True):
        cotangent = draw.normal(x.shape, cast or x.dtype)
        if draw.chance(0.5):
            cotangent = lay_out(cotangent, draw.choice(("transposed", "stepped", "offset")))
        second = [draw.normal(x.shape, x.dtype)] if params.get("second") else []
        key: int | str = "x" if style == "keyword" else 0
        options |= {"wrt": [key], "cotangents": [cotangent], "second": second}
        secret |= {"wrt": str(key), "cotangent": cotangent, "second": second}
    request = _spell(x, dim, cast, style, options)
    shown = {"x": x, "dim": dim, "dtype": cast or x.dtype}
    return Case(steps=(request,), secret=secret, shown=shown)


def _spell(
    x: torch.Tensor, dim: int, cast: torch.dtype | None, style: str, options: dict[str, Any]
) -> Request:
    if style == "default":
        return call("softmax", x, **options)
    if style == "keyword":
        return call("softmax", dtype=cast, dim=dim, x=x, **options)
    if cast is not None:
        return call("softmax", x, dim, dtype=cast, **options)
    return call("softmax", x, dim, **options)


def _edge(kind: str, draw: Draw) -> Case:
    dim, x = -1, draw.normal(draw.shape(2, 3, 5))
    if kind.startswith("0-d"):
        dim, x = int(kind.split()[-1]), draw.normal([])
    elif kind == "empty dim":
        dim, x = 1, torch.empty(draw.integer(1, 3), 0)
    elif kind == "empty elsewhere":
        dim, x = 1, torch.empty(0, draw.integer(1, 3))
    elif kind.startswith("one class"):
        x = draw.normal([draw.integer(2, 4), 1])
    elif kind == "-inf inside":
        x[:, draw.integer(0, x.shape[1] - 2)] = -math.inf
    elif kind == "ties":
        x = torch.full((2, draw.integer(3, 11)), draw.choice((-1.5, 0.0, 3.25)))
    elif kind == "two at the top":
        dim, x = 0, _with_two_at_the_top(draw.normal([draw.integer(3, 5), 2]), 0, draw)
    return _ask(x, {"dim": dim, "wrt": not kind.endswith("value")}, draw)


def _poisoned(params: dict[str, Any], draw: Draw) -> Case:
    num_classes = draw.integer(3, 5)
    x = draw.normal([len(params["rows"]), num_classes])
    for row, kind in zip(x, params["rows"], strict=True):
        if kind == "all -inf":
            row.fill_(-math.inf)
        elif kind != "plain":
            row[draw.integer(0, num_classes - 1)] = float(kind)
    # The gradient of a slice of NaN means nothing; the values of the others still count.
    return _ask(x if params["dim"] else x.T.contiguous(), params | {"wrt": False}, draw)


def _error(params: dict[str, Any], draw: Draw) -> Case:
    kind = params["kind"]
    if kind == "same tensor twice":
        # Scores far above the former ones: what is remembered of those does not fit these.
        return _ask(draw.normal(params["shape"], offset=draw.integer(-999, 999)), {"dim": 1}, draw)
    x = draw.normal(draw.shape(2, 2, 4))
    if kind == "same shape twice":
        # The driver looks at the first result again after the second call: a reused buffer shows,
        # and so does a maximum that is remembered by shape.
        y = draw.normal(x.shape, offset=1000.0)
        steps = (call("softmax", x, 1), call("softmax", y, 1))
        return Case(steps=steps, secret={"pair": (x, y)}, shown={"x": x, "second x": y})
    if kind == "graph":
        tensors = {"x": x, "empty x": x[:0].clone(), "constant x": torch.full_like(x, 0.5)}
        request = Request(op="graph", data={"tensors": tensors, "dim": 1})
        return Case(steps=(request,), secret={"graph": list(tensors)}, shown=tensors)
    wrong = _wrong_dims(x, draw) if kind == "dim" else _wrong_dtypes(x, draw)
    shown = {name: each.data["args"][0] for name, each in wrong.items()}
    secret = {"raises": kind, "calls": list(wrong)}
    return Case(steps=(refusals(wrong),), secret=secret, shown=shown)


def _wrong_dims(x: torch.Tensor, draw: Draw) -> dict[str, Request]:
    return {
        "dim=2 of 2-d": call("softmax", x, 2),
        "dim=-3 of 2-d": call("softmax", x, -3),
        "dim=1 of 0-d": call("softmax", draw.normal([]), 1),
        "dim=2 of empty 2-d": call("softmax", torch.empty(0, 3), 2),
        "dim=1 of empty 1-d": call("softmax", torch.empty(0), 1),
    }


def _wrong_dtypes(x: torch.Tensor, draw: Draw) -> dict[str, Request]:
    whole = draw.integers([2, 3], 0, 1)
    return {
        "int64": call("softmax", whole, -1),
        "bool": call("softmax", whole.bool(), -1),
        "dtype=int64": call("softmax", x, -1, dtype=torch.int64),
    }
