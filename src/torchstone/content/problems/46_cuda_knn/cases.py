"""Draw the clouds of problem 46: every tile has an end, and no order depends on a rounding.

Whole-number coordinates make every distance exact, so that ties are ties; elsewhere a query whose
neighbours lie at nearly the same distance is drawn again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, launches

# Ties come before what is not there at all, and both before lengths and scales.
GROUPS = ("sample", "small", "ties", "edge", "ragged", "scale", "large", "perf")

UNIT = 2.0**-24
# Two right answers differ by less than a quarter of it.
MARGIN = 64 * UNIT
# Distances of such coordinates are below 2**24: float32 holds them, however they are summed up.
MOST_COORDINATE = 1000
PERF = 512
# Wrong sizes come with buffers all the same, in which nothing may change.
UNTOUCHED = 8
# One shape for all of them: what is kept from one call is wrong in the next.
SCALED = {"B": 1, "M": 61, "N": 173, "K": 9}
SCALES = ("far", "shifted", "tiny", "huge", "flat", "apart")
TIES = ("lattice", "one_point", "itself", "descending", "copies", "line")

Points = Callable[[int], torch.Tensor]


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    if group == "small":
        return _small(draw)
    if group == "ties":
        return [_tied(draw, kind) for kind in (*TIES, "lattice", "copies")]
    if group == "edge":
        return _edge(draw)
    if group == "ragged":
        return _ragged(draw)
    plans: dict[str, list[dict[str, Any]]] = {
        # As the statement shows it.
        "sample": [_whole(2, 64, 64, 4)],
        "scale": [{**SCALED, "cloud": cloud} for cloud in SCALES],
        "large": [
            {"B": 1, "M": M, "N": 3000, "K": 12, "cloud": cloud}
            for M, cloud in ((1500, "cube"), (300, "inward"))
        ],
        "perf": [{"B": 1, "M": PERF, "N": PERF, "K": 4, "cloud": "cube"}],
    }
    return plans[group]


def _whole(B: int, M: int, N: int, K: int, **others: Any) -> dict[str, Any]:
    return {"B": B, "M": M, "N": N, "K": K, "cloud": "whole", **others}


def _small(draw: Draw) -> list[dict[str, Any]]:
    """Plan shapes around the tiles that there may be; K is never larger than N."""

    def around(size: int) -> int:
        return size + draw.choice((-1, 1))

    shapes = (
        # The first tile of anybody is not full, and each thread block has idle threads.
        (1, draw.integer(33, 60), draw.integer(17, 31), draw.integer(1, 4)),
        # The clouds of a batch, and tiles but the first.
        (2, around(32), around(64), 1),
        (3, draw.integer(20, 50), draw.integer(66, 100), draw.integer(9, 16)),
        # Lists of more than sixteen.
        (1, around(128), around(128), draw.integer(17, 31)),
        (2, draw.integer(65, 90), draw.integer(130, 190), 32),
        # Few queries of many points, and many of few.
        (1, 1, around(256), draw.integer(2, 6)),
        (1, around(256), draw.integer(40, 63), draw.integer(5, 12)),
        (4, draw.integer(2, 9), draw.integer(280, 330), draw.integer(2, 32)),
        (1, draw.integer(3, 20), around(draw.choice((512, 1024))), draw.integer(7, 10)),
        (2, 1, 1, 1),
    )
    return [
        # Of every other case no pointer is a multiple of 8.
        _whole(*shape, phases=[draw.choice((4, 12) if number % 2 == 0 else (0, 4, 8, 12))
                               for _ in range(4)],
               full_lengths=draw.chance(0.4), again=number in (0, 4))
        for number, shape in enumerate(shapes)
    ]  # fmt: skip


def _tied(draw: Draw, kind: str) -> dict[str, Any]:
    K = 3 * draw.integer(1, 4) + draw.integer(1, 2)
    M, N = draw.integer(50, 80), 3 * draw.integer(30, 50)
    if kind == "itself":
        M = N
    return {"B": draw.integer(1, 2), "M": M, "N": N, "K": K, "cloud": kind}


def _edge(draw: Draw) -> list[dict[str, Any]]:
    """Plan what is not there: points, queries, clouds; and sizes that nothing can be done with."""
    few, some = draw.integer(1, 5), draw.integer(30, 70)
    return [
        _whole(2, some, few, draw.integer(few + 1, 32)),
        _whole(1, some, draw.integer(20, 31), 32),
        _whole(2, draw.integer(3, 70), 0, draw.integer(1, 32)),
        _whole(1, draw.integer(3, 70), 0, 1),
        _whole(draw.integer(1, 3), 0, some, 5),
        _whole(0, some, some, 5),
        *(_whole(1, M, some, 5) | {"ended": True} for M in (1, some)),
        *(
            _whole(1, some, some, 5) | wrong | {"refused": True}
            for wrong in (
                {"K": 0},
                {"K": 33},
                {"K": draw.choice((-1, 64, 1000))},
                {"B": -draw.integer(1, 3)},
                {"M": -draw.integer(1, 300)},
                {"N": -draw.integer(1, 300)},
            )
        ),
    ]


def _ragged(draw: Draw) -> list[dict[str, Any]]:
    """Plan clouds of different lengths; what lies behind them is near, or no number."""
    plans = []
    for filling, sides in (
        ("decoys", ["query_len", "ref_len"]),
        ("decoys", ["ref_len"]),
        ("nan", ["query_len"]),
        ("nan", ["query_len", "ref_len"]),
        ("decoys", ["query_len", "ref_len"]),
    ):
        M, N, K = draw.integer(40, 100), draw.integer(70, 150), draw.integer(2, 32)
        # Nothing, everything, and something between, at any place.
        lengths = {
            side: _shuffled(draw, [0, size, draw.integer(2, size // 2), draw.integer(33, size - 1)])
            for side, size in (("query_len", M), ("ref_len", N))
            if side in sides
        }
        plans.append(_whole(4, M, N, K, filling=filling, **lengths))
    return plans


def _shuffled(draw: Draw, items: list[int]) -> list[int]:
    order = torch.randperm(len(items), generator=draw.generator)
    return [items[place] for place in order.tolist()]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Build a call and what the oracle needs to know of it."""
    B, M, N, K = (params[name] for name in "BMNK")
    is_refused, is_ended = bool(params.get("refused")), bool(params.get("ended"))
    shape = [UNTOUCHED] if is_refused else [B, M, K]
    query, ref = _clouds(params, draw)
    values: dict[str, Any] = {"B": B, "M": M, "N": N, "K": K, "query": query, "ref": ref}
    for name, size in (("query_len", M), ("ref_len", N)):
        lengths = [size] * B if params.get("full_lengths") else params.get(name)
        if lengths is not None:
            values[name] = torch.tensor(lengths, dtype=torch.int32)
    if is_ended:
        values["stream_has_ended"] = 1
    is_large = group == "large"
    launches_nothing = is_refused or B * M == 0
    steps = launches(
        "knn", values, {"dist": (torch.float32, shape), "idx": (torch.int32, shape)},
        seed=draw.integer(0, 2**31),
        offsets=dict(zip(("query", "ref", "dist", "idx"), params.get("phases", ()), strict=False)),
        results=["status"],
        orders=["random"] if is_large else ["ascending", "descending", "random"],
        check=not (is_large or is_ended), counts=group == "perf" or launches_nothing,
    )  # fmt: skip
    secret = {**params, "group": group, "launches_nothing": launches_nothing}
    return Case(steps=steps, secret=secret, shown=dict(values))


def _clouds(params: dict[str, Any], draw: Draw) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw queries (B, M, 3) and points (B, N, 3), with what lies behind their lengths."""
    B, M, N = (max(params[name], 0) for name in "BMN")
    if params.get("refused"):
        return _whole_numbers(draw, 9)(UNTOUCHED), _whole_numbers(draw, 9)(UNTOUCHED)
    num_queries = params.get("query_len", [M] * B)
    num_points = params.get("ref_len", [N] * B)
    query, ref = torch.zeros(B, M, 3), torch.zeros(B, N, 3)
    for b in range(B):
        cloud = _cloud(params["cloud"], draw, num_queries[b], num_points[b], params["K"])
        query[b, : num_queries[b]], ref[b, : num_points[b]] = cloud
        query[b, num_queries[b] :] = _filling(params, draw, ref[b], M - num_queries[b])
        # Behind its end a cloud goes on where the queries are.
        ref[b, num_points[b] :] = _filling(params, draw, query[b], N - num_points[b])
    return query, ref


def _filling(params: dict[str, Any], draw: Draw, others: torch.Tensor, count: int) -> torch.Tensor:
    if params.get("filling") != "decoys" or not len(others):
        return torch.full((count, 3), torch.nan)
    return others[draw.integers([count], 0, len(others) - 1)]


def _cloud(kind: str, draw: Draw, M: int, N: int, K: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw the queries (M, 3) and points (N, 3) of one cloud."""
    if kind in TIES:
        return _tied_cloud(kind, draw, M, N)
    if kind == "far":
        # Within 0.01 of 3000, where a float32 steps by 2**-12: distances are exact, and tie.
        query, ref = (_whole_numbers(draw, 40)(n) * 2.0**-12 + 3000 for n in (M, N))
        return query, ref
    if kind == "inward":
        # Each point is nearer to every query than all before it.
        way = _cube(draw)(N)
        radius = torch.linspace(30.0, 1.0, N)[:, None]
        ref = way / way.norm(dim=1, keepdim=True) * radius
        return _settled(lambda n: _cube(draw)(n) * 1e-3, ref, M, K), ref
    points = _points(kind, draw)
    ref = points(N)
    return _settled(points, ref, M, K), ref


def _points(kind: str, draw: Draw) -> Points:
    """Give what draws any number of points of a cloud."""
    cube = _cube(draw)
    offset = torch.tensor([draw.integer(-9000, 9000), 20.0, draw.integer(-300, 300)])
    kinds: dict[str, Points] = {
        "whole": _whole_numbers(draw, MOST_COORDINATE),
        "cube": cube,
        "shifted": lambda n: cube(n) + offset,
        "tiny": lambda n: cube(n) * 1e-12,
        "huge": lambda n: cube(n) * 1e17,
        "flat": lambda n: cube(n) * torch.tensor([1e3, 1.0, 1e-3]),
        "apart": lambda n: cube(n) + 1e5 * draw.integers([n, 1], 0, 1, torch.float32),
    }
    return kinds[kind]


def _whole_numbers(draw: Draw, most: int) -> Points:
    return lambda n: draw.integers([n, 3], -most, most, torch.float32)


def _cube(draw: Draw) -> Points:
    # All bits of a float32, whatever the draw is rounded to: one decimal would tie everywhere.
    return lambda n: draw.integers([n, 3], -(2**23), 2**23).float() * 2.0**-22


def _settled(points: Points, ref: torch.Tensor, M: int, K: int) -> torch.Tensor:
    """Draw queries, again and again those whose order of neighbours is a matter of rounding."""
    query = points(M)
    waiting = torch.arange(M)
    while len(waiting):
        waiting = waiting[_has_near_tie(query[waiting], ref, K)]
        query[waiting] = points(len(waiting))
    return query


def _has_near_tie(query: torch.Tensor, ref: torch.Tensor, K: int) -> torch.Tensor:
    """Tell which queries have two distances nearly the same, the K-th and the next included."""
    distances = _squared_distances(query, ref)
    near = distances.topk(min(K + 1, len(ref)), largest=False).values
    near = torch.cat([torch.zeros(len(query), 1, dtype=near.dtype), near], dim=1)
    return ((near[:, 1:] - near[:, :-1]) <= MARGIN * near[:, 1:]).any(dim=1)


def _squared_distances(query: torch.Tensor, ref: torch.Tensor) -> torch.Tensor:
    """Compute all squared distances in float64, from differences: (M, 3), (N, 3) -> (M, N)."""
    total = torch.zeros(len(query), len(ref), dtype=torch.float64)
    for left, right in zip(query.double().T, ref.double().T, strict=True):
        total += (left[:, None] - right).square_()
    return total


def _tied_cloud(kind: str, draw: Draw, M: int, N: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Draw whole numbers among which the same distance comes again and again."""
    lattice = _whole_numbers(draw, 2)
    query, ref = lattice(M), lattice(N)
    if kind == "one_point":
        ref = ref[:1].repeat(N, 1)
    elif kind == "itself":
        query = ref.clone()
    elif kind == "descending":
        ref = ref[ref.square().sum(dim=1).argsort(descending=True, stable=True)]
        query[: M // 2] = 0
    elif kind == "copies":
        ref = _whole_numbers(draw, 9)(N // 3).repeat(3, 1)
    elif kind == "line":
        # Left and right of a query are equally far.
        ref = torch.zeros(N, 3)
        ref[:, 0] = torch.randperm(N, generator=draw.generator) - N // 2
        query[:, 1:] = 0
    return query, ref


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler calls: fewer clouds, points, queries and neighbours, aligned pointers."""
    if {"refused", "ended"} & params.keys() or params["cloud"] in ("inward", "copies", "itself"):
        return
    for name in ("phases", "full_lengths"):
        if params.get(name):
            yield {key: item for key, item in params.items() if key != name}
    if "filling" in params:
        return
    for name in "BMNK":
        size = params[name]
        for smaller in (1, 2, 3, 4, 8, size // 2, size - 1):
            if 0 < smaller < size:
                yield params | {name: smaller}
