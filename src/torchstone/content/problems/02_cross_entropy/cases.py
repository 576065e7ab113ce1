"""Draw the inputs of problem 02: scores and classes of every rank, dtype, scale and layout."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import LAYOUTS, Case, Draw, Request, call, lay_out

# Cheap groups first; "large" last, so that a wrong answer is known before it runs.
GROUPS = (
    "sample",
    "small",
    "edge",
    "half",
    "scale",
    "layout",
    "memory",
    "grad",
    "errors",
    "large",
)

EDGES = (
    ("one example", "mean"),
    ("one example ignored", "sum"),
    ("one row", "none"),
    ("one class", "mean"),
    ("no rows", "mean"),
    ("no rows", "sum"),
    ("no rows", "none"),
    ("all ignored", "mean"),
    ("-inf elsewhere", "mean"),
    ("-inf at target", "none"),
    ("-inf smoothed", "sum"),
    ("ties", "mean"),
    ("smoothing one, -inf", "none"),
)
SCALES = (
    ("times 200", "mean", 0.0, "float32"),
    ("rows at 3000", "none", 0.1, "float32"),
    ("large", "sum", 0.0, "float32"),
    ("huge", "none", 0.1, "bfloat16"),  # whose range float16 has not
    ("confident", "mean", 0.0, "float32"),
)
HALF = (
    # dtype, classes, reduction, smoothing
    ("float16", 6, "mean", 0.0),
    ("bfloat16", 6, "none", 0.1),
    ("float16", 2500, "none", 0.0),
    ("bfloat16", 2500, "mean", 0.1),
)
ERRORS = (
    "reduction",
    "smoothing",
    "batch sizes differ",
    "pixels differ",
    "target has a dimension too many",
    "class C",
    "class -1",
    "class -1, none",
    "-100 is not ignored",
    "integer logits",
    "target dtype",
)


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    if group == "sample":
        return [_row([3, 4])]
    if group == "small":
        return _small(draw)
    if group == "edge":
        return [_edge_params(kind, reduction) for kind, reduction in EDGES]
    if group == "half":
        return [
            _row([draw.integer(2, 4), classes], reduction, smoothing, dtype=dtype)
            for dtype, classes, reduction, smoothing in HALF
        ]
    if group == "scale":
        return [
            _row([4, draw.integer(4, 8)], reduction, smoothing, values=values, dtype=dtype)
            for values, reduction, smoothing, dtype in SCALES
        ] + [
            # The rows' sum is beyond 65504, the largest float16; their mean is not.
            _row([draw.integer(1400, 1600), 6], dtype="float16", values="times 200")
        ]
    if group == "layout":
        return _layouts(draw)
    if group == "memory":
        return [
            _row([draw.integer(180, 220), 150], dtype=dtype, saved=True, drop=True)
            for dtype in ("float32", "float64")
        ]
    if group == "grad":
        return _grads(draw)
    if group == "errors":
        return [{"kind": kind} for kind in ERRORS]
    return [
        # Each loss by itself: in a sum, roundings of either sign hide one another.
        _row([16, draw.integer(50_000, 50_500)], "none", values="scaled", twice=False),
        _row([draw.integer(1000, 1100), 64], drop=True, twice=False),
    ]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the inputs of one case."""
    if group == "errors":
        return _error(params["kind"], draw)
    if group == "edge":
        logits, target, options = _edge(params["kind"], draw)
        return _judged(logits, target, options | params["options"], draw, params)
    shape, dtype = params["shape"], getattr(torch, params["dtype"])
    options = dict(params["options"])
    target = _classes(shape, options, draw, drop=params["drop"])
    logits = _scores(shape, target, dtype, params["values"], draw)
    logits = lay_out(logits, params["layout"])
    if params["layout"] != "contiguous":
        target = lay_out(target, params["target_layout"])
    if "op" in params:
        return _observed(params["op"], logits, target, options, draw)
    return _judged(logits, target, options, draw, params)


def _edge_params(kind: str, reduction: str) -> dict[str, Any]:
    params: dict[str, Any] = {"kind": kind, "options": {"reduction": reduction}}
    # Where no row counts, a division by their number hides behind the mask until one derives again.
    return params | {"second": True, "twice": False} if kind == "all ignored" else params


def _row(
    shape: list[int], reduction: str = "mean", smoothing: float = 0.0, **more: Any
) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if reduction != "mean":
        options["reduction"] = reduction
    if smoothing:
        options["label_smoothing"] = smoothing
    if "ignore" in more:
        options["ignore_index"] = more.pop("ignore")
    defaults = {"dtype": "float32", "values": "plain", "layout": "contiguous", "drop": False}
    return {"shape": shape, "options": options} | defaults | more


def _small(draw: Draw) -> list[dict[str, Any]]:
    size = draw.integer(3, 5)
    few = draw.integer(2, 4)
    return [
        # As many rows as classes: a cotangent on the wrong dimension fits without a word.
        _row([size, size], "none"),
        _row([size, size], "none", drop=True, dtype="float64"),
        _row([draw.integer(4, 7), draw.integer(3, 6)], drop=True),
        _row([draw.integer(4, 7), draw.integer(3, 6)], "sum", drop=True),
        _row([draw.integer(3, 6), draw.integer(3, 6)], smoothing=0.1),
        _row([draw.integer(3, 6), draw.integer(3, 6)], "sum", 0.3, dtype="float64"),
        _row([draw.integer(3, 6), 4], "none", 0.25, drop=True),
        # Equal sizes in the middle and at the end: the classes can be sought in the wrong place.
        _row([few, 3, 3]),
        _row([few, draw.integer(3, 5), 4], drop=True, ignore=255),
        _row([2, 4, draw.integer(2, 3), draw.integer(2, 3)], "none", 0.1, drop=True),
        _row([3, 4, 2, 3], drop=True, dtype="float64"),
        _row([6, 4], smoothing=0.2, ignore=1),
        _row([6, 4], ignore=-1, drop=True),
        # In 32 bits this number is 0, a class.
        _row([60, 3], ignore=2**32, drop=True),
    ]


def _layouts(draw: Draw) -> list[dict[str, Any]]:
    reductions, targets = (
        ("mean", "none", "sum", "none"),
        ("stepped", "offset", "stepped", "offset"),
    )
    rows = [
        _row(
            [draw.integer(3, 6), draw.integer(3, 6)],
            reduction,
            layout=layout,
            target_layout=target,
            drop=True,
        )
        for layout, reduction, target in zip(LAYOUTS[1:], reductions, targets, strict=True)
    ]
    both = {"layout": "transposed", "target_layout": "transposed"}
    return [*rows, _row([2, 4, draw.integer(2, 4), 3], "none", 0.1, drop=True, **both)]


def _grads(draw: Draw) -> list[dict[str, Any]]:
    second = {"second": True, "twice": False}
    shape = [draw.integer(3, 5), draw.integer(3, 5)]
    return [
        _row(shape, dtype="float64", **second),
        _row(shape, "none", 0.2, dtype="float64", drop=True, **second),
        _row(shape, op="graph"),
        _row(shape, "none", 0.1, op="in_place", drop=True),
        _row(shape, op="interleaved"),
        _row(shape, op="no_grad"),
        _row(shape, "none", op="two_calls"),
        _row(shape, drop=True, again=True),
    ]


def _classes(shape: list[int], options: dict[str, Any], draw: Draw, *, drop: bool) -> torch.Tensor:
    """Draw classes; with ``drop`` some rows are ignored, of an image only pixels of the first."""
    at = [shape[0], *shape[2:]]
    target = draw.integers(at, 0, shape[1] - 1).reshape(-1)
    # The other images stay whole, so that a mean of the images' means is never the mean.
    num_rows = target.numel() if len(shape) == 2 else target.numel() // shape[0]
    if drop and num_rows > 1:
        num_dropped = max(1, num_rows * draw.integer(20, 45) // 100)
        chosen = torch.randperm(num_rows, generator=draw.generator)[:num_dropped]
        target[chosen] = options.get("ignore_index", -100)
    return target.reshape(at)


def _scores(
    shape: list[int], target: torch.Tensor, dtype: torch.dtype, values: str, draw: Draw
) -> torch.Tensor:
    if values == "plain":
        return draw.normal(shape, dtype, scale=1.5)
    if values == "scaled":
        # One row, scaled anew for each example: to draw a million values costs more than to judge.
        row = draw.normal(shape[1:], dtype, scale=1.5)
        return row * draw.uniform([shape[0], 1], 0.6, 1.0, dtype)
    if values == "times 200":
        return draw.normal(shape, dtype, scale=200.0)
    if values == "rows at 3000":
        offset = torch.tensor([3000.0, -3000.0, 2900.0, 3100.0], dtype=dtype)[: shape[0], None]
        return draw.normal(shape, dtype) + offset
    if values == "large":
        factor = torch.tensor([1e4, 3e4, 6e4, 1e5], dtype=dtype)[: shape[0], None]
        return draw.normal(shape, dtype) * factor
    if values == "huge":
        return draw.uniform(shape, -1e37, 1e37, dtype)
    peak = torch.zeros(shape, dtype=dtype).scatter_(1, target[:, None], 110.0)
    return draw.normal(shape, dtype) + peak


def _judged(
    logits: torch.Tensor,
    target: torch.Tensor,
    options: dict[str, Any],
    draw: Draw,
    params: dict[str, Any],
) -> Case:
    cotangent = _cotangent(target, options, logits.dtype, draw)
    second = [draw.normal(logits.shape, logits.dtype)] if params.get("second") else []
    request = call(
        "cross_entropy",
        logits,
        target,
        wrt=(0,),
        cotangents=[cotangent],
        second=second,
        twice=params.get("twice", True),
        saved=params.get("saved", False),
        **options,
    )
    secret = {
        "logits": logits,
        "target": target,
        "options": options,
        "cotangent": cotangent,
        "second": second,
        "saved": params.get("saved", False),
    }
    return Case(steps=(request,), secret=secret, shown=_shown(logits, target, options))


def _observed(
    op: str, logits: torch.Tensor, target: torch.Tensor, options: dict[str, Any], draw: Draw
) -> Case:
    cotangent = _cotangent(target, options, logits.dtype, draw)
    data = {"logits": logits, "target": target, "options": options}
    secret: dict[str, Any] = data | {"op": op, "cotangent": cotangent}
    if op in ("in_place", "interleaved"):
        data = data | {"cotangent": cotangent}
    if op == "two_calls":
        # Without a gradient, where nothing but a comparison tells of a buffer that is used again.
        other = draw.normal(logits.shape, logits.dtype)
        steps = tuple(call("cross_entropy", x, target, **options) for x in (logits, other))
        return Case(steps=steps, secret=secret | {"other": other}, shown=data | {"other": other})
    if op == "interleaved":
        secret["other"] = draw.normal(logits.shape, logits.dtype)
        data = data | {"other": secret["other"]}
    shown = _shown(logits, target, options)
    return Case(steps=(Request(op=op, data=data),), secret=secret, shown=shown)


def _shown(logits: torch.Tensor, target: torch.Tensor, options: dict[str, Any]) -> dict[str, Any]:
    return {"logits": logits, "target": target} | options


def _cotangent(
    target: torch.Tensor, options: dict[str, Any], dtype: torch.dtype, draw: Draw
) -> torch.Tensor:
    if options.get("reduction", "mean") != "none":
        # Far from 1, and from its own reciprocal: a forgotten factor must show.
        return draw.uniform([], 1.5, 3.0, dtype) * draw.choice((-1, 1))
    cotangent = draw.normal(target.shape, dtype)
    if draw.chance(0.5):
        cotangent = lay_out(cotangent, draw.choice(("transposed", "stepped", "offset")))
    return cotangent


def _edge(kind: str, draw: Draw) -> tuple[torch.Tensor, torch.Tensor, dict[str, Any]]:
    num_classes = draw.integer(3, 5)
    logits = draw.normal([3, num_classes], scale=1.5)
    target = draw.integers([3], 0, num_classes - 1)
    options: dict[str, Any] = {}
    if kind.startswith("one example"):
        logits, target = logits[0].clone(), target[0].clone()
        if kind.endswith("ignored"):
            target.fill_(-100)
    elif kind == "one row":
        logits, target = logits[:1].clone(), target[:1].clone()
    elif kind == "one class":
        # The class that stands in for an ignored one can only be 0 here.
        logits, target = logits[:, :1].clone(), torch.tensor([0, -100, 0])
    elif kind == "no rows":
        logits, target = torch.empty(0, num_classes), torch.empty(0, dtype=torch.int64)
    elif kind == "all ignored":
        target.fill_(-100)
    elif "-inf" in kind:
        # One class further is never the target.
        step = 0 if kind.endswith("at target") else 1
        logits[1, (target[1] + step) % num_classes] = -math.inf
        if kind == "-inf smoothed":
            options["label_smoothing"] = 0.1
        elif kind.startswith("smoothing one"):
            options["label_smoothing"] = 1.0
    else:
        logits = torch.full((3, num_classes), draw.choice((-1.5, 0.0, 3.25)))
    return logits, target, options


def _error(kind: str, draw: Draw) -> Case:
    """Ask for one thing that must be refused, or for several of a kind in as many steps."""
    num_classes = draw.integer(3, 5)
    logits = draw.normal([3, num_classes])
    target = draw.integers([3], 0, num_classes - 1)
    wanted, wishes = "label", [(logits, target, {})]
    if kind == "reduction":
        name = draw.choice(("average", "batchmean", ""))
        wanted, wishes = "reduction", [(logits, target, {"reduction": name})]
    elif kind == "smoothing":
        wanted = "shape"
        wishes = [(logits, target, {"label_smoothing": amount}) for amount in (-0.1, 1.1)]
    elif kind == "batch sizes differ":
        wanted, wishes = "shape", [(logits, target[:2].clone(), {})]
    elif kind == "pixels differ":
        pixels = draw.integers([2, 3], 0, num_classes - 1)
        wanted, wishes = "shape", [(draw.normal([2, num_classes, 4]), pixels, {})]
    elif kind == "target has a dimension too many":
        wanted, wishes = "shape", [(logits, target[:, None].clone(), {})]
    elif kind == "integer logits":
        wanted, wishes = "dtype", [(draw.integers([3, num_classes], -5, 5), target, {})]
    elif kind == "target dtype":
        wanted = "dtype"
        wishes = [(logits, target.to(dtype), {}) for dtype in (torch.int32, torch.float32)]
    else:
        wishes = _bad_labels(kind, logits, target, draw)
    steps = tuple(call("cross_entropy", *given, twice=False, **named) for *given, named in wishes)
    secret = {"raises": wanted, "num_steps": len(steps)}
    return Case(steps=steps, secret=secret, shown=_shown(*wishes[0]))


def _bad_labels(
    kind: str, logits: torch.Tensor, target: torch.Tensor, draw: Draw
) -> list[tuple[torch.Tensor, torch.Tensor, dict[str, Any]]]:
    at = torch.tensor([draw.integer(0, 2)])
    # With smoothing 1 nobody looks up the score of the target, where a wrong class shows by itself.
    even = {"label_smoothing": 1.0}
    if kind == "class C":
        wrong = ((logits.shape[1], {}), (10**6, {}), (2**32, {}), (logits.shape[1], even))
        return [(logits, target.index_fill(0, at, number), options) for number, options in wrong]
    if kind.startswith("class -1"):
        below = target.index_fill(0, at, -1)
        given = [{"reduction": "none"}] if kind.endswith("none") else [{}, even]
        return [(logits, below, options) for options in given]
    return [(logits, target.index_fill(0, at, -100), {"ignore_index": 0})]
