"""Draw the inputs of problem 32: rows at every distance from zero, of every size."""

from __future__ import annotations

import math
from collections.abc import Iterator
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
    module_call,
    refusals,
)
from torchstone.judge.kit import shrink as shrink_sizes

# `scale` stands before `edge`: a variance in one pass should be told by rows that lie far from
# zero, not by the constant rows that it spoils as well.
GROUPS = ("sample", "small", "scale", "edge", "layout", "large", "grad")

# Where a call is made again on the same tensors: there must be the same bits, in other memory.
TWICE = ("sample", "small", "layout")

# A call without gradients: what is remembered for inference alone shows in no other call.
UNASKED = {"wrt": None}

# A row of the input: what its numbers are like, and how large. "offset 1e4" has a deviation of 1.
FAR = {
    "float32": ("offset 1e4", "offset -3e5", "offset 1e6", "offset 8e6"),
    "float64": ("offset 1e8", "offset -1e10", "offset 1e12", "offset 1e13"),
}
WIDE = {
    "float32": ("size 1e15", "size 1e22", "size 1e30"),
    "float64": ("size 1e80", "size 1e150", "size 1e200"),
}
TINY = {
    "float32": ("spread 1e-15", "spread 1e-22", "spread 2e-28"),
    "float64": ("spread 1e-80", "spread 1e-150", "spread 2e-200"),
}
OUTLIERS = ("first 1e6", "other 1e6", "other -1e6", "offset 0")
APART = ("spread 1", "spread 1e-20", "size 1e12", "offset 1e4")
NARROW = (
    # dtype, size, what a row of many columns is like
    ("float16", ("size 5e4", "offset 200", "spread 1")),
    ("bfloat16", ("size 1e4", "offset 200", "offset 3e4")),
)
LAYOUTS = ("transposed", "stepped", "offset", "expanded")
EMPTIES = (([0], [4]), ([2, 0], [3, 2]), ([3], [0]), ([2], [2, 0]))
# Not representable, so that a sum of equal numbers is rounded; and what squares do to large ones.
CONSTANTS = (0.1, 3333.3, -1e7 / 3, 1e30, 0.0)
POISONS = ("nan", "spread 1", "inf", "-inf", "offset 1e4", "both inf")
MODULES = ("int", "no bias", "no affine", "no affine, bias", "float64")
GRAPHS = (
    "interleaved",
    "two instances",
    "frozen weight",
    "frozen input",
    "nothing needs it",
    "no_grad",
)
PARAMETERS = ("weight", "bias")


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    plans = {
        "sample": lambda draw: [{"lead": [3], "normalized": [8], "rows": ["spread 100"]}],
        "small": _plan_small,
        "scale": _plan_scales,
        "edge": _plan_edges,
        "layout": _plan_layouts,
        "large": lambda draw: [{"lead": [64, 64], "normalized": [1024], "kind": "large"}],
        "grad": _plan_graphs,
    }
    return plans[group](draw)


def _plan_small(draw: Draw) -> list[dict[str, Any]]:
    one, two = draw.shape(1, 3, 6), draw.shape(2, 2, 4)
    near = draw.choice((1e-3, 1e-5))
    functions = {
        # As many rows as columns: a weight on the wrong dimension fits without a word.
        "square": {"lead": one, "normalized": one},
        "three dims of one number": {
            "lead": draw.shape(2, 2, 4),
            "normalized": one,
            "style": "int",
        },
        "two dims": {"lead": draw.shape(2, 2, 4), "normalized": two, "style": "list"},
        "three dims": {"lead": [3], "normalized": draw.shape(3, 2, 3)},
        "a row alone": {"lead": [], "normalized": two},
        "one column": {"lead": draw.shape(2, 2, 4), "normalized": draw.choice(([1], [1, 1]))},
    }
    options = {
        "variance near eps": {"rows": [f"spread {math.sqrt(near):g}"], "eps": near},
        "eps 0.3": {"eps": 0.3},
        "eps 0": {"eps": 0.0},
        "no weight": {"weight": None},
        "no bias": {"bias": None},
        "no parameters": {"weight": None, "bias": None},
        "float64": {"dtype": "float64"},
        "parameters of float64": {"weight": "float64", "bias": "float64"},
        "parameters of float32": {"dtype": "float64", "weight": "float32", "bias": "float32"},
        "parameters of bfloat16": {"weight": "bfloat16", "bias": "bfloat16"},
    }
    options = {
        name: {"lead": draw.shape(1, 2, 5), "normalized": draw.shape(1, 4, 8)} | each
        for name, each in options.items()
    }
    layers = {
        "layer": {"lead": draw.shape(2, 2, 4), "normalized": one, "style": "int"},
        "layer of two dims": {"lead": [3], "normalized": two, "eps": 0.3},
        "layer without bias": {"lead": [3], "normalized": two, "bias": None},
        "layer without parameters": {"lead": [3], "normalized": one, "weight": None, "bias": None},
        "layer of float64": {"lead": [3], "normalized": one}
        | dict.fromkeys(("dtype", "weight", "bias"), "float64"),
    }
    layers = {name: each | {"entry": "module"} for name, each in layers.items()}
    facts = [{"kind": "facts", "which": name} for name in MODULES]
    return [
        {"parts": functions},
        {"parts": options},
        {"parts": layers},
        *facts,
        {"kind": "state"},
    ]


def _plan_scales(draw: Draw) -> list[dict[str, Any]]:
    columns = [draw.integer(33, 65)]

    def rows(kinds: tuple[str, ...], dtype: str, **options: Any) -> dict[str, Any]:
        shape = {"lead": [len(kinds)], "normalized": columns, "rows": list(kinds)}
        return shape | dict.fromkeys(("dtype", "weight", "bias"), dtype) | options

    far, wide, tiny = (
        {dtype: rows(kinds, dtype, **options) for dtype, kinds in table.items()}
        for table, options in ((FAR, {}), (WIDE, {}), (TINY, {"eps": 0.0}))
    )
    layers = {name: each | {"entry": "module"} for name, each in far.items()}
    # Deviation and sqrt(eps) are of one size, wherever the row lies and however large it is.
    near = {
        "far": rows(("offset 3e3 1e-3", "offset -1e3 1e-3"), "float32", eps=1e-6),
        "far in float64": rows(("offset 1e8 1e-4", "offset 1e8 1e-5"), "float64", eps=1e-8),
        "large": rows(("spread 1e12", "spread 3e12"), "float32", eps=1e24),
        "tiny": rows(("spread 1e-15", "spread 3e-15"), "float32", eps=1e-30),
        "eps 0": rows(("offset 1e8 1e-4", "offset 1e-190 1e-200"), "float64", eps=0.0),
    }
    mixed = {
        "outliers": rows(OUTLIERS, "float32"),
        "outliers in float64": rows(("first 1e12", "other 1e12"), "float64"),
        "sizes": rows(APART, "float32"),
        "sizes of a layer": rows(APART, "float32", entry="module"),
        "sizes, eps 0": rows(APART, "float32", eps=0.0),
        "sizes in float64": rows(("spread 1", "spread 1e-90", "size 1e160"), "float64"),
    }
    named = {"far": far, "layers": layers, "wide": wide, "tiny": tiny, "near eps": near}
    return [*({"parts": parts} for parts in (named | {"mixed": mixed}).values()), *_plan_half(draw)]


def _plan_half(draw: Draw) -> list[dict[str, Any]]:
    long: dict[str, Any] = {}
    cancelled: dict[str, Any] = {}
    for dtype, kinds in NARROW:
        own = {"dtype": dtype, "weight": dtype, "bias": dtype}
        wide = own | {"weight": "float32", "bias": "float32"}
        shape = {"lead": [len(kinds)], "normalized": [2000], "rows": list(kinds)}
        long[dtype] = shape | own
        long[f"{dtype}, parameters of float32"] = shape | wide | {"entry": "module"}
        for name, each in ((dtype, own), (f"{dtype}, parameters of float32", wide)):
            cancelled[name] = {"lead": [3], "normalized": [64], "kind": "cancelled"} | each
    # One dtype: a loop over so many rows is right, and takes most of the time that there is.
    many = {"lead": [4096], "normalized": [6], "slope": 0.9}
    many |= dict.fromkeys(("dtype", "weight", "bias"), draw.choice(("float16", "bfloat16")))
    return [{"parts": long}, {"parts": cancelled}, many]


def _plan_edges(draw: Draw) -> list[dict[str, Any]]:
    empties = {
        f"{lead} {shape}": {"lead": lead, "normalized": shape, "wrt": None}
        for lead, shape in EMPTIES
    }
    constant = {"lead": [len(CONSTANTS)], "normalized": [draw.choice((7, 9, 11, 13))]}
    constants = {
        f"{dtype}, eps {eps}": constant
        | {"kind": "constant", "eps": eps, "wrt": None if eps == 0 else True}
        | dict.fromkeys(("dtype", "weight", "bias"), dtype)
        for dtype in ("float32", "float64", "bfloat16")
        for eps in (1e-5, 0.0)
    }
    layer = constant | {"kind": "constant", "eps": 0.0, "wrt": None, "entry": "module"}
    constants["layer, eps 0"] = layer
    poison = {"lead": [len(POISONS)], "normalized": [draw.integer(4, 7)], "rows": list(POISONS)}
    poisons = {
        dtype: poison | {"wrt": None} | dict.fromkeys(("dtype", "weight", "bias"), dtype)
        for dtype in ("float32", "float64", "float16")
    }
    poisons["eps 0"] = poison | {"wrt": None, "eps": 0.0}
    poisons["layer"] = poison | {"wrt": None, "entry": "module"}
    parts = [{"parts": each} for each in (empties, constants, poisons)]
    return [*parts, {"kind": "errors"}, {"kind": "errors of a layer"}]


def _plan_layouts(draw: Draw) -> list[dict[str, Any]]:
    # The last dimension of a transposed row is not the densest; an expanded one repeats its rows.
    parts = {
        layout: {"lead": [3, draw.integer(2, 4)], "normalized": draw.shape(2, 2, 4)}
        | {"layout": layout, "dtype": dtype}
        for layout, dtype in zip(
            LAYOUTS, ("float32", "float64", "bfloat16", "float32"), strict=True
        )
    }
    parts["constant by stride"] = {"lead": [3], "normalized": [5], "kind": "stride 0"}
    parts["transposed matrix"] = {"lead": [4], "normalized": [6], "layout": "transposed"}
    layer = {"lead": [2, 3], "normalized": draw.shape(2, 2, 4), "layout": "transposed"}
    return [{"parts": parts | {"layer": layer | {"entry": "module"}}}]


def _plan_graphs(draw: Draw) -> list[dict[str, Any]]:
    double = dict.fromkeys(("dtype", "weight", "bias"), "float64")
    seconds = {
        "one dim": {"lead": [draw.integer(2, 4)], "normalized": draw.shape(1, 4, 7)},
        "two dims": {"lead": [2, 2], "normalized": draw.shape(2, 2, 4)},
        "no parameters": {"lead": [3], "normalized": [5], "weight": None, "bias": None},
        "layer": {"lead": [3], "normalized": [5], "entry": "module"},
    }
    seconds = {name: double | {"second": True} | each for name, each in seconds.items()}
    again = {"lead": [3], "normalized": [6], "again": True}
    return [
        {"parts": seconds},
        *({"kind": "graph", "which": kind} for kind in GRAPHS),
        *(
            {**again, **entry, **wrt}
            for entry in ({}, {"entry": "module"})
            for wrt in ({}, UNASKED)
        ),
    ]


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler parameters of a failing case: one of its rows alone, then smaller sizes."""
    rows = params.get("rows", ())
    if len(rows) > 1:
        yield from (params | {"rows": [row], "lead": [1]} for row in rows)
    yield from shrink_sizes(params)


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the inputs of one case."""
    kind = params.get("kind")
    if kind == "facts":
        return _facts(params["which"], draw)
    if kind == "state":
        return _state(draw)
    if kind == "graph":
        return _graph(params["which"], draw)
    if kind in ("errors", "errors of a layer"):
        calls = _errors(draw) if kind == "errors" else _errors_of_a_layer(draw)
        wanted = {name: error for name, (error, _) in calls.items()}
        request = refusals({name: each for name, (_, each) in calls.items()})
        return Case(steps=(request,), secret={"raises": wanted})
    twice = group in TWICE
    return _ask(_record(params, draw), params | {"twice": twice}, draw)


def _record(params: dict[str, Any], draw: Draw) -> dict[str, Any]:
    """Draw one input with its parameters, and one cotangent."""
    shape, dtype = params["normalized"], getattr(torch, params.get("dtype", "float32"))
    state = {}
    for name, offset in (("weight", 1.0), ("bias", 0.0)):
        if (own := params.get(name, "float32")) is not None:
            state[name] = draw.normal(shape, getattr(torch, own), offset=offset)
    x = _input(params, dtype, draw)
    record = {"x": x, "shape": shape, "eps": params.get("eps", 1e-5), "state": state}
    if params.get("kind") == "cancelled":
        _cancel(record)
    # A row whose cotangent has no mean would not show that the mean depends on x.
    slope = params.get("slope", 0.7)
    cotangent = draw.normal(x.shape, dtype, scale=1.0 if slope == 0.7 else 0.05, offset=slope)
    if params.get("kind") == "large":
        record["copies"] = params["lead"][0]
    elif draw.chance(0.5):
        cotangent = lay_out(cotangent, draw.choice(("transposed", "stepped", "offset")))
    return record | {"cotangent": cotangent}


def _input(params: dict[str, Any], dtype: torch.dtype, draw: Draw) -> torch.Tensor:
    lead, shape, kind = params["lead"], params["normalized"], params.get("kind")
    if kind == "large":
        # The first dimension repeats what follows: to draw all rows takes longer than to judge.
        return draw.normal([*lead[1:], *shape], dtype, offset=3.0)
    if kind == "constant":
        values = torch.tensor(CONSTANTS, dtype=torch.float64)[: lead[0]]
        return values.to(dtype).repeat_interleave(math.prod(shape)).reshape(*lead, *shape)
    if kind == "stride 0":
        return draw.normal([lead[0], 1], dtype, offset=3333.3).expand(*lead, *shape)
    if kind == "cancelled":
        # The rows differ in place and size alone, so that their normalised rows are nearly one.
        row = draw.normal(shape, torch.float64)
        places = draw.uniform([*lead, 2], 1.0, 4.0, torch.float64)
        return (row * places[:, :1] + places[:, 1:]).to(dtype)
    rows = params.get("rows", ["spread 1"])
    num_rows, columns = math.prod(lead), math.prod(shape)
    if len(rows) == 1:
        x = _rows(rows[0], num_rows, columns, dtype, draw)
    else:
        x = torch.cat([_rows(row, 1, columns, dtype, draw) for row in rows])
    return lay_out(x.reshape(*lead, *shape), params.get("layout", "contiguous"))


def _rows(kind: str, num_rows: int, columns: int, dtype: torch.dtype, draw: Draw) -> torch.Tensor:
    """Draw rows in float64, whatever their size, and round them once."""
    name, *numbers = kind.split()
    first, spread = [*map(float, numbers), 1.0, 1.0][:2]
    if name == "size":
        return draw.uniform([num_rows, columns], -first, first, torch.float64).to(dtype)
    scale = first if name == "spread" else spread
    x = draw.normal([num_rows, columns], torch.float64) * scale
    at = draw.integer(1, max(1, columns - 1)) % max(1, columns)
    if name == "offset":
        x += first
    elif name in ("first", "other"):
        x[:, 0 if name == "first" else at] = first
    elif name == "both":
        x[:, 0], x[:, at] = math.inf, -math.inf
    elif name in ("nan", "inf", "-inf"):
        x[:, at] = float(name)
    elif name == "spread" and columns > 1:
        # With both signs a row is not far from zero in its own deviations: that is asked by offset.
        x[:, 1] = torch.copysign(x[:, 1], -x[:, 0])
    return x.to(dtype)


def _cancel(record: dict[str, Any]) -> None:
    """Let the bias be nearly the opposite of what is added to it: few digits of it are left."""
    x, weight = record["x"][0].double(), record["state"]["weight"]
    deviation = x - x.mean()
    x_hat = deviation * torch.rsqrt(deviation.square().mean() + record["eps"])
    record["state"]["bias"] = -(weight.double() * x_hat).to(weight.dtype)


def _ask(record: dict[str, Any], params: dict[str, Any], draw: Draw) -> Case:
    """Ask for the value and the gradients of one call, in one of several spellings."""
    wrt = "wrt" not in params or params["wrt"]
    # The gradient of the sample is that of x: the others are told by the groups that follow.
    names = ("x", *record["state"]) if wrt else ()
    names = names[:1] if params.get("rows") == ["spread 100"] else names
    second = []
    if params.get("second"):
        second = [draw.normal(item.shape, item.dtype) for item in _leaves(record).values()]
    options = {"cotangents": [record["cotangent"]] if names else [], "second": second}
    options["twice"] = params["twice"]
    shown = {"x": record["x"], "normalized_shape": tuple(record["shape"]), "eps": record["eps"]}
    shown |= record["state"]
    if "copies" in record:
        return _ask_copies(record, params, names, options, draw, shown)
    request, keys = _spell(record, record["x"], params, names, options)
    secret = {"records": [record | {"keys": {"out": "out"} | keys}], "second": second}
    return Case(steps=(request,), secret=secret, shown=shown)


def _ask_copies(
    record: dict[str, Any],
    params: dict[str, Any],
    names: tuple[str, ...],
    options: dict[str, Any],
    draw: Draw,
    shown: dict[str, Any],
) -> Case:
    """Ask about copies of a few rows: one copy is compared, and each other copy with that one.

    Which one it is travels after the answer was computed.
    """
    count = record["copies"]
    x = Product(record["x"], torch.ones(count, 1, 1))
    cotangent = record["cotangent"]
    options |= {"cotangents": [cotangent.expand(count, *cotangent.shape)], "held": True}
    request, keys = _spell(record, x, params, names, options)
    wanted = ([draw.integer(0, count - 1)], [0] * count)
    rows = held_rows({"out": wanted, keys["x"]: wanted})
    keys = {name: f"1:{key}" for name, key in ({"out": "out"} | keys).items()}
    secret = {"records": [record | {"keys": keys}], "second": []}
    return Case(steps=(request, rows), secret=secret, shown=shown)


def _leaves(record: dict[str, Any]) -> dict[str, torch.Tensor]:
    return {"x": record["x"], **record["state"]}


def _spell(
    record: dict[str, Any],
    x: torch.Tensor | Product,
    params: dict[str, Any],
    names: tuple[str, ...],
    options: dict[str, Any],
) -> tuple[Request, dict[str, str]]:
    """Spell the call; return it with the key of every gradient."""
    style, state = params.get("style", "tuple"), record["state"]
    shape: Any = list(record["shape"]) if style == "list" else tuple(record["shape"])
    shape = shape[0] if style == "int" and len(shape) == 1 else shape
    if params.get("entry") == "module":
        wrt: list[int | str] = [0 if name == "x" else f"state.{name}" for name in names]
        keywords = _keywords(params)
        request = module_call(
            "StableLayerNorm",
            x,
            init=[shape],
            init_kwargs=keywords,
            state=state,
            wrt=wrt,
            **options,
        )
    elif style == "tuple" and len(state) == 2:
        wrt = [{"x": 0, "weight": 2, "bias": 3}[name] for name in names]
        given = (x, shape, *state.values(), record["eps"])
        request = call("stable_layer_norm", *given, wrt=wrt, **options)
    else:
        wrt = [0 if name == "x" else name for name in names]
        named = state | ({} if record["eps"] == 1e-5 else {"eps": record["eps"]})
        request = call("stable_layer_norm", x, shape, wrt=wrt, **options, **named)
    return request, {name: f"grad.{key}" for name, key in zip(names, wrt, strict=True)}


def _keywords(params: dict[str, Any]) -> dict[str, Any]:
    """Return what a layer of these parameters is constructed with."""
    keywords: dict[str, Any] = {"eps": params["eps"]} if "eps" in params else {}
    if params.get("weight", "") is None:
        keywords["elementwise_affine"] = False
    elif params.get("bias", "") is None:
        keywords["bias"] = False
    if params.get("weight", "float32") not in (None, "float32"):
        keywords["dtype"] = getattr(torch, params["weight"])
    return keywords


def _facts(which: str, draw: Draw) -> Case:
    """Ask what kind of module a constructor call makes."""
    shape = (draw.integer(2, 6),) if which == "int" else tuple(draw.shape(2, 2, 4))
    keywords: dict[str, Any] = {"device": "cpu"} if which == "int" else {}
    if which.startswith("no affine"):
        keywords["elementwise_affine"] = False
    if which in ("no bias", "no affine, bias"):
        keywords["bias"] = which != "no bias"
    if which == "float64":
        keywords["dtype"] = torch.float64
    names = [] if which.startswith("no affine") else ["weight", "bias"]
    names = names[:1] if which == "no bias" else names
    init = [shape[0] if which == "int" else shape]
    data = {"init": init, "init_kwargs": keywords}
    facts = {"shape": shape, "names": names, "dtype": keywords.get("dtype", torch.float32)}
    return Case(steps=(Request(op="facts", data=data),), secret={"facts": facts})


def _state(draw: Draw) -> Case:
    """Load the state of PyTorch's own module, and load it back."""
    record = _record({"lead": [3], "normalized": draw.shape(2, 2, 4)}, draw)
    data = {"x": record["x"], "shape": tuple(record["shape"]), "state": record["state"]}
    secret = {"records": [record | {"keys": {"out": "out"}}], "second": [], "state": True}
    return Case(steps=(Request(op="state", data=data),), secret=secret)


def _graph(which: str, draw: Draw) -> Case:
    """Ask for gradients in unusual orders, and for no graph where nobody needs one."""
    params = {"lead": [3], "normalized": [6]}
    records = [_record(params, draw)]
    frozen = {
        "frozen weight": ["weight"],
        "frozen input": ["x"],
        "nothing needs it": ["x", "weight", "bias"],
    }
    shared = which in ("interleaved", "nothing needs it", "no_grad")
    if shared or which == "two instances":
        other = _record(params, draw)
        records.append(other | ({"state": records[0]["state"]} if shared else {}))
    calls = [{key: item[key] for key in ("shape", "state", "x", "cotangent")} for item in records]
    silent = which in ("nothing needs it", "no_grad")
    data = {"calls": calls, "frozen": frozen.get(which, []), "shared": shared}
    wanted = [] if silent else [name for name in ("x", *PARAMETERS) if name not in data["frozen"]]
    asked = []
    for position, item in enumerate(records):
        for entry in ("function", "module"):
            keys = {name: f"{entry}.{position}.{name}" for name in ("out", *wanted)}
            asked.append(item | {"keys": keys})
    secret = {"records": asked, "second": [], "graph": not silent, "frozen": data["frozen"]}
    request = Request(op="graph", data=data | {"no_grad": which == "no_grad"})
    return Case(steps=(request,), secret=secret)


def _errors(draw: Draw) -> dict[str, tuple[str, Request]]:
    """List calls of the function that must be refused, each for one reason."""
    n = draw.integer(3, 5)
    x, w = draw.normal([2, n]), draw.normal([n])
    # What is given after the name of the call: x, normalized_shape, weight, bias, eps.
    wrong: dict[str, tuple[str, tuple[Any, ...]]] = {
        "int64": ("TypeError", (draw.integers([2, n], -5, 5), n)),
        "bool": ("TypeError", (draw.integers([2, n], 0, 1, torch.bool), (n,))),
        "last size": ("ValueError", (x, n + draw.choice((-1, 1)))),
        "size 1": ("ValueError", (draw.normal([3, 1]), (n,))),
        "size 1 with parameters": ("ValueError", (draw.normal([3, 1]), n, w, w)),
        "empty with another size": ("ValueError", (torch.empty(0, n), n + 1)),
        "too few dims": ("ValueError", (draw.normal([n]), (2, n))),
        "0-d": ("ValueError", (draw.normal([]), (1,))),
        "as many numbers": ("ValueError", (draw.normal([3, 1, 2 * n]), (2, n))),
        "swapped": ("ValueError", (draw.normal([3, n, 2]), (2, n))),
        "no dims": ("ValueError", (x, ())),
        "an empty list": ("ValueError", (x, [])),
        "weight too long": ("ValueError", (x, n, draw.normal([n + 1]))),
        "weight of one": ("ValueError", (x, n, draw.normal([1]), w)),
        "weight as a row": ("ValueError", (x, n, w[None], w)),
        "weight flattened": ("ValueError", (draw.normal([2, n]), (2, n), draw.normal([2 * n]))),
        "bias of one": ("ValueError", (x, n, w, draw.normal([1]))),
        "bias of all rows": ("ValueError", (x, n, w, draw.normal([2, n]))),
        "bias alone": ("ValueError", (x, n, None, draw.normal([n - 1]))),
        "eps": ("ValueError", (x, n, None, None, -draw.choice((1e-5, 1.0)))),
    }
    return {
        name: (error, call("stable_layer_norm", *given, twice=False))
        for name, (error, given) in wrong.items()
    }


def _errors_of_a_layer(draw: Draw) -> dict[str, tuple[str, Request]]:
    """List layers that must be refused, when they are made or when they are called."""
    n = draw.integer(3, 5)
    x = draw.normal([2, n])
    wrong = {
        "layer, int64": ("TypeError", draw.integers([2, n], -5, 5), (n,), {}),
        "layer, last size": ("ValueError", x, (n + 1,), {}),
        "layer, size 1": ("ValueError", draw.normal([3, 1]), (n,), {}),
        "layer, swapped": (
            "ValueError",
            draw.normal([n, 2]),
            (2, n),
            {"elementwise_affine": False},
        ),
        "layer, no dims": ("ValueError", x, (), {}),
        "layer, eps": ("ValueError", x, (n,), {"eps": -1e-5}),
    }
    return {
        name: (error, module_call("StableLayerNorm", x, init=[shape], init_kwargs=keywords))
        for name, (error, x, shape, keywords) in wrong.items()
    }
