"""Draw gradients, limits and exponents of problem 17."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

GROUPS = ("sample", "small", "edge", "layout", "dtype", "scale", "nonfinite", "large", "errors")

INF = math.inf


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases.

    A limit is ``max_norm`` itself, or ``limit`` times the norm of what is passed.
    """
    return PLANS[group](draw)


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the gradients of one case, and say how they are passed."""
    specs = [_filled(spec) for spec in params["grads"]]
    grads = [_gradient(spec, draw) for spec in specs]
    passed = params.get("passed", list(range(len(grads))))
    p = params.get("p", 2.0)
    max_norm = params.get("max_norm")
    if max_norm is None:
        max_norm = params["limit"] * _norm([grads[i] for i in dict.fromkeys(passed)], p)
    data = {
        "grads": grads,
        "shapes": [spec["shape"] for spec in specs],
        "dtypes": [spec["dtype"] for spec in specs],
        "layouts": [spec["layout"] for spec in specs],
        "passed": passed,
        "how": params.get("how", "list"),
        "arguments": {"max_norm": max_norm} | _named(params, p),
        "again": [],
        "counts": params.get("counts", False),
    }
    if params.get("twice"):
        data["again"] = [_gradient(spec, draw) for spec in specs]
    secret = {"data": data, "raises": params.get("raises")}
    shown = {"parameters": params.get("how", "list")} | data["arguments"]
    shown |= {f"gradient {i}": grad for i, grad in enumerate(grads)}
    return Case(steps=(Request(op="clip", data=data),), secret=secret, shown=shown)


def _named(params: dict[str, Any], p: float) -> dict[str, Any]:
    named: dict[str, Any] = {"norm_type": p} if "p" in params else {}
    if "error" in params:
        named["error_if_nonfinite"] = params["error"]
    return named


def _filled(spec: Any) -> dict[str, Any]:
    """Complete the description of a gradient; a list is a shape."""
    given = spec if isinstance(spec, dict) else {"shape": spec}
    defaults = {"dtype": "float32", "layout": "contiguous", "scale": 1.0, "values": "normal"}
    return defaults | given


def _gradient(spec: dict[str, Any], draw: Draw) -> torch.Tensor | None:
    if spec["values"] == "none":
        return None
    shape, dtype = spec["shape"], getattr(torch, spec["dtype"])
    if spec["values"] == "zeros":
        return torch.zeros(shape, dtype=dtype)
    # No entry is near 0, so that each of them counts for small powers, too.
    size = draw.uniform(shape, 0.5, 1.5, torch.float64) * spec["scale"]
    sign = torch.where(draw.uniform(shape, 0, 1, torch.float64) < 0.5, -1.0, 1.0).double()
    grad = (size * sign).to(dtype)
    if spec["values"] != "normal":
        # One special entry among ordinary ones.
        flat = grad.reshape(-1)
        flat[draw.integer(0, flat.numel() - 1)] = float(spec["values"])
        grad = flat.reshape(shape)
    return grad


def _norm(grads: list[torch.Tensor | None], p: float) -> float:
    sizes = [grad.double().abs().reshape(-1) for grad in grads if grad is not None]
    every = torch.cat([torch.zeros(0, dtype=torch.float64), *sizes])
    if not every.numel():
        return 0.0
    return float(every.amax()) if p == INF else float(every.pow(p).sum()) ** (1 / p)


def _sizes(draw: Draw) -> list[Any]:
    return [draw.shape(2, 2, 4), [draw.integer(2, 5)]]


def _sample(draw: Draw) -> list[dict[str, Any]]:
    return [
        {"grads": [[2, 2], [3]], "limit": 0.4},
        {"grads": _sizes(draw), "limit": draw.choice((0.1, 0.25))},
    ]


def _small(draw: Draw) -> list[dict[str, Any]]:
    powers: list[dict[str, Any]] = [
        {"grads": _sizes(draw), "limit": draw.choice((0.2, 0.5)), "p": p}
        for p in (0.5, 1.0, 1.5, 2, 3, 1, INF)
    ]
    ways = [
        {"grads": [*_sizes(draw), [2]], "limit": 0.3, "how": how}
        for how in ("generator", "iterator", "tuple")
    ]
    return [
        {"grads": _sizes(draw), "limit": draw.choice((2.0, 8.0))},
        {"grads": [[3, 2]], "limit": 5.0, "p": INF},
        *powers,
        *ways,
        {"grads": [[draw.integer(2, 4), 3]], "limit": 0.5, "how": "single"},
        {"grads": _sizes(draw), "limit": 0.5, "twice": True},
    ]


def _edge(draw: Draw) -> list[dict[str, Any]]:
    none, empty = {"shape": [2], "values": "none"}, [0, 3]
    zeros = {"shape": [3], "values": "zeros"}
    tiny = {"shape": [4], "scale": 1e-6}
    graph = {"shape": [2, 3], "layout": "graph"}
    return [
        {"grads": [], "max_norm": 1.0},
        {"grads": [none, none], "max_norm": 1.0, "error": True},
        {"grads": [none, [3], none, [2, 2]], "limit": 0.3},
        {"grads": [empty, [2], [0]], "limit": 0.3},
        {"grads": [empty], "max_norm": 1.0, "p": INF},
        {"grads": [{"shape": empty, "dtype": "float64"}], "max_norm": 1.0},
        {"grads": [[], [3]], "limit": 0.5},
        {"grads": [[]], "limit": 0.25, "how": "single", "p": INF},
        {"grads": _sizes(draw), "max_norm": 0.0},
        {"grads": _sizes(draw), "max_norm": INF},
        {"grads": [zeros, zeros], "max_norm": 1.0},
        {"grads": [zeros], "max_norm": 0},
        {"grads": [tiny, tiny], "max_norm": 5e-7},
        {"grads": [tiny], "max_norm": 2.1e-6, "p": INF},
        {"grads": [[3], [2, 2]], "limit": 0.4, "passed": [0, 1, 0, 1, 1]},
        {"grads": [[3], [2, 2], [2]], "limit": 0.4, "passed": [2, 0], "how": "generator"},
        {"grads": [graph, [2]], "limit": 0.4},
        {"grads": [graph, graph], "limit": 0.4, "p": 3.0},
    ]


def _layout(draw: Draw) -> list[dict[str, Any]]:
    shape = draw.shape(2, 2, 4)
    kinds = ("transposed", "stepped", "flat", "offset")
    every = [{"shape": draw.shape(2, 2, 4), "layout": kind} for kind in kinds]
    flat = [{"shape": [n, 3], "layout": "flat"} for n in (2, 3, 1)]
    return [
        {"grads": [{"shape": shape, "layout": "transposed"}], "limit": 0.5, "how": "single"},
        {"grads": [{"shape": shape, "layout": "stepped"}, [2]], "limit": 0.3, "p": 3},
        {"grads": flat, "limit": 0.3},
        {"grads": flat, "limit": 0.3, "passed": [0, 2]},
        {"grads": every, "limit": 0.4, "p": draw.choice((1.0, 2.0, INF)), "twice": True},
    ]


def _dtype(draw: Draw) -> list[dict[str, Any]]:
    one = [
        {"grads": [{"shape": s, "dtype": dtype} for s in _sizes(draw)], "limit": 0.3, "p": p}
        for dtype, p in (("float64", 2.0), ("float16", 2.0), ("bfloat16", 2.0), ("float64", 1.5))
    ]
    dtypes = ("float16", "float32", "bfloat16", "float64")
    return [
        *one,
        {"grads": [{"shape": [3], "dtype": dtype} for dtype in dtypes], "limit": 0.3},
        {"grads": [{"shape": [3], "dtype": dtype} for dtype in dtypes[:3]], "limit": 0.3, "p": INF},
        {"grads": [{"shape": [], "dtype": dtype} for dtype in dtypes], "limit": 0.3},
    ]


def _scale(draw: Draw) -> list[dict[str, Any]]:
    def of(scale: float, dtype: str = "float32") -> dict[str, Any]:
        return {"shape": draw.shape(2, 2, 4), "scale": scale, "dtype": dtype}

    half = {"shape": [300], "scale": 2900.0, "dtype": "float16"}
    return [
        {"grads": [of(1e25), of(1e25)], "max_norm": 1.0},
        {"grads": [of(1e25), of(1.0)], "max_norm": 1e24},
        {"grads": [of(1e-25), of(1e-25)], "max_norm": 1e-10},
        {"grads": [of(1e-25)], "max_norm": 3.0},
        {"grads": [of(1e30)], "max_norm": 2.0, "p": 3.0},
        {"grads": [of(2e38)], "max_norm": 100.0, "p": INF},
        {"grads": [half], "max_norm": 100.0},
        {"grads": [half, of(1e-4)], "limit": 0.5, "p": 3},
    ]


def _nonfinite(draw: Draw) -> list[dict[str, Any]]:
    def of(value: str, dtype: str = "float32") -> dict[str, Any]:
        return {"shape": [4], "values": value, "dtype": dtype}

    silent = [
        {"grads": [of("nan"), [2]], "max_norm": 1.0},
        {"grads": [of("inf"), [2]], "max_norm": 1.0, "error": False},
        {"grads": [of("-inf", "float16"), [2]], "max_norm": 2.0, "p": 1},
        {"grads": [[2], of("nan", "float64")], "max_norm": 9.0, "p": INF},
        {"grads": [of("inf")], "max_norm": INF},
        {"grads": [of("inf"), of("nan")], "max_norm": 1.0, "p": 3.0},
    ]
    loud = [
        {"grads": [[3], of(value)], "max_norm": 1.0, "error": True, "p": p, "raises": "nonfinite"}
        for value, p in (("nan", 2.0), ("inf", 2.0), ("-inf", INF), ("nan", 1))
    ]
    finite = [
        {"grads": [[3], [2]], "limit": 0.5, "error": True},
        {"grads": [{"shape": [3], "scale": 1e25}], "max_norm": 1.0, "error": True},
    ]
    return [*silent, *loud, *finite]


def _large(draw: Draw) -> list[dict[str, Any]]:
    wide = [[draw.integer(290, 300), 1000], [draw.integer(3, 9)]]
    many = [[draw.integer(1, 3)] for _ in range(200)]
    return [
        {"grads": wide, "limit": 0.5},
        {"grads": many, "limit": 0.5},
        {"grads": _sizes(draw), "limit": 0.5, "counts": True},
    ]


def _errors(draw: Draw) -> list[dict[str, Any]]:
    wrong: list[dict[str, Any]] = [
        {"max_norm": -1.0},
        {"max_norm": -1e-9, "error": True},
        {"max_norm": 1.0, "p": 0.0},
        {"max_norm": 1.0, "p": -2},
        {"max_norm": 1.0, "p": -INF},
    ]
    return [{"grads": [[3], [2, 2]], "raises": "value"} | each for each in wrong]


PLANS = {
    "sample": _sample,
    "small": _small,
    "edge": _edge,
    "layout": _layout,
    "dtype": _dtype,
    "scale": _scale,
    "nonfinite": _nonfinite,
    "large": _large,
    "errors": _errors,
}
