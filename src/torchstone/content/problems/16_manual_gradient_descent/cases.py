"""Draw regressions for problem 16: data, a start, and how the descent goes."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Product, Request, call, lay_out, refusals

# "large" asks what is alive while it trains; who keeps graphs learns it there, before "context".
GROUPS = ("sample", "small", "edge", "layout", "dtype", "scale", "large", "context", "errors")

HALVES = ("float16", "bfloat16")
ERRORS = (
    "no samples",
    "x is 1-D",
    "x is 3-D",
    "y is 0-D",
    "y is 3-D",
    "y is longer",
    "y is shorter",
    "weight is longer",
    "weight has a column",
    "weight has no column",
    "weight is transposed",
    "bias has an element",
    "bias has none",
    "bias is longer",
    "lr",
    "num_steps",
    "momentum 1",
    "momentum negative",
    "l2",
)


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the tensors of one case."""
    if group == "errors":
        return _errors(params, draw)
    data = _data(params, draw)
    told = () if params.get("defaults") else ("lr", "num_steps", "momentum", "l2")
    options = {name: params[name] for name in told if name in params}
    secret = {"data": data, "options": options, "diverges": params.get("diverges", False)}
    secret["default"] = getattr(torch, params.get("default", "float32"))
    start = {name: data[name] for name in ("weight", "bias") if name in data}
    if group == "context":
        request = _in_context(params, data, options)
    elif "steps" in params:
        options = {name: value for name, value in options.items() if name != "num_steps"}
        secret |= {"options": options, "steps": params["steps"]}
        told = {"x": data["x"], "y": data["y"], "options": options, "steps": params["steps"]}
        request = Request(op="memory", data=told)
    else:
        x = data.pop("product", None)
        twice = options.get("num_steps", 100) < 20 and x is None
        request = call(
            "train_linear",
            data["x"] if x is None else x,
            data["y"],
            twice=twice,
            **start,
            **options,
        )
    return Case(steps=(request,), secret=secret, shown={**data, **options})


def _params(draw: Draw, **more: Any) -> dict[str, Any]:
    """Return the sizes and options of a regression; `targets` 0 is a y without a dimension K."""
    sizes = {"samples": draw.integer(6, 9), "features": draw.integer(2, 4), "targets": 0}
    return sizes | {"lr": round(0.05 + 0.01 * draw.integer(0, 10), 2), "num_steps": 7} | more


def _sample(draw: Draw) -> list[dict[str, Any]]:
    # Columns of signs that are orthogonal to each other and to the ones: with lr 0.5 the first step
    # ends where every later one begins.
    orthogonal = {"samples": 8, "features": draw.integer(2, 3), "kind": "orthogonal"}
    return [_params(draw, **orthogonal, lr=0.5, num_steps=4)]


def _small(draw: Draw) -> list[dict[str, Any]]:
    momentum, l2 = 0.5 + 0.1 * draw.integer(0, 3), 0.1 * draw.integer(1, 4)
    square = draw.integer(3, 5)
    return [
        _params(draw, num_steps=1),
        _params(draw, num_steps=2, start=True),
        _params(draw, start=True, again=True),
        _params(draw, defaults=True),
        _params(draw, momentum=momentum),
        _params(draw, l2=l2, start=True),
        _params(draw, momentum=momentum, l2=l2, start=True),
        _params(draw, targets=3, start=True),
        _params(draw, targets=3, momentum=momentum, l2=l2, num_steps=4),
        _params(draw, targets=1),
        _params(draw, targets=1, start=True, l2=l2),
        _params(draw, samples=square, targets=square, start=True),
        _params(draw, features=3, targets=3, start=True),
        _params(draw, samples=4, features=4),
        # With so much momentum the loss falls and rises many times on its way.
        _params(draw, samples=1, features=1, lr=0.1, momentum=0.9, num_steps=120),
    ]


def _edge(draw: Draw) -> list[dict[str, Any]]:
    return [
        _params(draw, num_steps=0),
        _params(draw, num_steps=0, start=True, targets=2),
        _params(draw, samples=1, start=True),
        _params(draw, samples=1, features=1, targets=1),
        _params(draw, features=0),
        _params(draw, features=0, targets=2, momentum=0.9, l2=0.5, start=True),
        _params(draw, lr=0.0, start=True),
        _params(draw, momentum=0.99, lr=0.02, num_steps=30),
        _params(draw, only="weight"),
        _params(draw, only="bias", targets=2),
    ]


def _layout(draw: Draw) -> list[dict[str, Any]]:
    kinds = ("transposed", "stepped", "offset", "expanded")
    return [
        _params(draw, layout=layout, targets=targets, start=True)
        for layout, targets in zip(kinds, (0, 2, 0, 2), strict=True)
    ]


def _dtype(draw: Draw) -> list[dict[str, Any]]:
    doubles = {"dtypes": ["float64", "float64"], "start": True}
    mixed = (["int64", "float32"], ["float64", "int64"], ["float16", "float32"], ["int64", "int64"])
    crawl = {"kind": "near", "start": True, "num_steps": 400, "lr": 5e-4}
    return [
        _params(draw, **doubles),
        _params(draw, **doubles, targets=2, momentum=0.9, l2=0.1, num_steps=12),
        *(_params(draw, dtypes=dtypes) for dtypes in mixed),
        *(_params(draw, dtypes=[dtype, dtype], start=True) for dtype in HALVES),
        *(_params(draw, dtypes=[dtype, dtype], **crawl) for dtype in HALVES),
    ]


def _scale(draw: Draw) -> list[dict[str, Any]]:
    return [
        _params(draw, scale=1e-3, lr=0.2, start=True),
        _params(draw, offset=300.0, lr=1e-6, start=True),
        _params(draw, offset=300.0, lr=1e-6, momentum=0.5, targets=2),
        _params(draw, lr=60.0, num_steps=60, diverges=True),
    ]


def _large(draw: Draw) -> list[dict[str, Any]]:
    return [
        _params(
            draw, samples=draw.integer(100_000, 100_200), features=10, kind="large", num_steps=2
        ),
        _params(draw, samples=512, steps=[200, 2000], momentum=0.5),
    ]


def _context(draw: Draw) -> list[dict[str, Any]]:
    every = ["x", "y", "weight", "bias"]
    return [
        _params(draw, mode="grad", requires=every, start=True),
        _params(draw, mode="none", requires=["x"], targets=2),
        _params(draw, mode="no_grad", requires=every, start=True, targets=1),
        _params(draw, mode="no_grad", requires=[]),
        _params(draw, mode="inference", requires=[], start=True),
        _params(draw, mode="inference", requires=every, start=True, targets=2),
        _params(draw, mode="inference", requires=[], start=True, inside=True, momentum=0.5),
        _params(draw, mode="grad", requires=[], dtypes=["int64", "int64"], default="float64"),
    ]


def _refused(draw: Draw) -> list[dict[str, Any]]:
    return [{"samples": 5, "features": 3, "half": half} for half in (0, 1)]


PLANS = {
    "sample": _sample,
    "small": _small,
    "edge": _edge,
    "layout": _layout,
    "dtype": _dtype,
    "scale": _scale,
    "large": _large,
    "context": _context,
    "errors": _refused,
}


def _data(params: dict[str, Any], draw: Draw) -> dict[str, Any]:
    samples, features = params["samples"], params["features"]
    more = [params["targets"]] if params["targets"] else []
    kind, scale = params.get("kind"), params.get("scale", 1.0)
    of_x, of_y = (getattr(torch, name) for name in params.get("dtypes", ["float32", "float32"]))
    data: dict[str, Any] = {}
    if kind == "orthogonal":
        x = _signs(features, draw)
    elif kind == "large":
        # Two factors are drawn and sent: a million numbers would cost more than judging them.
        data["product"] = Product(draw.normal([samples, 1]), draw.normal([1, features], scale=0.3))
        x = data["product"].left * data["product"].right
    elif of_x.is_floating_point:
        x = draw.normal([samples, features], of_x, scale, params.get("offset", 0.0))
    else:
        x = draw.integers([samples, features], -3, 3, of_x)
    if of_y.is_floating_point:
        y = draw.normal([samples, *more], torch.float32, scale, 1.5 * scale).to(of_y)
    else:
        y = draw.integers([samples, *more], -4, 9, of_y)
    y = y + 10 if kind == "near" else y
    layout = params.get("layout", "contiguous")
    data |= {"x": lay_out(x, layout), "y": lay_out(y, layout if more else "stepped")}
    dtype = torch.result_type(x, y) if "dtypes" in params else torch.float32
    # A start near 1 to 2: the steps from there are smaller than half a unit of a half precision.
    low = 1.1 if kind == "near" else -2.0
    for name, shape in (("weight", [features, *more]), ("bias", more)):
        if params.get("start") or params.get("only") == name:
            value = draw.uniform(shape, low, 1.9).to(dtype)
            data[name] = lay_out(value, layout if value.ndim == 2 else "offset")
    return data


def _signs(features: int, draw: Draw) -> torch.Tensor:
    """Draw columns of 8 signs: orthogonal to each other and to the column of ones."""
    one = torch.tensor([[1.0, 1.0], [1.0, -1.0]])
    table = torch.kron(torch.kron(one, one), one)
    columns = 1 + torch.randperm(7, generator=draw.generator)[:features]
    rows = torch.randperm(8, generator=draw.generator)
    return table[rows][:, columns].contiguous()


def _in_context(params: dict[str, Any], data: dict[str, Any], options: dict[str, Any]) -> Request:
    told = {name: params[name] for name in ("mode", "requires")}
    told |= {"inside": params.get("inside", False), "options": options, "tensors": list(data)}
    told["default"] = getattr(torch, params.get("default", "float32"))
    return Request(op="context", data={**data, **told})


def _errors(params: dict[str, Any], draw: Draw) -> Case:
    calls = {name: _refusal(name, params, draw) for name in ERRORS[params["half"] :: 2]}
    request = refusals(calls)
    return Case(
        steps=(request,), secret={"refused": list(calls)}, shown={"calls": ", ".join(calls)}
    )


def _refusal(name: str, params: dict[str, Any], draw: Draw) -> Request:
    n, d = params["samples"], params["features"]
    shapes = {"x": [n, d], "y": [n]} | _wrong_shapes(n, d).get(name, {})
    options: dict[str, Any] = {
        "lr": {"lr": -0.1},
        "num_steps": {"num_steps": -1},
        "momentum 1": {"momentum": 1.0},
        "momentum negative": {"momentum": -0.1},
        "l2": {"l2": -0.01},
    }.get(name, {})
    options |= {key: draw.normal(shapes[key]) for key in ("weight", "bias") if key in shapes}
    return call("train_linear", draw.normal(shapes["x"]), draw.normal(shapes["y"]), **options)


def _wrong_shapes(n: int, d: int) -> dict[str, dict[str, list[int]]]:
    """Return the shapes that are wrong, by the name of the error."""
    return {
        "no samples": {"x": [0, d], "y": [0]},
        "x is 1-D": {"x": [n]},
        "x is 3-D": {"x": [n, d, 1]},
        "y is 0-D": {"y": []},
        "y is 3-D": {"y": [n, 1, 1]},
        "y is longer": {"y": [n + 1]},
        "y is shorter": {"y": [1]},
        "weight is longer": {"weight": [d + 1]},
        "weight has a column": {"weight": [d, 1]},
        "weight has no column": {"y": [n, 1], "weight": [d]},
        "weight is transposed": {"y": [n, 2], "weight": [2, d]},
        "bias has an element": {"bias": [1]},
        "bias has none": {"y": [n, 1], "bias": []},
        "bias is longer": {"y": [n, 2], "bias": [3]},
    }
