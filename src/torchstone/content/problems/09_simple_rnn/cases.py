"""Draw sequences, weights and cotangents for problem 09.

Legend: T steps, B sequences, I input features, H hidden features.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, lay_out, module_call

# The early groups always pass h0 and, in "sample", no cotangent for h_n: whether a module remembers
# its state, or cuts h_n off, is the lesson of "module" and "grad".
GROUPS = (
    "sample",
    "grad",
    "module",
    "small",
    "edge",
    "lengths",
    "tbptt",
    "layout",
    "growth",
    "large",
    "errors",
)

NAMES = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
DEFAULTS: dict[str, Any] = {
    "nonlinearity": "tanh",
    "bias": True,
    "batch_first": False,
    "dtype": "float32",
    "h0": True,
    "lengths": None,
    "lengths_as": "tensor",
    "padding": "zero",
    "truncate": None,
    "loss": "both",
    "spectral": 0.8,
    "scale": 1.0,
    "second": False,
    "layout": "contiguous",
    "twice": True,
    "of_x": True,
    "of_h0": True,
    "nan_at": None,
}
# "mixed" is drawn element by element from all the others.
PADDING = {"zero": 0.0, "nan": math.nan, "inf": math.inf, "-inf": -math.inf, "1e30": 1e30}


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases; ``shape`` is [T, B, I, H]."""
    return PLANS[group](draw)


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the inputs of one case."""
    if group == "errors":
        return _error(params["kind"], draw)
    if group == "growth":
        return _growth(params, draw)
    if group == "module" and params["kind"] == "describe":
        secret = {"kind": "describe", "params": params}
        data = {"init": _init(DEFAULTS | params), "twice": True}
        return Case(steps=(Request(op="describe", data=data),), secret=secret)
    drawn = (_inputs(DEFAULTS | params, draw) for _ in range(100))
    inputs = next((each for each in drawn if not _is_near_the_kink(each)), None)
    if inputs is None:
        raise ValueError("every draw is too near the kink of relu")
    if group == "module":
        return _through_probe(params["kind"], inputs, draw)
    return _call(inputs)


def _sample(draw: Draw) -> list[dict[str, Any]]:
    return [{"shape": [4, 2, 3, 5], "loss": "output"}]


def _grad(draw: Draw) -> list[dict[str, Any]]:
    exact = {"dtype": "float64", "second": True}
    # Many steps cost much, and determinism is checked by everything else.
    once: dict[str, Any] = {"twice": False}
    return [
        {"shape": [draw.integer(4, 6), 2, 3, 4], "loss": "h_n"},
        {"shape": [60, 3, 3, draw.integer(4, 7)], "spectral": 1.1, **once},
        {"shape": [40, 3, 2, 5], "nonlinearity": "relu", "spectral": 1.6, **once},
        {"shape": [4, 2, 2, 3], **exact},
        {"shape": [3, 2, 2, 3], "bias": False, "loss": "h_n", **exact},
    ]


def _module(draw: Draw) -> list[dict[str, Any]]:
    return [
        {"kind": "describe", "shape": [0, 0, draw.integer(20, 30), draw.integer(40, 64)]},
        {"kind": "describe", "shape": [0, 0, 7, 30], "bias": False, "dtype": "float64"},
        {"kind": "calls", "shape": draw.shape(4, 3, 5), "h0": False},
        {"kind": "carry", "shape": [draw.integer(4, 7), 2, 3, 4]},
    ]


def _small(draw: Draw) -> list[dict[str, Any]]:
    n = draw.integer(3, 4)
    return [
        # An h0 that nobody differentiates is an input all the same.
        {"shape": draw.shape(4, 2, 5), "of_h0": False},
        {"shape": draw.shape(4, 2, 5), "h0": False, "dtype": "float64"},
        {"shape": [3, 4, 2, 5], "batch_first": True, "nonlinearity": "relu"},
        {"shape": [n, n, 3, 2], "batch_first": True, "h0": False},
        {"shape": [n, n, n, n]},
        # Nothing bounds the states of relu.
        {"shape": [5, 3, 4, 4], "bias": False, "nonlinearity": "relu", "scale": 1e4},
        {"shape": [3, 2, 2, 3], "again": True},
    ]


def _edge(draw: Draw) -> list[dict[str, Any]]:
    b, i, h = draw.integer(2, 3), draw.integer(4, 5), draw.integer(6, 7)
    return [
        {"shape": [1, b, i, h]},
        {"shape": [4, 1, i, h], "batch_first": True},
        {"shape": [1, 1, 1, 1], "h0": False},
        {"shape": [0, b, i, h]},
        {"shape": [0, b, i, h], "h0": False, "batch_first": True},
        {"shape": [3, 0, i, h]},
    ]


def _lengths(draw: Draw) -> list[dict[str, Any]]:
    unsorted = [2, 5, 0, 3]
    rows = [
        ([5, 4, 2, 1], "zero", "tanh"),
        (unsorted, "nan", "tanh"),
        ([3, 1, 4, 0], "inf", "tanh"),
        (unsorted, "mixed", "relu"),
        ([0, 0, 0, 0], "mixed", "tanh"),
    ]
    base = {"shape": [5, 4, draw.integer(2, 3), draw.integer(2, 3)]}
    cases = [base | {"lengths": n, "padding": p, "nonlinearity": a} for n, p, a in rows]
    # A NaN inside a sequence is no padding: all that follows it is NaN.
    nan = base | {"loss": "none", "nan_at": [draw.integer(1, 3), 1]}
    return [
        *cases,
        base | {"lengths": unsorted, "lengths_as": "list", "padding": "nan", "batch_first": True},
        base | {"lengths": [4, 0, 2, 5], "h0": False, "loss": "h_n"},
        base | {"lengths": unsorted, "padding": "nan", "of_x": False},
        nan | {"lengths": unsorted},
        nan | {"lengths": [5, 5, 5, 5], "batch_first": True},
        base | {"shape": [3, 0, 2, 3], "lengths": []},
    ]


def _tbptt(draw: Draw) -> list[dict[str, Any]]:
    # A bias has no part in time, and other groups check determinism.
    base: dict[str, Any] = {"bias": False, "twice": False}
    base["shape"] = [6, 3, draw.integer(2, 3), draw.integer(2, 4)]
    short: dict[str, Any] = {"lengths": [6, 3, 4], "padding": "nan"}
    double = {"dtype": "float64", "second": True, "shape": [5, 2, 2, 3]}
    return [
        *(base | {"truncate": k} for k in (2, 1, 4, 1000)),
        base | {"truncate": 3, "loss": "h_n"},
        base | {"truncate": 2, **short},
        base | {"truncate": 3, **short, "loss": "h_n"},
        base | {"truncate": 4, **short, "batch_first": True, "loss": "h_n", "lengths": [2, 6, 0]},
        base | {"truncate": 1, **short, "loss": "h_n", "lengths_as": "list"},
        double | {"truncate": 3, "lengths": [5, 2], "padding": "nan"},
    ]


def _layout(draw: Draw) -> list[dict[str, Any]]:
    base = {"shape": [4, 3, draw.integer(2, 4), draw.integer(2, 4)], "bias": False}
    return [
        base | {"layout": "transposed", "batch_first": True},
        base | {"layout": "stepped"},
        base | {"layout": "offset"},
    ]


def _large(draw: Draw) -> list[dict[str, Any]]:
    # A million elements of x. Few hidden features: what costs is the number of steps, over
    # which the gradient vanishes.
    shape = [320, 16, draw.integer(196, 200), 8]
    return [{"shape": shape, "spectral": 0.5, "twice": False, "of_x": False}]


PLANS = {
    "sample": _sample,
    "grad": _grad,
    "module": _module,
    "small": _small,
    "edge": _edge,
    "lengths": _lengths,
    "tbptt": _tbptt,
    "layout": _layout,
    "growth": lambda draw: [{"lengths": False}, {"lengths": True}],
    "large": _large,
    "errors": lambda draw: [{"kind": kind} for kind in ILLEGAL],
}


def _init(params: dict[str, Any]) -> list[Any]:
    _, _, input_size, hidden_size = params["shape"]
    named = [params[name] for name in ("nonlinearity", "bias", "batch_first", "dtype")]
    if named == [DEFAULTS[name] for name in ("nonlinearity", "bias", "batch_first", "dtype")]:
        return [input_size, hidden_size]
    return [input_size, hidden_size, *named[:3], getattr(torch, params["dtype"])]


def _state(params: dict[str, Any], draw: Draw) -> dict[str, torch.Tensor]:
    _, _, i, h = params["shape"]
    dtype = getattr(torch, params["dtype"])
    # An orthogonal matrix times a number: gradients shrink or grow by it in every step.
    orthogonal = torch.linalg.qr(draw.normal([h, h], torch.float64))[0]
    state = {
        "weight_ih_l0": draw.normal([h, i], dtype, scale=1 / math.sqrt(i)),
        "weight_hh_l0": (params["spectral"] * orthogonal).to(dtype).contiguous(),
    }
    if params["bias"]:
        state |= {name: draw.normal([h], dtype, scale=0.3) for name in NAMES[2:]}
    return state


def _inputs(params: dict[str, Any], draw: Draw) -> dict[str, Any]:
    """Draw everything a call needs, and everything the oracle must know of it."""
    t, b, i, h = params["shape"]
    dtype = getattr(torch, params["dtype"])
    lengths = params["lengths"]
    x = _sequences([t, b, i], dtype, params["scale"], draw)
    if lengths is not None:
        if len(lengths) != b or max(lengths, default=0) > t:
            raise ValueError("lengths do not fit the shape")
        late = torch.arange(t)[:, None] >= torch.tensor(lengths)
        if params["padding"] == "mixed":
            kinds = torch.tensor(list(PADDING.values()), dtype=dtype)
            x[late] = kinds[draw.integers(x[late].shape, 0, len(kinds) - 1)]
        else:
            x[late] = PADDING[params["padding"]]
    if params["nan_at"] is not None:
        x[*params["nan_at"], 0] = math.nan
    rows = [b, t] if params["batch_first"] else [t, b]
    x = x.transpose(0, 1).contiguous() if params["batch_first"] else x
    cotangents = [draw.normal([*rows, h], dtype), draw.normal([1, b, h], dtype)]
    if draw.chance(0.5):
        cotangents[0] = lay_out(cotangents[0], draw.choice(("transposed", "stepped", "offset")))
    return {
        "params": params,
        "x": lay_out(x, params["layout"]),
        "h0": lay_out(draw.normal([1, b, h], dtype), params["layout"]) if params["h0"] else None,
        "lengths": lengths,
        "state": _state(params, draw),
        "cotangents": [
            cotangents[0] if params["loss"] in ("output", "both") else None,
            cotangents[1] if params["loss"] in ("h_n", "both") else None,
        ],
    }


def _sequences(shape: list[int], dtype: torch.dtype, scale: float, draw: Draw) -> torch.Tensor:
    """Draw x; a large one as overlapping windows of fewer numbers, for drawing is slow."""
    t, b, i = shape
    if t * b * i < 1 << 16:
        return draw.normal(shape, dtype, scale)
    return draw.normal([7 * t * b + i], dtype, scale).unfold(0, i, 7)[: t * b].reshape(shape)


def _is_near_the_kink(inputs: dict[str, Any]) -> bool:
    """Tell whether rounding in float32 could decide on which side of 0 an argument of relu lies.

    There its gradient jumps, and a right answer may land on the other side than the truth. In
    float32 an argument is off by some 1e-6 of the largest of its step: ten times that stays clear.
    """
    params, state = inputs["params"], inputs["state"]
    if params["nonlinearity"] != "relu":
        return False
    x = inputs["x"].transpose(0, 1) if params["batch_first"] else inputs["x"]
    x = x.where(x.abs() < 1e20, 0.0)  # padding, whatever it holds, has no part in this
    drive = x.double() @ state["weight_ih_l0"].double().T
    if params["bias"]:
        drive += state["bias_ih_l0"] + state["bias_hh_l0"]
    h = inputs["h0"][0].double() if params["h0"] else drive.new_zeros(drive.shape[1:])
    recurrent, arguments = state["weight_hh_l0"].double().T, []
    for now in drive:
        arguments.append(torch.addmm(now, h, recurrent))
        h = arguments[-1].relu()
    sizes = torch.stack(arguments).abs()
    return bool((sizes < 1e-5 * (1 + sizes.amax((1, 2), keepdim=True))).any())


def _call(inputs: dict[str, Any]) -> Case:
    params, state = inputs["params"], inputs["state"]
    wrt: list[int | str] = [0] if params["of_x"] else []
    keywords: dict[str, Any] = {}
    if params["h0"]:
        keywords["h0"] = inputs["h0"]
        wrt += ["h0"] if params["of_h0"] else []
    lengths = inputs["lengths"]
    if lengths is not None:
        as_list = params["lengths_as"] == "list"
        keywords["lengths"] = lengths if as_list else torch.tensor(lengths, dtype=torch.int64)
    if params["truncate"] is not None:
        keywords["truncate"] = params["truncate"]
    wrt += [f"state.{name}" for name in state]
    if params["loss"] == "none":
        wrt = []
    leaves = {"0": inputs["x"], "h0": inputs["h0"]}
    leaves |= {f"state.{name}": value for name, value in state.items()}
    # The second cotangents need no secrecy of their own: the first ones are drawn.
    clean = [torch.nan_to_num(leaves[str(key)], 0.0, 0.0, 0.0) for key in wrt]
    second = [torch.cos(3 * leaf) for leaf in clean] if params["second"] else []
    request = module_call(
        "SimpleRNN",
        inputs["x"],
        init=_init(params),
        state=state,
        wrt=wrt,
        cotangents=inputs["cotangents"],
        second=second,
        twice=params["twice"],
        # Without a step the last state is h0, and may be h0 itself.
        views=params["shape"][0] == 0,
        **keywords,
    )
    secret = {"kind": "call", "inputs": inputs, "wrt": [str(key) for key in wrt], "second": second}
    shown = {"x": inputs["x"], **keywords, **state}
    return Case(steps=(request,), secret=secret, shown=shown)


def _through_probe(kind: str, inputs: dict[str, Any], draw: Draw) -> Case:
    params, x = inputs["params"], inputs["x"]
    data = {"init": _init(params), "state": inputs["state"], "x": x}
    if kind == "calls":
        data["other"] = inputs["other"] = draw.normal(x.shape, x.dtype)
    else:
        data |= {"h0": inputs["h0"], "at": draw.integer(1, x.shape[0] - 1)}
        data["cotangents"] = inputs["cotangents"]
    secret = {"kind": kind, "inputs": inputs}
    return Case(steps=(Request(op=kind, data=data),), secret=secret, shown={"x": x})


def _growth(params: dict[str, Any], draw: Draw) -> Case:
    t, b, i = 64, 3, 4
    inputs = DEFAULTS | {"shape": [t, b, i, 5]}
    data: dict[str, Any] = {"init": _init(inputs), "state": _state(inputs, draw)}
    data["runs"] = []
    for steps in (t // 4, t):
        lengths = [steps, steps // 2, steps - 3] if params["lengths"] else None
        data["runs"].append({"x": draw.normal([steps, b, i]), "lengths": lengths})
    return Case(steps=(Request(op="growth", data=data),), secret={"kind": "growth"})


ILLEGAL = (
    "unknown nonlinearity",
    "truncate 0",
    "x 2-d",
    "input size",
    "h0 2-d",
    "h0 batch 1",
    "h0 batch first",
    "h0 hidden size",
    "lengths too few",
    "lengths 2-d",
    "lengths above T",
    "lengths negative",
)


def _error(kind: str, draw: Draw) -> Case:
    t, b, i, h = 4, 3, 2, 5
    x, h0 = draw.normal([t, b, i]), draw.normal([1, b, h])
    init: list[Any] = [i, h]
    options: dict[str, Any] = {
        "truncate 0": {"truncate": 0},
        "h0 2-d": {"h0": h0[0].clone()},
        "h0 batch 1": {"h0": h0[:, :1].clone()},
        "h0 batch first": {"h0": h0.transpose(0, 1).clone()},
        "h0 hidden size": {"h0": draw.normal([1, b, h + 1])},
        "lengths too few": {"lengths": torch.tensor([2, 3])},
        "lengths 2-d": {"lengths": torch.tensor([[2], [3], [1]])},
        "lengths above T": {"lengths": torch.tensor([2, t + 1, 1])},
        "lengths negative": {"lengths": [2, -1, 1]},
    }.get(kind, {})
    if kind == "unknown nonlinearity":
        init.append(draw.choice(("sigmoid", "TANH", "")))
    elif kind == "x 2-d":
        x = x[0].clone()
    elif kind == "input size":
        x = draw.normal([t, b, i + 1])
    request = module_call("SimpleRNN", x, init=init, twice=False, **options)
    strict = kind.startswith(("unknown", "truncate"))
    return Case(steps=(request,), secret={"kind": "error", "strict": strict})
