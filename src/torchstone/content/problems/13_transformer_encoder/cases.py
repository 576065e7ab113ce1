"""Draw the inputs of problem 13: encoders, sequences, masks of every kind, dropout in the open."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch.nn import functional as F

from torchstone.judge.kit import Case, Draw, Request, call, lay_out, refusals

GROUPS = (
    "sample",
    "small",
    "edge",
    "mask",
    "layout",
    "dtype",
    "scale",
    "large",
    "dropout",
    "errors",
)

# The constructor's arguments in order, each with the key of a case's parameters and its default.
ARGUMENTS = {
    "d_model": ("width", None),
    "nhead": ("heads", None),
    "num_layers": ("layers", None),
    "dim_feedforward": ("hidden", 2048),
    "dropout": ("dropout", 0.1),
    "activation": ("activation", "relu"),
    "norm_first": ("norm_first", False),
    "layer_norm_eps": ("eps", 1e-5),
    "final_norm": ("final_norm", False),
}
DEFAULTS: dict[str, Any] = {
    "width": 8,
    "heads": 2,
    "layers": 1,
    "hidden": 6,
    "dropout": 0.0,
    "activation": "relu",
    "norm_first": False,
    "eps": 1e-5,
    "final_norm": False,
    "batch": 2,
    "length": 4,
    "dtype": "float32",
    "train": False,
    "mask": None,
    "padding": None,
    "later": [],
    "layout": "contiguous",
    "scale": 1.0,
    "weights": "random",
    "gradients": True,
    "seen": None,
    "overwritten": False,
    "style": "keywords",
}
BLOCKED = -math.inf


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    if group == "dropout":
        return _dropout(draw)
    if group == "errors":
        return [{"about": name} for name in ("nhead", "activation", "dropout")]
    return [DEFAULTS | params for params in PLANS[group](draw)]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the inputs of one case."""
    if group == "errors":
        return _errors(params["about"], draw)
    if "site" in params:
        return _site(params, draw)
    if params["heads"] < 1 or params["width"] % params["heads"]:
        raise ValueError("heads do not divide the width")
    for attempt in range(9):
        inputs = _inputs(params, Draw(draw.integer(0, 1 << 40), plain=draw.plain and attempt < 4))
        if not _is_near_the_kink(params, inputs):
            break
    return _encode(params, inputs)


def _sample(draw: Draw) -> list[dict[str, Any]]:
    base = {"batch": draw.integer(2, 3), "length": 5, "overwritten": True}
    return [base, base | {"width": 12, "heads": 3, "layers": 2, "length": 4, "train": True}]


def _small(draw: Draw) -> list[dict[str, Any]]:
    sizes = {"width": 6, "batch": 2, "hidden": 5, "dropout": 0.5}
    settings = [
        {"norm_first": first, "activation": activation, "final_norm": final}
        for first in (False, True)
        for activation in ("relu", "gelu")
        for final in (False, True)
    ]
    found = [sizes | {"length": draw.integer(3, 5)} | each for each in settings]
    # Of every pair of settings, each combination occurs once with gradients.
    for index in (1, 2, 4, 7):
        found[index]["gradients"] = False
    for index in (0, 3, 6):
        found[index] |= {"eps": 0.3, "style": "positional"}
    # Everything but the sizes of the model as it stands in the signature.
    defaults = {"hidden": 2048, "dropout": 0.1, "style": "defaults", "gradients": False}
    return [*found, defaults | {"scale": 1e-3}]


def _edge(draw: Draw) -> list[dict[str, Any]]:
    return [
        {"batch": 0, "length": 3},
        {"batch": 1, "length": 1, "train": True},
        {"batch": 1, "heads": 1, "length": draw.integer(3, 5)},
        {"width": 4, "heads": 4, "batch": 1, "norm_first": True, "gradients": False},
        {"hidden": 1, "activation": "gelu"},
    ]


def _mask(draw: Draw) -> list[dict[str, Any]]:
    first, gelu = {"norm_first": True}, {"activation": "gelu"}
    return [
        # The outputs up to `seen` have a cotangent; what comes later gets a gradient of zero.
        {"mask": "causal", "length": 6, "seen": draw.integer(1, 4), "layers": 2} | gelu,
        {"mask": "causal float", "length": 5, "seen": 2} | first,
        {"mask": "bool", "later": [["bool", "bool"]], "batch": 3} | gelu,
        {"mask": "float", "later": [["large", None]]},
        {"mask": "blind", "batch": 3} | gelu,
        {"mask": "blind float", "heads": 4} | first,
        {"mask": "blind 3-d", "batch": 3, "later": [["bool 3-d", None]]} | gelu,
        {"mask": "float 3-d", "heads": 4, "padding": "bool", "later": [["bool", "float"]]} | first,
        {"padding": "all", "batch": 3} | gelu,
        {"padding": "all float", "batch": 3, "train": True} | first,
        {"mask": "causal", "padding": "left", "later": [["causal float", "left"]], "batch": 3},
        {"mask": "bool", "padding": "bool", "batch": 0, "length": 2, "gradients": False},
    ]


def _layout(draw: Draw) -> list[dict[str, Any]]:
    length = draw.integer(3, 5)
    return [
        {"layout": "transposed", "length": length, "mask": "float"},
        {"layout": "stepped", "mask": "bool", "padding": "bool", "norm_first": True},
        {"layout": "offset", "mask": "float 3-d", "padding": "float"},
        {"layout": "expanded", "mask": "float 3-d", "batch": 3, "norm_first": True},
        # One module: masks of one shape with other values, other lengths, masks overwritten.
        {
            "mask": "causal",
            "later": [[None, None], [None, "left"], ["blind", "bool"]],
            "lengths": [4, 6, 3, 4],
            "overwritten": True,
        },
    ]


def _dtype(draw: Draw) -> list[dict[str, Any]]:
    size = {"length": draw.integer(3, 5)}
    half = size | {"gradients": False}
    return [
        size | {"dtype": "float64", "mask": "blind"},
        size | {"dtype": "float64", "activation": "gelu", "norm_first": True, "padding": "float"},
        half | {"dtype": "bfloat16", "mask": "blind"},
        half | {"dtype": "bfloat16", "padding": "all float", "norm_first": True},
        half | {"dtype": "float16", "mask": "causal float", "activation": "gelu"},
        half | {"dtype": "float16", "mask": "large", "norm_first": True},
    ]


def _scale(draw: Draw) -> list[dict[str, Any]]:
    hot = {"width": 32, "length": 5, "weights": "hot"}
    # Every score is 64 * 50 * 50 / 8 = 20 000, a number of float16; unscaled it is beyond.
    full = {"width": 64, "heads": 1, "dtype": "float16", "weights": "full", "gradients": False}
    return [
        {"scale": 1e4, "weights": "cool", "length": draw.integer(3, 5)},
        {"scale": 1e-3, "weights": "faint", "norm_first": draw.chance(0.5)},
        hot,
        hot | {"dtype": "float64"},
        hot | {"weights": "cold", "mask": "causal"},
        full | {"length": 4},
        full | {"length": 3, "mask": "causal float"},
    ]


def _large(draw: Draw) -> list[dict[str, Any]]:
    size = {"batch": 1, "length": 65, "width": 64, "heads": 4, "hidden": 96, "layers": 3}
    return [size | {"activation": "gelu", "norm_first": draw.chance(0.5), "mask": "causal"}]


PLANS = {
    "sample": _sample,
    "small": _small,
    "edge": _edge,
    "mask": _mask,
    "layout": _layout,
    "dtype": _dtype,
    "scale": _scale,
    "large": _large,
}


def shapes_of(params: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """Return the shape of every parameter by its name."""
    width, hidden = params["width"], params["hidden"]
    layer = {
        "self_attn.in_proj_weight": (3 * width, width),
        "self_attn.in_proj_bias": (3 * width,),
        "self_attn.out_proj.weight": (width, width),
        "self_attn.out_proj.bias": (width,),
        "linear1.weight": (hidden, width),
        "linear1.bias": (hidden,),
        "linear2.weight": (width, hidden),
        "linear2.bias": (width,),
    }
    layer |= {f"norm{n}.{kind}": (width,) for n in (1, 2) for kind in ("weight", "bias")}
    found = {
        f"layers.{index}.{name}": shape
        for index in range(params["layers"])
        for name, shape in layer.items()
    }
    if params["final_norm"]:
        found |= {"norm.weight": (width,), "norm.bias": (width,)}
    return found


def _state(params: dict[str, Any], draw: Draw) -> dict[str, torch.Tensor]:
    dtype, width = getattr(torch, params["dtype"]), params["width"]
    state = {}
    for name, shape in shapes_of(params).items():
        if "norm" in name:
            drawn = draw.normal(shape, dtype, 0.3, 1.0 if name.endswith("weight") else 0.0)
        elif name.endswith("bias"):
            drawn = draw.normal(shape, dtype, 0.3)
        else:
            drawn = draw.normal(shape, dtype, 1 / math.sqrt(shape[1]))
        state[name] = drawn
    # Queries and keys a little larger, so that the weights differ clearly from one another.
    for index in range(params["layers"]):
        weight = state[f"layers.{index}.self_attn.in_proj_weight"]
        bias = state[f"layers.{index}.self_attn.in_proj_bias"]
        weight[: 2 * width] *= 1.5
        if params["weights"] in ("hot", "cold"):
            # Of inputs that are whole numbers these give scores that no rounding touches.
            factor = 8 if dtype == torch.float64 else 4
            weight[: 2 * width] = factor * torch.eye(width, dtype=dtype).repeat(2, 1)
            weight[:width] *= -1 if params["weights"] == "cold" else 1
            bias[: 2 * width] = 0
        elif params["weights"] == "full":
            weight[: 2 * width], bias[: 2 * width] = 0, 50
        elif params["weights"] == "cool":
            weight[: 2 * width] *= 1e-4
        elif params["weights"] == "faint":
            bias *= 1e-3
            state[f"layers.{index}.self_attn.out_proj.bias"] *= 1e-3
    return state


def _attention_mask(kind: str, sizes: tuple[int, int, int], dtype: Any, draw: Draw) -> Any:
    """Draw a mask for the scores; ``blind`` ones leave some queries without any key."""
    batch, heads, length = sizes
    shape = (batch * heads, length, length) if kind.endswith("3-d") else (length, length)
    if kind.startswith("causal"):
        blocked = torch.ones(length, length, dtype=torch.bool).triu(1)
    else:
        blocked = draw.uniform(shape, 0, 1) < 0.4
        seen = draw.integers((*shape[:-1], 1), 0, max(length - 1, 0))
        blocked.scatter_(-1, seen, False)
    if kind.startswith("blind"):
        # The first query is blind, and others by chance; of three dimensions not in every head.
        rows = draw.uniform(shape[:-1], 0, 1) < 0.3
        rows.view(-1)[:1] = True
        blocked |= rows[..., None]
    if "float" not in kind and kind != "large":
        return blocked
    mask = torch.zeros(shape) if kind == "causal float" else draw.normal(shape, scale=1.5)
    if kind == "large":
        return mask.masked_fill(blocked, -1e4 if dtype == torch.float16 else -1e9).to(dtype)
    return mask.masked_fill(blocked, BLOCKED).to(dtype)


def _padding(kind: str, batch: int, length: int, dtype: Any, draw: Draw) -> Any:
    """Draw a mask for the keys of every sample; `all` leaves the first sample without any."""
    ends = draw.integers((batch, 1), 1, max(length - 1, 1))
    blocked = torch.arange(length) >= ends
    if kind == "left":  # with a causal mask the first queries see nothing
        blocked = blocked.flip(1)
    if kind.startswith("all"):
        blocked[:1] = True
    if not kind.endswith("float"):
        return blocked
    return draw.normal((batch, length)).masked_fill(blocked, BLOCKED).to(dtype)


def _call(
    params: dict[str, Any], length: int, masks: list[Any], draw: Draw
) -> dict[str, torch.Tensor | None]:
    """Draw what one call of forward gets."""
    batch, width, dtype = params["batch"], params["width"], getattr(torch, params["dtype"])
    layout = params["layout"]
    if params["weights"] in ("hot", "cold"):
        src = draw.integers((batch, length, width), -2, 2).to(dtype)
    else:
        src = draw.normal((batch, length, width), dtype, params["scale"])
    mask, padding, cotangent = masks[0], masks[1], None
    if mask is not None:
        mask = _attention_mask(mask, (batch, params["heads"], length), dtype, draw)
        mask = lay_out(mask, layout)
    if padding is not None:
        padding = lay_out(_padding(padding, batch, length, dtype, draw), layout)
    if params["gradients"]:
        cotangent = draw.normal((batch, length, width), dtype)
        if params["seen"] is not None:
            cotangent[:, params["seen"] + 1 :] = 0
        if draw.chance(0.5):
            cotangent = lay_out(cotangent, draw.choice(("transposed", "stepped", "offset")))
    return {
        "src": lay_out(src, layout),
        "mask": mask,
        "padding": padding,
        "cotangent": cotangent,
    }


def _inputs(params: dict[str, Any], draw: Draw) -> dict[str, Any]:
    masks = [[params["mask"], params["padding"]], *params["later"]]
    lengths = params.get("lengths", [params["length"]] * len(masks))
    pairs = list(zip(lengths, masks, strict=True))
    # What a later call of the same module forgets or confuses shows in its value.
    quiet = params | {"gradients": False}
    given = [params, *[quiet] * (len(pairs) - 1)]
    if params["overwritten"]:
        given[-1] = params
    calls = [_call(own, *pair, draw) for own, pair in zip(given, pairs, strict=True)]
    again = None
    if params["overwritten"]:
        again = _call(params, *pairs[-1], draw)
        again = {name: None if item is None else item.contiguous() for name, item in again.items()}
    return {"state": _state(params, draw), "calls": calls, "again": again}


def _init(params: dict[str, Any]) -> tuple[list[Any], dict[str, Any]]:
    values = {name: params[key] for name, (key, _) in ARGUMENTS.items()}
    if params["style"] == "positional":
        return list(values.values()), {}
    defaults = {name: default for name, (_, default) in ARGUMENTS.items()}
    sizes = [values[name] for name in ("d_model", "nhead", "num_layers")]
    given = {name: item for name, item in values.items() if item != defaults[name]}
    return sizes, {name: item for name, item in given.items() if defaults[name] is not None}


def _encode(params: dict[str, Any], inputs: dict[str, Any]) -> Case:
    init, options = _init(params)
    data = {
        "init": init,
        "options": options,
        "dtype": params["dtype"],
        "train": params["train"],
        "state": inputs["state"],
        "calls": inputs["calls"],
        "again": inputs["again"],
    }
    shown = {"arguments": f"{init} {options}"}
    for index, each in enumerate(inputs["calls"]):
        shown |= {
            f"{name} {index}" if index else name: item
            for name, item in each.items()
            if item is not None and name != "cotangent"
        }
    secret = {"kind": "encode", "params": params} | inputs
    return Case(steps=(Request(op="encode", data=data),), secret=secret, shown=shown)


def _is_near_the_kink(params: dict[str, Any], inputs: dict[str, Any]) -> bool:
    """Tell whether rounding in float32 could decide on which side of 0 an argument of relu lies.

    There its gradient jumps, and a right answer may land on the other side than the truth.
    """
    if params["activation"] != "relu" or params["dtype"] != "float32" or not params["gradients"]:
        return False
    state = {name: item.double() for name, item in inputs["state"].items()}
    calls = [*inputs["calls"], *([inputs["again"]] if inputs["again"] else [])]
    calls = [each for each in calls if each["cotangent"] is not None]
    return any(_nearest(params, state, each) < 2e-6 for each in calls)


def _nearest(params: dict[str, Any], state: dict[str, Any], each: dict[str, Any]) -> float:
    """Return how near to 0 an argument of relu comes, as a share of the largest of its layer."""
    x, nearest, width = each["src"].double(), 1.0, params["width"]
    if not x.numel():
        return nearest
    mask, first = _merged(params, each), params["norm_first"]

    def norm(name: str, y: torch.Tensor) -> torch.Tensor:
        return F.layer_norm(
            y, (width,), state[f"{name}.weight"], state[f"{name}.bias"], params["eps"]
        )

    def linear(name: str, y: torch.Tensor) -> torch.Tensor:
        return F.linear(y, state[f"{name}.weight"], state[f"{name}.bias"])

    for layer in (f"layers.{index}" for index in range(params["layers"])):
        packed = [state[f"{layer}.self_attn.in_proj_{kind}"] for kind in ("weight", "bias")]
        qkv = F.linear(norm(f"{layer}.norm1", x) if first else x, *packed)
        q, k, v = qkv.unflatten(-1, (3, params["heads"], -1)).permute(2, 0, 3, 1, 4)
        context = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        x = x + linear(f"{layer}.self_attn.out_proj", context.transpose(1, 2).flatten(2))
        x = x if first else norm(f"{layer}.norm1", x)
        inner = linear(f"{layer}.linear1", norm(f"{layer}.norm2", x) if first else x)
        nearest = min(nearest, float(inner.abs().min() / inner.abs().max()))
        x = x + linear(f"{layer}.linear2", inner.relu())
        x = x if first else norm(f"{layer}.norm2", x)
    return nearest


def _merged(params: dict[str, Any], each: dict[str, Any]) -> torch.Tensor:
    """Return both masks of a call as one, (B, H, L, L), to be added to the scores."""
    batch, length, _ = each["src"].shape
    merged = torch.zeros(batch, params["heads"], length, length, dtype=torch.float64)
    for name in ("mask", "padding"):
        given = each[name]
        if given is None:
            continue
        if given.dtype == torch.bool:
            given = torch.zeros(given.shape).masked_fill(given, BLOCKED)
        if name == "padding":
            given = given[:, None, None]
        elif given.dim() == 3:
            given = given.reshape(merged.shape)
        merged = merged + given
    return merged


def _dropout(draw: Draw) -> list[dict[str, Any]]:
    # 375 rows of 64 features: 24 000 draws at every site.
    p = [draw.integer(2, 6) / 10 for _ in range(2)]
    return [
        {"site": "attention", "p": p[0], "seeded": True},
        {"site": "feed-forward", "p": p[1], "seeded": False},
        # The default.
        {"site": "attention", "p": None, "seeded": False},
        {"site": "residual", "norm_first": False},
        {"site": "residual", "norm_first": True},
    ]


def _site(params: dict[str, Any], draw: Draw) -> Case:
    """Let the outputs show what dropout did at the places of one branch.

    With a length of 1 the one weight of attention is 1. Norms of weight 0 and bias 1 give ones,
    so the values are ones, too; the projections after them are the identity, or repeat one hidden
    feature in 16 outputs. All else is zero, and src as well: y is what the two dropouts made.
    """
    if params["site"] == "residual":
        return _residual(params, draw)
    width, heads, p = 64, 4, params["p"]
    sizes = DEFAULTS | {"width": width, "heads": heads, "hidden": heads}
    state = {name: torch.zeros(shape) for name, shape in shapes_of(sizes).items()}
    eye = torch.eye(width)
    if params["site"] == "attention":
        state["layers.0.norm1.bias"] += 1
        state["layers.0.self_attn.in_proj_bias"][2 * width :] = 1
        state["layers.0.self_attn.out_proj.weight"] += eye
        watched = "layers.0.self_attn.in_proj_bias"
    else:
        state["layers.0.norm2.bias"] += 1
        state["layers.0.linear1.bias"] += 1
        state["layers.0.linear2.weight"] += torch.eye(heads).repeat_interleave(16, 0)
        watched = "layers.0.linear1.bias"
    options = {"dim_feedforward": heads, "norm_first": True, "activation": "gelu"}
    data = {
        "init": [width, heads, 1],
        "options": options | ({} if p is None else {"dropout": p}),
        "state": state,
        "src": torch.zeros(375, 1, width),
        "cotangent": draw.normal((375, 1, width)),
        "watched": watched,
        "seed": draw.integer(0, 1 << 40),
        "seeded": params["seeded"],
    }
    secret = {"kind": "site", "site": params["site"], "p": 0.1 if p is None else p}
    secret["seeded"] = params["seeded"]
    secret["cotangent"] = data["cotangent"]
    shown = {"dropout": secret["p"], "src": data["src"]}
    return Case(steps=(Request(op="dropout", data=data),), secret=secret, shown=shown)


def _residual(params: dict[str, Any], draw: Draw) -> Case:
    """With p = 1 every branch is zero in training; in evaluation it is not."""
    own = DEFAULTS | {"dropout": 1.0, "train": True, "norm_first": params["norm_first"]}
    own |= {"layers": 2, "length": 3}
    return _encode(own, _inputs(own, draw))


def _errors(about: str, draw: Draw) -> Case:
    def make(*sizes: int, **options: Any) -> Request:
        return call("TransformerEncoder", *sizes, **options)

    wrong = {
        "nhead": {
            "nhead 0": make(8, 0, 1, 4),
            "nhead negative": make(8, -2, 1, 4),
            "nhead does not divide": make(8, 3, 1, 4),
            "nhead above d_model": make(4, 8, 1, 4),
        },
        "activation": {
            "unknown": make(8, 2, 1, 4, activation=draw.choice(("tanh", "GELU", "swish"))),
            "empty": make(8, 2, 1, 4, activation=""),
        },
        "dropout": {
            "negative": make(8, 2, 1, 4, dropout=-draw.integer(1, 9) / 10),
            "above 1": make(8, 2, 1, 4, dropout=1 + draw.integer(1, 9) / 10),
        },
    }[about]
    secret = {"kind": "errors", "names": list(wrong)}
    return Case(steps=(refusals(wrong),), secret=secret, shown={about: ", ".join(wrong)})
