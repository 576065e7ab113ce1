"""Draw the inputs of problem 50: slopes, layouts, orders of calls, and what must be refused."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, call, lay_out

# Values come before gradients, what needs the compiler comes late: a group is failed for the first
# reason that there is.
GROUPS = (
    "sample",
    "values",
    "grad",
    "special",
    "layout",
    "state",
    "memory",
    "errors",
    "opcheck",
    "gradcheck",
    "compile",
    "double",
    "large",
)

DTYPES = ("float32", "float64")
LAYOUTS = (
    "transposed",
    "permuted",
    "channels last",
    "stepped columns",
    "stepped rows",
    "offset",
    "expanded rows",
    "expanded columns",
    "windows",
    "stepped bias",
    "expanded bias",
    "transposed gradient",
    "gradient of sum",
    "everything at once",
)
# A call on an empty tensor is short: every place for the 0 is asked for.
EMPTY = {
    "no rows": [0, 4],
    "no rows inside": [2, 0, 3],
    "no columns": [3, 0],
    "no columns of pages": [2, 3, 0],
    "no element of a vector": [0],
    "neither rows nor columns": [0, 0],
}
ERRORS = (
    "x without dimension",
    "bias without dimension",
    "bias with two dimensions",
    "bias too long",
    "bias too short",
    "bias of one element",
    "x of one column",
    "bias of float64",
    "x of float64",
    "float16",
    "int64",
    "bfloat16",
    "complex64",
)
SPECIAL = ("in x", "in bias", "in the gradient")
STATES = ("interleaved", "twice", "x in place", "bias in place", "no graph")
CHECKED = ("plain", "transposed", "expanded", "no rows", "bias alone")
# 2 ** 25 elements.
HUGE_ROWS, HUGE_COLUMNS = 1 << 13, 1 << 12


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    if group == "sample":
        return [{"slope": 0.1}]
    if group == "values":
        shapes = [draw.shape(ndim, 2, 6) for ndim in (1, 2, 3, 5)]
        return [_over_all(draw, {"shape": shape}) for shape in shapes]
    if group == "grad":
        shapes = [[draw.integer(3, 6), 8], draw.shape(3, 2, 5), draw.shape(4, 2, 4), [7]]
        wanted = {"kinks": True, "wrt": [0, 1]}
        alone = [{"parts": _alone(draw)}]
        return [*(_over_all(draw, wanted | {"shape": shape}) for shape in shapes), *alone]
    if group == "special":
        return [_over_all(draw, {"shape": [4, 12], "special": name}) for name in SPECIAL]
    if group == "layout":
        return [
            _over_all(draw, {"layout": name, "shape": _shape_for(name, draw), "wrt": [0, 1]})
            for name in (*LAYOUTS, *EMPTY)
        ]
    if group == "memory":
        columns = ("dtype", "layout", "wrt")
        rows = (
            ("float32", "plain", [0, 1]),
            ("float64", "plain", [0]),
            ("float32", "transposed", [1]),
        )
        named = [dict(zip(columns, row, strict=True)) for row in rows]
        return [{"shape": draw.shape(2, 24, 40)} | row for row in named]
    if group == "gradcheck":
        return [{"shape": draw.shape(ndim, 2, 4), "slope": -0.7} for ndim in (2, 3)]
    if group == "double":
        slopes = (-0.7, round(draw.integer(15, 30) / 10, 1))
        shapes = (draw.shape(2, 2, 5), draw.shape(3, 2, 4))
        return [{"shape": s, "slope": slope} for s, slope in zip(shapes, slopes, strict=True)]
    if group == "large":
        return [{"rows": draw.integer(500, 530)}, {"huge": True}]
    kinds = {
        "state": STATES,
        "errors": ERRORS,
        "opcheck": (*(f"opcheck {name}" for name in CHECKED), "schema", "fake", "direct"),
        "compile": ("once", "another shape"),
    }[group]
    return [{"kind": kind} for kind in kinds]


def shrink(params: dict[str, Any]) -> list[dict[str, Any]]:
    """List simpler parameters of a failing case; most cases are small as they are."""
    if "shape" not in params or "special" in params:
        return []
    shape, low = params["shape"], 2 if params.get("layout") else 1
    fewer = [
        [*shape[:at], size, *shape[at + 1 :]]
        for at in range(len(shape))
        for size in range(low, shape[at])
    ]
    return [params | {"shape": smaller} for smaller in fewer]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the inputs of one case."""
    if group == "sample":
        return _sample(params["slope"])
    if group in ("values", "grad", "special", "layout"):
        return _plain(_record(params, draw), params)
    if group == "state":
        return _state(params["kind"], draw)
    if group == "memory":
        return _memory(_record(params | {"slope": 0.1}, draw), params)
    if group == "errors":
        return _error(params["kind"], draw)
    if group == "opcheck":
        return _opcheck(params["kind"], draw)
    if group == "gradcheck":
        record = _record(params | {"dtype": "float64", "away": True}, draw)
        return _free("gradcheck", record, {"gradcheck": True})
    if group == "compile":
        return _compile(params["kind"], draw)
    if group == "double":
        return _double(params, draw)
    return _huge(draw) if "huge" in params else _large(params["rows"], draw)


def _slopes(draw: Draw) -> list[float]:
    """Draw the five slopes: the default, both ends, a negative one, one above 1."""
    return [0.01, 0.0, 1.0, -draw.integer(2, 9) / 10, draw.integer(13, 29) / 10]


def _over_all(draw: Draw, params: dict[str, Any]) -> dict[str, Any]:
    """Ask for ten calls: both dtypes with each slope."""
    slopes = _slopes(draw)
    pairs = [(dtype, slope) for dtype in DTYPES for slope in slopes]
    parts = {f"{d} {s:g}": params | {"dtype": d, "slope": s} for d, s in pairs}
    return {"parts": parts}


def _alone(draw: Draw) -> dict[str, dict[str, Any]]:
    """Ask for the gradient of one input where the other needs none."""
    names = {"x alone": [0], "bias alone": [1]}
    common = {"dtype": "float32", "slope": -0.5, "kinks": True}
    alone = {
        name: common | {"shape": draw.shape(3, 2, 4), "wrt": wrt} for name, wrt in names.items()
    }
    again = {"kinks": False, "shape": draw.shape(2, 2, 5), "wrt": [0, 1], "again": True}
    return alone | {"same tensors twice": common | again}


def _shape_for(layout: str, draw: Draw) -> list[int]:
    if layout in EMPTY:
        return EMPTY[layout]
    if layout == "channels last":
        return [2, 3, 4, 5]
    if layout in ("permuted", "everything at once"):
        return [draw.integer(3, 4), draw.integer(5, 6), draw.integer(7, 8)]
    # Sizes that differ: a transposed square could be read in the wrong order unnoticed.
    return [draw.integer(3, 4), draw.integer(5, 7)]


def _sample(slope: float) -> Case:
    x = torch.tensor([[-3.0, 0.0, 2.0], [-1.0, 1.0, -2.0]])
    bias = torch.tensor([1.0, 0.0, -1.0])
    record = {"x": x, "bias": bias, "slope": slope}
    request = call("leaky_bias", x, bias, slope)
    return Case(steps=(request,), secret={"records": [record | {"keys": {"out": "out"}}]})


def _record(params: dict[str, Any], draw: Draw) -> dict[str, Any]:
    """Draw x, bias, a gradient for the result, and lay them out."""
    shape, dtype = params["shape"], getattr(torch, params.get("dtype", "float32"))
    x, bias = draw.normal(shape, dtype), draw.normal(shape[-1:], dtype)
    gradient = draw.normal(shape, dtype)
    if params.get("kinks"):
        # There x + bias is exactly 0.
        at_kink = draw.uniform(shape, 0, 1) < 0.3
        at_kink[..., 0] = True
        x = torch.where(at_kink, -bias, x)
    if params.get("away"):
        x += torch.where((x + bias).abs() < 0.1, 0.3, 0.0)
    if "special" in params:
        tensors = {"in x": (x, bias), "in bias": (bias, x)}.get(params["special"], (gradient, None))
        _plant(*tensors, draw)
    layout = params.get("layout", "plain")
    x, bias, gradient = (_lay(*pair, layout) for pair in (("x", x), ("b", bias), ("g", gradient)))
    return {"x": x, "bias": bias, "slope": params["slope"], "gradient": gradient}


def _plant(tensor: torch.Tensor, other: torch.Tensor | None, draw: Draw) -> None:
    """Put special values at drawn places of the last dimension, in every row."""
    tiny = torch.finfo(tensor.dtype).smallest_normal / 8
    values = [tiny, -tiny, math.nan, math.inf, -math.inf, -0.0, 1e30, -1e30]
    order = torch.randperm(tensor.shape[-1], generator=draw.generator)[: len(values)]
    tensor[..., order] = torch.tensor(values, dtype=tensor.dtype)
    if other is not None:
        # Where the other summand is 0 the smallest numbers decide the side.
        other[..., order[:2]] = 0


def _lay(which: str, tensor: torch.Tensor, layout: str) -> torch.Tensor:
    """Give x, bias or the gradient (``x``, ``b``, ``g``) the strides that a layout means for it."""
    if layout == "everything at once":
        return _LAID[{"x": "permuted", "b": "stepped bias", "g": "stepped columns"}[which]](tensor)
    own = "g" if "gradient" in layout else "b" if layout.endswith("bias") else "x"
    return _LAID[layout](tensor) if which == own and layout in _LAID else tensor


def _step_rows(tensor: torch.Tensor) -> torch.Tensor:
    wide = torch.full((2 * len(tensor), *tensor.shape[1:]), 7, dtype=tensor.dtype)
    return wide[::2].copy_(tensor)


def _overlap(tensor: torch.Tensor) -> torch.Tensor:
    size = tensor.shape[-1]
    return tensor.flatten()[: size + 2 * (len(tensor) - 1)].unfold(0, size, 2)


_LAID = {
    "transposed": lambda t: lay_out(t, "transposed"),
    "permuted": lambda t: t.permute(2, 0, 1).contiguous().permute(1, 2, 0),
    "channels last": lambda t: t.contiguous(memory_format=torch.channels_last),
    "stepped columns": lambda t: lay_out(t, "stepped"),
    "stepped rows": _step_rows,
    "offset": lambda t: lay_out(t, "offset"),
    "expanded rows": lambda t: lay_out(t, "expanded"),
    "expanded columns": lambda t: t[..., :1].contiguous().expand(t.shape),
    "windows": _overlap,
    "stepped bias": lambda t: lay_out(t, "stepped"),
    "expanded bias": lambda t: lay_out(t, "expanded"),
    "transposed gradient": lambda t: lay_out(t, "transposed"),
    "gradient of sum": lambda t: torch.ones((), dtype=t.dtype).expand(t.shape),
}


def _plain(record: dict[str, Any], params: dict[str, Any]) -> Case:
    """Ask for the value of one call, and for the gradients that are wanted."""
    x, bias, slope = record["x"], record["bias"], record["slope"]
    wrt = params.get("wrt", [0, 1] if "special" in params else [])
    gradients = [record["gradient"]] if wrt else []
    options: dict[str, Any] = {"wrt": wrt, "cotangents": gradients, "twice": not wrt}
    if slope == 0.01:
        request = call("leaky_bias", x, bias, **options)
    elif slope == 1.0:
        request = call("leaky_bias", x, bias=bias, slope=slope, **_by_name(options))
    else:
        request = call("leaky_bias", x, bias, slope, **options)
    names = {0: "x", 1: "bias"}
    by_name = {0: "0", 1: "bias" if slope == 1.0 else "1"}
    keys = {"out": "out"} | {names[at]: f"grad.{by_name[at]}" for at in wrt}
    shown = {"x": x, "bias": bias, "slope": slope}
    shown |= {"grad_output": record["gradient"]} if wrt else {}
    return Case(steps=(request,), secret={"records": [record | {"keys": keys}]}, shown=shown)


def _by_name(options: dict[str, Any]) -> dict[str, Any]:
    return options | {"wrt": ["bias" if at == 1 else at for at in options["wrt"]]}


def _free(op: str, record: dict[str, Any], expected: dict[str, Any], **data: Any) -> Case:
    """Ask the process in which no operator is banned."""
    data |= {key: record[key] for key in ("x", "bias", "slope")}
    shown = {key: record[key] for key in ("x", "bias", "slope")}
    request = Request(op=op, data=data | {"free": True})
    return Case(steps=(request,), secret={"exact": expected}, shown=shown)


def _state(kind: str, draw: Draw) -> Case:
    """Ask for gradients in unusual orders, and for no graph where nobody needs one."""
    count = {"interleaved": 3, "no graph": 2}.get(kind, 1)
    slopes = (-draw.integer(2, 9) / 10, 0.3, 2.5)
    dtypes = ("float32", "float64", "float32")
    records = [
        _record({"shape": draw.shape(2, 2, 4), "dtype": dtype, "slope": slope}, draw)
        for dtype, slope in zip(dtypes[:count], slopes[:count], strict=True)
    ]
    if kind == "interleaved":
        # Sizes of the first, so that what one call leaves behind fits the other.
        records[2] |= {key: draw.normal(records[0][key].shape) for key in ("x", "bias", "gradient")}
    data: dict[str, Any] = {"calls": records, "kind": kind}
    secret: dict[str, Any] = {"state": kind}
    wanted = [] if kind == "no graph" else ["x", "bias"]
    if kind == "twice":
        records = records * 2
        records[1] = records[1] | {"gradient": draw.normal(records[0]["x"].shape)}
        data["again"] = records[1]["gradient"]
    if kind.endswith("in place"):
        # The new values are on the other side of the kink, all of x or the first row.
        x, bias = records[0]["x"], records[0]["bias"]
        data["name"] = kind.partition(" ")[0]
        away = {"x": -2 * bias - x, "bias": bias - 100 * (x[0] + bias).sign()}
        data["other"] = away[data["name"]]
    for at, record in enumerate(records):
        names = {name: f"{at}.grad.{name}" for name in wanted}
        record["keys"] = {"out": f"{at}.out"} | names
    secret["records"] = records
    shown = {f"{key} {at}": r[key] for at, r in enumerate(records) for key in ("x", "bias")}
    return Case(steps=(Request(op="state", data=data),), secret=secret, shown=shown)


def _memory(record: dict[str, Any], params: dict[str, Any]) -> Case:
    wrt = params["wrt"]
    request = call(
        "leaky_bias",
        record["x"],
        record["bias"],
        record["slope"],
        wrt=wrt,
        cotangents=[record["gradient"]],
        saved=True,
        twice=False,
    )
    keys = {"out": "out"} | {("x", "bias")[at]: f"grad.{at}" for at in wrt}
    most = sum(record[name].numel() * record[name].itemsize for name in ("x", "bias"))
    shown = {"x": record["x"], "bias": record["bias"]}
    secret = {"records": [record | {"keys": keys}], "most bytes": most}
    return Case(steps=(request,), secret=secret, shown=shown)


def _error(kind: str, draw: Draw) -> Case:
    size = draw.integer(3, 5)
    rows = [3, size]
    x, bias = {
        "x without dimension": ([], [1]),
        "bias without dimension": (rows, []),
        "bias with two dimensions": (rows, draw.choice(([1, size], rows))),
        "bias too long": (rows, [size + 1]),
        "bias too short": (rows, [size - 1]),
        "bias of one element": (rows, [1]),
        "x of one column": ([3, 1], [size]),
    }.get(kind, (rows, [size]))
    dtypes = {
        "bias of float64": ("float32", "float64"),
        "x of float64": ("float64", "float32"),
        "float16": ("float16", "float16"),
        "int64": ("int64", "int64"),
        "bfloat16": ("bfloat16", "bfloat16"),
        "complex64": ("complex64", "complex64"),
    }.get(kind, ("float32", "float32"))
    data = {
        name: {"shape": shape, "dtype": dtype}
        for name, shape, dtype in zip(("x", "bias"), (x, bias), dtypes, strict=True)
    }
    request = Request(op="errors", data=data | {"free": True})
    shown = {name: f"{each['dtype']} {tuple(each['shape'])}" for name, each in data.items()}
    return Case(steps=(request,), secret={"refused": True}, shown=shown)


def _opcheck(kind: str, draw: Draw) -> Case:
    if kind == "schema":
        return Case(steps=(Request(op="schema", data={"free": True}),), secret={"schema": True})
    name = kind.removeprefix("opcheck ")
    layout = {"transposed": "transposed", "expanded": "expanded rows"}.get(name, "plain")
    shape = draw.shape(3, 2, 4) if name == "plain" else [draw.integer(2, 3), draw.integer(4, 5)]
    if name == "no rows":
        shape[0] = 0
    if kind == "fake":
        return _fake(draw)
    dtype = "float64" if name in ("plain", "direct") else "float32"
    record = _record({"shape": shape, "dtype": dtype, "slope": -0.7, "layout": layout}, draw)
    if kind == "direct":
        names = {"out": "out", "x": "grad.x", "bias": "grad.bias"}
        data = record | {"free": True}
        secret = {"records": [record | {"keys": names}]}
        return Case(steps=(Request(op="direct", data=data),), secret=secret, shown=record)
    tests = ("schema", "autograd_registration", "faketensor", "aot_dispatch_dynamic")
    need = {"bias alone": ["bias"], "transposed": [], "no rows": ["x"]}.get(name, ["x", "bias"])
    expected = {f"test_{test}": "SUCCESS" for test in tests}
    return _free("opcheck", record, expected, need=need)


def _fake(draw: Draw) -> Case:
    """Compare what fakes promise with what the kernel returns, for several layouts at once."""
    names = ("plain", "transposed", "permuted", "expanded rows", "stepped columns", *EMPTY)
    calls = {}
    for slope in (0.1, 1.0, 0.0):
        # Another dtype for each layout, and for each slope.
        for at, name in enumerate(names, start=int(slope)):
            params = {"shape": _shape_for(name, draw), "slope": slope, "layout": name}
            key = name if slope == 0.1 else f"{name}, slope {slope:g}"
            calls[key] = _record(params | {"dtype": DTYPES[at % 2]}, draw)
    shown = {name: record["x"] for name, record in calls.items()}
    request = Request(op="fake", data={"calls": calls, "free": True})
    wanted = {name: {"x": record["x"]} for name, record in calls.items()}
    return Case(steps=(request,), secret={"promises": wanted}, shown=shown)


def _compile(kind: str, draw: Draw) -> Case:
    """Compile one function, and call it with one shape or with two."""
    columns, slope = draw.integer(3, 5), -draw.integer(2, 9) / 10
    rows = (draw.integer(2, 4), draw.integer(5, 8))[: 1 if kind == "once" else 2]
    shapes = [[size, columns] for size in rows]
    records = [_record({"shape": shape, "slope": slope}, draw) for shape in shapes]
    for at, record in enumerate(records):
        record["keys"] = {"out": f"{at}.out"} | {n: f"{at}.grad.{n}" for n in ("x", "bias")}
    data = {"calls": records, "free": True}
    shown = {f"x {at}": record["x"] for at, record in enumerate(records)}
    shown |= {"bias": records[0]["bias"], "slope": slope}
    return Case(steps=(Request(op="compile", data=data),), secret={"records": records}, shown=shown)


def _double(params: dict[str, Any], draw: Draw) -> Case:
    """Ask for the gradient of a gradient, along directions for both of the first."""
    record = _record(params | {"dtype": "float64"}, draw)
    second = [draw.normal(record[name].shape, torch.float64) for name in ("x", "bias")]
    arguments = (record["x"], record["bias"], record["slope"])
    options: dict[str, Any] = {"wrt": (0, 1), "cotangents": [record["gradient"]], "twice": False}
    request = call("leaky_bias", *arguments, second=second, **options)
    keys = {"out": "out", "x": "grad.0", "bias": "grad.1"}
    shown = {"x": record["x"], "bias": record["bias"], "slope": record["slope"]}
    return Case(
        steps=(Request(op="double", data={"call": request.data, "free": True}),),
        secret={"records": [record | {"keys": keys}], "second": second},
        shown=shown,
    )


def _large(rows: int, draw: Draw) -> Case:
    """Draw rows that overlap in one long row: to draw them all would take longer than to judge."""
    size = 1024
    x, gradient = (_windows(rows, size, draw) for _ in range(2))
    record = {"x": x, "bias": draw.normal([size]), "slope": 0.2, "gradient": gradient}
    return _plain(record, {"wrt": [0, 1]})


def _windows(rows: int, size: int, draw: Draw) -> torch.Tensor:
    step = draw.integer(100, 130)
    return draw.normal([step * (rows - 1) + size]).unfold(0, size, step)


def _huge(draw: Draw) -> Case:
    """Ask for a few cells of a call on 2 ** 25 elements, which a loop in Python cannot do in time.

    x and the gradient are windows of rows that are sent, so that little travels.
    """
    length = HUGE_ROWS + HUGE_COLUMNS - 1
    data = {
        "x": draw.normal([length]),
        "gradient": draw.normal([length]),
        "bias": draw.normal([HUGE_COLUMNS]),
        "slope": -draw.integer(2, 9) / 10,
        "rows": draw.integers([200], 0, HUGE_ROWS - 1),
        "columns": draw.integers([200], 0, HUGE_COLUMNS - 1),
    }
    shown = {"x": f"float32 ({HUGE_ROWS}, {HUGE_COLUMNS})", "slope": data["slope"]}
    return Case(steps=(Request(op="huge", data=data),), secret={"huge": data}, shown=shown)
