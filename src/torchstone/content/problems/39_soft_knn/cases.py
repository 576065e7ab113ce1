"""Draw clouds for problem 39: clear ranks, exact ties, far from the origin, and large ones.

Legend: N queries, M points, D coordinates, C entries of a value; d squared distances.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, call, lay_out, refusals
from torchstone.judge.kit import shrink as shrink_sizes

Params = dict[str, Any]
Tensor = torch.Tensor

GROUPS = ("sample", "small", "edge", "scale", "layout", "perf")
DTYPES = {"float32": torch.float32, "float64": torch.float64}
OFFSETS = {"float32": 1000.0, "float64": 1e6}
# The ranks of a query are this far apart, as a share of its largest distance: no rounding, and no
# temperature from which the hard neighbours are asked, brings them together.
GAP = 1e-3
# From here on the result is that of the hard neighbours.
HARD = 1e-9
LAYOUTS = ("transposed", "stepped", "offset", "expanded")
POSITIONAL = ("query", "points", "k", "temperature", "values", "chunk_size", "return_weights")
FIELDS = ("neighbors", "distances", "weights?")


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the inputs of one case."""
    return BUILDERS[params["op"]](params, draw)


def shrink(params: Params) -> Iterator[Params]:
    """Yield simpler parameters of a call; the others have the sizes that they measure."""
    if params["op"] in ("soft", "without_gradients"):
        yield from shrink_sizes(params)


def _soft(**options: Any) -> Params:
    base: Params = {"op": "soft", "lead": [], "n": 4, "m": 6, "d": 3, "k": 3, "tau": 0.5}
    # C = 0: no values are given. A learned temperature is a tensor.
    base |= {"c": 0, "chunk": 0, "weights": False, "learned": False, "cloud": "plain"}
    base |= {"layout": "contiguous", "style": "keyword", "dtype": "float64", "twice": True}
    return base | {"wrt": ["query", "points"]} | options


def _once(**options: Any) -> Params:
    """Return a call that is not repeated: other groups look for what changes from call to call."""
    return _soft(twice=False, **options)


def _together(**parts: Params) -> Params:
    return {"parts": {name.replace("_", " "): part for name, part in parts.items()}}


def _sample(draw: Draw) -> list[Params]:
    learned = {"learned": True, "wrt": ["query", "points", "temperature"]}
    return [
        _together(
            plain=_soft(),
            values=_soft(c=2, m=7, **learned | {"wrt": [*learned["wrt"], "values"]}),
            single=_soft(dtype="float32", n=3, tau=1, **learned),
            weights=_soft(weights=True, k=2, tau=0.8),
        )
    ]


def _small(draw: Draw) -> list[Params]:
    every = ["query", "points", "values", "temperature"]
    learned = {"learned": True, "wrt": every}
    chunked = {"n": 10, "m": draw.integer(6, 8), "c": 2}
    return [
        _together(
            **{
                f"chunk_{chunk}": _soft(chunk=chunk, **chunked | learned, style=style)
                for chunk, style in ((1, "keyword"), (3, "positional"), (4, "keyword"))
            },
            chunk_100=_soft(chunk=100, **chunked, wrt=["query", "points", "values"]),
            chunk_10=_soft(chunk=10, n=10, dtype="float32"),
            chunk_and_batch=_soft(chunk=2, lead=[3], n=3, c=4, **learned),
            chunk_and_weights=_soft(chunk=2, n=3, weights=True),
        ),
        _together(
            batch=_soft(lead=[draw.integer(2, 3)], n=3, c=draw.integer(1, 4), **learned),
            two_batches=_soft(lead=[2, 3], n=2, dtype="float32"),
            one_dimension=_soft(d=1, m=5, k=2),
            eight_dimensions=_soft(d=8, m=draw.integer(5, 9), style="positional"),
            all_of_them=_soft(m=5, k=5, n=3, c=1, **learned),
            all_of_them_in_chunks=_soft(m=4, k=4, chunk=2, n=3),
            one_of_many=_soft(k=1, m=9),
            one_point=_soft(m=1, k=1, wrt=["query", "points"]),
            one_point_with_values=_soft(m=1, k=1, c=2, wrt=["query", "points", "values"]),
            more_queries_than_points=_soft(n=9, m=4, weights=True, c=5),
        ),
        # One argument alone is differentiated.
        _together(
            **{
                f"only_{name}{'_in_chunks' if chunk else ''}": _soft(
                    c=2, n=3, chunk=chunk, wrt=[name], learned=name == "temperature"
                )
                for name in every
                for chunk in (0, 2)
            }
        ),
        _together(
            no_query=_soft(n=0),
            no_query_in_chunks=_soft(n=0, chunk=4, c=2, lead=[2]),
            no_query_and_weights=_soft(n=0, weights=True, dtype="float32"),
        ),
        _soft(op="without_gradients", chunk=2, n=3, c=2, learned=True, wrt=["query", "values"]),
        _soft(op="without_gradients", weights=True, dtype="float32"),
    ]


def _edge(draw: Draw) -> list[Params]:
    ties = {"cloud": "lattice", "d": 2, "m": 9, "k": 4, "n": 5, "tau": 0.7}
    learned = {"learned": True, "wrt": ["query", "points", "temperature"]}
    same = {"cloud": "one place", "m": 5, "k": 5, "tau": 0.5}
    itself = {"cloud": "itself", "m": 7, "k": 3, "n": 4}
    return [
        _together(
            itself=_soft(**itself, **learned),
            itself_in_chunks=_soft(**itself, chunk=3, dtype="float32"),
            itself_with_values=_soft(**itself, c=2, wrt=["query", "values"]),
            ties=_soft(**ties, c=2, learned=True, wrt=["query", "points", "values", "temperature"]),
            ties_in_single=_soft(**ties, weights=True, dtype="float32"),
            ties_in_chunks=_soft(**ties, chunk=2, **learned),
            one_place=_soft(**same, weights=True),
            one_place_in_single=_soft(**same, c=3, dtype="float32", wrt=["values", "points"]),
        ),
        {"op": "refuse"},
    ]


def _scale(draw: Draw) -> list[Params]:
    taus = (1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-12)
    cases: list[Params] = []
    for dtype in DTYPES:
        parts = {}
        for number, tau in enumerate(taus):
            hard = tau <= HARD
            how: Params = {"dtype": dtype, "tau": tau, "m": draw.integer(6, 8), "n": 3}
            how |= {"chunk": 2 if number % 2 else 0, "c": 0 if hard else 2, "learned": number > 2}
            wrt = ["query", "points"]
            if tau >= 1e-2:
                how["learned"], wrt = True, [*wrt, "values", "temperature"]
            parts[f"{dtype}, temperature {tau:g}"] = _once(**how, wrt=wrt)
        for tau in (1e-9, 1e-12):
            weights = {"dtype": dtype, "tau": tau, "weights": True, "c": 2}
            parts[f"{dtype}, weights, {tau:g}"] = _once(**weights)
            itself = {"dtype": dtype, "tau": tau, "cloud": "itself", "m": 6, "chunk": 3}
            parts[f"{dtype}, itself, {tau:g}"] = _once(**itself)
        cases.append({"parts": parts})
    # Above 25 points the default of cdist is a matrix product.
    far: Params = {"cloud": "far", "n": 3, "m": 30}
    warm = {"learned": True, "wrt": ["query", "points", "values", "temperature"], "c": 2}
    ties = {"cloud": "lattice", "d": 2, "m": 9, "k": 4, "n": 4}
    cases.append(
        _together(
            temperature_50=_once(tau=50, **warm),
            temperature_10000=_once(tau=1e4, **warm),
            temperature_10000_in_single=_once(tau=1e4, dtype="float32", chunk=3, **warm),
            far=_once(**far, **warm),
            far_points=_once(**far, tau=0.3, chunk=2),
            far_in_single=_once(**far, **warm, dtype="float32", chunk=2),
            far_points_in_single=_once(**far, dtype="float32", weights=True),
            far_and_cold=_once(**far, tau=1e-3, c=2, dtype="float64"),
            cold_ties=_once(**ties, tau=1e-3, weights=True),
            coldest_ties=_once(**ties, tau=1e-9, c=2, wrt=["values"]),
            # So small that the weights are neither 0 nor 1, and the choice has a gradient.
            small_and_cold=_once(cloud="small", tau=1e-2, **warm),
            small_and_cold_in_chunks=_once(cloud="small", tau=1e-2, chunk=2, **warm),
            small_and_cold_in_single=_once(cloud="small", tau=1e-2, dtype="float32", **warm),
        )
    )
    # Colder, and soft nevertheless: a temperature that was raised shows, however small its bound.
    soft: dict[str, Params] = {}
    for tau in (1e-6, 2e-9):
        for dtype in DTYPES:
            soft[f"small, {dtype}, {tau:g}"] = _once(cloud="small", tau=tau, dtype=dtype, c=2)
    soft["small, weights"] = _once(cloud="small", tau=1e-6, weights=True, learned=True)
    # In float32 distances of 1 do not differ by so little.
    for chunk in (0, 1):
        soft[f"shell, chunk {chunk}"] = _once(cloud="shell", n=1, tau=1e-6, c=2, chunk=chunk)
    cases.append({"parts": soft})
    return cases


def _layout(draw: Draw) -> list[Params]:
    every = {"wrt": ["query", "points", "values", "temperature"], "learned": True}
    parts = {
        f"{layout}{', chunk 2' if chunk else ''}": _once(
            layout=layout, c=3, n=3, chunk=chunk, lead=[2], **every
        )
        for layout in LAYOUTS
        for chunk in (0, 2)
    }
    single = {f"{name}, float32": _once(layout=name, lead=[2], dtype="float32") for name in LAYOUTS}
    # What is remembered for inference alone, or where the weights are asked for, shows in no call
    # with gradients.
    chunk_with_weights = draw.choice((0, 2))
    again = [
        _soft(**{"c": 2, "again": True, **every, **given}, chunk=chunk)
        for chunk in (0, 2)
        for given in ({}, {"wrt": [], "weights": chunk == chunk_with_weights})
    ]
    return [{"parts": parts | single}, *again]


def _perf(draw: Draw) -> list[Params]:
    # N M of the part is more than the largest tensor may have: all of them at once are seen there.
    sizes = {"n": 1000, "part": 320, "m": 1200, "d": 3, "k": 3, "chunk": 50}
    return [{"op": "measure", **sizes, "tau": 0.5, "dtype": "float32"}, {"op": "alone", "tau": 0.5}]


PLANS = {
    "sample": _sample,
    "small": _small,
    "edge": _edge,
    "scale": _scale,
    "layout": _layout,
    "perf": _perf,
}


def _soft_case(params: Params, draw: Draw) -> Case:
    """Ask for a call and its products, or for the call alone under ``no_grad``."""
    secret = _inputs(params, draw)
    cotangents: list[Any] = secret["cotangents"]
    # From here on the gradient of the distances is exactly that of the hard ones.
    if secret["is_hard"]:
        cotangents = secret["cotangents"] = [None, cotangents[1]]
    given = {name: secret[name] for name in ("query", "points", "k", "temperature")}
    if params["c"]:
        given["values"] = secret["values"]
    if params["chunk"]:
        given["chunk_size"] = params["chunk"]
    if params["weights"]:
        given["return_weights"] = True
    shown = dict(given)
    args: list[Any] = [given.pop(name) for name in POSITIONAL[:4]]
    wrt: list[Any] = [
        POSITIONAL.index(name) if name in POSITIONAL[:4] else name for name in params["wrt"]
    ]
    if params["style"] == "positional":
        args += [given.pop("values", None), given.pop("chunk_size", None), params["weights"]]
        wrt = [POSITIONAL.index(name) for name in params["wrt"]]
    secret["keys"] = [str(key) for key in wrt]
    options = {"fields": FIELDS, "wrt": wrt, "twice": params["twice"]}
    if wrt:
        options["cotangents"] = cotangents
    request = call("soft_knn", *args, **options, **given)
    if params["op"] == "soft":
        return Case(steps=(request,), secret=secret, shown=shown)
    shown = {"under no_grad": True, **shown}
    step = Request(op=params["op"], data={"call": dict(request.data)})
    return Case(steps=(step,), secret=secret, shown=shown)


def _inputs(params: Params, draw: Draw) -> Params:
    """Draw a cloud, queries, values, a temperature and cotangents."""
    n, m, k, dtype = params["n"], params["m"], params["k"], DTYPES[params["dtype"]]
    if k > m or min(m, k, params["d"]) < 1:
        raise ValueError("k lies between 1 and M")
    if params["cloud"] == "itself" and n > m:
        raise ValueError("a query is one of the points")
    query, points = _cloud(params, draw)
    values = points
    if params["c"]:
        shift = OFFSETS[params["dtype"]] if params["cloud"] == "far" else 0.0
        values = draw.normal([*params["lead"], m, params["c"]], dtype, offset=shift)
        values = lay_out(values, params["layout"])
    temperature: float | Tensor = params["tau"]
    if params["learned"]:
        share = draw.uniform([], 0.8, 1.25, torch.float64)
        temperature = (share * params["tau"]).to(dtype)
    shape = [*params["lead"], n, k]
    return {
        "op": params["op"],
        "query": query,
        "points": points,
        "values": values,
        "has_values": bool(params["c"]),
        "k": k,
        "temperature": temperature,
        "weights": params["weights"],
        "wrt": list(params["wrt"]),
        "is_clear": params["cloud"] not in ("lattice", "one place"),
        "is_hard": params["tau"] <= HARD and params["cloud"] != "lattice",
        "cotangents": [
            draw.normal([*shape, values.shape[-1]], dtype),
            draw.normal(shape, dtype),
            *([draw.normal([*shape, m], dtype)] if params["weights"] else []),
        ],
    }


def _cloud(params: Params, draw: Draw) -> tuple[Tensor, Tensor]:
    """Draw queries and points of the kind that ``cloud`` names."""
    lead, n, m, d = (params[name] for name in ("lead", "n", "m", "d"))
    kind, dtype, layout = params["cloud"], DTYPES[params["dtype"]], params["layout"]
    if kind == "lattice":
        points = draw.integers([*lead, m, d], -2, 2, dtype)
        return draw.integers([*lead, n, d], -1, 1, dtype), points
    if kind == "one place":
        point = draw.integers([*lead, 1, d], -3, 3, dtype)
        return draw.normal([*lead, n, d], dtype), point.expand(*lead, m, d).contiguous()
    if kind == "shell":
        return _shell(params, dtype, draw)
    shift = OFFSETS[params["dtype"]] if kind == "far" else 0.0
    # Distances of a few temperatures.
    scale = math.sqrt(params["tau"]) if kind == "small" else 1.0
    for _ in range(1 if draw.plain else 50):
        points = lay_out(draw.normal([*lead, m, d], dtype, offset=shift, scale=scale), layout)
        candidates = points
        if kind != "itself":
            candidates = draw.normal([*lead, 8 * n, d], dtype, offset=shift, scale=scale)
        query, gap = _clearest(candidates, points, n, params["k"])
        if gap >= GAP:
            return lay_out(query, layout), points
    raise ValueError("the ranks of the points are not clear")


def _shell(params: Params, dtype: torch.dtype, draw: Draw) -> tuple[Tensor, Tensor]:
    """Draw points round one query, at distances of 1 that differ by temperatures."""
    m, d = params["m"], params["d"]
    if params["n"] != 1 or params["lead"]:
        raise ValueError("a shell has one centre")
    centre = draw.normal([1, d], torch.float64)
    way = torch.nn.functional.normalize(draw.normal([m, d], torch.float64), dim=-1)
    steps = draw.uniform([m], 0.5, 1.5, torch.float64).cumsum(0)
    steps = steps[torch.randperm(m, generator=draw.generator)]
    points = centre + way * (1 + params["tau"] * steps).sqrt()[:, None]
    return centre.to(dtype), points.to(dtype)


def _clearest(candidates: Tensor, points: Tensor, n: int, k: int) -> tuple[Tensor, float]:
    """Choose the queries whose first ranks are farthest apart, and return the least gap."""
    d = (candidates.unsqueeze(-2).double() - points.unsqueeze(-3).double()).square().sum(-1)
    ranks = d.sort(dim=-1).values
    gaps = ranks[..., 1 : k + 1] - ranks[..., : min(k, ranks.shape[-1] - 1)]
    if not n or not gaps.shape[-1]:
        return candidates[..., :n, :].contiguous(), 1.0
    best = (gaps.amin(-1) / ranks[..., -1]).topk(n, dim=-1)
    index = best.indices.sort(dim=-1).values.unsqueeze(-1)
    chosen = candidates.gather(-2, index.expand(*index.shape[:-1], candidates.shape[-1]))
    return chosen.contiguous(), float(best.values.min())


def _refuse_case(params: Params, draw: Draw) -> Case:
    """Ask for calls that must raise."""
    query, points = draw.normal([2, 4, 3]), draw.normal([2, 5, 3])

    def ask(k: int = 2, tau: Any = 0.5, q: Tensor = query, p: Tensor = points, **more: Any) -> Any:
        return call("soft_knn", q, p, k, tau, **more)

    calls = {
        "k = 0": ask(k=0),
        "k = -1": ask(k=-1),
        "k = M + 1": ask(k=6),
        "k > M = 0": ask(k=1, p=draw.normal([2, 0, 3])),
        "temperature 0": ask(tau=0.0),
        "temperature < 0": ask(tau=-0.5),
        "temperature 0 in a tensor": ask(tau=torch.tensor(0.0)),
        "temperature < 0 in a tensor": ask(tau=torch.tensor(-1.0, dtype=torch.float64)),
        "other D": ask(q=draw.normal([2, 4, 2])),
        "D = 1 of the query": ask(q=draw.normal([2, 4, 1])),
        "other leading dimensions": ask(q=draw.normal([3, 4, 3])),
        "a leading dimension of 1": ask(q=draw.normal([1, 4, 3])),
        "no leading dimension of the query": ask(q=draw.normal([4, 3])),
        "no leading dimension of the points": ask(p=draw.normal([5, 3])),
        "values with other M": ask(values=draw.normal([2, 4, 3])),
        "values with M = 1": ask(values=draw.normal([2, 1, 3])),
        "values without C": ask(values=draw.normal([2, 5])),
        "values without a leading dimension": ask(values=draw.normal([5, 3])),
        "values with other leading dimensions": ask(values=draw.normal([1, 5, 3])),
        "chunk_size 0": ask(chunk_size=0),
        "chunk_size -1": ask(chunk_size=-1),
        "chunk_size 0 with weights": ask(chunk_size=0, return_weights=True),
        "k = M + 1 in chunks": ask(k=6, chunk_size=2),
    }
    shown = {
        "query": query,
        "points": points,
        "wrong in each call": ", ".join(calls),
    }
    return Case(
        steps=(refusals(calls),), secret={"op": "refuse", "calls": list(calls)}, shown=shown
    )


# --- memory ---------------------------------------------------------------------------------------

# Sizes of the calls whose peak memory is measured, by one process in this order: N, M, chunk_size,
# and whether gradients are asked for; D = k = 1. A tensor of one chunk takes 160 KB or more, so
# the allocator maps it apart and returns it; a few queries are two chunks and a bit, since a chunk
# may begin while tensors of the last one are alive. What may be kept for backward grows with N + M,
# and a tape with N M: at N = M it is plainest. There N M distances take 2.4 MiB.
ALONE = ((110, 800, 50, False), (600, 800, 50, False), (110, 800, 50, True), (800, 800, 50, True))
# So many queries are compared of a call that is alone, and this share of the other calls.
NUM_COMPARED = 24
SHARE_COMPARED = 0.1


def _measure_case(params: Params, draw: Draw) -> Case:
    """Ask for the largest tensor and the bytes that are kept; differentiate some queries."""
    n, m, k, tau, part = (params[name] for name in ("n", "m", "k", "tau", "part"))
    dtype = DTYPES[params["dtype"]]
    query, points = draw.normal([n, params["d"]], dtype), draw.normal([m, params["d"]], dtype)
    temperature = torch.tensor(tau, dtype=dtype)
    # Some queries are compared and have a part in the gradients: none whose ranks are hard to tell.
    some = torch.nonzero(draw.uniform([n], 0.0, 1.0) < SHARE_COMPARED).flatten()
    rows = some[_is_clear(query[some], points, k)]
    here = rows[rows < part]
    of_neighbors, of_distances = torch.zeros(part, k, params["d"]), torch.zeros(part, k)
    of_neighbors[here] = draw.normal([len(here), k, params["d"]], dtype)
    of_distances[here] = draw.normal([len(here), k], dtype)
    cotangents = [of_neighbors, of_distances]
    request = call(
        "soft_knn",
        query[:part],
        points,
        k,
        temperature,
        chunk_size=params["chunk"],
        fields=FIELDS,
        wrt=[0, 1, 3],
        cotangents=cotangents,
        twice=False,
    )
    secret: Params = {"op": "measure", "query": query, "points": points, "values": points, "k": k}
    secret |= {"temperature": temperature, "cotangents": cotangents, "chunk": params["chunk"]}
    secret["compared"] = rows
    step = Request(op="measure", data={"call": dict(request.data), "query": query})
    shown = {"query": query, "points": points, "k": k, "chunk_size": params["chunk"]}
    return Case(steps=(step,), secret=secret, shown=shown)


def _is_clear(query: Tensor, points: Tensor, k: int) -> Tensor:
    """Return which queries have first ranks that rounding does not exchange."""
    q, p = query.double(), points.double()
    d = q.square().sum(-1, keepdim=True) - 2 * (q @ p.mT) + p.square().sum(-1)
    ranks = d.topk(k + 1, largest=False).values
    return (ranks.diff() > 1e-4 * ranks[:, 1:]).all(-1)


def _alone_case(params: Params, draw: Draw) -> Case:
    """Ask for the peak memory of a few chunks and of many, and of many without gradients."""
    k, requests, compared = 1, [], []
    for number, (n, m, chunk, is_grad) in enumerate(ALONE, start=1):
        query, points = draw.normal([n, 1]), draw.normal([m, 1])
        data = {
            "query": query,
            "points": points,
            "k": k,
            "temperature": params["tau"],
            "chunk_size": chunk,
            "cotangents": [draw.normal([n, k, 1]), draw.normal([n, k])],
            "is_grad": is_grad,
            "alone": True,
            "stays": number < len(ALONE),
        }
        requests.append(Request(op="alone", data=data))
        some = torch.randperm(n, generator=draw.generator)[: 2 * NUM_COMPARED]
        compared.append(some[_is_clear(query[some], points, k)][:NUM_COMPARED])
    secret = {"op": "alone", "steps": [step.data for step in requests], "compared": compared}
    shown = {"N, M, chunk_size, gradients": [list(sizes) for sizes in ALONE], "k": k, "D": 1}
    return Case(steps=tuple(requests), secret=secret, shown=shown)


BUILDERS = {
    "soft": _soft_case,
    "without_gradients": _soft_case,
    "refuse": _refuse_case,
    "measure": _measure_case,
    "alone": _alone_case,
}
