"""Draw schedules and scripts for problem 15.

A script is a list of actions of the probe: train, step, edit, resume. What the groups must hold
after each follows from the oracle's own run of the script.
"""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

# "small" ends at t = N: what happens beyond is the lesson of "edge".
GROUPS = ("sample", "small", "edge", "edit", "resume", "tensor", "scale", "errors", "large")

FLOAT, DOUBLE = "float32", "float64"
POWERS = (0.5, 0.9, 1.0, 2.0, 3.0)
RESUMES = ("fresh", "warm-up", "middle", "end", "beyond")
ERRORS = (
    ({"total_iters": 0}, {"total_iters": -3}, {"power": -0.5}, {"end_lr": -1e-3}),
    ({"warmup_iters": -1}, {"warmup_iters": "N"}, {"warmup_iters": "N + 2"}),
    ({"given": "nothing"}, {"given": "groups"}, {"given": "class"}, {"given": "module"}),
    ({"last_epoch": 0}, {"last_epoch": 3}, {"last_epoch": 2, "based": [True, False]}),
)


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw rates for one case and write its script."""
    if group == "errors":
        return _errors(params, draw)
    if params["script"] == "two schedulers":
        first = params | {"script": "alone"}
        scenes = [_scene(first, draw), _scene(first | {"iters": params["iters"] + 2}, draw)]
        scenes[1]["script"] = scenes[0]["script"]
    else:
        scenes = [_scene(params, draw)]
    shown = {
        "groups": str([each["groups"] for each in scenes]),
        "arguments": str([each["options"] for each in scenes]),
        "script": str([each["script"] for each in scenes]),
    }
    step = Request(op="schedule", data={"scenes": scenes})
    return Case(steps=(step,), secret={"scenes": scenes}, shown=shown)


def _params(draw: Draw, script: str = "train", **more: Any) -> dict[str, Any]:
    return {"script": script, "iters": draw.integer(5, 8), "groups": 2} | more


def _power(draw: Draw) -> float:
    return float(draw.uniform([], 1.2, 2.8, torch.float64))


def _sample(draw: Draw) -> list[dict[str, Any]]:
    return [_params(draw, groups=1)]


def _small(draw: Draw) -> list[dict[str, Any]]:
    end, risen = {"end": [0.05, 0.2]}, {"end": [1.5, 2.5]}
    return [
        *(_params(draw, power=power, groups=1 + index % 2) for index, power in enumerate(POWERS)),
        _params(draw, **end),
        _params(draw, **end, power=_power(draw), groups=3),
        _params(draw, warmup=draw.integer(1, 3)),
        _params(draw, warmup=draw.integer(2, 4), power=_power(draw), **end),
        _params(draw, **risen, power=_power(draw)),
    ]


def _edge(draw: Draw) -> list[dict[str, Any]]:
    beyond, end = "far beyond", {"end": [0.05, 0.2]}
    return [
        _params(draw, beyond, power=1.0),
        _params(draw, beyond, power=draw.choice((0.5, 0.9)), **end),
        _params(draw, beyond, power=2.0, warmup=2, end=[1.5, 2.5]),
        _params(draw, beyond, power=0.0, **end),
        _params(draw, beyond, power=0.0, warmup=3),
        _params(draw, "alone", iters=1, power=draw.choice((0.5, 1.0, 2.0))),
        _params(draw, "alone", iters=1, **end),
        _params(draw, "alone", warmup="N - 1", power=_power(draw), **end),
        _params(draw, zero_base=True, power=_power(draw), **end),
        _params(draw, zero_base=True, warmup=2),
        _params(draw, based=[True, True], power=_power(draw)),
        _params(draw, based=[False, True], warmup=2, **end),
        _params(draw, "two schedulers", power=_power(draw), warmup=2, **end),
    ]


def _tensor(draw: Draw) -> list[dict[str, Any]]:
    end = {"end": [0.05, 0.2]}
    return [
        _params(draw, dtypes=[DOUBLE], power=_power(draw)),
        _params(draw, dtypes=[FLOAT], power=2.0, **end),
        _params(draw, "far beyond", dtypes=[None, DOUBLE], warmup=2, power=0.9, **end),
        _params(draw, "far beyond", dtypes=[FLOAT, None, DOUBLE], groups=3, **end),
        _params(draw, "edit", dtypes=[DOUBLE], power=_power(draw)),
        _params(draw, "resume", at="middle", dtypes=[DOUBLE, FLOAT], power=_power(draw), warmup=2),
    ]


def _edit(draw: Draw) -> list[dict[str, Any]]:
    return [
        _params(draw, "edit"),
        _params(draw, "edit", power=_power(draw), end=[0.05, 0.2], warmup=draw.integer(2, 3)),
        _params(draw, "edit at the end", power=_power(draw), end=[0.05, 0.2]),
    ]


def _resume(draw: Draw) -> list[dict[str, Any]]:
    end, first = {"end": [0.05, 0.2]}, "scheduler first"
    plain = [
        _params(draw, "resume", at=at, power=_power(draw), warmup=3, order=order, **end)
        for at, order in zip(RESUMES, ("", first, "", first, ""), strict=True)
    ]
    counted = [
        _params(draw, "count on", at=at, power=_power(draw), warmup=3, **end)
        for at in ("fresh", "warm-up", "middle", "end")
    ]
    return [*plain, _params(draw, "resume", at="middle", groups=1), *counted]


def _scale(draw: Draw) -> list[dict[str, Any]]:
    return [
        _params(draw, power=_power(draw), warmup=2, scale=1e-7, end=[0.05, 0.2]),
        _params(draw, power=_power(draw), warmup=2, scale=3e4, end=[0.05, 0.2]),
        _params(draw, power=draw.choice((6.0, 8.0)), iters=12),
    ]


def _refused(draw: Draw) -> list[dict[str, Any]]:
    return [{"kinds": kinds, "iters": draw.integer(4, 8)} for kinds in range(len(ERRORS))]


def _large(draw: Draw) -> list[dict[str, Any]]:
    return [_params(draw, "long", iters=20_000, warmup=500, power=_power(draw), groups=1)]


PLANS = {
    "sample": _sample,
    "small": _small,
    "edge": _edge,
    "tensor": _tensor,
    "edit": _edit,
    "resume": _resume,
    "scale": _scale,
    "errors": _refused,
    "large": _large,
}


def _number(draw: Draw, low: float, high: float) -> float:
    return float(draw.uniform([], low, high, torch.float64))


def _scene(params: dict[str, Any], draw: Draw) -> dict[str, Any]:
    iters, scale = params["iters"], params.get("scale", 1.0)
    warmup = iters - 1 if params.get("warmup") == "N - 1" else params.get("warmup", 0)
    if not 0 <= warmup < iters:
        raise ValueError("the warm-up must end before the schedule")
    options: dict[str, Any] = {"total_iters": iters}
    # What is left out has its default.
    if "power" in params:
        options["power"] = params["power"]
    if "end" in params:
        options["end_lr"] = scale * _number(draw, *params["end"])
    if warmup:
        options["warmup_iters"] = warmup
    groups = _groups(params, draw)
    script = SCRIPTS[params["script"]](params, iters, warmup, draw)
    return {"groups": groups, "options": options, "script": script}


def _groups(params: dict[str, Any], draw: Draw) -> list[dict[str, Any]]:
    count, scale = params["groups"], params.get("scale", 1.0)
    dtypes, based = params.get("dtypes", [None]), params.get("based", [])
    groups = []
    for index in range(count):
        dtype = dtypes[index % len(dtypes)]
        zero = index == 0 and params.get("zero_base", False)
        group: dict[str, Any] = {"lr": 0.0 if zero else scale * _number(draw, 0.3, 1.2)}
        if dtype is not None:
            group["dtype"] = getattr(torch, dtype)
        if index < len(based) and based[index]:
            group["initial_lr"] = _number(draw, 1.5, 2.0)
        groups.append(group)
    return groups


def _train(params: dict[str, Any], iters: int, warmup: int, draw: Draw) -> list[Any]:
    return [["train", iters]]


def _far(params: dict[str, Any], iters: int, warmup: int, draw: Draw) -> list[Any]:
    # No update beyond the end: an optimizer would refuse a complex rate before it is read.
    return [["train", iters], ["steps", 1], ["steps", 1], ["steps", 4 * iters - 2]]


def _alone(params: dict[str, Any], iters: int, warmup: int, draw: Draw) -> list[Any]:
    return [*([["steps", 1]] * iters), ["steps", 3]]


def _long(params: dict[str, Any], iters: int, warmup: int, draw: Draw) -> list[Any]:
    places = sorted({draw.integer(1, iters - 1) for _ in range(3)} | {warmup, iters - 1, iters})
    gaps = [b - a for a, b in zip([0, *places], places, strict=False)]
    return [*(["steps", gap] for gap in gaps), ["steps", 50]]


def _edited(params: dict[str, Any], iters: int, warmup: int, draw: Draw) -> list[Any]:
    last, value = params["groups"] - 1, _number(draw, 2.0, 3.0)
    until = iters if params["script"] == "edit at the end" else draw.integer(1, 2)
    edits = [["edit", last, value], ["train", 2], ["edit", 0, value / 2], ["steps", 1]]
    return [["train", until], *edits, ["train", 1]]


def _places(at: str, iters: int, warmup: int) -> int:
    places = {"fresh": 0, "warm-up": warmup - 1, "middle": (iters + warmup) // 2, "end": iters}
    return places.get(at, iters + 3)


def _resumed(params: dict[str, Any], iters: int, warmup: int, draw: Draw) -> list[Any]:
    at = _places(params["at"], iters, warmup)
    others = [{"lr": _number(draw, 3.0, 5.0)} for _ in range(params["groups"])]
    for other, dtype in zip(others, params.get("dtypes", []), strict=False):
        other["dtype"] = getattr(torch, dtype)
    options = {"total_iters": iters + draw.integer(3, 9), "power": 4.0, "end_lr": 0.7}
    begun = [["train", at]] if at else [["steps", 0]]
    return [*begun, ["resume", options, others, params.get("order", "")], ["train", iters]]


def _counted(params: dict[str, Any], iters: int, warmup: int, draw: Draw) -> list[Any]:
    at = _places(params["at"], iters, warmup)
    others = [{"lr": _number(draw, 3.0, 5.0)} for _ in range(params["groups"])]
    begun = [["train", at]] if at else [["steps", 0]]
    return [*begun, ["count_on", {"last_epoch": at}, others], ["train", iters]]


SCRIPTS = {
    "train": _train,
    "far beyond": _far,
    "alone": _alone,
    "long": _long,
    "edit": _edited,
    "edit at the end": _edited,
    "resume": _resumed,
    "count on": _counted,
}


def _errors(params: dict[str, Any], draw: Draw) -> Case:
    iters, calls = params["iters"], {}
    for change in ERRORS[params["kinds"]]:
        groups = [{"lr": _number(draw, 0.3, 1.2)} for _ in range(2)]
        for group, is_based in zip(groups, change.get("based", []), strict=False):
            if is_based:
                group["initial_lr"] = _number(draw, 1.5, 2.0)
        options = {"total_iters": iters} | {
            key: {"N": iters, "N + 2": iters + 2}.get(value, value)
            for key, value in change.items()
            if key not in ("given", "based")
        }
        name = ", ".join(f"{key} {value}" for key, value in change.items() if key != "based")
        given = change.get("given", "optimizer")
        calls[name] = {"groups": groups, "given": given, "options": options}
    step = Request(op="refuse", data={"calls": calls})
    return Case(steps=(step,), secret={"calls": calls}, shown={"calls": ", ".join(calls)})
