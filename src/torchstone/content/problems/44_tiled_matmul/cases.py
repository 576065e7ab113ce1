"""Draw the products of problem 44: shapes around every tile, rows with gaps, pointers of any phase.

Up to the group ``scale`` all values have six bits: sums are exact in any order, and in any type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, launches
from torchstone.judge.kit.native import ORDERS

# Which element goes where comes before how it is rounded, and both before sizes and speed.
GROUPS = (
    "sample", "small", "edge", "layout", "scale", "huge", "tall", "wide", "large", "perf",
)  # fmt: skip

PERF = 96
# The row stride of the group `huge`: row 32 lies beyond 2 ** 31 elements, row 64 beyond 2 ** 32.
FAR_STRIDE, FAR_ROWS = 2**26 + 8, 70
# More rows than 65535 tiles of 32 rows. They repeat, so that few have to be sent.
TALL, WIDE, ROWS_GIVEN = 2_100_001, 300_001, 4099
PRIMES = (17, 19, 23, 29, 31, 37, 41, 43)
PHASES = (0, 4, 8, 12)
# What a call with bad sizes gets all the same, and must leave alone.
UNTOUCHED = 8
INF, NAN = torch.inf, torch.nan


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    if group == "small":
        return [{"shape": shape} for shape in _small_shapes(draw)]
    if group == "edge":
        return _edges(draw)
    if group == "layout":
        return _layouts(draw)
    if group == "scale":
        return _scales(draw)
    plans: dict[str, list[dict[str, Any]]] = {
        # Twice the same shape: the second product is not the first.
        "sample": [{"shape": [64, 64, 64]}, {"shape": [64, 64, 64], "once": "random"}],
        "huge": [
            {"op": "far", "shape": [FAR_ROWS, draw.integer(5, 20), draw.integer(5, 20)], "far": 0},
            {"op": "far", "shape": [draw.integer(5, 20), draw.integer(5, 20), FAR_ROWS], "far": 1},
            {"op": "far", "shape": [FAR_ROWS, draw.integer(5, 20), draw.integer(5, 20)], "far": 2},
        ],
        "tall": [{"op": "long", "shape": [TALL, 1, 2], "rows_given": ROWS_GIVEN}],
        "wide": [{"op": "long", "shape": [1, WIDE, 2], "rows_given": 1}],
        "large": [{"shape": [300, 260, 500], "values": "normal", "once": "descending"}],
        "perf": [{"shape": [PERF] * 3, "values": "normal", "perf": True}],
    }
    return plans[group]


def _small_shapes(draw: Draw) -> list[list[int]]:
    def near(size: int) -> int:
        return size + draw.integer(-1, 1)

    def prime() -> int:
        return draw.choice(PRIMES)

    # M, N, K. Whoever loads four at a time finds multiples of 4 in some, and tails in others.
    return [
        [1, 1, 1],
        [1, draw.integer(33, 47), draw.integer(33, 47)],
        [draw.integer(33, 47), 1, draw.integer(33, 47)],
        [prime(), prime(), 1],
        [prime(), prime(), prime()],
        [prime(), prime(), prime()],
        [near(16), near(16), near(16)],
        [near(32), near(32), near(32)],
        [near(64), draw.integer(9, 22), near(24)],
        [draw.integer(9, 22), near(64), near(40)],
        [32, 32, 32 + draw.integer(1, 15)],
        [32 + draw.integer(1, 15), 32 + draw.integer(1, 15), 32],
        [4 * draw.integer(5, 9), 4 * draw.integer(5, 9), 4 * draw.integer(5, 9)],
        [draw.integer(2, 7), draw.integer(2, 7), draw.integer(129, 150)],
    ]


def _edges(draw: Draw) -> list[dict[str, Any]]:
    m, n, k = (draw.integer(17, 40) for _ in range(3))
    tail = 16 * draw.integer(1, 2) + draw.integer(1, 7)
    refused = {"shape": [m, n, k], "status": 1}
    return [
        {"shape": [m, n, 0]},
        {"shape": [1, 1, 0]},
        {"shape": [0, n, k]},
        {"shape": [m, 0, k]},
        *({"shape": [m, n, tail + i], "values": f"special_{factor}"}
          for factor in "BA" for i in range(2)),
        *(refused | {"strides": [k - (i == 0), n - (i == 1), n - (i == 2)]} for i in range(3)),
        *(refused | {"shape": [-m if i == j else size for j, size in enumerate((m, n, k))],
                     "strides": [k, n, n]} for i in range(3)),
        # With K = 0 a row of A has no element, and a stride of 1 nevertheless.
        refused | {"shape": [m, n, 0], "strides": [0, n, n]},
        # This is looked at before anybody finds C empty.
        *(refused | {"shape": [0, n, k], "strides": [k - (i == 0), n - (i == 1), n - (i == 2)]}
          for i in range(3)),
        *(refused | {"shape": [m, 0, k], "strides": strides}
          for strides in ([k - 1, 1, 1], [k, 0, 1], [k, 1, 0])),
        refused | {"shape": [0, n, -k], "strides": [k, n, n]},
        # What has no elements has no memory either.
        *({"shape": shape, "null": True} for shape in ([m, n, 0], [0, n, k], [m, 0, k], [0, 0, 0])),
    ]  # fmt: skip


def _layouts(draw: Draw) -> list[dict[str, Any]]:
    def sizes() -> list[int]:
        return [draw.integer(17, 40), 4 * draw.integer(5, 9), 4 * draw.integer(5, 9)]

    def odd_pad() -> int:
        return draw.choice((1, 2, 3, 5, 6, 7, 9, 10, 11))

    def only(i: int, value: int) -> list[int]:
        return [value if i == j else 0 for j in range(3)]

    # With K and N multiples of 4, each matrix in turn has rows or an address that are none. Where C
    # has gaps a tile of any size reaches into them.
    return [
        *({"shape": sizes(), "pads": only(i, odd_pad())} for i in range(2)),
        {"shape": [draw.integer(17, 40), 4 * draw.choice((5, 7, 9)), 4 * draw.integer(5, 9)],
         "pads": only(2, odd_pad())},
        *({"shape": sizes(), "offsets": only(i, draw.choice((4, 8, 12)))} for i in range(3)),
        {"shape": sizes(), "pads": [draw.choice((4, 8)) for _ in range(3)], "again": True},
        *({"shape": [draw.integer(9, 40) for _ in range(3)],
           "pads": [draw.integer(1, 11) for _ in range(3)],
           "offsets": [draw.choice(PHASES) for _ in range(3)]} for _ in range(3)),
        {"shape": [draw.integer(9, 40), draw.integer(9, 40), 0],
         "pads": [draw.integer(1, 11) for _ in range(3)]},
    ]  # fmt: skip


def _scales(draw: Draw) -> list[dict[str, Any]]:
    def sizes() -> list[int]:
        return [draw.integer(20, 40) for _ in range(3)]

    normal = {"values": "normal"}
    spreads = ((1.0, 1.0), (1e12, 1e-12), (1e-12, 1e12), (1e12, 1e12), (1e-12, 1e-12))
    ones = {"shape": [draw.integer(5, 9), draw.integer(5, 9), 600], "values": "ones"}
    return [
        *(normal | {"shape": sizes(), "spread": list(spread)} for spread in spreads),
        ones | {"once": "random"},
        normal | {"shape": [draw.integer(20, 40), draw.integer(20, 40), 1]},
    ]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Build a call and what the oracle needs to know of it."""
    m, n, k = params["shape"]
    operation = params.get("op", "matmul")
    strides = _strides(params)
    refused = bool(params.get("status"))
    left, right = _values(params, draw)
    # What the launcher spreads over gigabytes is sent row by row.
    gaps = [k, n, n] if operation != "matmul" else strides
    if refused:
        flat = [torch.ones(UNTOUCHED), torch.ones(UNTOUCHED)]
        length = UNTOUCHED
    else:
        flat = [_spread(left, gaps[0]), _spread(right, gaps[1])]
        length = flat_length(m, n, gaps[2])
    values: dict[str, Any] = {"M": m, "N": n, "K": k, "A": flat[0], "B": flat[1]}
    values |= dict(zip(("lda", "ldb", "ldc"), strides, strict=True))
    if operation == "long":
        values["rows_given"] = params["rows_given"]
    for name, is_set in (("is_refused", refused), ("null", params.get("null"))):
        if is_set:
            values[name] = 1
    once = params.get("once", "random" if operation != "matmul" or "perf" in params else None)
    steps = launches(
        operation, values, {"C": (torch.float32, [length])},
        seed=draw.integer(0, 2**31),
        offsets=dict(zip(("A", "B", "C"), params.get("offsets", (0, 0, 0)), strict=True)),
        results=["status", *RESULTS.get(operation, ())],
        orders=[once] if once else ORDERS,
        check=once is None or "perf" in params, counts="perf" in params or refused or 0 in (m, n),
    )  # fmt: skip
    secret = {**params, "strides": strides, "A": left, "B": right}
    return Case(steps=steps, secret=secret, shown={**values, "A": left, "B": right})


# What the launcher counts besides: words written between rows of C, elements that nobody wrote.
RESULTS = {"matmul": ("strays",), "long": ("unwritten",)}


def flat_length(rows: int, width: int, stride: int) -> int:
    """Give the length of a matrix in memory; the last row ends with its last used element."""
    return (rows - 1) * stride + width if rows > 0 and width > 0 else 0


def _strides(params: dict[str, Any]) -> list[int]:
    _, n, k = params["shape"]
    if "strides" in params:
        return list(params["strides"])
    strides = [max(width, 1) + pad for width, pad in
               zip((k, n, n), params.get("pads", (0, 0, 0)), strict=True)]  # fmt: skip
    if "far" in params:
        strides[params["far"]] = FAR_STRIDE
    return strides


def _spread(matrix: torch.Tensor, stride: int) -> torch.Tensor:
    """Lay rows out in memory; what lies between them is NaN."""
    rows, width = matrix.shape
    flat = torch.full((flat_length(rows, width, stride),), NAN)
    if flat.numel():
        flat.as_strided((rows, width), (stride, 1)).copy_(matrix)
    return flat


def _values(params: dict[str, Any], draw: Draw) -> tuple[torch.Tensor, torch.Tensor]:
    m, n, k = (max(size, 0) for size in params["shape"])
    kind = params.get("values", "few_bits")
    left_shape, right_shape = [params.get("rows_given", m), k], [k, n]
    if kind == "ones":
        return torch.ones(left_shape), torch.ones(right_shape)
    if kind == "normal":
        a, b = params.get("spread", (1.0, 1.0))
        return draw.normal(left_shape, scale=a), draw.normal(right_shape, scale=b)
    # So that the launcher can tell a product from nothing, those of the longest are never zero.
    least = 1 if params.get("op") == "long" else -32
    left, right = _few_bits(left_shape, draw, least), _few_bits(right_shape, draw, least)
    if kind == "special_B":
        _make_special(left, right, draw)
    elif kind == "special_A":
        _make_special(right.T, left.T, draw)
    return left, right


def _few_bits(shape: list[int], draw: Draw, least: int) -> torch.Tensor:
    return draw.integers(shape, least, 32).float() / 8


def _make_special(zeros: torch.Tensor, specials: torch.Tensor, draw: Draw) -> None:
    """Put zeros into one factor and infinities and NaN into the other, in place.

    Args:
        zeros: (rows, K)
        specials: (K, columns)
    """
    rows, k = zeros.shape
    zeros[draw.uniform([rows, k], 0, 1) < 0.2] = 0.0
    # Column 0 meets 0 times infinity in one row, and one infinity at the very end in the others.
    zeros[:, k - 1] = 1.5
    zeros[draw.integer(1, rows - 1), k - 1] = 0.0
    specials[k - 1, 0] = INF
    for column, special in enumerate((-INF, NAN, INF), start=1):
        specials[draw.integer(0, k - 1), column] = special
    specials[draw.integer(0, k // 2), 4] = INF
    specials[draw.integer(k // 2 + 1, k - 1), 4] = -INF


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler calls: smaller matrices, no gaps, aligned pointers."""
    shape = params["shape"]
    if {"op", "status", "perf", "strides"} & set(params):
        return
    special = str(params.get("values")).startswith("special")
    least = 6 if special else 1
    for smaller in (least, 2, 3, 5, 17, 33):
        if least <= smaller < max(shape):
            yield params | {"shape": [min(size, smaller) for size in shape]}
    for i, size in enumerate(shape):
        for smaller in (least, 2, 3, 4, 5, 8, 16, 17, 33):
            if least <= smaller < size:
                yield params | {"shape": [*shape[:i], smaller, *shape[i + 1 :]]}
    for name in ("pads", "offsets"):
        if any(params.get(name, ())):
            yield {key: item for key, item in params.items() if key != name}
