"""Draw the inputs of problem 05: every dtype, sign and special value a rectifier may meet."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import LAYOUTS, Case, Draw, Request, call, lay_out

GROUPS = ("sample", "small", "edge", "layout", "large", "memory", "grad")

FLOATS = ("float16", "bfloat16", "float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8")
INFINITE = ("float64", "float32", "bfloat16")
EDGES = (
    {"kind": "zeros", "dtype": "float32"},
    {"kind": "zeros", "dtype": "float16"},
    *({"kind": "nan", "dtype": dtype} for dtype in INFINITE),
    *({"kind": "inf", "dtype": dtype} for dtype in INFINITE),
    *({"kind": "denormal", "dtype": dtype} for dtype in FLOATS),
    *({"kind": "huge", "dtype": dtype} for dtype in FLOATS),
    {"kind": "0-d", "dtype": "float32"},
    {"kind": "0-d zero", "dtype": "float64"},
    {"kind": "empty", "dtype": "float32"},
    {"kind": "infinite cotangent", "dtype": "float32"},
    {"kind": "infinite cotangent", "dtype": "bfloat16"},
    {"kind": "nan cotangent", "dtype": "float32"},
    *({"kind": "integer", "dtype": dtype} for dtype in INTEGERS),
)


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    if group == "small":
        plain = [{"shape": draw.shape(ndim, 2, 5), "dtype": "float32"} for ndim in (1, 2, 3)]
        typed = [{"shape": draw.shape(2, 2, 5), "dtype": dtype} for dtype in FLOATS]
        signed = [
            {"shape": draw.shape(ndim, 2, 4), "dtype": dtype, "sign": sign}
            for ndim, dtype, sign in ((2, "float32", 1), (3, "float64", 1), (2, "float32", -1))
        ]
        return plain + typed + signed
    if group == "layout":
        plain = [{"shape": draw.shape(3, 2, 5), "layout": layout} for layout in LAYOUTS[1:]]
        # An offset is counted in elements, of whatever width.
        plain += [
            {"shape": draw.shape(3, 2, 5), "layout": "offset", "dtype": dtype}
            for dtype in ("float64", "bfloat16")
        ]
        cotangents = [
            {"shape": draw.shape(2, 2, 5), "cotangent": layout}
            for layout in ("expanded", "transposed", "stepped")
        ]
        return plain + cotangents
    plans: dict[str, list[dict[str, Any]]] = {
        "sample": [{"shape": [2, 4], "zeros": True}],
        "edge": [dict(edge) for edge in EDGES],
        "large": [
            {"shape": [3, draw.integer(40_000, 41_000)]},
            {"shape": [5, draw.integer(201_000, 202_000)], "wrt": False},
        ],
        "memory": [{"shape": [64, 256], "dtype": dtype} for dtype in ("float32", "float64")],
        "grad": [
            *({"kind": "second", "shape": draw.shape(2, 2, 5), "dtype": d} for d in FLOATS[2:]),
            *({"kind": "interleaved", "shape": draw.shape(2, 3, 5)} for _ in range(2)),
            *({"kind": "x in place", "shape": draw.shape(2, 3, 5)} for _ in range(2)),
            {"kind": "y in place", "shape": draw.shape(2, 3, 5)},
            *({"kind": "chain", "shape": draw.shape(2, 2, 5)} for _ in range(2)),
            {"kind": "facts", "shape": draw.shape(2, 2, 5)},
            {"kind": "same tensor twice", "shape": draw.shape(2, 2, 5), "again": True},
        ],
    }
    return plans[group]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the inputs of one case."""
    if group == "edge":
        return _edge(params["kind"], getattr(torch, params["dtype"]), draw)
    if group == "large":
        return _large(params["shape"], params.get("wrt", True), draw)
    if group == "grad":
        return _grad(params, draw)
    dtype = getattr(torch, params.get("dtype", "float32"))
    x = draw.normal(params["shape"], dtype)
    if params.get("zeros"):
        _put(x, draw, 0.0, -0.0, -1.5, 0.7, 2.5)
    if "sign" in params:
        x = x.abs().clamp_(min=0.1) * params["sign"]
    cotangent = draw.normal(x.shape, dtype)
    half = draw.choice(("contiguous", "transposed", "stepped", "offset"))
    cotangent = lay_out(cotangent, params.get("cotangent", half))
    x = lay_out(x, params.get("layout", "contiguous"))
    saved = group == "memory"
    return _ask(x, cotangent, saved=saved)


def _put(x: torch.Tensor, draw: Draw, *values: float) -> None:
    """Put values at different places, drawn anew each time."""
    places = torch.randperm(x.numel(), generator=draw.generator)[: len(values)]
    x.view(-1)[places] = torch.tensor(values, dtype=x.dtype)[: x.numel()]


def _ask(x: torch.Tensor, cotangent: torch.Tensor | None, **options: Any) -> Case:
    if cotangent is not None:
        options |= {"wrt": [0], "cotangents": [cotangent]}
    secret = {"x": x, "cotangent": cotangent, **options}
    shown = {"x": x} | ({} if cotangent is None else {"grad_output": cotangent})
    return Case(steps=(call("ReLU.apply", x, **options),), secret=secret, shown=shown)


def _large(shape: list[int], wrt: bool, draw: Draw) -> Case:
    # One row is drawn and scaled, for drawing millions of values would cost more than judging them.
    x = draw.normal(shape[1:]) * draw.normal([shape[0], 1])
    cotangent = draw.normal(shape[1:]).expand(shape) if wrt else None
    return _ask(x, cotangent, twice=False)


def _edge(kind: str, dtype: torch.dtype, draw: Draw) -> Case:
    if kind == "integer":
        low = 0 if dtype == torch.uint8 else -9
        x = draw.integers(draw.shape(2, 2, 5), low, 9, dtype)
        # Nothing, the ends of the dtype (of unsigned numbers, what would be negative if they had a
        # sign), and odd numbers on either side of what float32 and float64 can tell apart.
        info = torch.iinfo(dtype)
        numbers = [0, -1, info.min, info.max, info.max - draw.integer(1, 9)]
        numbers += [(1 << power) + step for power in (11, 24, 53) for step in (-1, 1, 3)]
        numbers += [-each for each in numbers]
        fitting = [each for each in numbers if info.min <= each <= info.max]
        far = torch.tensor(fitting, dtype=dtype)
        order = torch.randperm(len(far), generator=draw.generator)
        return _ask(torch.cat([x, far[order].expand(x.shape[0], -1)], dim=1), None)
    if kind == "empty":
        x = torch.empty(draw.integer(1, 3), 0, dtype=dtype)
        return _ask(x, torch.empty(x.shape, dtype=dtype))
    if kind.startswith("0-d"):
        x = draw.normal([], dtype) if kind == "0-d" else torch.zeros([], dtype=dtype)
        return _ask(x, draw.normal([], dtype))
    x = draw.normal([3, draw.integer(4, 6)], dtype)
    cotangent = draw.normal(x.shape, dtype)
    info = torch.finfo(dtype)
    tiny = info.smallest_normal
    least = tiny * info.eps  # its half is no number: taking halves is not exact here
    special = {
        "zeros": (0.0, -0.0, 0.0, -0.0),
        "nan": (math.nan, math.nan, 0.0),
        "inf": (math.inf, -math.inf, -math.inf, -0.0),
        "denormal": (tiny / 2, -tiny / 2, tiny / 8, -tiny / 8, least, 0.0),
        "huge": (info.max, -info.max, info.max, -info.max),
    }
    if kind in special:
        _put(x, draw, *special[kind])
        if kind in ("denormal", "huge"):
            # Where x passes it on, a gradient of the same kind is as exact.
            _put(cotangent, draw, *special[kind])
            x[0] = x[0].abs().clamp_(min=tiny)
    else:
        # Half of the entries are not positive, and the cotangent is special at both halves.
        x = x.abs() * torch.where(torch.arange(x.numel()).view(x.shape) % 2 == 0, 1.0, -1.0)
        x = x.to(dtype)
        x[0, 1] = 0.0
        wild = math.inf if kind == "infinite cotangent" else math.nan
        cotangent[0, :] = wild
        cotangent[1, :2] = -wild
    return _ask(x, cotangent)


def _grad(params: dict[str, Any], draw: Draw) -> Case:
    kind, shape = params["kind"], params["shape"]
    dtype = getattr(torch, params.get("dtype", "float64"))
    x, g = draw.normal(shape, dtype), draw.normal(shape, dtype)
    if kind == "second":
        _put(x, draw, 0.0, -0.0)
        return _ask(x, g, second=[draw.normal(shape, dtype)])
    if kind == "same tensor twice":
        return _ask(x, g)
    data: dict[str, Any] = {"x": x, "grad_output": g}
    if kind == "interleaved":
        data |= {"other": draw.normal(shape, dtype), "other_grad_output": draw.normal(shape, dtype)}
    elif kind == "chain":
        # A graph of other operators is recorded around the submission's.
        data |= {"direction": draw.normal(shape, dtype), "records": True}
    return Case(steps=(Request(op=kind, data=data),), secret={"op": kind, **data}, shown=data)
