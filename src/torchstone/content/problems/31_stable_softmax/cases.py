"""Draw the inputs of problem 31: scores with masks, dead rows, offsets, and in half precision."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import (
    Case,
    Draw,
    Product,
    Request,
    call,
    held_rows,
    lay_out,
    refusals,
)

# Far scores come before dead rows: a missing shift should be told by scores that overflow. Only
# "grad" and "large" differentiate: a result that is repaired afterwards shows there and not before.
GROUPS = ("sample", "small", "scale", "edge", "layout", "grad", "large")

NAMES = {
    "lse": "log_sum_exp",
    "softmax": "stable_softmax",
    "log": "stable_log_softmax",
}
Params = dict[str, Any]

OFFSETS = {
    **{"at 1e6": 1e6, "at -1e6": -1e6, "at 3e4": 3e4, "at 1e30": 1e30, "near 60": 60.0},
    # A hidden entry that counts as 0 lets all others underflow there, in float64 as well.
    "at -1000": -1000.0,
}
# What pairs of rows are like; all of a dtype are one input, for all three functions.
SCALES = (
    (
        "float32",
        ("at 1e6", "at -1e6", "at 3e4", "at 1e30", "spread 1e4", "spread 40", "1000 apart"),
    ),
    ("float64", ("at 1e6", "at 1e30", "spread 40", "1000 apart")),
    ("float16", ("at 3e4", "spread 3", "spread 9", "ends")),
    ("bfloat16", ("at 1e6", "spread 3", "spread 40", "1000 apart")),
)
# Masks under which every row keeps an entry and loses one; the sizes are names of x's dimensions.
MASKS = (
    ("abc", -1),
    ("abc", 0),
    ("bc", 1),
    ("c", 2),
    ("a1c", -3),
)
POISONS = ("plain", "nan", "+inf", "+inf and nan", "-inf inside", "plain")
DEAD = ("plain", "by mask", "by value", "by both", "-inf inside", "plain")
# Where a call is made again on the same tensors: there must be the same bits, in other memory.
TWICE = ("sample", "small", "layout")
# How many rows of the large case differ.
NUM_SCALES = 4
LAID = ("transposed", "stepped", "offset", "expanded", "expanded inside")


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    plans = {
        "sample": _plan_sample,
        "small": _plan_small,
        "scale": _plan_scales,
        "edge": _plan_edges,
        "layout": _plan_layouts,
        "grad": _plan_gradients,
        "large": _plan_large,
    }
    return plans[group](draw)


def _each(name: str, params: Params, functions: tuple[str, ...] = tuple(NAMES)) -> dict[str, Any]:
    """Ask the same of several functions, each with values of its own."""
    return {f"{NAMES[of]}, {name}": {"of": of} | params for of in functions}


def _plan_sample(draw: Draw) -> list[Params]:
    return [{"parts": _each("3 x 5", {"shape": [3, 5]})}]


def _plan_small(draw: Draw) -> list[Params]:
    cube = {f"dim {dim}": {"shape": [3, 3, 3], "dim": dim} for dim in (0, 1, -1, -2)}
    kept = {
        f"keepdim, dim {dim}": {"of": "lse", "shape": draw.shape(3, 2, 4), "dim": dim} | how
        for dim, how in ((1, {"keepdim": True}), (-3, {"keepdim": True, "style": "keyword"}))
    }
    # A mask of fewer dimensions is aligned at the right; square shapes let it lie elsewhere, too.
    square = {"shape": [4, 4, 4], "mask": "bc", "dim": 1}
    flat = {"shape": [4, 4], "mask": "b", "dim": -1, "style": "keyword"}
    whole = {"shape": draw.shape(2, 2, 5), "mask": ""}
    # log_softmax with a mask waits for "edge": a mask that adds -1e9 is right so far.
    two = ("lse", "softmax")
    masked = [_each("square mask", square, two) | _each("one row of a mask", flat, two)]
    masked[0] |= _each("mask without a dimension", whole, two)
    masked += [
        _each(f"mask {sizes}, dim {dim}", _masked(draw, sizes, dim), two) for sizes, dim in MASKS
    ]
    casts = (
        ("float64", "float32", "spread 3"),
        ("float32", "float64", "spread 3"),
        ("int64", "float32", "whole"),
        ("bool", "float64", "whole"),
    )
    cast = {}
    for dtype, to, values in casts:
        how = {"shape": [3, draw.integer(6, 9)], "dtype": dtype, "cast": to, "values": values}
        cast |= _each(f"{dtype} to {to}", how, ("softmax", "log"))
    # Each function once with nothing but names; log_sum_exp has its own above.
    named = {"shape": [3, 5], "cast": "float64", "style": "keyword"}
    cast |= _each("by name", named, ("softmax", "log"))
    alone = _each("one entry", {"shape": [draw.integer(2, 4), 1]})
    alone["log_sum_exp, other sizes of 1"] = {"of": "lse", "shape": [1, 3, 1], "dim": 1}
    alone["log_sum_exp, one entry kept"] = {"of": "lse", "shape": [3, 1], "keepdim": True}
    cubes: dict[str, Any] = {}
    for of in NAMES:
        for name, params in cube.items():
            cubes |= _each(name, params, (of,))
    flatter = {of: each for parts in masked for of, each in parts.items()}
    return [{"parts": parts} for parts in (cubes, kept, flatter, cast, alone)]


def _masked(draw: Draw, sizes: str, dim: int) -> Params:
    return {"shape": draw.shape(3, 2, 4), "mask": sizes, "dim": dim}


def _plan_scales(draw: Draw) -> list[Params]:
    cases = []
    for dtype, kinds in SCALES:
        how = {"shape": [2, draw.integer(5, 9)], "dtype": dtype, "values": list(kinds)}
        cases.append(_each(f"rows of {dtype}", how | {"dim": -1}))
        cases[-1] |= _each(f"columns of {dtype}", how | {"dim": 0})
    # Casting the result instead of the input shows where the input loses digits.
    near = {"shape": [3, 12], "values": "near 60"}
    cases.append({})
    for dtype, to in (("float32", "bfloat16"), ("float64", "float32")):
        how = near | {"dtype": dtype, "cast": to}
        cases[-1] |= _each(f"near 60, {dtype} to {to}", how, ("softmax", "log"))
    for dtype in ("float16", "bfloat16"):
        long = {"shape": [2, draw.integer(3000, 3100)], "dtype": dtype, "values": "spread 3"}
        cases[-1] |= _each(f"3000 of {dtype}", long)
    # The sum of the exponentials is beyond 65504, the largest float16.
    longest = {"shape": [1, 70_000], "dtype": "float16", "values": "spread 0.01"}
    return [{"parts": parts} for parts in (*cases, _each("70 000 of float16", longest))]


def _plan_edges(draw: Draw) -> list[Params]:
    cases: list[dict[str, Any]] = []
    for dtype in ("float32", "float16"):
        hidden = {"kind": "hidden", "dtype": dtype, "rows": ["plain"] * 3}
        dead = {"kind": "dead", "dtype": dtype, "rows": list(DEAD)}
        by_value = {"kind": "dead by value", "rows": ["plain", "by value", "-inf inside"]}
        masked = {"shape": [3, draw.integer(3, 5)], "mask": "ab", "dtype": dtype}
        parts = _each("mask", masked) | _each("mask at -1000", masked | {"values": "at -1000"})
        for dim in (-1, 0):
            parts |= _each(f"dead rows, dim {dim}", dead | {"dim": dim})
            parts |= _each(f"hidden entries, dim {dim}", hidden | {"dim": dim})
        parts |= _each("dead by value", by_value | {"dtype": dtype})
        cases.append(parts)
    poisoned: dict[str, Any] = {}
    for kind, dim in (("poisoned", -1), ("poisoned", 0), ("poisoned, masked", -1)):
        poisoned |= _each(f"{kind}, dim {dim}", {"kind": kind, "dim": dim, "rows": list(POISONS)})
    sizes: dict[str, Any] = {}
    empties = (([2, 0], 1), ([0, 3], 1), ([0, 3], 0), ([0], -1), ([2, 0, 3], 0))
    for shape, dim in empties:
        sizes |= _each(f"shape {shape}, dim {dim}", {"shape": shape, "dim": dim})
    sizes |= _each("shape [2, 0], mask", {"shape": [2, 0], "dim": 1, "mask": "ab"})
    kept = {"of": "lse", "shape": [2, 0], "dim": 1, "keepdim": True}
    sizes["log_sum_exp, shape [2, 0], keepdim"] = kept
    for dim in (0, -1):
        sizes |= _each(f"0-d, dim {dim}", {"shape": [], "dim": dim})
    sizes["log_sum_exp, 0-d, keepdim"] = {"of": "lse", "shape": [], "keepdim": True}
    sizes |= _each("0-d, dead", {"kind": "dead 0-d", "rows": []})
    errors = [{"kind": "errors", "what": what} for what in ("dim", "mask dtype", "mask shape", "x")]
    return [{"parts": parts} for parts in (*cases, poisoned, sizes)] + errors


def _plan_layouts(draw: Draw) -> list[Params]:
    cases: list[Params] = []
    for layout in LAID:
        how = {"shape": draw.shape(3, 2, 5), "dim": draw.integer(0, 2), "layout": layout}
        parts = _each(layout, how)
        if layout != "expanded inside":
            mask = {"shape": draw.shape(3, 2, 4), "mask": "abc", "mask_layout": layout, "dim": 2}
            parts |= _each(f"mask {layout}", mask)
        cases.append({"parts": parts})
    for of in NAMES:
        mask = {"shape": draw.shape(2, 3, 5), "mask": "ab"}
        cases.append({"of": of, "values": "anywhere", "again": True} | mask)
    return cases


def _plan_gradients(draw: Draw) -> list[Params]:
    cases: list[dict[str, Any]] = []
    twice = {"wrt": True, "second": True, "dtype": "float64"}
    plain = {"shape": draw.shape(2, 3, 6)} | twice
    parts: dict[str, Any] = {}
    for dim in (0, -1):
        parts |= _each(f"dim {dim}", plain | {"dim": dim})
    cases.append(parts)
    parts = {}
    for dim in (0, -1):
        dead = {"kind": "dead", "rows": list(DEAD), "dim": dim}
        hidden = {"kind": "hidden", "rows": ["plain"] * 3, "dim": dim}
        parts |= _each(f"dead rows, dim {dim}", dead | twice)
        parts |= _each(f"hidden entries, dim {dim}", hidden | twice)
    by_value = {"kind": "dead by value", "rows": ["plain", "by value", "-inf inside"]}
    cases.append(parts | _each("dead by value", by_value | twice))
    parts = {}
    for dtype in ("float32", "float16", "bfloat16"):
        dead = {"kind": "dead", "rows": list(DEAD), "dtype": dtype, "wrt": True}
        plain = {"shape": [3, draw.integer(4, 7)], "dtype": dtype, "wrt": True}
        parts |= _each(f"{dtype}", plain) | _each(f"{dtype}, dead rows", dead)
    far = {"shape": [3, draw.integer(4, 7)], "values": "at 3e4", "wrt": True}
    cast = {"shape": [3, 5], "cast": "float64", "wrt": True}
    laid = {"shape": [3, 4], "layout": "expanded inside", "wrt": True, "dim": draw.integer(0, 1)}
    parts |= _each("at 3e4", far, ("softmax", "log")) | _each(
        "to float64", cast, ("softmax", "log")
    )
    parts |= _each("expanded", laid)
    kept = {"of": "lse", "shape": [3, 4], "dim": 0, "keepdim": True, "style": "keyword"}
    cases.append(parts | {"log_sum_exp, keepdim": kept | {"wrt": True}})
    return [{"parts": parts} for parts in cases]


def _plan_large(draw: Draw) -> list[Params]:
    of = draw.choice(tuple(NAMES))
    return [{"of": of, "shape": [64, 50_000], "values": "large", "wrt": True}]


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the inputs of one case."""
    kind = params.get("kind")
    if kind == "errors":
        return _errors(params["what"], draw)
    dim, dtype = params.get("dim", -1), getattr(torch, params.get("dtype", "float32"))
    if params.get("values") == "large":
        return _large(params, draw)
    mask: torch.Tensor | None = None
    if kind is None:
        values = params.get("values", "spread 2")
        if isinstance(values, str):
            x = _scores(params["shape"], dtype, values, draw)
        else:
            x = torch.cat([_scores(params["shape"], dtype, each, draw) for each in values])
            x = x if dim else x.T.contiguous()
        x = lay_out(x.mT, "expanded").mT if _is_inside(params) else lay_out(x, _layout(params))
        if "mask" in params:
            mask = _mask(params, x, dim, draw)
            mask = lay_out(mask, params.get("mask_layout", "contiguous"))
    else:
        x, mask = _rows(kind, params["rows"], dtype, draw)
        if x.ndim == 2 and dim == 0:
            x, mask = x.T.contiguous(), None if mask is None else mask.T.contiguous()
    return _ask(x, mask, params | {"dim": dim, "twice": group in TWICE}, draw)


def _layout(params: Params) -> str:
    layout: str = params.get("layout", "contiguous")
    return layout


def _is_inside(params: Params) -> bool:
    return params.get("layout") == "expanded inside"


def _scores(shape: list[int], dtype: torch.dtype, values: str, draw: Draw) -> torch.Tensor:
    if values == "whole":
        return draw.integers(shape, 0, 1 if dtype == torch.bool else 5, dtype)
    if values == "anywhere":
        return draw.normal(shape, dtype, offset=draw.integer(-999, 999))
    if values in OFFSETS:
        # A few steps of the dtype around the offset, ties among them.
        step = math.ulp(OFFSETS[values]) * torch.finfo(dtype).eps * 2**52
        steps = draw.normal(shape, torch.float64, scale=max(1.0, 2.0 / step)).round()
        return (OFFSETS[values] + steps * step).to(dtype)
    if values == "ends":
        return draw.integers(shape, 0, 1).mul(120_000).sub(60_000).to(dtype)
    if values == "1000 apart":
        x = draw.normal(shape, dtype)
        return x + 1000 * torch.arange(shape[0], dtype=dtype).flip(0)[:, None]
    return draw.normal(shape, dtype, scale=float(values.removeprefix("spread ")))


def _mask(params: Params, x: torch.Tensor, dim: int, draw: Draw) -> torch.Tensor:
    """Draw a mask that keeps one entry of each slice at least, and hides one."""
    names = "abc"[: x.ndim]
    sizes = [1 if name == "1" else x.shape[names.index(name)] for name in params["mask"]]
    if not sizes or 0 in sizes:
        return torch.ones(sizes, dtype=torch.bool)
    mask = draw.integers(sizes, 0, 1, torch.bool)
    along = dim % x.ndim - (x.ndim - len(sizes))
    keep = draw.integer(0, sizes[along] - 1)
    mask.select(along, keep).fill_(True)
    mask.select(along, (keep + 1) % sizes[along]).fill_(False)
    return mask


def _rows(
    kind: str, rows: list[str], dtype: torch.dtype, draw: Draw
) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Draw a row of each kind, and a mask unless the values alone decide."""
    if kind == "dead 0-d":
        return draw.normal([], dtype), torch.tensor(False)
    n = draw.integer(4, 6)
    x = draw.normal([len(rows), n], dtype, scale=2.0)
    mask = draw.integers(x.shape, 0, 1, torch.bool)
    # The first two entries are known: one takes part, one is hidden.
    mask[:, :2] = torch.tensor([True, False])
    for row, what in enumerate(rows):
        if kind == "hidden":
            # What is hidden holds anything at all; the second entry of each row begins the list.
            largest = torch.finfo(dtype).max
            anything = (math.nan, math.inf, largest, -math.inf, -largest)
            junk = [anything[(row + place - 1) % 5] for place in range(n)]
            x[row] = torch.where(mask[row], x[row], torch.tensor(junk, dtype=dtype))
        else:
            _spoil(what, x[row], mask[row])
    if kind in ("dead by value", "poisoned"):
        return x, None
    order = torch.randperm(n, generator=draw.generator)
    return x[:, order].contiguous(), mask[:, order].contiguous()


def _spoil(what: str, x: torch.Tensor, mask: torch.Tensor) -> None:
    """Change one row and its mask to what a word of ``DEAD`` or ``POISONS`` says."""
    if what == "by mask":
        mask[:] = False
    elif what == "by value":
        x[:], mask[:] = -math.inf, True
    elif what == "by both":
        x[2:], mask[:2] = -math.inf, False
    elif what != "plain":
        x[2], mask[2] = -math.inf if what == "-inf inside" else math.inf, True
        if "nan" in what:
            x[0] = math.nan
        if what == "nan":
            x[2] = 0.0


def _ask(x: torch.Tensor, mask: torch.Tensor | None, params: Params, draw: Draw) -> Case:
    """Ask for a value, and where ``wrt`` says so for the gradients along directions drawn here."""
    of, dim = params["of"], params["dim"]
    cast = getattr(torch, params["cast"]) if "cast" in params else None
    keepdim = params.get("keepdim", False)
    secret: dict[str, Any] = {"of": of, "x": x, "dim": dim, "mask": mask, "dtype": cast}
    secret |= {"keepdim": keepdim, "wrt": None, "second": []}
    options: dict[str, Any] = {"twice": params["twice"]}
    style = params.get("style", "positional")
    if params.get("wrt"):
        key: int | str = "x" if style == "keyword" else 0
        g, second = _directions(secret, params, draw)
        options |= {"wrt": [key], "cotangents": [g], "second": second}
        secret |= {"wrt": str(key), "cotangent": g, "second": second}
    request = _spell(NAMES[of], secret, style, options)
    shown = {"x": x, "dim": dim} | ({} if mask is None else {"mask": mask})
    return Case(steps=(request,), secret=secret, shown=shown | _extras(secret))


def _extras(secret: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {} if secret["dtype"] is None else {"dtype": secret["dtype"]}
    return found | ({"keepdim": True} if secret["keepdim"] else {})


def _spell(name: str, secret: dict[str, Any], style: str, options: dict[str, Any]) -> Request:
    x, dim, extras = secret["x"], secret["dim"], _extras(secret)
    if secret["mask"] is not None:
        extras["mask"] = secret["mask"]
    if style == "keyword":
        return call(name, **extras, dim=dim, x=x, **options)
    if dim == -1:
        return call(name, x, **extras, **options)
    return call(name, x, dim, **extras, **options)


def _directions(
    secret: dict[str, Any], params: Params, draw: Draw
) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """Draw a cotangent, 0 where the log-softmax is -inf, and a direction for the second VJP."""
    x, dim, mask = secret["x"], secret["dim"], secret["mask"]
    dtype = secret["dtype"] or x.dtype
    second = [draw.normal(x.shape, x.dtype)] if params.get("second") else []
    if secret["of"] == "lse":
        sizes = list(x.shape)
        sizes[dim : dim % x.ndim + 1] = [1] if secret["keepdim"] else []
        return draw.normal(sizes, dtype), second
    g = draw.normal(x.shape, dtype)
    if mask is not None:
        g = g.masked_fill(~mask, 0.0)
    return g.masked_fill(x == -math.inf, 0.0), second


def _large(params: Params, draw: Draw) -> Case:
    """Ask once, about one row at a few scales: to draw, to send and to compare all costs too much.

    Of each scale one row is compared entry by entry, and each other row with that one. Which row it
    is travels after the answer was computed.
    """
    num_rows, n = params["shape"]
    scales = draw.uniform([NUM_SCALES, 1], 0.6, 1.0)
    repeats = draw.integers([num_rows], 0, NUM_SCALES - 1)
    picked = torch.randperm(num_rows, generator=draw.generator)[:NUM_SCALES]
    repeats[picked] = torch.arange(NUM_SCALES)
    row = draw.normal([n], scale=2.0)
    x = row * scales
    g = draw.normal([NUM_SCALES] if params["of"] == "lse" else [n])
    sent = g[repeats] if params["of"] == "lse" else g.expand(num_rows, n)
    g = g if params["of"] == "lse" else g.expand(NUM_SCALES, n)
    secret = {"of": params["of"], "x": x, "dim": -1, "mask": None, "dtype": None}
    secret |= {"keepdim": False, "wrt": "0", "cotangent": g, "second": [], "held": repeats}
    whole = Product(row, scales[repeats])
    options: dict[str, Any] = {"wrt": [0], "cotangents": [sent], "twice": False, "held": True}
    request = call(NAMES[params["of"]], whole, -1, **options)
    wanted = (picked.tolist(), repeats.tolist())
    rows = held_rows({"out": wanted, "grad.0": wanted})
    return Case(steps=(request, rows), secret=secret, shown={"x": x, "dim": -1})


def _errors(what: str, draw: Draw) -> Case:
    x, whole = draw.normal([2, 4]), draw.integers([2, 3], 0, 1)
    small = draw.normal([1, 4])

    def ask(
        x: torch.Tensor, *args: Any, mask: torch.Tensor | None = None, **more: Any
    ) -> dict[str, Request]:
        extras = more if mask is None else more | {"mask": mask}
        return {of: call(name, x, *args, **extras) for of, name in NAMES.items()}

    def keeps(*sizes: int) -> torch.Tensor:
        return torch.ones(sizes, dtype=torch.bool)

    wrong = {
        "dim": {
            "dim=2 of 2-d": ask(x, 2),
            "dim=-3 of 2-d": ask(x, -3),
            "dim=1 of 0-d": ask(draw.normal([]), 1),
            "dim=2 of empty 2-d": ask(torch.empty(0, 3), 2),
            "dim=2, mask": ask(x, 2, mask=keeps(2, 4)),
        },
        "mask dtype": {
            f"mask of {dtype}": ask(x, mask=keeps(2, 4).to(dtype))
            for dtype in (torch.int64, torch.float32, torch.uint8)
        },
        "mask shape": {
            "mask (3,) of (2, 4)": ask(x, mask=keeps(3)),
            "mask (2,) of (2, 4)": ask(x, mask=keeps(2)),
            "mask (3, 4) of (1, 4)": ask(small, mask=keeps(3, 4)),
            "mask (3, 2, 4) of (2, 4)": ask(x, mask=keeps(3, 2, 4)),
            "mask (1, 2, 4) of (2, 4)": ask(x, mask=keeps(1, 2, 4)),
        },
        "x": {"int64": ask(whole), "bool": ask(whole.bool())},
    }[what]
    calls = {f"{NAMES[of]}, {name}": each[of] for name, each in wrong.items() for of in NAMES}
    if what == "x":
        for of in ("softmax", "log"):
            calls[f"{NAMES[of]}, dtype=int32"] = call(NAMES[of], whole, dtype=torch.int32)
    shown = {
        name: dict(each.data["kwargs"]) | {"x": each.data["args"][0]}
        for name, each in calls.items()
    }
    return Case(
        steps=(refusals(calls),), secret={"raises": what, "calls": list(calls)}, shown=shown
    )
