"""Draw the calls of problem 47: places inside, half outside, mirrored, exact and no number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, launches

# Where a sample lies comes before who else lies there, and both before what is fast.
GROUPS = (
    "sample", "small", "large_coord", "one", "line", "exact", "nonfinite", "need", "layout",
    "empty", "collide", "scale", "wide", "errors", "large", "perf",
)  # fmt: skip

ZEROS, BORDER, REFLECTION = range(3)
MODES = [
    {"padding": padding, "align": align}
    for padding in (ZEROS, BORDER, REFLECTION)
    for align in (0, 1)
]
SIZES = ("N", "C", "H", "W", "Ho", "Wo")
# Nearer to a border of cells, or to a mirror, float32 might see another cell than float64.
MARGIN_PIXELS = 2e-3
PHASES = (4, 8, 12)
SCALES = ((1e20, 1e10), (1e20, 1e-10), (1e-20, 1e-12))  # of the image, of grad_out
INF, NAN = torch.inf, torch.nan
NO_NUMBERS = (NAN, -NAN, INF, -INF)
# Finite, and still no int: after the unnormalisation, or before it already.
FAR = (3e38, -3e38, 1e30, -1e30, 3e9, -3e9)
# Buffers that come with a call that is refused; nothing in them may change.
UNTOUCHED = 8
UNSHRUNK = ("plane", "exact", "special", "refused", "ended", "perf")


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def _sizes(sizes: list[int]) -> dict[str, Any]:
    return dict(zip(SIZES, sizes, strict=True))


def _mode(draw: Draw) -> dict[str, Any]:
    return dict(draw.choice(MODES))


def _apart(draw: Draw, num_entries: int, low: int, high: int) -> dict[str, Any]:
    """Give sizes with a single sample for each entry of the batch: no two meet in a pixel."""
    height = draw.integer(low, high)
    # No square image where there is a choice: the factors of the two axes shall differ.
    others = [size for size in range(low, high + 1) if size != height]
    width = draw.choice(others or [height])
    return _sizes([num_entries + draw.integer(0, 5), draw.integer(2, 3), height, width, 1, 1])


def _dense(draw: Draw) -> dict[str, Any]:
    height, rows = draw.integer(4, 7), draw.integer(5, 8)
    width, columns = height + draw.integer(1, 4), rows + draw.integer(1, 5)
    return _sizes([2, draw.integer(2, 4), height, width, rows, columns])


def _in_every_mode(
    make: Callable[[Draw, dict[str, Any]], dict[str, Any]],
) -> Callable[[Draw], list[dict[str, Any]]]:
    """Plan a case of both directions for each mode."""
    return lambda draw: [{"op": "both"} | mode | make(draw, mode) for mode in MODES]


def _sample(draw: Draw) -> list[dict[str, Any]]:
    # Inside, on a plane: all six modes agree. Only the forward, so that a wrong gradient is told
    # later.
    return [_sizes([1, 1, 3, 5, 1, 3]) | mode | {"op": "forward", "plane": True} for mode in MODES]


def _small(draw: Draw) -> list[dict[str, Any]]:
    cases = []
    for mode in MODES:
        # What a mirror does to a derivative is told by large_coord.
        reach = {"reach": 1.0 if mode["padding"] == REFLECTION else 1.5}
        cases += [
            _dense(draw) | mode | {"op": "forward", "reach": 1.5},
            _apart(draw, 20, 4, 7) | mode | {"op": "backward"} | reach,
            # Samples meet in pixels here; whether they do so by atomics is told by collide.
            _dense(draw) | mode | {"op": "backward", "check": False} | reach,
        ]
    return cases


def _line(draw: Draw) -> dict[str, Any]:
    return draw.choice(({"H": 1, "W": 8}, {"H": 8, "W": 1}))


def _exact(draw: Draw, mode: dict[str, Any]) -> dict[str, Any]:
    # From mirror to mirror it is a power of two: every position is exact, however it is computed.
    height, width = draw.choice(((4, 8), (8, 4), (2, 8), (8, 2)))
    size = {"H": height + mode["align"], "W": width + mode["align"], "N": 56}
    return _apart(draw, 56, 1, 1) | {"exact": True} | size


def _mirrored(draw: Draw, mode: dict[str, Any]) -> dict[str, Any]:
    """Give the positions of ``_exact``, whole periods of the mirrors further away."""
    return _exact(draw, mode) | {"mirrored": True}


def _need(draw: Draw) -> list[dict[str, Any]]:
    return [
        _apart(draw, 12, 4, 7) | _mode(draw) | {"op": "backward", "need": need}
        for need in (["grad_input"], ["grad_grid"], [])
    ]


def _layout(draw: Draw) -> list[dict[str, Any]]:
    names = ("input", "grad_out", "out", "grad_input", "grad_grid")
    return [
        _apart(draw, 12, 4, 7)
        | _mode(draw)
        | {"op": op, "phases": {name: draw.choice(phases) for name in names} | {"grid": of_grid}}
        | {"again": True}
        # In the first two no pointer is a multiple of 8.
        for op, of_grid, phases in (
            ("forward", 4, (4, 12)), ("backward", 12, (4, 12)), ("both", 8, PHASES),
        )
    ]  # fmt: skip


def _empty(draw: Draw) -> list[dict[str, Any]]:
    """Plan calls without a sample or without a channel; pixels there may be all the same."""
    calls = ({"op": "forward"}, {"op": "backward", "need": ["grad_input"]})
    return [
        _dense(draw) | _mode(draw) | call | {name: 0}
        for call in calls
        for name in ("N", "C", "Ho", "Wo")
    ] + [_dense(draw) | _mode(draw) | {"op": "backward", "C": 0, "need": ["grad_grid"]}]


def _collide(draw: Draw) -> list[dict[str, Any]]:
    # In the middle of the image, and beyond its corner, where the edge is hit.
    return [
        _sizes([1, 2, draw.integer(4, 6), draw.integer(4, 6), 20, 20])
        | {"op": "backward", "padding": padding, "align": draw.integer(0, 1), "spot": reach}
        for padding, reach in ((ZEROS, 0.8), (REFLECTION, 0.8), (BORDER, 3.0))
    ]


def _wide(draw: Draw) -> list[dict[str, Any]]:
    # The second has more columns than a block has threads.
    sizes = ([1, 2, 2, 300, 2, 300], [1, 1, 3, draw.integer(4, 9), 1, draw.integer(1030, 1200)])
    return [_sizes(each) | _mode(draw) | {"op": "both", "check": each[-1] <= 300} for each in sizes]


def _errors(draw: Draw) -> list[dict[str, Any]]:
    return [
        *(
            _dense(draw) | _mode(draw) | {"op": op, "refused": True} | bad
            for op in ("forward", "backward")
            for bad in (
                *({"padding": padding} for padding in (-1, 3, draw.integer(4, 99))),
                *({name: draw.choice((0, -1))} for name in ("H", "W")),
                *({name: -draw.integer(1, 9)} for name in ("N", "C", "Ho", "Wo")),
            )
        ),
        *(_dense(draw) | _mode(draw) | {"op": op, "ended": True} for op in ("forward", "backward")),
    ]


def _in_both_directions(sizes: list[int], flag: str) -> Callable[[Draw], list[dict[str, Any]]]:
    return lambda draw: [
        _sizes(sizes) | _mode(draw) | {"op": op, flag: True} for op in ("forward", "backward")
    ]


PLANS: dict[str, Callable[[Draw], list[dict[str, Any]]]] = {
    "sample": _sample,
    "small": _small,
    "large_coord": lambda draw: [
        *_in_every_mode(lambda draw, mode: _apart(draw, 40, 4, 9) | {"reach": 9.0})(draw),
        *(
            {"op": "both"} | mode | _mirrored(draw, mode)
            for mode in MODES
            if mode["padding"] == REFLECTION
        ),
    ],
    "one": _in_every_mode(lambda draw, mode: _apart(draw, 24, 1, 1) | {"reach": 2.5}),
    "line": _in_every_mode(
        lambda draw, mode: _apart(draw, 24, 1, 1) | {"reach": 1.6} | _line(draw)
    ),
    "exact": _in_every_mode(_exact),
    "nonfinite": _in_every_mode(lambda draw, mode: _apart(draw, 36, 3, 6) | {"special": True}),
    "need": _need,
    "layout": _layout,
    "empty": _empty,
    "collide": _collide,
    "scale": lambda draw: [
        _dense(draw) | _mode(draw) | {"op": "both", "spread": spread} for spread in SCALES
    ],
    "wide": _wide,
    "errors": _errors,
    "large": _in_both_directions([2, 8, 64, 64, 96, 96], "large"),
    "perf": _in_both_directions([1, 8, 16, 16, 32, 64], "perf"),
}


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Build a call and what the oracle needs to know of it."""
    operation = params["op"]
    shapes = _shapes(params)
    image, view = params.get("spread", (1.0, 1.0))
    values: dict[str, Any] = {name: params[name] for name in SIZES}
    values |= {"padding_mode": params["padding"], "align_corners": params["align"]}
    values["input"] = _plane(params) if "plane" in params else draw.normal(shapes["input"]) * image
    values["grid"] = _grid(params, draw).reshape(shapes["grid"])
    if operation != "forward":
        values["grad_out"] = draw.normal(shapes["grad_out"]) * view
    wanted = {
        "forward": ["out"],
        "backward": params.get("need", ["grad_input", "grad_grid"]),
        "both": ["out", "grad_input", "grad_grid"],
    }[operation]
    is_large = bool(params.get("large"))
    if params.get("ended"):
        # On a stream that has been destroyed nothing can be launched.
        values["stream_has_ended"] = 1
    steps = launches(
        operation, values, {name: (torch.float32, shapes[name]) for name in wanted},
        seed=draw.integer(0, 2**31),
        offsets=_given(params, values, wanted),
        results=["status"],
        orders=["random"] if is_large else ["ascending", "descending", "random"],
        check=params.get("check", not is_large and "ended" not in params),
        counts=any(params.get(name) for name in ("perf", "refused"))
        or (group == "empty" and operation == "forward"),
    )  # fmt: skip
    return Case(steps=steps, secret=dict(params), shown=dict(values))


def _given(params: dict[str, Any], values: dict[str, Any], wanted: list[str]) -> dict[str, int]:
    phases = params.get("phases", {})
    return {name: phase for name, phase in phases.items() if name in (*values, *wanted)}


def _shapes(params: dict[str, Any]) -> dict[str, list[int]]:
    names = ("input", "grid", "out", "grad_out", "grad_input", "grad_grid")
    if params.get("refused"):
        return {name: [UNTOUCHED] for name in names}
    N, C, H, W, Ho, Wo = (params[name] for name in SIZES)
    image, view, places = [N, C, H, W], [N, C, Ho, Wo], [N, Ho, Wo, 2]
    return dict(zip(names, (image, places, view, view, image, places), strict=True))


def _plane(params: dict[str, Any]) -> torch.Tensor:
    """Give an image that rises by 1 to the right and falls by 1 downwards."""
    rows, columns = torch.arange(params["H"]), torch.arange(params["W"])
    return (10.0 + columns - rows[:, None]).to(torch.float32)[None, None]


def _grid(params: dict[str, Any], draw: Draw) -> torch.Tensor:
    if "plane" in params:
        return torch.tensor([-0.5, -0.5, 0.0, 0.0, 0.5, 0.5])
    if params.get("refused"):
        return draw.uniform([UNTOUCHED], -1.0, 1.0)
    num_samples = params["N"] * params["Ho"] * params["Wo"]
    if "exact" in params:
        grid = torch.stack([_dyadic(num_samples, draw, corners) for corners in (1, 2)], dim=-1)
        # Up to 10**6, and still exact: from mirror to mirror and back g moves by 4.
        return grid + 4 * _periods(grid.shape, draw) if "mirrored" in params else grid
    if "special" in params:
        return torch.stack(_special(num_samples, params, draw), dim=-1)
    columns = []
    for axis, size in enumerate((params["W"], params["H"])):
        if "spot" in params:
            # Far beyond the corner, or near the middle.
            low, high = (1.5, 3.0) if params["spot"] > 1 else (-params["spot"], params["spot"])
            columns.append(_away(1, low, high, size, params, draw).expand(num_samples))
        elif "perf" in params:
            columns.append(_enlarged(axis, size, params, draw))
        else:
            reach = params.get("reach", 1.3)
            columns.append(_away(num_samples, -reach, reach, size, params, draw))
    return torch.stack(columns, dim=-1)


def _away(
    count: int, low: float, high: float, size: int, params: dict[str, Any], draw: Draw
) -> torch.Tensor:
    """Draw numbers whose positions keep away from the middle and the edges of every pixel."""

    def again(count: int) -> torch.Tensor:
        drawn = torch.rand(count, generator=draw.generator, dtype=torch.float64)
        drawn = drawn * (high - low) + low
        # Of a large image every position with two decimals might be near.
        return ((drawn * 100).round() / 100 if draw.plain and size <= 32 else drawn).float()

    numbers = again(count)
    while (bad := _is_near(numbers, size, params)).any():
        numbers[bad] = again(int(bad.sum()))
    return numbers


def _is_near(numbers: torch.Tensor, size: int, params: dict[str, Any]) -> torch.Tensor:
    wide = numbers.double()
    if params["align"]:
        position = (wide + 1) / 2 * (size - 1)
        if size == 1:
            return torch.zeros(len(numbers), dtype=torch.bool)  # always at 0, exactly
    else:
        position = ((wide + 1) * size - 1) / 2
    return (2 * position - (2 * position).round()).abs() < 2 * MARGIN_PIXELS


def _enlarged(axis: int, size: int, params: dict[str, Any], draw: Draw) -> torch.Tensor:
    """Enlarge the inside of the image: neighbouring samples lie in the same cell or the next."""
    counts = (params["Wo"], params["Ho"])
    line = torch.linspace(-0.85, 0.85, counts[axis], dtype=torch.float64)
    lines = line.expand(counts[1], -1) if axis == 0 else line[:, None].expand(-1, counts[0])
    base = lines.reshape(-1)

    def again() -> torch.Tensor:
        noise = torch.rand(len(base), generator=draw.generator, dtype=torch.float64) - 0.5
        return (base + 0.01 * noise).float()

    numbers = again()
    while (bad := _is_near(numbers, size, params)).any():
        numbers[bad] = again()[bad]
    return numbers


def _dyadic(count: int, draw: Draw, corners: int) -> torch.Tensor:
    """Give every multiple of 1/8 from -1.5 to 1.5 twice, in any order, behind the four corners."""
    steps = torch.arange(-12, 13, dtype=torch.float32).repeat(-(-count // 25)) / 8
    steps = steps[: count - 4]
    order = torch.randperm(count - 4, generator=draw.generator)
    first = [1.0, 1.0, -1.0, -1.0] if corners == 1 else [1.0, -1.0, 1.0, -1.0]
    return torch.cat([torch.tensor(first), steps[order]])


def _periods(shape: torch.Size, draw: Draw) -> torch.Tensor:
    """Draw numbers of periods, the first and the last as large as they may be."""
    most = 249_999
    periods = draw.integers(shape, -most, most, torch.float32)
    periods[0], periods[-1] = most, -most
    return periods


def _special(count: int, params: dict[str, Any], draw: Draw) -> list[torch.Tensor]:
    """Let what is no number, or too far, meet an ordinary number and its own kind."""
    odd = torch.tensor(NO_NUMBERS + (() if params["padding"] == REFLECTION else FAR))
    x, y = (_away(count, -1.2, 1.2, params[size], params, draw) for size in ("W", "H"))
    kinds = len(odd)
    x[:kinds] = odd
    y[kinds : 2 * kinds] = odd
    rest = count - 2 * kinds
    for numbers in (x, y):
        numbers[2 * kinds :] = odd[torch.randint(kinds, (rest,), generator=draw.generator)]
    return [x, y]


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler calls: one direction, fewer samples, one channel, a smaller image."""
    if params["op"] == "both":
        yield params | {"op": "forward"}
        yield params | {"op": "backward"}
    if any(params.get(name) for name in UNSHRUNK):
        return
    for name in ("N", "Ho", "Wo", "C"):
        if params[name] > 1:
            yield params | {name: 1}
            yield params | {name: params[name] // 2}
    for name in ("H", "W"):
        if params[name] > 3:
            yield params | {name: 3}
    for name in ("phases", "spread"):
        if name in params:
            yield {key: item for key, item in params.items() if key != name}
