"""Draw the calls of the operator over the addition kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, call, lay_out

GROUPS = (
    "sample", "small", "layout", "edge", "grad", "launches", "state", "memory",
    "errors", "meta", "opcheck", "compile", "double",
)  # fmt: skip
LAYOUTS = ("transposed", "stepped", "offset", "expanded")
NOTHING = "nothing"


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    plain = {"a": "contiguous", "b": "contiguous"}
    if group == "sample":
        return [plain | {"shape": [2, 3], "rows": [3], "alpha": 2.0}, {"kind": "schema"}]
    if group in ("small", "grad"):
        both = [_sizes(draw, at_least=ndim) | plain for ndim in (1, 2, 3)]
        if group == "grad":
            uneven = {"grad": draw.choice(LAYOUTS[:3])}
            return [
                {"kind": "vjp", **both[0], "grad": "contiguous"},
                *({"kind": "vjp", **_sizes(draw, at_least=2), **plain, **uneven} for _ in range(2)),
                {"kind": "vjp", **both[2], "grad": "expanded"},
                {"kind": "vjp", **both[0], "grad": "contiguous", "again": True},
                {"kind": "vjp", **_sizes(draw, at_least=2), "a": "transposed", "b": "expanded",
                 "grad": "contiguous"},
                *({"kind": "need", **each} for each in _wanted(draw)),
                {"kind": "gradcheck", "shape": [2, 3], "rows": [3], **plain, "alpha": -1.5},
            ]  # fmt: skip
        return [*both, _sizes(draw, at_least=2) | plain | {"alpha": 1.0}]
    if group == "layout":
        a = [_sizes(draw, at_least=2) | plain | {"a": layout} for layout in LAYOUTS]
        b = [_sizes(draw, at_least=2) | plain | {"b": layout} for layout in LAYOUTS]
        # Two dimensions of b, so that there is something to transpose.
        deep = draw.shape(3, 2, 4)
        turned = {"shape": deep, "rows": deep[1:], **plain, "b": "transposed", "alpha": -0.5}
        return [*a, *b, turned] + [
            {"kind": "strides", **_sizes(draw, at_least=2), **plain, "a": layout}
            for layout in LAYOUTS
        ]
    if group == "edge":
        return [
            {"shape": [], "rows": [], **plain, "alpha": draw.choice((0.5, -3.0))},
            {"shape": [draw.integer(2, 5)], "rows": [], **plain, "alpha": 2.0},
            {"shape": [0, 3], "rows": [3], **plain, "alpha": 2.0},
            {"shape": [3, 0], "rows": [0], **plain, "alpha": 2.0},
            {"kind": "vjp", "shape": [0, 3], "rows": [3], **plain, "grad": "contiguous",
             "alpha": 2.0},
            {"shape": [3, 4], "rows": [4], **plain, "alpha": 0.0, "special": True},
            {"shape": [3, 4], "rows": [3, 4], **plain, "alpha": 0.0},
            {"kind": "strides", "shape": [3, 4], "rows": [4], **plain, "a": "transposed",
             "alpha": 0.0},
        ]  # fmt: skip
    drawn = _sizes(draw, at_least=2) | plain
    more = {
        "launches": [
            *({"wanted": wanted} for wanted in (["a", "b"], ["b"])),
            {"kind": "marks"},
            {"kind": "marks", "a": "transposed"},
        ],
        "state": [{"alphas": [2.0, -0.5, 1.0]}],
        "memory": [{}],
        "errors": [{"device": "cpu"}, {"device": "meta"}],
        "meta": [{"a": layout} for layout in ("contiguous", "transposed", "expanded")],
        "opcheck": [{}, {"a": "transposed"}, {"a": "expanded"}, {"shape": [0, 3], "rows": [3]}],
        "compile": [{}],
        "double": [{}],
    }
    return [drawn | {"kind": group} | each for each in more[group]]


def _sizes(draw: Draw, *, at_least: int) -> dict[str, Any]:
    shape = draw.shape(at_least, 2, 6)
    behind = draw.integer(1, at_least) if at_least == 1 else draw.integer(1, at_least - 1)
    return {"shape": shape, "rows": shape[-behind:], "alpha": draw.choice((2.0, -0.5, 3.25))}


def _wanted(draw: Draw) -> list[dict[str, Any]]:
    plain = {"a": "contiguous", "b": "contiguous", "grad": "contiguous"}
    return [{**_sizes(draw, at_least=2), **plain, "wrt": wrt} for wrt in ([0], [1])]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Build the requests of one case."""
    kind = params.get("kind", "value")
    if kind == "schema":
        return _ask("schema", {}, {"kind": kind})
    if kind == "errors":
        return _errors(params["device"], draw)
    a, b = (_tensor(params, name, draw) for name in ("a", "b"))
    alpha = params.get("alpha", 1.5)
    secret = {"kind": kind, "a": a, "b": b, "alpha": alpha}
    if kind == "value":
        return Case(steps=(call("add", a, b, alpha),), secret=secret)
    grad = lay_out(draw.normal(a.shape), params.get("grad", "contiguous"))
    secret["grad"] = grad
    if kind in ("vjp", "need"):
        wrt = params.get("wrt", [0, 1])
        secret["wrt"] = wrt
        return Case(steps=(call("add", a, b, alpha, wrt=wrt, cotangents=(grad,)),), secret=secret)
    data = {"a": a, "b": b, "alpha": alpha, "grad": grad}
    if kind in ("opcheck", "gradcheck", "compile", "double"):
        data["free"] = True
    for key in ("wanted", "alphas"):
        if key in params:
            secret[key] = data[key] = params[key]
    if kind == "double":
        secret["toward"] = data["toward"] = [draw.normal(each.shape) for each in (a, b)]
    if kind == "marks":
        data["marks"] = secret["marks"] = [draw.integer(2, 99) + part for part in (0.25, 0.75)]
    names = {
        "state": "interleaved",
        "memory": "saved",
        "meta": "promise",
        "double": "twice",
        "marks": "traced",
    }
    return _ask(names.get(kind, kind), data, secret)


def _ask(op: str, data: dict[str, Any], secret: dict[str, Any]) -> Case:
    shown = {key: item for key, item in data.items() if key != "free"}
    return Case(steps=(Request(op=op, data=data),), secret=secret, shown=shown)


def _tensor(params: dict[str, Any], name: str, draw: Draw) -> torch.Tensor:
    values = draw.normal(params["shape" if name == "a" else "rows"])
    if params.get("special") and name == "b":
        values[0], values[-1] = torch.nan, torch.inf
    return lay_out(values, params[name])


def _errors(device: str, draw: Draw) -> Case:
    a, b = draw.normal([3, 4]), draw.normal([4])
    calls = {
        "a double": (a.double(), b.double()),
        "an int b": (a, b.int()),
        "a half a": (a.half(), b),
        "a double b": (a, b.double()),
        "a bfloat16 b": (a, b.bfloat16()),
        "empty doubles": (a[:0].double(), b.double()),
        "an empty a, another width": (a[:0], draw.normal([3])),
        "b of the first dimension": (draw.normal([3, 4]), draw.normal([3])),
        "b with one column": (a, draw.normal([3, 1])),
        "b of one element": (a, draw.normal([1])),
        "b with more dimensions": (b, a),
        "b that divides": (draw.normal([6]), draw.normal([3])),
        "b with a leading 1": (a, draw.normal([1, 4])),
    }
    devices = {name: [device] * 2 for name in calls}
    if device == "cpu":
        calls |= {"a on meta": (a, b), "b on meta": (a, b)}
        devices |= {"a on meta": ["meta", "cpu"], "b on meta": ["cpu", "meta"]}
    data = {"calls": {name: list(pair) for name, pair in calls.items()}, "devices": devices}
    return _ask("refused", data, {"kind": "errors", "names": list(calls)})


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler calls: contiguous tensors, alpha 1, one row."""
    if "shape" not in params:
        return
    for name in ("a", "b", "grad"):
        if params.get(name, "contiguous") != "contiguous":
            yield params | {name: "contiguous"}
    if len(params["shape"]) > 1 and len(params["rows"]) < len(params["shape"]):
        yield params | {"shape": [2, 2], "rows": [2]}
    if params.get("alpha", 1.0) != 1.0:
        yield params | {"alpha": 1.0}
