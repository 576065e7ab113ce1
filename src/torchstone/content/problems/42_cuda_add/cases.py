"""Draw the launches of problem 42: grids and blocks that no kernel may rely on."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, launches

# What a broadcast teaches comes before the sizes that a laptop cannot hold.
GROUPS = (
    "sample", "small", "grad", "broadcast", "need", "inplace", "layout", "scale", "edge", "large",
    "huge", "perf",
)  # fmt: skip

LAST_BLOCKS = 16
# Beyond 32 bits only the last blocks run. A row is a case: n, nb, elements for each thread. With
# one thread for each element the number of a thread needs 64 bits, but those of a kernel that gives
# each of them several elements have nothing left to do; with one for eight all have.
HUGE = ((2**32 + 4101, 14149, 1), (2**32 + 4096, 1088, 8))
BROADCAST = ((1, 1120), (3, 1200), (60, 1140), (70, 1120), (1120, 3360))
SCALES = (
    # A row is a case: spread of a, spread of b, alpha.
    (1e-30, 1e-30, 1.0),
    (1e25, 1e20, 1e4),
    (1.0, 1e6, -2.5),
    (1e6, 1e-3, 1e-3),
    (1.0, 1.0, 0.0),
)
INF, NAN = math.inf, math.nan
EDGES = (
    # a, b, alpha: special values meet special values.
    ((NAN, 1.0, INF, -INF, -0.0, 1e-45, 3e38), (1.0, NAN, INF, INF, 0.0, 1e-45, 3e38), 1.0),
    ((1.0, 2.0, 3.0, -0.0, 0.0, 5.0), (NAN, INF, -INF, -0.0, 0.0, 7.0), 0.0),
    ((3e38, -3e38, 1.0, INF), (3e38, -3e38, INF, -INF), 2.0),
)
ZEROS = (
    # As above; every sum is a zero, of which even the sign is judged.
    ((-0.0, -0.0, 0.0, 0.0, -2.0, 2.0), (-0.0, 0.0, -0.0, 0.0, 2.0, -2.0), 1.0),
    ((-0.0, -0.0, 0.0, 0.0, -0.0), (1.0, -1.0, 1.0, -1.0, -0.0), 0.0),
)
BACKWARD_EDGES = (
    # grad_out in rows of four columns, alpha.
    ((NAN, INF, -3.0, -0.0, 1.0, 2.0, 4.0, -INF), 0.0),
    ((NAN, INF, 3e38, -0.0, 1.0, -INF, 1e38, 1e-45), 2.0),
)
# What is wide or thinks in powers of two meets one thread, and as many as a block may have.
BLOCKS = (1, 31, 1024)


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    forward, backward = "forward", "backward"
    if group == "small":
        return _sizes(draw, {"op": forward})
    if group == "grad":
        # What alpha does to a gradient is told with the broadcasts.
        return _sizes(draw, {"op": backward, "alpha": 1.0})
    if group == "broadcast":
        return [
            _blocks(draw, {"op": op, "n": n, "nb": nb, "alpha": draw.choice((-1.0, 0.5, 2.75))})
            for nb, n in BROADCAST
            for op in (forward, backward)
        ] + [
            _grid(draw, {"op": op, "n": 3000, "nb": 60, "block": block, "grid": 2, "alpha": 0.5})
            for block in BLOCKS
            for op in (forward, backward)
        ]
    if group == "need":
        return [
            _grid(draw, {"op": backward, "n": 770, "nb": 70, "need": need})
            for need in (["grad_a"], ["grad_b"], [])
        ]
    if group == "layout":
        shifted = [
            _grid(draw, {"op": op, "n": n, "phases": [draw.choice((4, 8, 12)) for _ in range(3)]})
            | {"again": n > 1000}
            for op, n in ((forward, 1027), (backward, 1030), (forward, draw.integer(61, 130)))
        ]
        # Whoever looks at one pointer finds it aligned, and another is not.
        alone = [
            _grid(draw, {"op": op, "n": 512,
                         "phases": [draw.choice((4, 8, 12)) if i == j else 0 for j in range(3)]})
            for op in (forward, backward)
            for i in range(3)
        ]  # fmt: skip
        return shifted + alone
    if group == "scale":
        return [
            _grid(draw, {"op": op, "n": 600, "nb": 60, "spread": [a, b], "alpha": alpha})
            for a, b, alpha in SCALES
            for op in (forward, backward)
        ]
    plans: dict[str, list[dict[str, Any]]] = {
        # As the statement shows it; only the forward, so that a wrong gradient is told later.
        "sample": [{"op": forward, "n": 1000, "nb": 1000, "grid": 4, "block": 256, "alpha": 2.0}],
        "inplace": [
            _grid(draw, {"op": forward, "n": draw.integer(300, 1200), "inplace": True}),
            _grid(draw, {"op": forward, "n": 960, "nb": 60, "inplace": True}),
        ],
        "edge": [
            *(_grid(draw, {"op": forward, "n": len(row[0]), "edge": number})
              for number, row in enumerate(EDGES)),
            *(_grid(draw, {"op": forward, "n": len(row[0]), "zeros": number})
              for number, row in enumerate(ZEROS)),
            *(_grid(draw, {"op": backward, "n": len(row[0]), "nb": 4, "edge": number})
              for number, row in enumerate(BACKWARD_EDGES)),
            _grid(draw, {"op": forward, "n": 0, "nb": 1}),
            _grid(draw, {"op": backward, "n": 0, "nb": 3}),
        ],
        "large": [
            {"op": op, "n": 1 << 20, "nb": 1 << 10, "grid": 512, "block": 256, "alpha": 0.5}
            for op in (forward, backward)
        ],
        # To whom a column belongs is the kernel's affair: the backward is asked for grad_a alone.
        "huge": [
            {"op": op, "n": n, "nb": nb if op == forward else n, "block": 256, "alpha": 1.5,
             "grid": -(-n // (each * 256)), "sparse": each, "need": ["grad_a"]}
            for n, nb, each in HUGE
            for op in (forward, backward)
        ],
        "perf": [
            {"op": op, "n": 1 << 14, "nb": nb, "grid": 8, "block": 256, "alpha": 1.0, "perf": True}
            for op, nb in ((forward, 1 << 14), (backward, 128))
        ],
    }  # fmt: skip
    return plans[group]


def _sizes(draw: Draw, params: dict[str, Any]) -> list[dict[str, Any]]:
    """Plan launches of many sizes: first too few threads in narrow blocks, then any grid.

    Last come the ends of what a block may be, with fewer threads than elements, with more, and with
    as many.
    """
    # Not a multiple of 4, so that a tail remains.
    n = 4 * draw.integer(1000, 1249) + draw.integer(1, 3)
    block = draw.integer(33, 250)
    few = params | {"n": n, "block": block, "grid": draw.integer(1, n // block - 2)}
    others = (1, draw.integer(2, 40), draw.integer(65, 300), draw.integer(900, 1300))
    ends = [
        params | {"n": size, "block": block, "grid": grid}
        for block in BLOCKS
        for grid in (draw.integer(2, 3),)
        for size in (grid * block + draw.integer(1, 9), grid * block - 1, grid * block)
    ]
    every = (few, *(params | {"n": n} for n in others), *ends)
    return [_grid(draw, each) for each in every]


def _blocks(draw: Draw, params: dict[str, Any]) -> dict[str, Any]:
    """Add a grid of at least two blocks, so that these meet in a column."""
    block = draw.integer(33, 250)
    grid = draw.integer(2, params["n"] // block + 3)
    return _grid(draw, params | {"block": block, "grid": grid})


def _grid(draw: Draw, params: dict[str, Any]) -> dict[str, Any]:
    """Add a grid where none is given: too few threads, too many, or as many as are needed."""
    n = params["n"]
    block = draw.choice(
        (draw.integer(1, 31), 32, draw.integer(33, 250), 256, draw.integer(257, 600))
    )
    enough = -(-max(n, 1) // block)
    grid = draw.choice((1, max(1, enough // 2), enough, enough + draw.integer(1, 3)))
    if draw.chance(0.2):
        block, grid = _exact(n) or (block, grid)
    alpha = draw.choice((1.0, -1.0, 0.5, 2.75))
    return {"nb": max(n, 1), "alpha": alpha, "block": block, "grid": min(grid, 700)} | params


def _exact(n: int) -> tuple[int, int] | None:
    """Give a block and a grid with as many threads as there are elements."""
    fits = [block for block in range(2, min(n, 600) + 1) if n % block == 0]
    return (fits[-1], n // fits[-1]) if fits else None


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Build a launch and what the oracle needs to know of it."""
    n, nb = params["n"], params["nb"]
    values = {name: params[name] for name in ("grid", "block", "n", "nb", "alpha")}
    first = n
    if "sparse" in params:
        values["sparse"] = LAST_BLOCKS
        first = n - (params["sparse"] * params["grid"] - LAST_BLOCKS) * params["block"]
    a_spread, b_spread = params.get("spread", (1.0, 1.0))
    is_forward = params["op"] == "forward"
    if is_forward and ("edge" in params or "zeros" in params):
        rows = EDGES[params["edge"]] if "edge" in params else ZEROS[params["zeros"]]
        a, b, values["alpha"] = rows
        left, right = torch.tensor(a), torch.tensor(b)
    elif "edge" in params:
        row, values["alpha"] = BACKWARD_EDGES[params["edge"]]
        left = torch.tensor(row)
    else:
        left = draw.normal([first]) * a_spread
        right = draw.normal([nb]) * b_spread if is_forward else torch.empty(0)
    dtype = torch.float32
    need = params.get("need", ["grad_a", "grad_b"])
    if is_forward:
        values |= {"a": left, "b": right}
        outputs = {"out": (dtype, [first])}
        if params.get("inplace"):
            values["in_place"] = 1
    else:
        values["grad_out"] = left
        shapes = {"grad_a": [first], "grad_b": [nb]}
        outputs = {name: (dtype, shapes[name]) for name in need}
    phases = dict(zip(("a", "b", "out") if is_forward else ("grad_out", "grad_a", "grad_b"),
                      params.get("phases", ()), strict=False))  # fmt: skip
    is_large = n > 100_000
    steps = launches(
        params["op"], values, outputs,
        seed=draw.integer(0, 2**31), offsets=phases, check=not is_large,
        counts=bool(params.get("perf")), results=["strays"] if "sparse" in params else [],
    )  # fmt: skip
    secret = {"first": first, **params, "alpha": values["alpha"]}
    return Case(steps=steps, secret=secret, shown=dict(values))


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler launches: fewer elements, one block, plain numbers."""
    n, nb = params["n"], params["nb"]
    if "sparse" in params or "edge" in params or "zeros" in params:
        return
    for smaller in (1, 2, 3, 5, 8, 33, n // 2):
        if 0 < smaller < n:
            yield (
                params
                | {"n": smaller, "nb": smaller if nb == n else min(nb, smaller)}
                | ({} if nb == n or smaller % min(nb, smaller) == 0 else {"nb": 1})
            )
    if params["grid"] > 1:
        yield params | {"grid": 1}
    if params["block"] > 1:
        yield params | {"block": max(1, params["block"] // 2)}
    if params["alpha"] != 1.0:
        yield params | {"alpha": 1.0}
