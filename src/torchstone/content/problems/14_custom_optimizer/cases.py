"""Draw tensors, gradients and scripts for problem 14.

A script is a list of actions of the probe: make an optimizer, take steps, write a learning rate,
save and load... The gradients of all steps are drawn in advance, so errors do not feed back.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, lay_out

# What belongs to RMSprop stands last, because it earns points of its own. Where both step by turns
# a wrong one spoils the case of the other: that earns no points, and is right only as a whole.
GROUPS = (
    "sample",
    "small",
    "none",
    "groups",
    "resume",
    "layout",
    "edge",
    "dtype",
    "scale",
    "large",
    "errors",
    "rmsprop",
    "rmsprop_state",
    "rmsprop_edge",
    "both",
)

Params = dict[str, Any]
NAMES = {
    "Adam": ["lr", "betas", "eps", "weight_decay", "amsgrad", "decoupled_weight_decay"],
    "RMSprop": ["lr", "alpha", "eps", "weight_decay", "momentum", "centered"],
}
# Every way to take a step, with gradients cleared in both ways between them.
MODES = [
    ["steps", "a", 2],
    ["zero", "a", True],
    ["steps", "a", 2, "reuse"],
    ["zero", "a", False],
    ["steps", "a", 1, "reuse"],
    ["zero", "a", None],
    ["steps", "a", 1, "no_grad"],
    ["steps", "a", 2, "closure"],
    ["steps", "a", 1, "closure under no_grad"],
]


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the tensors and the gradients that a script needs."""
    if "raises" in params:
        return _refusals(params)
    script, shapes = params["script"], params["shapes"]
    dtypes = params.get("dtypes", ["float32"] * len(shapes))
    layouts = params.get("layouts", ["contiguous"] * len(shapes))
    turns = _turns(script, len(shapes))
    tensors, gradients, present = [], [], []
    for index, shape in enumerate(shapes):
        dtype = getattr(torch, dtypes[index])
        initial = _start(params.get("start", "zero"), shape, dtype, draw)
        comes_later = index in params.get("later", [])
        tensors.append(None if comes_later else lay_out(initial, layouts[index]))
        all_steps = _gradients(params.get("drawn", "normal"), [turns[index], *shape], dtype, draw)
        gradients.append(lay_out(all_steps, layouts[index]))
        share = params.get("absent", [0.0] * len(shapes))[index]
        present.append([not draw.chance(share) for _ in range(turns[index])] if share else None)
    data = {"tensors": tensors, "gradients": gradients, "present": present, "script": script}
    shown = {"script": str(script)}
    shown |= {f"gradients {index}": each for index, each in enumerate(gradients)}
    secret = {
        "data": data | {"is_sample": group == "sample", "indices": params.get("indices", True)}
    }
    return Case(steps=(Request(op="trajectory", data=data),), secret=secret, shown=shown)


def shrink(params: Params) -> Iterator[Params]:
    """Propose fewer steps, fewer actions and smaller tensors, boldest first."""
    if "raises" in params:
        yield from (params | {"raises": {name: kind}} for name, kind in params["raises"].items())
        return
    script, shapes = params["script"], params["shapes"]
    for end in range(2, len(script)):
        if script[end - 1][0] == "steps":
            yield params | {"script": script[:end]}
    for position, (action, *arguments) in enumerate(script):
        fewer = {1, 2, arguments[1] // 2} if action == "steps" else set()
        for count in sorted(n for n in fewer if 0 < n < arguments[1]):
            changed = [action, arguments[0], count, *arguments[2:]]
            yield params | {"script": [*script[:position], changed, *script[position + 1 :]]}
    for index, shape in enumerate(shapes):
        if any(size > 1 for size in shape):
            smaller = [min(size, 1) for size in shape]
            yield params | {"shapes": [*shapes[:index], smaller, *shapes[index + 1 :]]}


def _turns(script: list[Any], num_tensors: int) -> list[int]:
    """Count the steps that every tensor takes."""
    turns, held = [0] * num_tensors, {}
    for action, name, *arguments in script:
        if action == "make":
            held[name] = [index for group in arguments[2] for index in group["params"]]
        elif action == "add":
            held[name] = [*held[name], *arguments[0]["params"]]
        elif action == "resume":
            held[arguments[0]] = arguments[2]
        elif action == "steps":
            for index in held[name]:
                turns[index] += arguments[0]
    return turns


def _start(kind: str, shape: list[int], dtype: torch.dtype, draw: Draw) -> torch.Tensor:
    # At 0 nothing hides the update: it is seen in full precision.
    return torch.zeros(shape, dtype=dtype) if kind == "zero" else draw.normal(shape, dtype)


def _gradients(kind: str, shape: list[int], dtype: torch.dtype, draw: Draw) -> torch.Tensor:
    """Draw gradients of several magnitudes, none of them near 0."""
    sign = draw.integers(shape, 0, 1).to(torch.float64) * 2 - 1
    low, high = {"wide": (-9.0, 6.0)}.get(kind, (-1.0, 1.0))
    values = sign * 10 ** draw.uniform(shape, low, high)
    if draw.plain and kind != "wide":
        values = sign * (values.abs() * 10).round() / 10
    if kind == "falling":
        values *= 0.2 ** torch.arange(shape[0]).reshape(-1, *[1] * (len(shape) - 1))
    if kind == "zeros":
        # A gradient of zeros is one, too: moments age, and the parameter moves on by what is left.
        values[1:] = 0
    return values.to(dtype)


def _hyper(kind: str, draw: Draw, **more: Any) -> Params:
    """Draw hyper-parameters that show their place in the formula."""
    options: Params = {"lr": draw.choice((0.05, 0.1, 0.2))}
    if kind == "Adam":
        options["betas"] = (draw.choice((0.5, 0.7, 0.8)), draw.choice((0.9, 0.95, 0.99)))
    else:
        options["alpha"] = draw.choice((0.5, 0.8, 0.9))
    return options | more


def _one(
    kind: str, shapes: list[list[int]], options: Params, script: list[Any], **more: Any
) -> Params:
    """Describe a case with one group of all tensors."""
    groups = [{"params": [*range(len(shapes) - len(more.get("later", [])))]}]
    make = ["make", "a", kind, more.pop("form", "list"), groups, options]
    return {"shapes": shapes, "script": [make, *script]} | more


def _state(kind: str, *names: str) -> list[Any]:
    return [[action, name, NAMES[kind]] for name in names for action in ("groups", "state")]


def _sample(draw: Draw) -> list[Params]:
    return [
        _one("Adam", [[3]], {"lr": 0.1}, [["steps", "a", 3]]),
        _one("Adam", [[2]], {}, [["steps", "a", 2]], start="normal"),
    ]


def _small(draw: Draw) -> list[Params]:
    decay = draw.choice((0.1, 0.3))
    settings = [
        {"weight_decay": decay},
        {"weight_decay": decay, "decoupled_weight_decay": True},
        {"amsgrad": True},
        {"eps": draw.choice((0.1, 0.5))},
        {"amsgrad": True, "eps": 0.1, "weight_decay": decay, "decoupled_weight_decay": True},
    ]
    shapes = [[draw.integer(2, 4)], draw.shape(2, 2, 3)]
    found = [
        _one("Adam", shapes, _hyper("Adam", draw, **each), MODES, start="normal", drawn="falling")
        for each in settings
    ]
    return [*found, _beside(("Adam", "Adam"), draw), _beside(("Adam", "Adam"), draw, [0, 1])]


def _beside(kinds: tuple[str, str], draw: Draw, second: list[int] | None = None) -> Params:
    """Let two optimizers step by turns, over tensors of the same shapes or over the same ones."""
    shape = draw.shape(2, 2, 3)
    script: list[Any] = [
        ["make", "a", kinds[0], "list", [{"params": [0, 1]}], _hyper(kinds[0], draw, eps=0.1)],
        ["make", "b", kinds[1], "generator", [{"params": second or [2, 3]}], {"lr": 0.3}],
    ]
    for count in (1, 2, 1):
        script += [["steps", "a", count], ["steps", "b", 1, "closure"], ["zero", "a", None]]
    return {"shapes": [shape] * 4, "script": script, "start": "normal"}


def _none(kind: str, draw: Draw) -> list[Params]:
    shapes = [[2], draw.shape(2, 1, 3), [3], []]
    options = _hyper(kind, draw, weight_decay=0.2)
    steps = [["steps", "a", 4], ["zero", "a", False], ["steps", "a", 3]]
    more: Params = {"start": "normal", "indices": False}
    once = [["steps", "a", 1]]
    same = [*once, ["resume", "a", "b", "same", [0, 1, 2, 3]], ["steps", "b", 4]]
    return [
        _one(kind, shapes, options, [*steps, *_state(kind, "a")], absent=[0.5] * 4, **more),
        _one(kind, shapes, options, [*steps, *_state(kind, "a")], absent=[0, 0.9, 0.9, 1], **more),
        _one(kind, shapes, options, [*steps, *_state(kind, "a")], absent=[1.0] * 4, **more),
        _one(kind, shapes, {"lr": 0.1}, [*steps, *_state(kind, "a")], drawn="zeros", **more),
        # The first tensor has no state when it is saved, so the entries begin with another number.
        _one(kind, shapes, options, [*same, *_state(kind, "b")], absent=[1, 0, 0.5, 0], **more),
    ]


def _groups(kind: str, draw: Draw) -> list[Params]:
    shape = draw.shape(2, 1, 3)
    other = _hyper(kind, draw, lr=0.7, weight_decay=0.3)
    groups = [{"params": [0, 1]}, {"params": [2]} | other]
    options = _hyper(kind, draw, lr=0.4, eps=0.05)
    make = ["make", "a", kind, "dicts", groups, options]
    later = ["add", "a", {"params": [3], "lr": 0.9}]
    plain_later = ["add", "a", {"params": [3]}]
    ending = [["zero", "a", False], ["groups", "a", NAMES[kind]]]
    first = "betas" if kind == "Adam" else "alpha"
    value = (0.3, 0.6) if kind == "Adam" else 0.3
    moving = [["write", "a", 0, "lr", 0.02], ["steps", "a", 1], ["write", "a", 0, "lr", 0.8]]
    scripts = [
        [make, ["steps", "a", 2], *moving, ["write", "a", 1, "weight_decay", 0.6]],
        [make, ["steps", "a", 1], ["write", "a", 0, first, value], ["write", "a", 1, "eps", 0.4]],
        [make, ["steps", "a", 2], ["write", "a", 0, "lr", 3.0], plain_later],
        [make, ["steps", "a", 1], later, ["write", "a", 2, "lr", 0.05]],
    ]
    more: Params = {"shapes": [[2], shape, shape, [3]], "start": "normal"}
    return [
        more | {"script": [*script, ["zero", "a", None], ["steps", "a", 2], *ending]}
        for script in scripts
    ]


def _resume(kind: str, draw: Draw) -> list[Params]:
    shapes = [[2], draw.shape(2, 1, 3)]
    groups = [{"params": [0]}, {"params": [1], "lr": 0.3, "weight_decay": 0.2}]
    full = {"amsgrad": True} if kind == "Adam" else {"momentum": 0.8, "centered": True}
    make = ["make", "a", kind, "dicts", groups, _hyper(kind, draw, eps=0.02, **full)]
    before, write = ["steps", "a", 2], ["write", "a", 0, "lr", 0.03]
    saved = ["resume", "a", "b", "saved", [2, 3]]
    again = ["resume", "b", "c", "saved", [4, 5]]
    scripts = [
        [make, before, write, ["resume", "a", "b", "direct", [2, 3]], ["steps", "b", 3]],
        [make, before, saved, ["write", "b", 1, "lr", 0.01], ["steps", "b", 2]],
        [make, before, saved, again, ["steps", "c", 3]],
        # The first one goes on beside the second, with gradients of its own.
        [make, before, saved, ["steps", "a", 1], ["steps", "b", 2], ["steps", "a", 2]],
    ]
    more: Params = {"start": "normal", "later": [2, 3, 4, 5]}
    names = [("b",), ("b",), ("c",), ("a", "b")]
    return [
        {"shapes": shapes * 3, "script": [*script, *_state(kind, *each)]} | more
        for script, each in zip(scripts, names, strict=True)
    ]


def _layout(kind: str, draw: Draw) -> list[Params]:
    shape = draw.shape(2, 2, 4)
    layouts = ["transposed", "stepped", "offset", "contiguous"]
    shapes = [shape, shape, shape, []]
    script = [["steps", "a", 3], ["zero", "a", False], ["steps", "a", 1, "closure"]]
    full: Params = {"weight_decay": 0.1}
    full |= {"amsgrad": True} if kind == "Adam" else {"momentum": 0.5, "centered": True}
    return [
        _one(kind, shapes, _hyper(kind, draw, **each), [*script, *_state(kind, "a")])
        | {"layouts": layouts, "start": start}
        for each, start in ((full, "normal"), ({}, "zero"))
    ]


def _edge(kind: str, draw: Draw) -> list[Params]:
    shapes = [[], [0], [1], [2, 0, 3]]
    script = [["steps", "a", 2], ["zero", "a", None], ["steps", "a", 1], *_state(kind, "a")]
    zero: Params = {"betas": (0.0, 0.0)} if kind == "Adam" else {"alpha": 0.0}
    options = _hyper(kind, draw)
    single = [{"params": [0], "lr": 0.3}, {"params": [1]}]
    return [
        _one(kind, shapes, options, script, form="generator"),
        _one(kind, [[2], [3]], options | {"lr": 0.0, "weight_decay": 0.0}, script, start="normal"),
        _one(kind, [[2]], options | {"eps": 0.0}, script),
        _one(kind, [[2]], options | zero | {"eps": 0.5}, script),
        {"shapes": [[2], []], "script": [["make", "a", kind, "single", single, options], *script]},
        {"shapes": [[2], []], "script": [["make", "a", kind, "generators", single, {}], *script]},
    ]


def _dtype(kind: str, draw: Draw) -> list[Params]:
    full: Params = {"weight_decay": 0.1}
    full |= {"amsgrad": True} if kind == "Adam" else {"momentum": 0.9, "centered": True}
    one, many = [["steps", "a", 1]], [["steps", "a", 40], *_state(kind, "a")]
    return [
        _one(kind, [[4]], full, many, dtypes=["float64"], start="normal"),
        _one(kind, [[4]], {}, one, dtypes=["float64"]),
        _one(kind, [[4]], {}, one),
        _one(kind, [[2], [3]], {}, [["steps", "a", 3]], dtypes=["float32", "float64"]),
    ]


def _scale(kind: str, draw: Draw) -> list[Params]:
    full: Params = {"amsgrad": True} if kind == "Adam" else {"momentum": 0.5}
    script = [["steps", "a", 3], *_state(kind, "a")]
    options: Params = {"lr": 0.1, "eps": 1e-4}
    return [
        _one(kind, [[16]], options, script, drawn="wide"),
        _one(kind, [[16]], options | full, script, drawn="wide"),
        _one(kind, [[16]], options, script, drawn="wide", dtypes=["float64"]),
    ]


def _large(kind: str, draw: Draw) -> list[Params]:
    # That a run is long, and saved half-way, is the same for both: once is enough.
    half = 150 if kind == "Adam" else 25
    script = [["steps", "a", half], ["resume", "a", "b", "saved", [1]], ["steps", "b", half]]
    return [_one(kind, [[draw.integer(30, 40)]] * 2, {}, [*script, *_state(kind, "b")], later=[1])]


def _errors(kind: str, draw: Draw) -> list[Params]:
    """Ask for everything that must raise, in four messages."""
    value, kinds = "ValueError", {"a sparse gradient": "RuntimeError"}
    lists = ["nothing", "an empty generator", "twice", "twice in a generator", "across groups"]
    later = ["in a later group", "twice in a later group"]
    loads = ["fewer groups", "more groups", "smaller groups", "larger groups"]
    numbers = ["a number", "a number in a group", "a number in a later group"]
    options = OPTIONS[kind]
    return [
        {"kind": kind, "raises": dict.fromkeys([*lists, *later], value)},
        {"kind": kind, "raises": dict.fromkeys(options, value), "options": options},
        {"kind": kind, "raises": dict.fromkeys(numbers, "TypeError") | kinds},
        {"kind": kind, "raises": dict.fromkeys(loads, value)},
    ]


def _refusals(params: Params) -> Case:
    raises = params["raises"]
    options = {name: each for name, each in params.get("options", {}).items() if name in raises}
    data = {"kind": params["kind"], "wanted": sorted(raises), "options": options}
    shown = {"must raise": ", ".join(raises)}
    return Case(steps=(Request(op="refuse", data=data),), secret={"raises": raises}, shown=shown)


_BOTH = {f"a negative {name}": {name: -0.1} for name in ("lr", "eps", "weight_decay")}
OPTIONS = {
    "Adam": _BOTH
    | {
        "beta1 of 1": {"betas": (1.0, 0.9)},
        "beta2 of 1": {"betas": (0.9, 1.0)},
        "a negative beta1": {"betas": (-0.1, 0.9)},
        "a negative beta2": {"betas": (0.9, -0.1)},
    },
    "RMSprop": _BOTH | {f"a negative {name}": {name: -0.1} for name in ("alpha", "momentum")},
}


def _rmsprop(draw: Draw) -> list[Params]:
    """Ask for every setting of RMSprop, in every way to take a step."""
    settings: list[Params] = [
        {},
        {"weight_decay": draw.choice((0.1, 0.3))},
        {"centered": True},
        {"momentum": draw.choice((0.5, 0.9))},
        {"eps": draw.choice((0.1, 0.5))},
        {"centered": True, "momentum": 0.7, "weight_decay": 0.2, "eps": 0.1},
    ]
    shapes = [[draw.integer(2, 4)], draw.shape(2, 2, 3)]
    # A learning rate that moves shows whether the buffer holds it.
    script = [*MODES[:4], ["write", "a", 0, "lr", 0.7], *MODES[4:]]
    found = [
        _one("RMSprop", shapes, _hyper("RMSprop", draw, **each), script, start="normal")
        for each in settings
    ]
    return [_one("RMSprop", [[3]], {"lr": 0.1}, [["steps", "a", 3]]), *found]


def _rmsprop_state(draw: Draw) -> list[Params]:
    kind = "RMSprop"
    beside = [_beside((kind, kind), draw, [0, 1]), _beside((kind, kind), draw)]
    return [*_none(kind, draw), *_groups(kind, draw), *_resume(kind, draw), *beside]


def _rmsprop_edge(draw: Draw) -> list[Params]:
    parts = (_layout, _edge, _dtype, _scale, _large, _errors)
    return [params for part in parts for params in part("RMSprop", draw)]


PLANS = {
    "sample": _sample,
    "small": _small,
    "none": lambda draw: _none("Adam", draw),
    "groups": lambda draw: _groups("Adam", draw),
    "resume": lambda draw: _resume("Adam", draw),
    "layout": lambda draw: _layout("Adam", draw),
    "edge": lambda draw: _edge("Adam", draw),
    "dtype": lambda draw: _dtype("Adam", draw),
    "scale": lambda draw: _scale("Adam", draw),
    "large": lambda draw: _large("Adam", draw),
    "errors": lambda draw: _errors("Adam", draw),
    "rmsprop": _rmsprop,
    "rmsprop_state": _rmsprop_state,
    "rmsprop_edge": _rmsprop_edge,
    "both": lambda draw: [_beside(("Adam", "RMSprop"), draw), _beside(("RMSprop", "Adam"), draw)],
}
