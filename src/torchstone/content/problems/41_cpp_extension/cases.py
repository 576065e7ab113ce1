"""Draw the calls of problem 41: every layout of memory, every dtype, constants that are hard."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, call, refusals
from torchstone.judge.kit import shrink as shrink_sizes

# Where values lie comes before hard values, and both before what only torch's own tools ask for.
# What may return an alias is asked for in `state` first; no constant before it is 0.
GROUPS = ("sample", "small", "layout", "state", "scale", "grad", "meta", "errors", "opcheck")

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int32", "int64")
DTYPES = FLOATS + INTEGERS
# Of all that is refused; float8 has no arithmetic, the others must not be taken for their bytes.
REFUSED = (
    "bool", "uint8", "int8", "int16", "uint16", "uint32", "uint64", "complex64", "complex128",
    "float8_e4m3fn", "float8_e5m2",
)  # fmt: skip

# How many dimensions a layout has; None where its sizes are its own.
LAYOUTS = {
    "contiguous": 3,
    "transposed": 2,
    "permuted": 3,
    "stepped": 2,
    "cropped": 3,
    "offset": 2,
    "offset, transposed": 2,
    "expanded": 2,
    "expanded everywhere": 2,
    "expanded, permuted": 3,
    "windows": 2,
    "channels_last": 4,
    "channels_last, cropped": 4,
    "0-d": None,
    "empty": None,
    "size 1": None,
    "ten dimensions": None,
}
# What makes the sum of floating-point numbers hard.
FINITE = ("wide", "cancelling", "half an ulp", "1e10", "denormal", "overflow")
SPECIAL = ("special x", "inf", "-inf", "nan")
# What one thread walks through in the blink of an eye, and several threads share.
LARGE = 100_000
# What opcheck is shown. Compiling is dear, so only what may have a gradient is compiled.
BRIEF = ("test_schema", "test_faketensor")
WHOLE = (*BRIEF, "test_autograd_registration", "test_aot_dispatch_dynamic")
EXAMINED = (
    ("add_constant", "transposed", "float32", WHOLE),
    ("add_constant", "expanded", "float32", WHOLE),
    ("add_constant", "0-d", "float32", WHOLE),
    ("add_constant", "empty", "float32", WHOLE),
    ("add_constant", "cropped", "int64", BRIEF),
    ("add_constant_backward", "expanded", "float32", BRIEF),
)


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    plans = {
        "sample": _plan_sample,
        "small": _plan_small,
        "layout": _plan_layouts,
        "state": _plan_state,
        "scale": _plan_scales,
        "grad": _plan_gradients,
        "meta": _plan_meta,
        "errors": _plan_errors,
        "opcheck": _plan_opcheck,
    }
    return plans[group](draw)


def _plan_sample(draw: Draw) -> list[dict[str, Any]]:
    return [
        {"shape": [2, 3], "dtype": "float32", "layout": "contiguous", "c": _tame("float32", draw)},
        {"kind": "schemas"},
    ]


def _plan_small(draw: Draw) -> list[dict[str, Any]]:
    plain = [
        {"layout": "contiguous", "shape": draw.shape(ndim, 2, 6), "dtype": dtype}
        | {"c": _tame(dtype, draw)}
        for dtype in DTYPES
        for ndim in (1, 2, 3)
    ]
    large = [
        {"layout": "contiguous", "shape": [LARGE + draw.integer(1, 999)], "dtype": dtype}
        | {"c": _tame(dtype, draw)}
        for dtype in ("float32", "int64")
    ]
    return plain + large


def _plan_layouts(draw: Draw) -> list[dict[str, Any]]:
    plans: list[dict[str, Any]] = []
    for layout in LAYOUTS:
        shape = _shape(layout, draw)
        plans += [
            {"parts": {f"c = {c:g}": {"layout": layout, "shape": shape, "dtype": dtype, "c": c}
                       for c in _constants(dtype, draw)}}
            for dtype in DTYPES
        ]  # fmt: skip
        plans.append({"kind": "strides", "op": "add_constant", "layout": layout, "shape": shape})
    return plans


def _plan_state(draw: Draw) -> list[dict[str, Any]]:
    layouts = ("contiguous", "transposed", "channels_last", "expanded", "0-d")
    return [
        {"kind": "state", "op": op, "layout": layout, "shape": _shape(layout, draw)}
        for op in ("add_constant", "add_constant_backward")
        for layout in layouts
    ]


def _plan_scales(draw: Draw) -> list[dict[str, Any]]:
    def every(kinds: tuple[str, ...], dtypes: tuple[str, ...]) -> list[dict[str, Any]]:
        return [{"kind": kind, "dtype": dtype} for kind in kinds for dtype in dtypes]

    floats = every(FINITE + SPECIAL, FLOATS)
    kinds = ("wrap", "beyond float32", "beyond int32", "largest constant")
    integers = [
        params | {"sign": sign}
        for params in (*every(kinds, INTEGERS), *every(("beyond double",), ("int64",)))
        for sign in (1, -1)
    ]
    zeros = every(("zero", "negative zero"), FLOATS)
    return floats + integers + zeros


def _plan_gradients(draw: Draw) -> list[dict[str, Any]]:
    shapes = {layout: _shape(layout, draw) for layout in LAYOUTS}
    through = [
        {"parts": {dtype: {"kind": "vjp", "layout": layout, "shape": shape, "dtype": dtype,
                           "c": _tame(dtype, draw)} for dtype in FLOATS}}
        for layout, shape in shapes.items()
    ]  # fmt: skip
    direct = [
        {"parts": {dtype: {"kind": "backward", "layout": layout, "shape": shape, "dtype": dtype}
                   for dtype in ("float32", draw.choice(FLOATS[1:]))}}
        for layout, shape in shapes.items()
    ]  # fmt: skip
    strides = [
        {"kind": "strides", "op": "add_constant_backward", "layout": layout, "shape": shape}
        for layout, shape in shapes.items()
    ]
    whole = [
        {"kind": "special gradient", "dtype": "float32"},
        {"kind": "vjp", "layout": "contiguous", "shape": draw.shape(2, 2, 5), "dtype": "float32",
         "c": _tame("float32", draw), "again": True},
        {"kind": "sum", "layout": "transposed", "shape": draw.shape(2, 2, 5), "dtype": "float32"},
        {"kind": "gradcheck", "layout": "permuted", "shape": draw.shape(3, 2, 3)},
        {"kind": "gradcheck", "layout": "contiguous", "shape": draw.shape(1, 3, 6)},
    ]  # fmt: skip
    return through + direct + strides + whole


def _plan_meta(draw: Draw) -> list[dict[str, Any]]:
    operators = ("add_constant", "add_constant_backward")
    layouts = [
        {"kind": "meta", "op": op, "layout": layout, "shape": _shape(layout, draw)}
        for op in operators
        for layout in LAYOUTS
    ]
    # Petabytes, of which there is not a byte: whoever looks at each element is never done.
    huge = [
        {"kind": "meta", "op": op, "layout": "transposed", "shape": [1 << 30, 1 << 20]}
        for op in operators
    ]
    return layouts + huge


def _plan_errors(draw: Draw) -> list[dict[str, Any]]:
    return [{"kind": "refused", "device": device} for device in ("cpu", "meta")]


def _plan_opcheck(draw: Draw) -> list[dict[str, Any]]:
    return [
        {"kind": "opcheck", "op": op, "layout": layout, "dtype": dtype, "tests": list(tests),
         "shape": _shape(layout, draw)}
        for op, layout, dtype, tests in EXAMINED
    ]  # fmt: skip


def _tame(dtype: str, draw: Draw) -> float:
    """Draw a constant that every dtype holds exactly, and that is not 0."""
    number = draw.integer(1, 60) * draw.choice((-1, 1))
    return float(number) if dtype in INTEGERS else number / 4


def _constants(dtype: str, draw: Draw) -> list[float]:
    drawn: dict[float, None] = dict.fromkeys((1.0, -3.0))
    while len(drawn) < 5:
        drawn[_tame(dtype, draw)] = None
    return list(drawn)


def _shape(layout: str, draw: Draw) -> list[int]:
    ndim = LAYOUTS[layout]
    if ndim is not None:
        return draw.shape(ndim, 2, 5)
    size = draw.integer(2, 5)
    shapes = {
        "0-d": [[]],
        "empty": [[0], [0, size], [size, 0], [size, 0, 3]],
        "size 1": [[1, size, 1], [1, 1, size], [size, 1], [1, 1]],
        "ten dimensions": [[2, 2, *draw.shape(7, 1, 2), 2]],
    }
    return draw.choice(shapes[layout])


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Build the requests of one case."""
    kind = params.get("kind", "value")
    if kind in ("schemas", "refused"):
        return _refused(params["device"]) if kind == "refused" else _ask("schemas", {}, {})
    if kind in ("strides", "state", "meta"):
        return _many(kind, params, draw)
    if group == "scale":
        return _scale(kind, params, draw)
    if kind == "special gradient":
        return _vjp(draw.normal([8]), draw.choice((1.0, -2.5)), _special(torch.float32, draw))
    dtype = params.get("dtype", "float64")
    x = _tensor(_geometry(params, draw), dtype, draw)
    if kind == "value":
        # In a layout one of the constants is enough for what only a second call shows.
        return _value(x, params["c"], twice=group != "layout" or params["c"] == 1.0)
    if kind == "vjp":
        return _vjp(_fill(x.shape, x.dtype, draw), params["c"], x)
    if kind == "backward":
        secret = {"kind": kind, "grad": x}
        return Case(steps=(call("add_constant_backward", x),), secret=secret, shown={"grad": x})
    secret = {**params, "x": x}
    args = [x] if params.get("op") == "add_constant_backward" else [x, _tame(dtype, draw)]
    data = {"free": True, "name": params.get("op", "add_constant"), "args": args}
    if "tests" in params:
        data["tests"] = params["tests"]
    return _ask(kind, data, secret)


def _ask(op: str, data: dict[str, Any], secret: dict[str, Any]) -> Case:
    shown = {f"argument {at}": item for at, item in enumerate(data.get("args", ()))}
    return Case(steps=(Request(op=op, data=data),), secret={"kind": op, **secret}, shown=shown)


def _value(x: torch.Tensor, c: float, *, twice: bool = True) -> Case:
    secret = {"kind": "value", "x": x, "c": c}
    request = call("add_constant", x, c, twice=twice)
    return Case(steps=(request,), secret=secret, shown={"x": x, "c": c})


def _vjp(x: torch.Tensor, c: float, grad: torch.Tensor) -> Case:
    request = call("add_constant", x, c, wrt=[0], cotangents=[grad], twice=False)
    secret = {"kind": "vjp", "x": x, "c": c, "grad": grad}
    return Case(steps=(request,), secret=secret, shown={"x": x, "c": c, "grad_output": grad})


def _refused(device: str) -> Case:
    ones = torch.ones(2, 3)
    tensors = {f"{name} tensor": (ones.to(getattr(torch, name)), 1.0) for name in REFUSED}
    # What is refused begins at 9.2e18 itself, where int64 has room for a little more.
    beyond = (math.inf, 1e30, 9.3e18, 9.2e18)
    constants = (2.5, -0.5, math.nan, *beyond, *(-c for c in beyond))
    whole = {
        f"{name} tensor, c = {c:g}": (ones.to(getattr(torch, name)), c)
        for name in INTEGERS
        for c in constants
    }
    # What cannot be represented is refused before anybody asks how many elements there are.
    none = {name: torch.empty(0, dtype=getattr(torch, name)) for name in (*REFUSED, *INTEGERS)}
    empty = {f"empty {name} tensor": (none[name], 1.0) for name in REFUSED} | {
        f"empty {name} tensor, c = {c:g}": (none[name], c)
        for name in INTEGERS
        for c in (2.5, math.nan, 9.2e18)
    }
    calls = tensors | whole | empty
    secret = {"kind": "refused", "names": list(calls)}
    if device == "cpu":
        request = refusals({name: call("add_constant", *args) for name, args in calls.items()})
    else:
        data = {name: [list(x.shape), x.dtype, c] for name, (x, c) in calls.items()}
        request = Request(op="refused on meta", data={"calls": data})
    return Case(steps=(request,), secret=secret, shown={"device": device})


def _many(kind: str, params: dict[str, Any], draw: Draw) -> Case:
    """Ask for one layout in every dtype."""
    op = params["op"]
    dtypes = DTYPES if op == "add_constant" else FLOATS
    geometry = _geometry(params, draw)
    # The one constant for which a copy is no work at all.
    constant = 0.0 if kind == "state" else draw.choice((1.0, -2.0, 7.0))
    rest = [constant] if op == "add_constant" else []
    data: dict[str, Any] = {"name": op, "rest": rest}
    if kind == "meta":
        data |= {"geometry": list(geometry), "dtypes": [getattr(torch, name) for name in dtypes]}
    else:
        data["tensors"] = {name: _tensor(geometry, name, draw) for name in dtypes}
    shown = dict(zip(("size", "stride", "storage_offset"), geometry, strict=True)) | (
        {"c": constant} if rest else {}
    )
    secret = {"kind": kind, "op": op, "geometry": geometry, "dtypes": dtypes}
    return Case(steps=(Request(op=kind, data=data),), secret=secret, shown=shown)


Geometry = tuple[list[int], list[int], int]


def _geometry(params: dict[str, Any], draw: Draw) -> Geometry:
    """Give size, stride and storage offset of a layout."""
    layout, size = params["layout"], list(params["shape"])
    is_cropped = layout.endswith("cropped")
    has_offset = is_cropped or layout.startswith("offset") or layout == "0-d"
    offset = draw.integer(1, 7) if has_offset else 0
    order = _order(layout, len(size), draw)
    stride = _strides(size, order, gap=2 if is_cropped else 0)
    if layout == "stepped":
        stride = [2 * step for step in stride]
    elif layout == "windows":
        stride = [1] * len(size)
    elif layout == "expanded everywhere":
        stride = [0] * len(size)
    elif layout.startswith("expanded"):
        stride = _expand(size, order, 0 if layout == "expanded" else len(size) // 2)
    elif layout == "size 1":
        # Strides that nobody ever takes may be anything.
        stride = [
            draw.integer(0, 9) if n == 1 else step for n, step in zip(size, stride, strict=True)
        ]
    return size, stride, offset


def _order(layout: str, ndim: int, draw: Draw) -> list[int]:
    """List the dimensions from the one whose neighbours lie farthest apart to the closest."""
    order = list(range(ndim))
    if layout in ("transposed", "offset, transposed", "expanded, permuted", "ten dimensions"):
        return order[::-1]
    if layout == "permuted":
        return draw.choice(([1, 2, 0], [2, 0, 1]))
    return [0, 2, 3, 1] if layout.startswith("channels_last") else order


def _expand(size: list[int], order: list[int], at: int) -> list[int]:
    """Give one dimension stride 0; the others are as close as if it had a single element."""
    stride = _strides([1 if dim == at else n for dim, n in enumerate(size)], order, gap=0)
    stride[at] = 0
    return stride


def _strides(size: list[int], order: list[int], *, gap: int) -> list[int]:
    """Lay out dimensions in the given order, with a gap behind each."""
    stride, step = [0] * len(size), 1
    for dim in reversed(order):
        stride[dim] = step
        step *= max(size[dim], 1) + gap
    return stride


def _tensor(geometry: Geometry, dtype: str, draw: Draw) -> torch.Tensor:
    """Draw a tensor; what lies between its elements is drawn as well.

    So is as much behind them that whoever reads the wrong ones gets the same wrong ones each time.
    """
    size, stride, offset = geometry
    reach = sum((n - 1) * step for n, step in zip(size, stride, strict=True) if n)
    beyond = offset + math.prod(size) + draw.integer(1, 4)
    storage = _fill([offset + reach + beyond], getattr(torch, dtype), draw)
    return storage.as_strided(size, stride, offset)


def _fill(shape: Any, dtype: torch.dtype, draw: Draw) -> torch.Tensor:
    if dtype.is_floating_point:
        return draw.normal(shape, dtype, scale=3.0)
    return draw.integers(shape, -999, 999, dtype)


def _scale(kind: str, params: dict[str, Any], draw: Draw) -> Case:
    name = params["dtype"]
    dtype = getattr(torch, name)
    if name in INTEGERS:
        return _value(*_integers(kind, params["sign"], dtype, draw))
    x, c = _floats(kind, dtype, draw)
    case = _value(x, c)
    return Case(steps=case.steps, secret=case.secret | {"kind": "signed"}, shown=case.shown) \
        if kind.endswith("zero") else case  # fmt: skip


def _floats(kind: str, dtype: torch.dtype, draw: Draw) -> tuple[torch.Tensor, float]:
    """Draw floating-point values and a constant whose sum is hard in one way."""
    info = torch.finfo(dtype)
    shape = draw.shape(2, 3, 6)
    # All 53 bits of a double, as pi has them.
    c = float(draw.uniform([], 1.0, 4.0, torch.float64))
    if kind == "wide":
        return draw.normal(shape, dtype), c
    if kind == "cancelling":
        # All that is left of the constant is what rounding it would have lost.
        steps = draw.integers(shape, -2, 2).to(torch.float64) * info.eps
        return (steps - c).to(dtype), c
    if kind == "half an ulp":
        # A little more than half an ulp of numbers in [1, 2): 4.9e-4 of float16.
        x = draw.uniform(shape, 1.0, 1.9, dtype)
        return x, info.eps * float(draw.uniform([], 0.501, 0.51, torch.float64))
    if kind == "1e10":
        return draw.normal(shape, dtype, scale=1e4), draw.choice((1e10, -1e10))
    if kind == "denormal":
        least = info.smallest_normal * info.eps
        steps = draw.integers(shape, -9, 9).to(torch.float64)
        return (steps * least).to(dtype), least * draw.integer(1, 5)
    if kind == "overflow":
        x = torch.full(shape, info.max, dtype=dtype)
        x[0] = info.max / 8
        sign = draw.choice((-1, 1))
        return x * sign, 0.75 * info.max * sign
    if kind.endswith("zero"):
        x = torch.zeros(shape, dtype=dtype) * draw.choice((-1, 1))
        x[0] = -x[0]
        x[-1, -1] = 1.0
        return x, -0.0 if kind == "negative zero" else 0.0
    x = _special(dtype, draw)
    return x, c if kind == "special x" else float(kind)


def _special(dtype: torch.dtype, draw: Draw) -> torch.Tensor:
    """Give NaN, infinities and the ends of the range in any order."""
    info = torch.finfo(dtype)
    numbers = (math.nan, math.inf, -math.inf, info.max, info.min, info.smallest_normal, -1.5, 0.0)
    order = torch.randperm(len(numbers), generator=draw.generator)
    return torch.tensor(numbers, dtype=dtype)[order]


def _integers(kind: str, sign: int, dtype: torch.dtype, draw: Draw) -> tuple[torch.Tensor, float]:
    """Draw integers and a constant whose sum is hard in one way."""
    info = torch.iinfo(dtype)
    shape = draw.shape(2, 2, 5)
    if kind == "wrap":
        x = draw.integers(shape, 0, 2)
        near = info.max - x if sign > 0 else info.min + x
        return near.to(dtype), float(sign * draw.integer(3, 9))
    if kind == "beyond float32":
        return draw.integers(shape, -9, 9, dtype), float(sign * (2**24 + 1))
    if kind == "beyond int32":
        # Cut modulo 2^32 it is an ordinary number; a cast to int32 may give another, -2^31.
        c = draw.choice((1e10, 2.0**32 + 5, 2.0**40 + 3))
        return draw.integers(shape, -999, 999, dtype), sign * c
    if kind == "largest constant":
        return draw.integers(shape, -999, 999, dtype), sign * math.nextafter(9.2e18, 0.0)
    odd = 2 * draw.integers(shape, 0, 2**55) + 2**53 + 1
    return odd * sign, float(draw.integer(1, 9))


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler calls: a contiguous tensor, fewer elements; kinds of values stay."""
    own = ("0-d", "empty", "size 1", "ten dimensions")
    fixed = params.get("layout") in own or "shape" not in params
    return iter(()) if fixed else shrink_sizes(params)
