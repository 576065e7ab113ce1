"""Draw the calls of problem 45: masks of every size, blocks of every shape, any number of terms."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, launches

# What a warp does comes before what a block makes of it, and both before the whole array.
GROUPS = (
    "sample", "warp", "block", "small", "edge", "layout", "scale", "state", "large", "perf",
)  # fmt: skip

# What the lanes do that a mask does not name, and how the others arrive; see launcher.cu.
LEAVE, ELSEWHERE, ARRIVE_APART = range(3)
NUM_ROUNDS = 3
# Every shape that a linear number has to be found in; the rest is drawn.
SHAPES = (
    (1, 1, 1), (32, 1, 1), (5, 7, 3), (3, 1, 64), (1, 40, 1), (8, 8, 8), (31, 33, 1), (1024, 1, 1),
    (32, 32, 1), (1, 2, 33),
)  # fmt: skip
PERF, LARGE = 1 << 16, 1 << 22
# So many that a thread of any ordinary grid has several of them.
MANY = 1 << 21
# A negative size comes with a buffer all the same, in which nothing may change.
UNTOUCHED = 8
INF, NAN = math.inf, math.nan
# What stands in the last place, and what somewhere before it.
SPECIAL = (
    (NAN, None), (INF, None), (-INF, None), (INF, -INF), (None, NAN), (None, INF), (None, -INF),
)  # fmt: skip
INFINITE = (5, 6)


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    warp, block, reduce = ({"op": name} for name in ("warp", "block", "reduce"))
    if group == "warp":
        return [warp | {"manner": manner, "counts": True} | _masks(draw) for manner in range(3)]
    if group == "block":
        drawn = [_shape(draw, size) for size in (2, 33, 63, 500, 1023, draw.integer(65, 800))]
        return [block | {"shape": list(shape), "grid": draw.integer(1, 2), "counts": True}
                for shape in (*SHAPES, *drawn)]  # fmt: skip
    if group == "small":
        return [reduce | {"sizes": [n]} for n in _small_sizes(draw)]
    if group == "layout":
        return [
            *(reduce | {"sizes": [n], "phases": phases}
              for phases in ([4, 0], [8, 4], [12, 8], [4, 12])
              for n in (draw.integer(1, 6), draw.integer(900, 5000))),
            reduce | {"sizes": [draw.integer(900, 5000)], "again": True},
            warp | {"manner": LEAVE, "again": True} | _masks(draw),
            block | {"shape": [draw.integer(33, 63), 3, 1], "grid": 1, "again": True},
        ]  # fmt: skip
    plans: dict[str, list[dict[str, Any]]] = {
        # As the statement shows it: whole warps, so that masks and blocks are told of later.
        "sample": [warp | {"manner": ELSEWHERE, "lanes": [32] * 4, "block": 64, "example": True}],
        "edge": [
            *(reduce | {"sizes": [n]} for n in (0, draw.choice((-1, -256, -(2**40))))),
            *(reduce | {"sizes": [n], "ended": True} for n in (1, draw.integer(300, 3000))),
            *(reduce | {"sizes": [draw.integer(300, 3000)], "special": i}
              for i in range(len(SPECIAL))),
            *(warp | {"manner": ELSEWHERE, "special": i} | _masks(draw) for i in (0, 3)),
            *(block | {"shape": [draw.integer(33, 63), 3, 1], "grid": 1, "special": i}
              for i in (0, 1)),
            # After an infinite term a thread goes on with others.
            *(reduce | {"sizes": [draw.integer(10_000, 20_000)], "special": i} for i in INFINITE),
            reduce | {"sizes": [MANY + draw.integer(1, 999)], "special": draw.choice(INFINITE),
                      "long": True},
        ],
        "scale": [
            warp | {"manner": LEAVE, "spread": 1e4} | _masks(draw),
            block | {"shape": [15, 15, 3], "grid": 1, "spread": 1e4},
            *(reduce | {"sizes": [draw.integer(8000, 12000)], "spread": spread}
              for spread in (1e4, 1e-30, 1e30)),
        ],
        "state": [
            reduce | {"sizes": sizes} for sizes in (
                [9000, 5, 0, draw.integer(2000, 7000)],
                [draw.integer(40, 90), draw.integer(5000, 9000), 1],
            )
        ],
        "large": [
            reduce | {"sizes": [LARGE + draw.integer(1, 999)], "constant": 0.1},
            reduce | {"sizes": [(LARGE >> 3) + draw.integer(1, 999)]},
        ],
        "perf": [
            warp | {"manner": LEAVE, "lanes": [32] * 32, "block": 128, "perf": True},
            reduce | {"sizes": [PERF], "perf": True},
        ],
    }  # fmt: skip
    return plans[group]


def _masks(draw: Draw) -> dict[str, Any]:
    """Give each number of lanes to one warp, in any order."""
    lanes = torch.randperm(32, generator=draw.generator) + 1
    return {"lanes": lanes.tolist(), "block": draw.choice((32, 64, 128, 256, 512, 1024))}


def _shape(draw: Draw, num_threads: int) -> tuple[int, int, int]:
    """Fold a number of threads into a block."""
    divisors = [x for x in range(1, num_threads + 1) if num_threads % x == 0]
    depths = [z for z in divisors if z <= 64]
    depth = draw.choice(depths)
    width = draw.choice([x for x in divisors if num_threads // depth % x == 0])
    return width, num_threads // depth // width, depth


def _small_sizes(draw: Draw) -> list[int]:
    around = [size + draw.integer(-1, 1) for size in (32, 256, 1024)]
    return [1, draw.integer(2, 5), *around, 33, draw.integer(2000, 9000), 33_333]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Build a call and what the oracle needs to know of it."""
    builders = {"warp": _build_warp, "block": _build_block, "reduce": _build_reduce}
    values, outputs = builders[params["op"]](params, draw)
    is_large = group == "large" or "long" in params
    steps = launches(
        params["op"], values, outputs,
        seed=draw.integer(0, 2**31),
        offsets=dict(zip(("x", "out"), params.get("phases", ()), strict=False)),
        results=["status"] if params["op"] == "reduce" else [],
        orders=["ascending" if "constant" in params else "descending"] if is_large else
        ["ascending", "descending", "random"],
        check=not is_large and "ended" not in params,
        counts="counts" in params or "perf" in params or _is_refused(params),
    )  # fmt: skip
    return Case(steps=steps, secret=dict(params), shown=dict(values))


def _is_refused(params: dict[str, Any]) -> bool:
    return params["op"] == "reduce" and min(params["sizes"]) < 0


def _build_warp(params: dict[str, Any], draw: Draw) -> tuple[dict[str, Any], dict[str, Any]]:
    lanes = params["lanes"]
    num_warps, block = len(lanes), params["block"]
    x = _numbers(params, draw, [num_warps, 32])
    if params.get("example"):
        x[0] = torch.arange(1, 33)
    if "special" in params:
        for row, count in zip(x, lanes, strict=True):
            _mark(row[:count], params["special"], draw)
    values = {
        "grid": 32 * num_warps // block,
        "block": block,
        "manner": params["manner"],
        "num_lanes": torch.tensor(lanes, dtype=torch.int32),
        "x": x,
    }
    return values, {"sums": (torch.float32, [num_warps])}


def _build_block(params: dict[str, Any], draw: Draw) -> tuple[dict[str, Any], dict[str, Any]]:
    shape, grid = params["shape"], params["grid"]
    x = _numbers(params, draw, [grid, NUM_ROUNDS, math.prod(shape)])
    if "special" in params:
        _mark(x[0, 1], params["special"], draw)
    sizes = dict(zip(("block_x", "block_y", "block_z"), shape, strict=True))
    return {"grid": grid, **sizes, "x": x}, {"sums": (torch.float32, list(x.shape))}


def _build_reduce(params: dict[str, Any], draw: Draw) -> tuple[dict[str, Any], dict[str, Any]]:
    sizes = params["sizes"]
    x = _numbers(params, draw, [UNTOUCHED if _is_refused(params) else sum(sizes)])
    if "special" in params:
        _mark(x, params["special"], draw)
    named = {f"n{i}": n for i, n in enumerate(sizes)}
    # On a stream that has been destroyed nothing can be launched.
    named |= {"stream_has_ended": 1} if "ended" in params else {}
    return (
        {"num_calls": len(sizes), **named, "x": x},
        {"out": (torch.float32, [len(sizes)])},
    )


def _numbers(params: dict[str, Any], draw: Draw, shape: list[int]) -> torch.Tensor:
    if "constant" in params:
        return torch.full(shape, params["constant"], dtype=torch.float32)
    return draw.normal(shape, scale=params.get("spread", 1.0))


def _mark(row: torch.Tensor, special: int, draw: Draw) -> None:
    """Put special values into a row: one in the last place, one before it."""
    last, other = SPECIAL[special]
    if other is not None:
        # Of many one of the first: whoever has it has others after it.
        most = max(0, len(row) - 2) if special not in INFINITE else len(row) // 16
        row[draw.integer(0, most)] = other
    if last is not None:
        row[-1] = last


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler calls: one warp, one block, fewer elements."""
    if "special" in params or "perf" in params or "ended" in params:
        return
    shrinkers = {"warp": _shrink_warps, "block": _shrink_block, "reduce": _shrink_sizes}
    for smaller in shrinkers[params["op"]](params):
        yield params | smaller


def _shrink_warps(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    lanes = params["lanes"]
    if len(lanes) > 1:
        for count in (1, 2, 16, 20, 31, 32):
            yield from [{"lanes": [count], "block": 32}] if count in lanes else []


def _shrink_block(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    num_threads = math.prod(params["shape"])
    if params["grid"] > 1:
        yield {"grid": 1}
    for smaller in ([2, 1, 1], [2, 2, 1], [32, 1, 1], [33, 1, 1], [64, 1, 1]):
        if math.prod(smaller) < num_threads:
            yield {"shape": smaller}
    if params["shape"][0] < num_threads:
        yield {"shape": [num_threads, 1, 1]}


def _shrink_sizes(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    sizes = params["sizes"]
    if len(sizes) > 1:
        length = min(2, len(sizes) - 1)
        yield from ({"sizes": sizes[i : i + length]} for i in range(len(sizes) - length + 1))
        return
    for smaller in (1, 2, 3, 4, 8, 33, sizes[0] // 2):
        if 0 < smaller < sizes[0]:
            yield {"sizes": [smaller]}
