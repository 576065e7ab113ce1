"""Draw the calls of the operator over the ReLU kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, call, lay_out

# The double comes before opcheck and the compiler, which stumble over the same things more dimly.
GROUPS = (
    "sample", "small", "layout", "edge", "grad", "special", "launches", "state", "memory",
    "later", "errors", "meta", "double", "opcheck", "compile",
)  # fmt: skip
LAYOUTS = ("transposed", "stepped", "offset", "expanded")
INF, NAN = torch.inf, torch.nan
NUMBERS = (NAN, -NAN, INF, -INF, 0.0, -0.0, 1e-40, -1e-40, 3e38, -3e38, 1.0, -1.0)


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    if group == "sample":
        return [{"shape": [2, 3]}, {"kind": "schema"}]
    if group == "small":
        return [{"shape": draw.shape(ndim, 2, 6)} for ndim in (1, 2, 3, 4)]
    if group == "layout":
        values = [{"shape": _sizes(draw), "x": layout} for layout in (*LAYOUTS, *LAYOUTS[:2])]
        deep = {"shape": [*_sizes(draw), 2], "x": "transposed"}
        return [*values, deep] + [
            {"kind": "strides", "shape": _sizes(draw), "x": layout} for layout in LAYOUTS
        ]
    if group == "edge":
        shapes: list[list[int]] = [[], [1], [0], [0, 3], [3, 0]]
        return [
            *({"shape": shape} for shape in shapes),
            *({"kind": "vjp", "shape": [], "sign": sign} for sign in (-1.0, 1.0)),
            {"kind": "vjp", "shape": [0, 3]},
        ]
    if group == "grad":
        return [
            *({"kind": "vjp", "shape": draw.shape(ndim, 2, 6)} for ndim in (1, 3)),
            *({"kind": "vjp", "shape": _sizes(draw), "grad": layout} for layout in LAYOUTS),
            *({"kind": "vjp", "shape": _sizes(draw), "x": layout} for layout in LAYOUTS),
            {"kind": "vjp", "shape": _sizes(draw), "again": True},
            {"kind": "gradcheck", "shape": [2, 3]},
        ]
    if group == "special":
        return [{"kind": "vjp", "shape": [len(NUMBERS), len(NUMBERS)], "special": True}]
    more: dict[str, list[dict[str, Any]]] = {
        "launches": [{}, {"x": draw.choice(LAYOUTS)}],
        "state": [{}],
        "later": [{"changed": "input"}, {"changed": "output"}],
        "memory": [{}, {"x": "stepped"}],
        "errors": [{"device": "cpu"}, {"device": "meta"}],
        "meta": [{"x": layout} for layout in ("contiguous", *LAYOUTS)] + [{"shape": [0, 3]}],
        "double": [{}],
        "opcheck": [{}, {"x": "transposed"}, {"x": "expanded"}, {"shape": [0, 3]}, {"shape": []}],
        "compile": [{}],
    }
    return [{"kind": group, "shape": _sizes(draw)} | each for each in more[group]]


def _sizes(draw: Draw) -> list[int]:
    # Transposed or with gaps, and of different sizes: the order in memory is another one.
    height = draw.integer(2, 4)
    return [height, height + draw.integer(1, 3)]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Build the requests of one case."""
    kind = params.get("kind", "value")
    if kind == "schema":
        return _ask("schema", {}, {"kind": kind})
    if kind == "errors":
        return _errors(params["device"], draw)
    x, grad = _tensors(params, draw)
    secret = {"kind": kind, "x": x, "grad": grad}
    if kind == "value":
        return Case(steps=(call("relu", x),), secret=secret)
    if kind == "vjp":
        return Case(steps=(call("relu", x, wrt=(0,), cotangents=(grad,)),), secret=secret)
    data: dict[str, Any] = {} if kind == "state" else {"x": x}
    if kind in WITH_GRADIENT:
        data["grad"] = grad
    extra = _extra(params, draw)
    secret |= extra
    free = {"free": True} if kind in FREE else {}
    return _ask(NAMES.get(kind, kind), data | extra | free, secret)


def _extra(params: dict[str, Any], draw: Draw) -> dict[str, Any]:
    """Draw what a request needs besides an input and a gradient."""
    kind, shape = params["kind"], params["shape"]
    if kind == "state":
        # No output is that of both a number and its negative.
        first = _signs(shape, draw)
        return {"inputs": [first, -first, _signs(shape, draw)]}
    if kind == "launches":
        return {"marks": [draw.integer(2, 99) + 0.25, draw.integer(2, 99) + 0.75]}
    if kind == "later":
        # The output's sign decides what passes: overwritten by 1, everything would.
        value = draw.choice((-1.0, 1.0)) if params["changed"] == "input" else 1.0
        return {"changed": params["changed"], "value": value}
    return {"toward": draw.normal(shape)} if kind == "double" else {}


WITH_GRADIENT = ("launches", "state", "later", "double", "compile")
FREE = ("double", "gradcheck", "opcheck", "compile")
NAMES = {
    "launches": "traced",
    "state": "interleaved",
    "memory": "saved",
    "meta": "promise",
    "double": "twice",
}


def _ask(op: str, data: dict[str, Any], secret: dict[str, Any]) -> Case:
    shown = {key: item for key, item in data.items() if key != "free"}
    return Case(steps=(Request(op=op, data=data),), secret=secret, shown=shown)


def _tensors(params: dict[str, Any], draw: Draw) -> tuple[torch.Tensor, torch.Tensor]:
    if "special" in params:
        # Every number meets every gradient.
        numbers = torch.tensor(NUMBERS)
        order = torch.randperm(len(numbers), generator=draw.generator)
        x = numbers[order, None].expand(params["shape"]).contiguous()
        return x, numbers.expand(params["shape"]).contiguous()
    x = _signs(params["shape"], draw)
    if "sign" in params:
        x = x.abs() * params["sign"]
    layouts = params.get("x", "contiguous"), params.get("grad", "contiguous")
    return lay_out(x, layouts[0]), lay_out(draw.normal(params["shape"]), layouts[1])


def _signs(shape: list[int], draw: Draw) -> torch.Tensor:
    """Draw numbers away from 0, with both signs wherever two numbers are neighbours in memory."""
    size = draw.uniform(shape, 0.5, 3.0)
    signs = 1 - 2 * draw.integers(shape, 0, 1).float()
    if size.ndim and size.numel():
        signs[..., 0], signs[..., -1] = -1.0, 1.0
    return size * signs


def _errors(device: str, draw: Draw) -> Case:
    x = draw.normal([3, 4])
    names = ("float64", "float16", "bfloat16", "complex64", "int64", "int32", "uint8", "bool")
    calls = {name: x.to(getattr(torch, name)) for name in names}
    calls |= {f"empty {name}": calls[name][:0] for name in names}
    calls["0-d float64"] = calls["float64"][0, 0]
    return _ask("refused", {"calls": calls, "device": device}, {"kind": "errors", "calls": calls})


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler calls: contiguous tensors, few elements."""
    if "shape" not in params or "special" in params:
        return
    for name in ("x", "grad"):
        if params.get(name, "contiguous") != "contiguous":
            yield params | {name: "contiguous"}
    if len(params["shape"]) == 2 and params["shape"] != [2, 3] and 0 not in params["shape"]:
        yield params | {"shape": [2, 3]}
