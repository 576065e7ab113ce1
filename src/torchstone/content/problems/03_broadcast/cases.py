"""Draw the requests of problem 03: shapes, views, their gradients, and illegal wishes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, call, lay_out, refusals

# The sample shows values only, so that every misconception dies in the group that explains it.
GROUPS = ("sample", "small", "edge", "layout", "grad", "errors", "large")

DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "bool")
LAYOUTS = ("transposed", "stepped", "offset", "inner slice", "expanded")
NUM_CELLS = 5
# While broadcast_shapes runs, any operator ends the job: it is arithmetic on integers.
NO_OPERATORS = {"operators": "none"}

Params = dict[str, Any]


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the inputs of one case."""
    return BUILDERS[params["op"]](params, draw)


def shrink(params: Params) -> Iterator[Params]:
    """Yield simpler parameters: plain memory first, then smaller sizes, renamed everywhere at once.

    Two sizes that differ stay different, so that what was legal or illegal stays so.
    """
    if params.get("layout", "contiguous") != "contiguous":
        yield params | {"layout": "contiguous"}
    shapes = [*params.get("shapes", []), *params.get("to", [])]
    if params["op"] in ("shapes", "refusals"):
        return
    used = sorted({size for shape in shapes for size in shape}, reverse=True)
    for old in used:
        for new in (2, 3):
            if new < old and new not in used:
                names = {"shapes", "to"} & set(params)
                yield params | {name: _renamed(params[name], old, new) for name in names}


def _renamed(shapes: list[list[int]], old: int, new: int) -> list[list[int]]:
    return [[new if size == old else size for size in shape] for shape in shapes]


def _sizes(draw: Draw, count: int = 4) -> list[int]:
    """Draw different sizes of at least 2: equal ones would hide a mistake, or show another."""
    order = torch.randperm(5, generator=draw.generator).tolist()
    return [2 + number for number in order[:count]]


def _shapes(*queries: list[list[int]], kind: str = "tuple") -> Params:
    return {"op": "shapes", "shapes": list(queries), "kind": kind}


def _expand(shape: list[int], *to: list[int], **more: Any) -> Params:
    defaults = {"dtype": "float32", "layout": "contiguous", "kind": "tuple"}
    return {"op": "expand", "shapes": [shape], "to": list(to)} | defaults | more


def _tensors(*shapes: list[int], **more: Any) -> Params:
    defaults = {"dtype": "float32", "layout": "contiguous"}
    return {"op": "tensors", "shapes": list(shapes), "to": []} | defaults | more


def _vjp(shape: list[int], to: list[int], **more: Any) -> Params:
    defaults = {"dtype": "float32", "layout": "contiguous"}
    return {"op": "vjp", "shapes": [shape], "to": [to]} | defaults | more


def _sum(grad: list[int], to: list[int], **more: Any) -> Params:
    defaults = {"dtype": "float32", "layout": "contiguous", "kind": "tuple"}
    return {"op": "unbroadcast", "shapes": [grad], "to": [to]} | defaults | more


def _sample(draw: Draw) -> list[Params]:
    return [_vjp([3], [2, 3], value_only=True)]


def _small(draw: Draw) -> list[Params]:
    a, b, c, d = _sizes(draw)
    shapes = [
        _shapes([[a, b], [b]], _related(draw, draw.integer(1, 3))),
        _shapes([[c], [b, 1], [a, 1, 1]], _related(draw, 4), kind=draw.choice(("list", "size"))),
    ]
    views = [
        _expand([b], [a, b], dtype=draw.choice(DTYPES)),
        _expand([a, 1], [a, c], dtype=draw.choice(DTYPES), kind="list"),
        _expand([1, b, 1], [d, a, b, c], dtype=draw.choice(DTYPES), kind="size"),
        _tensors([a, 1], [b], dtype=draw.choice(DTYPES)),
        _tensors([c], [], [a, 1, 1], [b, 1]),
    ]
    sums = [
        _vjp([b], [a, b]),
        _vjp([a, 1, c], [d, a, b, c], dtype="float64"),
        _vjp([1, b], [a, b], dtype=draw.choice(("float16", "bfloat16"))),
        _sum([a, b], [b]),
        _sum([a, b], [a, 1], layout="transposed"),
        _sum([a, b, c, d], [b, 1, d], layout="stepped", kind="list"),
        _sum([1, a, b, 1], [1, 1, 1], dtype="int64"),
        _sum([60, b], [b], dtype=draw.choice(("float16", "bfloat16"))),
        _sum([a, 12, c], [12, 1], dtype="bfloat16", positive=True),
        {"op": "tensors_vjp", "shapes": [[a, 1], [b]], "to": [], "dtype": "float32"},
    ]
    return shapes + views + sums


def _related(draw: Draw, count: int) -> list[list[int]]:
    """Draw shapes that broadcast together, of rank 0 to 4."""
    common = [draw.integer(1, 6) for _ in range(4)]
    shapes = []
    for _ in range(count):
        tail = common[4 - draw.integer(0, 4) :] if draw.chance(0.9) else []
        shapes.append([1 if draw.chance(0.4) else size for size in tail])
    return shapes


def _edge(draw: Draw) -> list[Params]:
    a, b, c, _ = _sizes(draw)
    return [
        _shapes([], [[], []], [[0], [1]]),
        _shapes([[1, a], [0, 1], []], [[a, 0], [1, 0], [0]], kind="list"),
        _expand([], [2, 3]),
        _expand([1], [0]),
        _expand([1], [3, 2]),
        _expand([1, 1], [a, 1, c], kind="list"),
        _expand([a, b], [a, b]),
        _expand([b], [1, 1, b]),
        # Kept sizes that no other index into x's shape gives by chance.
        _expand([a, 1], [c, -1, b], kind="list"),
        _expand([a, b, 1], [-1, -1, c]),
        _expand([b], [-1, b], refused=True),
        _expand([], [-1], refused=True),
        _tensors(),
        _tensors([a, b], [a, b]),
        _sum([3, 2, 3], [3]),
        _sum([2, 2], [2, 1]),
        _sum([a, b], []),
        _sum([0, b], [b]),
        _sum([1, b, 0], [1, b, 1]),
        _sum([a, b], [a, b], kind="list"),
        _sum([], []),
    ]


def _layout(draw: Draw) -> list[Params]:
    a, b, c, _ = _sizes(draw)
    rows = [_expand([a, 1, b], [c, a, c, b], layout=layout) for layout in LAYOUTS]
    # An offset and a stride are counted in elements, of whatever width.
    rows += [
        _expand([a, 1, b], [c, a, c, b], layout=layout, dtype=dtype)
        for layout, dtype in (
            ("offset", "float64"),
            ("offset", draw.choice(("float16", "bfloat16"))),
            ("inner slice", "int64"),
            ("inner slice", "bool"),
        )
    ]
    return [
        *rows,
        _expand([a, 1], [a, b], [c, a, b], layout="transposed"),
        _tensors([a, b], [c, 1, 1], layout=draw.choice(("transposed", "inner slice"))),
        _vjp([a, 1, b], [c, a, c, b], layout=draw.choice(("transposed", "stepped", "offset"))),
        _sum([a, b, c], [b, 1], layout="offset"),
        _vjp([a, 1, b], [c, a, c, b], layout="offset", dtype=draw.choice(("float64", "float16"))),
        _sum([a, b, c], [b, 1], layout="offset", dtype=draw.choice(("float64", "bfloat16"))),
        _sum([a, b, c], [1, c], layout="expanded"),
    ]


def _grad(draw: Draw) -> list[Params]:
    a, b, c, _ = _sizes(draw)
    return [
        _vjp([a, 1], [c, a, b], dtype="float64", second=True),
        _sum([c, a, b], [a, 1], dtype="float64", second=True),
        _expand([1, b], [a, 1, b], [c, a, a, b]),
        _tensors([b], [a, 1], [c, 1, 1], dtype="float64"),
        # Nothing is in the result, or nothing in x either; the graph is there all the same.
        _vjp([a, 1], [a, 0]),
        _vjp([0, 1], [c, 0, b]),
        _vjp([a, 1], [c, a, b], again=True),
        _sum([c, a, b], [a, 1], again=True),
    ]


def _errors(draw: Draw) -> list[Params]:
    shapes = [[[2, 3], [2]], [[3], [0]], [[2, 1], [1, 3], [4, 3]], [[-1, 3], [3]], [[2, -2]]]
    sizes = [[[3], [1]], [[4, 3], [2, 3]], [[3], [0]], [[0], [3]], [[1, 3], [-2, 3]]]
    ranks = [[[1, 3], [3]], [[2, 3], [3]], [[1], []], [[3], [3, 4]], [[3], [6]]]
    tensors = [[[2], [3]], [[2, 1], [3], [4, 1]], [[0], [2]]]
    sums = [[[3], [1, 3]], [[2, 3], [2]], [[2, 1], [2, 3]], [[2, 3], [-1, 3]], [[3, 0], [2, 0]]]
    wishes = (
        ("broadcast_shapes", shapes),
        ("broadcast_to", sizes),
        ("broadcast_to", ranks),
        ("broadcast_tensors", tensors),
        ("unbroadcast", sums),
    )
    return [{"op": "refusals", "entry": entry, "wishes": wish} for entry, wish in wishes]


def _large(draw: Draw) -> list[Params]:
    return [
        _expand([3, 1], [2**20, 3, 2**19]),
        _expand([], [2**30, 2**10], dtype="float64"),
        {"op": "large_sum", "shapes": [[1000, 6000]], "to": [[1000, 1]], "dtype": "float32"},
        {"op": "large_sum", "shapes": [[20_000, 16]], "to": [[16]], "dtype": "bfloat16"},
    ]


def _values(shape: list[int], dtype: torch.dtype, draw: Draw) -> torch.Tensor:
    if dtype.is_floating_point:
        return draw.normal(shape, dtype)
    low, high = (0, 1) if dtype == torch.bool else (-50, 50)
    return draw.integers(shape, low, high, dtype)


def _tensor(shape: list[int], params: Params, draw: Draw) -> torch.Tensor:
    dtype, layout = getattr(torch, params["dtype"]), params["layout"]
    if layout == "inner slice":
        return _inner_slice(shape, dtype, draw)
    return lay_out(_values(shape, dtype, draw), layout)


def _inner_slice(shape: list[int], dtype: torch.dtype, draw: Draw) -> torch.Tensor:
    # Room on both sides in every dimension: what lies there is a number, too, but a foreign one.
    wide = _values([size + 3 for size in shape], dtype, draw)
    return wide[tuple(slice(1, 1 + size) for size in shape)]


def _common(shapes: list[list[int]]) -> list[int]:
    # torch.broadcast_shapes says the same and imports sympy first, which costs more than a verdict.
    views = [torch.zeros(()).expand(shape) for shape in shapes]
    return list(torch.broadcast_tensors(*views)[0].shape) if views else []


def _cells(shape: list[int], draw: Draw) -> list[list[int]]:
    if 0 in shape:
        return []
    return [[draw.integer(0, size - 1) for size in shape] for _ in range(NUM_CELLS)]


def _build_shapes(params: Params, draw: Draw) -> Case:
    queries = params["shapes"]
    data = {"queries": queries, "kind": params["kind"]} | NO_OPERATORS
    request = Request(op="shapes", data=data)
    shown = {f"query {number}": query for number, query in enumerate(queries)}
    secret = {"op": "shapes", "wanted": [_common(query) for query in queries]}
    return Case(steps=(request,), secret=secret, shown=shown)


def _build_refusals(params: Params, draw: Draw) -> Case:
    entry, wishes = params["entry"], []
    for wish in params["wishes"]:
        if entry == "broadcast_shapes":
            wishes.append([tuple(shape) for shape in wish])
        elif entry == "broadcast_tensors":
            wishes.append([draw.normal(shape) for shape in wish])
        else:
            wishes.append([_inner_slice(wish[0], torch.float32, draw), tuple(wish[1])])
    request = refusals({str(number): call(entry, *wish) for number, wish in enumerate(wishes)})
    if entry == "broadcast_shapes":
        request = Request(op=request.op, data=request.data | NO_OPERATORS)
    shown = {f"wish {number}": str(wish) for number, wish in enumerate(params["wishes"])}
    secret = {"op": "refusals", "num_wishes": len(wishes)}
    return Case(steps=(request,), secret=secret, shown=shown)


def _build_expand(params: Params, draw: Draw) -> Case:
    x, to = _tensor(params["shapes"][0], params, draw), params["to"]
    num_new = len(to[-1]) - x.ndim
    final = [
        x.shape[position - num_new] if size == -1 and position >= num_new else size
        for position, size in enumerate(to[-1])
    ]
    data = {"x": x, "shapes": to, "kind": params["kind"]}
    shown = {"x": x, "shape": tuple(to[-1])}
    if params.get("refused"):
        steps = (Request(op="expand", data=data | {"cells": []}),)
        return Case(steps=steps, secret={"op": "refused"}, shown=shown)
    return _challenge("expand", data, [x], final, shown, draw)


def _build_tensors(params: Params, draw: Draw) -> Case:
    tensors = [_tensor(shape, params, draw) for shape in params["shapes"]]
    final = _common(params["shapes"])
    shown = {f"tensor {position}": x for position, x in enumerate(tensors)}
    return _challenge("tensors", {"tensors": tensors}, tensors, final, shown, draw)


def _challenge(
    op: str,
    data: dict[str, Any],
    bases: list[torch.Tensor],
    final: list[int],
    shown: dict[str, Any],
    draw: Draw,
) -> Case:
    """Ask for views; then overwrite what they look at, and ask for cells that nobody knew."""
    first, second = _cells(final, draw), _cells(final, draw)
    sizes = [x.untyped_storage().nbytes() // x.itemsize for x in bases]
    storages = [_values([n], x.dtype, draw) for n, x in zip(sizes, bases, strict=True)]
    secret = {
        "op": op,
        "bases": bases,
        "final": final,
        "cells": [first, second],
        "storages": storages,
    }
    steps = (
        Request(op=op, data=data | {"cells": first}),
        Request(op="write", data={"storages": storages, "cells": second}),
    )
    return Case(steps=steps, secret=secret, shown=shown)


def _build_vjp(params: Params, draw: Draw) -> Case:
    x, shape = _tensor(params["shapes"][0], params, draw), tuple(params["to"][0])
    secret: dict[str, Any] = {"op": "vjp", "x": x, "shape": shape, "second": None}
    if params.get("value_only"):
        request = call("broadcast_to", x, shape, views=True)
        return Case(
            steps=(request,), secret=secret | {"cotangent": None}, shown={"x": x, "shape": shape}
        )
    cotangent = lay_out(
        draw.normal(shape, x.dtype), draw.choice(("contiguous", "transposed", "stepped"))
    )
    secret |= {"cotangent": cotangent}
    second = []
    if params.get("second"):
        secret["second"] = draw.normal(x.shape, x.dtype)
        second = [secret["second"]]
    request = call(
        "broadcast_to", x, shape, wrt=(0,), cotangents=[cotangent], second=second, views=True
    )
    return Case(steps=(request,), secret=secret, shown={"x": x, "shape": shape})


def _build_tensors_vjp(params: Params, draw: Draw) -> Case:
    tensors = [draw.normal(shape) for shape in params["shapes"]]
    shape = _common(params["shapes"])
    cotangents = [draw.normal(shape) for _ in tensors]
    request = call(
        "broadcast_tensors",
        *tensors,
        wrt=tuple(range(len(tensors))),
        cotangents=cotangents,
        views=True,
    )
    secret = {"op": "tensors_vjp", "tensors": tensors, "shape": shape, "cotangents": cotangents}
    return Case(steps=(request,), secret=secret)


def _build_sum(params: Params, draw: Draw) -> Case:
    grad = _tensor(params["shapes"][0], params, draw)
    if params.get("positive"):
        # Beyond the range of float16, which has more digits than bfloat16 but is no detour for it.
        grad = (grad.abs() + 1) * 2.0**17
    return _unbroadcast(grad, params, draw)


def _build_large_sum(params: Params, draw: Draw) -> Case:
    # Sums of sixty-fourths are exact in float32, so that the truth about six million numbers is
    # known from two vectors.
    num_rows, num_columns = params["shapes"][0]
    rows = draw.integers([num_rows, 1], -256, 256, torch.float64) / 64
    columns = draw.integers([num_columns], -256, 256, torch.float64) / 64
    grad = rows.float() + columns.float()
    case = _unbroadcast(grad.to(getattr(torch, params["dtype"])), params | {"once": True}, draw)
    if params["dtype"] == "float32":
        case.secret["sum"] = num_columns * rows + columns.sum()
    return case


def _unbroadcast(grad: torch.Tensor, params: Params, draw: Draw) -> Case:
    to = params["to"][0]
    shape = list(to) if params.get("kind") == "list" else tuple(to)
    # The gradient of a large sum is as large as its input and says nothing new.
    once = params.get("once", False)
    options: dict[str, Any] = {"views": True, "twice": not once}
    secret: dict[str, Any] = {"op": "unbroadcast", "grad": grad, "shape": to}
    secret |= {"cotangent": None, "second": None}
    if grad.dtype.is_floating_point and not once:
        secret["cotangent"] = draw.normal(to, grad.dtype)
        options |= {"wrt": (0,), "cotangents": [secret["cotangent"]]}
        if params.get("second"):
            secret["second"] = draw.normal(grad.shape, grad.dtype)
            options["second"] = [secret["second"]]
    request = call("unbroadcast", grad, shape, **options)
    return Case(steps=(request,), secret=secret, shown={"grad": grad, "shape": shape})


PLANS: dict[str, Callable[[Draw], list[Params]]] = {
    "sample": _sample,
    "small": _small,
    "edge": _edge,
    "layout": _layout,
    "grad": _grad,
    "errors": _errors,
    "large": _large,
}
BUILDERS: dict[str, Callable[[Params, Draw], Case]] = {
    "shapes": _build_shapes,
    "expand": _build_expand,
    "tensors": _build_tensors,
    "vjp": _build_vjp,
    "tensors_vjp": _build_tensors_vjp,
    "unbroadcast": _build_sum,
    "large_sum": _build_large_sum,
    "refusals": _build_refusals,
}
