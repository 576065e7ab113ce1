"""Draw the inputs of problem 38: images, and positions in pixels that are chosen before the grid.

Legend: x positions in pixels along one axis, cell the whole part of one, n pixels of an axis.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from torchstone.judge.kit import Case, Draw, Product, Request, call, lay_out, refusals
from torchstone.judge.kit import shrink as shrink_sizes

# Only "grad" asks for the gradient of the grid: a fraction without a graph should be told there.
GROUPS = ("sample", "small", "edge", "layout", "grad", "large")

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")
ALIGNED = (False, True)
ALL = tuple(itertools.product(MODES, PADDINGS, ALIGNED))
# Every pair of a mode and a padding, with either alignment in turn.
TURNS = tuple(each for number, each in enumerate(ALL) if each[2] == (number // 2 % 2 == 0))
FLAT = tuple(each for each in ALL if each[0] != "bicubic")
# A grid of whole multiples of 1 by this has few bits: whatever formula turns it into positions
# rounds nothing, so that float32 and float64 see the same cell and the same fraction.
LATTICE = {torch.float32: 2**12, torch.float64: 2**24}
# All that is beyond float32's whole numbers, and what no arithmetic brings back.
FAR = (1e4, -1e4, 1e20, -1e20, math.inf, -math.inf)
Params = dict[str, Any]


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    plans = {
        "sample": _plan_sample,
        "small": _plan_small,
        "edge": _plan_edge,
        "layout": _plan_layout,
        "grad": _plan_grad,
        "large": _plan_large,
    }
    return plans[group](draw)


def _ask(how: tuple[str, str, bool], shape: list[int], out: list[int], **more: Any) -> Params:
    """Describe a call: the shape of the image, of the samples, and what differs from the plain."""
    mode, padding, align = how
    return {"mode": mode, "padding": padding, "align": align, "shape": shape, "out": out} | more


def _named(asked: list[Params]) -> Params:
    """Put calls together under the names of what they ask for."""
    parts = {}
    for number, each in enumerate(asked, start=1):
        corners = "aligned" if each["align"] else "not aligned"
        parts[f"{number} {each['mode']} {each['padding']} {corners}"] = each
    return {"parts": parts}


def _plan_sample(draw: Draw) -> list[Params]:
    # 15 samples of 2 taps an axis on 30 pixels: some pixel is hit by several.
    inside = {"where": "inside", "dtype": "float64"}
    first = _ask(("bilinear", "border", True), [1, 1, 4, 5], [2, 3], **inside)
    return [first, _named([_ask(how, [2, 2, 5, 6], [3, 5], **inside) for how in ALL])]


def _plan_small(draw: Draw) -> list[Params]:
    sizes = {"shape": [2, 2, 4, draw.integer(5, 6)], "out": [3, 4]}
    wide = [_ask(how, **sizes, dtype="float64", twice=False) for how in ALL]
    plain = {"wrt": "none", "twice": False, "style": "keyword"}
    narrow = [_ask(how, [1, 3, 5, 3], [3, 4], **plain) for how in ALL]
    solid = [
        _ask(how, [2, 1, 3, 4, 2], [2, 2, 3], dtype=dtype, twice=False)
        for how, dtype in zip(
            FLAT, itertools.cycle(("float32", "float64", "float64")), strict=False
        )
    ]
    return [_named(wide), _named(narrow), _named(solid)]


def _plan_edge(draw: Draw) -> list[Params]:
    once, none = {"twice": False}, {"wrt": "none"}
    far = [
        _ask(how, [1, 2, 4, 5], [3, 5], where="far", dtype=dtype, **once)
        for how, dtype in zip(ALL, itertools.cycle(("float32", "float64", "float64")), strict=False)
    ]
    far += [
        _ask((mode, padding, align), [1, 1, 2, 3, 2], [1, 3, 5], where="far", **once)
        for mode in MODES[:2]
        for padding in ("zeros", "border")
        for align in ALIGNED
    ]
    # Powers of two, and one more: no formula rounds these positions, not even by a division.
    exact = [
        _ask(how, [1, 1, 5, 9] if how[2] else [1, 1, 4, 8], [9, 9], where="exact", **once, **none)
        for how in ALL
    ]
    thin = [_ask(how, [1, 2, 1, 4], [2, 3], dtype="float64", **once) for how in TURNS]
    mirrors = [how for how in ALL if how[1] == "reflection"]
    thin += [_ask(how, [1, 1, 1, 1], [2, 3], dtype="float64", **once) for how in mirrors]
    thin += [_ask(how, [1, 1, 1, 3, 1], [1, 2, 3], dtype="float64", **once) for how in FLAT[::2]]
    thin += [_ask(how, [1, 1, 1, 3, 1], [1, 2, 3], **once, **none) for how in FLAT[1::2]]
    empty = [
        _ask(("bilinear", "zeros", False), [0, 2, 3, 4], [2, 3], **once, **none),
        _ask(("bicubic", "reflection", True), [2, 0, 3, 4], [2, 3], **once, **none),
        _ask(("nearest", "border", False), [2, 2, 3, 4], [0, 3], **once, **none),
        _ask(("bicubic", "zeros", True), [1, 2, 3, 4], [3, 0], **once, **none),
        _ask(("bilinear", "reflection", True), [0, 1, 2, 3, 2], [1, 2, 3], **once, **none),
        _ask(("nearest", "zeros", False), [2, 1, 2, 3, 2], [2, 0, 3], **once, **none),
    ]
    default = [
        _ask(("bilinear", "zeros", False), shape, out, style="default")
        for shape, out in (([2, 2, 4, 5], [3, 4]), ([1, 1, 3, 4, 2], [2, 2, 3]))
    ]
    return [*map(_named, (far, exact, thin, empty, default)), {"where": "errors"}]


def _plan_layout(draw: Draw) -> list[Params]:
    laid = []
    layouts = (
        ("transposed", "contiguous"),
        ("contiguous", "transposed"),
        ("expanded", "stepped"),
        ("stepped", "expanded"),
        ("offset", "permuted"),
        ("permuted", "offset"),
    )
    for (image, grid), mode in zip(layouts, itertools.cycle(MODES), strict=False):
        how = mode, draw.choice(PADDINGS), draw.choice(ALIGNED)
        more = {"layout": image, "grid_layout": grid}
        laid.append(_ask(how, [2, 3, 4, 5], [3, 4], **more))
        how = draw.choice(MODES[:2]), draw.choice(PADDINGS), draw.choice(ALIGNED)
        laid.append(_ask(how, [2, 2, 3, 2, 4], [2, 2, 3], dtype="float64", **more))
    other = "bicubic", draw.choice(PADDINGS), draw.choice(ALIGNED)
    again = [
        _ask(("bilinear", "zeros", False), [2, 2, 4, 5], [2, 4], style="default", again=True),
        _ask(other, [2, 2, 4, 5], [2, 4], again=True),
        # What is remembered for inference alone shows in no call with gradients.
        _ask(other, [2, 2, 4, 5], [2, 4], again=True, wrt="none"),
    ]
    return [_named(laid), *again]


def _plan_grad(draw: Draw) -> list[Params]:
    both = {"wrt": "both", "dtype": "float64", "twice": False}
    smooth = [how for how in ALL if how[0] != "nearest"]
    flat = [_ask(how, [2, 2, 4, 5], [3, 4], second=True, **both) for how in smooth]
    solid = [_ask(how, [1, 2, 3, 4, 2], [2, 3, 2], **both) for how in FLAT]
    narrow = [_ask(how, [1, 2, 5, 3], [3, 4], **both | {"dtype": "float32"}) for how in TURNS]
    narrow += [
        _ask(("bilinear", "zeros", False), [2, 2, 4, 5], [3, 4], layout=layout, grid_layout=layout)
        | both
        for layout in ("permuted", "expanded")
    ]
    return [_named(flat), _named(solid), _named(narrow)]


def _plan_large(draw: Draw) -> list[Params]:
    align = draw.choice(ALIGNED)
    wide = _ask(("bilinear", draw.choice(PADDINGS), align), [2, 8, 256, 256], [48, 64])
    once = {"wrt": "none", "twice": False}
    # Longer than half precision can count; all inside, so that a rounded position is near enough.
    row = once | {"where": "inside", "dtype": "float64"}
    long = [
        _ask((mode, padding, align), [1, 1, 5, 5000], [3, 5], **row)
        for mode, padding in (("bilinear", "reflection"), ("bicubic", "border"))
    ]
    huge = {"where": "huge", "size": 4200, "align": align, "mode": draw.choice(MODES[:2])}
    return [huge, wide | once, _named(long)]


def shrink(params: Params) -> Iterator[Params]:
    """Yield smaller sizes of a failing case, where its positions do not belong to the sizes."""
    if params.get("where", "around") in ("around", "inside"):
        yield from shrink_sizes(params)


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the inputs of one case."""
    where = params.get("where", "around")
    if where == "errors":
        return _errors(draw)
    if where == "huge":
        return _huge(params, draw)
    dtype = getattr(torch, params.get("dtype", "float32"))
    shape, out = params["shape"], params["out"]
    if len(out) != len(shape) - 2:
        raise ValueError(f"{out} samples of an image {shape}")
    input = _laid(draw.normal(shape, dtype), params.get("layout", "contiguous"))
    axes = [
        _axis(params | {"where": where}, n, axis, draw)
        for axis, n in enumerate(reversed(shape[2:]))
    ]
    grid = torch.stack(axes, -1).reshape(shape[0], *out, len(out)).to(dtype)
    grid = _laid(grid, params.get("grid_layout", "contiguous"))
    return _sample(input, grid, params, draw)


def _laid(tensor: Tensor, layout: str) -> Tensor:
    """Lay out a tensor; "permuted" keeps its second dimension innermost, as channels_last does."""
    if layout == "permuted":
        return tensor.movedim(1, -1).contiguous().movedim(-1, 1)
    return lay_out(tensor, layout)


def _axis(params: Params, n: int, axis: int, draw: Draw) -> Tensor:
    """Draw the coordinates of all samples along one axis of n pixels."""
    where, align = params["where"], params["align"]
    num_images, out = params["shape"][0], params["out"]
    count = num_images * math.prod(out)
    if where == "exact":
        nine = torch.linspace(-1, 1, 9, dtype=torch.float64)
        return (nine.repeat(9) if axis == 0 else nine.repeat_interleave(9))[:count]
    cells = _cells(params, n, draw, count)
    # Away from pixels, where a gradient jumps, and from the middle, where the nearest pixel does.
    u = draw.uniform([count], 0, 1, torch.float64)
    x = cells + 0.08 + 0.68 * u + 0.16 * (u >= 0.5)
    span = n - 1 if align else n
    g = (2 * x + (0 if align else 1)) / span - 1 if span else draw.uniform([count], -2, 2, u.dtype)
    g = _rounded(g, params)
    if where == "inside" and align and count > 1:
        # The centre of the last pixel: one of the two that a sample reads there is outside.
        g[axis] = 1.0
    if where == "far":
        _send_far(g, axis, params, n)
    return g


def _rounded(g: Tensor, params: Params) -> Tensor:
    lattice = LATTICE[getattr(torch, params.get("dtype", "float32"))]
    return (g * lattice).round() / lattice


def _cells(params: Params, n: int, draw: Draw, count: int) -> Tensor:
    """Draw the whole parts of positions."""
    mode, padding, where = params["mode"], params["padding"], params["where"]
    cubic = mode == "bicubic"
    if where != "around":
        low, high = (1, n - 3) if cubic else (0, n - 2)
        cells = draw.integers([count], low, max(low, high), torch.float64)
        if where == "inside" and cubic and padding != "zeros" and not params["align"]:
            # Left of the first centre, and yet inside: rounding towards 0 is not rounding down.
            cells[-2:] = -1
        return cells
    cells = (draw.normal([count], torch.float64, scale=0.8 * n) + (n - 1) / 2).floor()
    # On either edge, just beyond, and so far that a single reflection does not come back.
    known = [-1, n - 1, -3 * n - 1, 4 * n, -2, n]
    order = torch.randperm(count, generator=draw.generator)[: len(known)]
    cells[order] = torch.tensor(known[: len(order)], dtype=torch.float64)
    # No mirrored image is shown more than a few times.
    return cells.clamp(-6 * n, 7 * n)


def _send_far(g: Tensor, axis: int, params: Params, n: int) -> None:
    """Replace some coordinates, first of x, then of y or z, by ones that are far outside."""
    far = {"zeros": FAR, "border": FAR[:4], "reflection": (100.0, -100.0, 31.5, -77.25)}
    values = torch.tensor(far[params["padding"]], dtype=torch.float64)
    if params["padding"] == "reflection":
        # A quarter of a pixel away from one.
        span = n - 1 if params["align"] else n
        cells = (values * span / 2).floor() + 0.25
        values = (2 * cells + (0 if params["align"] else 1)) / span - 1
        values = _rounded(values, params)
    start = axis * len(values)
    end = min(start + len(values), len(g))
    g[start:end] = values[: end - start]
    # One sample is far along every axis.
    g[-1] = values[axis]


def _sample(input: Tensor, grid: Tensor, params: Params, draw: Draw) -> Case:
    options = {
        "mode": params["mode"],
        "padding_mode": params["padding"],
        "align_corners": params["align"],
    }
    wrt = {"none": [], "input": [0], "both": [0, 1]}[params.get("wrt", "input")]
    cotangent = draw.normal([*input.shape[:2], *grid.shape[1:-1]], input.dtype)
    second = []
    if params.get("second"):
        second = [draw.normal(each.shape, each.dtype) for each in (input, grid)]
    style = params.get("style")
    args = () if style in ("default", "keyword") else tuple(options.values())
    named = options if style == "keyword" else {}
    request = call(
        "grid_sample",
        input,
        grid,
        *args,
        wrt=wrt,
        cotangents=[cotangent] if wrt else [],
        second=second,
        twice=params.get("twice", True),
        **named,
    )
    secret = {"input": input, "grid": grid, "options": options, "wrt": wrt}
    secret |= {"cotangent": cotangent, "second": second}
    return Case(steps=(request,), secret=secret, shown={"input": input, "grid": grid} | options)


def _huge(params: Params, draw: Draw) -> Case:
    """Look at single pixels of an image with more of them than float32 can count."""
    size, align, mode = params["size"], params["align"], params["mode"]
    column, row = draw.normal([1, 1, size, 1]), draw.normal([1, 1, 1, size])
    # Most of the pixels asked for are among the last; of two neighbours one has an odd number.
    y = torch.cat([draw.integers([40], size - 200, size - 1), draw.integers([8], 0, size - 1)])
    x = draw.integers([48], 0, size - 1)
    x[:40] |= 1
    x.clamp_(max=size - 1)
    span = size - 1 if align else size
    g = (2 * torch.stack([x, y], -1).double() + (0 if align else 1)) / span - 1
    grid = g.reshape(1, 1, -1, 2).float()
    image = Product(column, row)
    request = call("grid_sample", image, grid, mode, "zeros", align, twice=False)
    secret = {"product": (column.flatten(), row.flatten()), "pixels": (y, x), "mode": mode}
    shown = {"grid": grid, "mode": mode, "padding_mode": "zeros", "align_corners": align}
    return Case(steps=(request,), secret=secret, shown=shown)


def _errors(draw: Draw) -> Case:
    image, grid = draw.normal([2, 3, 4, 5]), draw.uniform([2, 3, 3, 2], -1, 1)
    solid, places = draw.normal([2, 1, 3, 4, 2]), draw.uniform([2, 2, 2, 2, 3], -1, 1)
    wrong: dict[str, tuple[Any, ...]] = {
        "mode linear": (image, grid, "linear"),
        "mode trilinear": (solid, places, "trilinear"),
        "mode Bilinear": (image, grid, "Bilinear"),
        "padding reflect": (image, grid, "bilinear", "reflect"),
        "padding none": (image, grid, "nearest", ""),
        "bicubic of 5-d": (solid, places, "bicubic"),
        "image of 3-d": (image[0].clone(), grid[0].clone()),
        "all of 3-d": (draw.normal([2, 4, 5]), draw.uniform([2, 3, 1], -1, 1)),
        "all of 6-d": (draw.normal([2, 1, 2, 2, 2, 2]), draw.uniform([2, 1, 1, 1, 2, 4], -1, 1)),
        "4-d image, 5-d grid": (image, places),
        "5-d image, 4-d grid": (solid, grid),
        "grid without a batch": (image, grid[0].clone()),
        "grid of another batch": (image, draw.uniform([3, 3, 3, 2], -1, 1)),
        "grid of one image for two": (image, grid[:1].clone()),
        "one image for two grids": (image[:1].clone(), grid),
        "3 coordinates of 4-d": (image, draw.uniform([2, 3, 3, 3], -1, 1)),
        "1 coordinate of 4-d": (image, draw.uniform([2, 3, 3, 1], -1, 1)),
        "2 coordinates of 5-d": (solid, draw.uniform([2, 2, 2, 2, 2], -1, 1)),
        "float64 grid": (image, grid.double()),
        "float64 image": (image.double(), grid),
        "no rows": (draw.normal([2, 3, 0, 5]), grid),
        "no columns": (draw.normal([2, 3, 4, 0]), grid),
        "no depth": (draw.normal([2, 1, 0, 4, 2]), places),
        "no rows, no images": (draw.normal([0, 3, 0, 5]), draw.uniform([0, 3, 3, 2], -1, 1)),
        "no rows, no samples": (draw.normal([2, 3, 0, 5]), draw.uniform([2, 0, 3, 2], -1, 1)),
    }
    calls: dict[str, Request] = {name: call("grid_sample", *args) for name, args in wrong.items()}
    shown = {
        f"{name}: {key}": x
        for name, each in wrong.items()
        for key, x in zip(("input", "grid"), each[:2], strict=True)
    }
    return Case(steps=(refusals(calls),), secret={"raises": list(calls)}, shown=shown)
