"""Draw scripts for problem 20.

A script is a list of actions of the probe: tick, log, refill, timer, close, within, stdout, graphs.
Each begins with the number of the logger that acts. All times are multiples of 1/1024 s, so that
their sums and differences are exact.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

Params = dict[str, Any]
Action = list[Any]

GROUPS = (
    "sample",
    "small",
    "edge",
    "nonfinite",
    "tensor",
    "scale",
    "timer",
    "gpu",
    "errors",
    "large",
)
NAN, INF = float("nan"), float("inf")
DTYPES = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool")
NAMES = ('say "no"', "two\nlines", "损失", "step_ms", "", "back\\slash", "metrics", "\u2028")
STEPS = (0, -7, 10**12, -(2**70), 3, 2**80)
MIB = 2**20


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def build(group: str, params: Params, draw: Draw) -> Case:
    """Write the script of one case."""
    data = SCRIPTS[params["script"]](params, draw)
    op = data.pop("op", "play")
    shown = {key: str(item) for key, item in data.items()}
    if op == "bulk":
        shown = {key: str(data[key]) for key in ("options", "tick")}
        shown |= {"calls": str(len(data["values"]))}
    return Case(steps=(Request(op=op, data=data),), secret=data | {"op": op}, shown=shown)


# Drawing


def _number(draw: Draw, low: float = 0.1, high: float = 3.0) -> float:
    return float(draw.uniform([], low, high, torch.float64))


def _seconds(draw: Draw) -> float:
    return draw.integer(3, 900) / 1024


def _tick(draw: Draw, who: int = 0) -> Action:
    return [who, "tick", _seconds(draw)]


def _log(draw: Draw, step: int, who: int = 0, n: int | None = None, **metrics: Any) -> Action:
    metrics = metrics or {"loss": _number(draw), "lr": _number(draw, 1e-4, 1e-3)}
    return [who, "log", step, n, metrics]


def _steps(draw: Draw, count: int, who: int = 0) -> list[Action]:
    """Log steps of different length with batches of different size; one metric comes and goes."""
    actions = []
    for step in range(count):
        actions.append(_tick(draw, who))
        metrics: dict[str, Any] = {"loss": _number(draw), "seen": draw.integer(-9, 9)}
        if step % 3 != 1:
            metrics["accuracy"] = _number(draw, 0.0, 1.0)
        actions.append(_log(draw, 10 * step, who, draw.integer(1, 9), **metrics))
    return actions


def _shuffled(draw: Draw, items: Sequence[Any]) -> list[Any]:
    order = torch.randperm(len(items), generator=draw.generator)
    return [items[place] for place in order.tolist()]


def _scene(**more: Any) -> dict[str, Any]:
    options = {key: more.pop(key) for key in ("every", "window") if key in more}
    return {"options": options, "gpu": [None] * 200} | more


def _played(draw: Draw, script: list[Action], *scenes: dict[str, Any]) -> dict[str, Any]:
    start = 1000 + draw.integer(1, 9999) / 1024
    return {"clock": start, "scenes": list(scenes) or [_scene()], "script": script}


# The plans


def _sample(draw: Draw) -> list[Params]:
    # One record for each logger: what later records show is the lesson of "small".
    return [
        {"script": "healthy", "every": every, "calls": draw.integer(3, 4)} for every in (3, 2, 9)
    ]


def _small(draw: Draw) -> list[Params]:
    mixed = [
        {"script": "steps", "every": every, "window": window, "calls": draw.integer(11, 13)}
        for every, window in ((1, 3), (2, 1), (3, 4), (4, 2), (5, 20))
    ]
    return [
        *mixed,
        {"script": "steps", "every": 30, "window": 3, "calls": 8},
        # More calls than the default window.
        {"script": "steps", "calls": 25},
        {"script": "steps", "every": 4, "window": 3, "calls": 8},
        {"script": "within", "every": 3, "raises": False},
        {"script": "within", "every": 3, "raises": True},
        {"script": "within", "every": 2, "raises": True},
        {"script": "raising"},
        {"script": "stdout", "every": 2},
        {"script": "stdout", "every": 1},
        {"script": "side by side"},
        {"script": "own clock"},
    ]


def _edge(draw: Draw) -> list[Params]:
    return [
        {"script": name} for name in ("no time", "no samples", "no metrics", "names", "odd steps")
    ]


def _nonfinite(draw: Draw) -> list[Params]:
    return [
        {"script": "nonfinite", "every": every, "window": window, "kind": kind}
        for every, window, kind in ((1, 4, "numbers"), (2, 3, "numbers"), (3, 5, "tensors"))
    ]


def _tensor(draw: Draw) -> list[Params]:
    return [
        {"script": "tensors", "every": every, "window": window}
        for every, window in ((4, 3), (6, 20), (30, 20))
    ]


def _scale(draw: Draw) -> list[Params]:
    return [
        {"script": "leaving", "every": 1, "window": 3},
        {"script": "leaving", "every": 2, "window": 4},
        {"script": "counting", "kind": "numbers", "every": 2},
        {"script": "counting", "kind": "tensors", "every": 3},
    ]


def _timer(draw: Draw) -> list[Params]:
    blocks = [{"script": "timers", "every": every, "raises": every > 1} for every in (1, 2, 3)]
    return [*blocks, *({"script": "timer around logs", "every": every} for every in (1, 2))]


def _gpu(draw: Draw) -> list[Params]:
    kinds = ("absent", "broken", "present", "present")
    return [{"script": "gpu", "kind": kind} for kind in kinds] + [
        {"script": "callback", "every": every} for every in (1, 2)
    ]


def _large(draw: Draw) -> list[Params]:
    return [
        {"script": "bulk", "calls": 40_000, "every": 50_000, "window": 30_000},
        {"script": "bulk", "calls": 14_000, "every": 1, "window": 5},
        {"script": "bulk", "calls": 2_000, "every": 2, "window": 7},
    ]


def _errors(draw: Draw) -> list[Params]:
    return [{"script": "refusals", "kind": kind} for kind in ("numbers", "metrics")]


PLANS = {
    "sample": _sample,
    "small": _small,
    "edge": _edge,
    "nonfinite": _nonfinite,
    "tensor": _tensor,
    "scale": _scale,
    "timer": _timer,
    "gpu": _gpu,
    "errors": _errors,
    "large": _large,
}


# The scripts


def _plain(params: Params, draw: Draw) -> dict[str, Any]:
    chosen = {key: params[key] for key in ("every", "window") if key in params}
    script = [*_steps(draw, params["calls"]), _tick(draw), [0, "close"], [0, "close"]]
    return _played(draw, script, _scene(**chosen))


def _healthy(params: Params, draw: Draw) -> dict[str, Any]:
    script = []
    for step in range(params["calls"]):
        # A healthy run: no step is skipped, nothing overflows.
        script += [_tick(draw), _log(draw, step, n=16, skipped=0, overflow=False)]
        if step == params["every"] - 1:
            break
    return _played(draw, [*script, [0, "close"], [0, "close"]], _scene(every=params["every"]))


def _within(params: Params, draw: Draw) -> dict[str, Any]:
    inner = [action[1:] for action in _steps(draw, 5)]
    script: list[Action] = [[0, "within", inner, params["raises"]]]
    return _played(draw, [*script, _tick(draw), [0, "close"]], _scene(every=params["every"]))


def _stdout(params: Params, draw: Draw) -> dict[str, Any]:
    first, second = _steps(draw, 3), _steps(draw, 4)
    script = [[0, "stdout"], *first, [0, "stdout"], *second, [0, "close"]]
    return _played(draw, script, _scene(every=params["every"], stdout=True))


def _side_by_side(params: Params, draw: Draw) -> dict[str, Any]:
    pairs = zip(_steps(draw, 7), _steps(draw, 7, who=1), strict=True)
    script = [action for pair in pairs for action in pair]
    scenes = _scene(every=2, window=3), _scene(every=3, window=2)
    return _played(draw, [*script, [0, "close"], [1, "close"]], *scenes)


def _own_clock(params: Params, draw: Draw) -> dict[str, Any]:
    script = [_log(draw, step) for step in range(3)]
    return _played(draw, [*script, [0, "close"]], _scene(**{"own clock": True}))


def _no_time(params: Params, draw: Draw) -> dict[str, Any]:
    script = [*(_log(draw, step, n=4) for step in range(3)), _tick(draw), _log(draw, 3, n=2)]
    return _played(draw, [*script, _log(draw, 4), [0, "close"]], _scene(every=2))


def _no_samples(params: Params, draw: Draw) -> dict[str, Any]:
    script = []
    for step, n in enumerate((0, 0, 3, 0, 0, 0, 2)):
        script += [_tick(draw), _log(draw, step, n=n, loss=_number(draw))]
    return _played(draw, script, _scene(window=3))


def _no_metrics(params: Params, draw: Draw) -> dict[str, Any]:
    bare: list[Action] = [[0, "log", 1, None, {}], [0, "log", 2, 6, {}]]
    script = [_tick(draw), bare[0], _tick(draw), _log(draw, 1), _tick(draw), bare[1], [0, "close"]]
    return _played(draw, script)


def _names(params: Params, draw: Draw) -> dict[str, Any]:
    script = []
    for step in range(3):
        metrics = {name: _number(draw) for name in _shuffled(draw, NAMES)}
        script += [_tick(draw), [0, "log", step, None, metrics]]
    return _played(draw, [*script, [0, "close"]], _scene(every=2))


def _odd_steps(params: Params, draw: Draw) -> dict[str, Any]:
    script = []
    for step in (*STEPS, draw.integer(-99, 99)):
        script += [_tick(draw), _log(draw, step)]
    return _played(draw, [*script, [0, "close"]], _scene(every=3))


def _tensor_of(value: Any, dtype: str, **more: Any) -> dict[str, Any]:
    return {"as": "tensor", "value": value, "dtype": dtype, "shape": []} | more


def _nonfinite_script(params: Params, draw: Draw) -> dict[str, Any]:
    odd = _shuffled(draw, (NAN, INF, -INF))
    values = [_number(draw), odd[0], _number(draw), odd[1], odd[2], odd[0], odd[1], odd[0]]
    values += [_number(draw) for _ in range(5)]
    script = []
    for step, value in enumerate(values):
        loss: Any = value
        if params["kind"] == "tensors":
            loss = _tensor_of(value, "float64")
        other = draw.choice((NAN, _number(draw)))
        script += [_tick(draw), _log(draw, step, n=draw.integer(1, 5), loss=loss, other=other)]
    return _played(draw, [*script, [0, "close"]], _scene(**_chosen(params)))


def _chosen(params: Params) -> Params:
    return {key: params[key] for key in ("every", "window")}


def _tensors(params: Params, draw: Draw) -> dict[str, Any]:
    script: list[Action] = []
    for step in range(10):
        dtype = DTYPES[(step + params["every"]) % len(DTYPES)]
        small = draw.integer(0, 1) if dtype == "bool" else draw.integer(1, 30)
        metrics: dict[str, Any] = {
            "loss": {"as": "graph", "value": draw.integer(1, 40) / 8, "dtype": "float32"},
            "buffer": {"as": "buffer", "value": draw.integer(1, 99) / 4, "dtype": "float32"},
            "wide": {"as": "buffer", "value": _number(draw), "dtype": "float64"},
            "any": _tensor_of(small, dtype, shape=draw.choice(([], [1], [1, 1, 1]))),
            "weight": _tensor_of(_number(draw), "float64", **{"as": "parameter"}),
        }
        if step % 2:
            metrics["plain"] = _number(draw)
        script += [_tick(draw), _log(draw, step, n=draw.integer(1, 5), **metrics)]
        script += [[0, "refill", float(draw.integer(100, 200))]]
    script += [[0, "graphs"], _tick(draw), [0, "close"]]
    return _played(draw, script, _scene(**_chosen(params), counts=True))


def _leaving(params: Params, draw: Draw) -> dict[str, Any]:
    """Let values of 1e16 pass through the window."""
    script = []
    for step in range(12):
        value = draw.integer(1, 9) * 1e16 if step in (2, 6) else _number(draw)
        script += [_tick(draw), _log(draw, step, n=draw.choice((1, 2)), loss=value)]
    return _played(draw, [*script, [0, "close"]], _scene(**_chosen(params)))


def _counting(params: Params, draw: Draw) -> dict[str, Any]:
    script = []
    for step in range(8):
        loss: Any = 16_777_216 + 1 + 2 * draw.integer(0, 500)
        if params["kind"] == "tensors":
            loss = _tensor_of(loss, draw.choice(("int64", "float64", "int32")))
        script += [_tick(draw), _log(draw, step, loss=loss, flag=draw.choice((True, False)))]
    return _played(draw, [*script, [0, "close"]], _scene(every=params["every"], window=3))


def _timers(params: Params, draw: Draw) -> dict[str, Any]:
    def tick() -> Action:
        return ["tick", _seconds(draw)]

    script: list[Action] = []
    for step in range(7):
        nested = ["timer", "forward", [tick(), ["timer", "loss", [tick()], False]], False]
        again = ["timer", "data", [tick()], False]
        failed = ["timer", "忙", [tick()], params["raises"]]
        twice = ["timer", "twice", [tick(), ["timer", "twice", [tick()], False]], False]
        chosen = _shuffled(draw, (nested, again, again, twice))[: 2 + step % 3]
        script += [[0, *action] for action in [*chosen, failed, tick()]]
        script.append(_log(draw, step))
    idle = ["timer", "idle", [], False]
    script += [[0, *idle], _log(draw, 7), [0, "close"]]
    return _played(draw, script, _scene(every=params["every"]))


def _timer_around_logs(params: Params, draw: Draw) -> dict[str, Any]:
    """Let records be written while a timer runs: its whole time belongs to the next one."""
    inner: list[Action] = []
    for step in range(3):
        inner += [["tick", _seconds(draw)], _log(draw, step)[1:]]
    block = [0, "timer", "epoch", [*inner, ["tick", _seconds(draw)]], False]
    after = [action for step in (3, 4) for action in (_tick(draw), _log(draw, step))]
    return _played(draw, [block, *after, [0, "close"]], _scene(every=params["every"]))


def _gpu_script(params: Params, draw: Draw) -> dict[str, Any]:
    reserved = draw.integer(300, 900) / 8
    sizes = {
        "allocated_bytes.all.current": draw.integer(1, 1000) * MIB // 8,
        "allocated_bytes.all.peak": draw.integer(2000, 9000) * MIB // 8,
        "reserved_bytes.all.current": int(reserved * MIB),
        "reserved_bytes.all.peak": draw.integer(20_000, 30_000) * MIB // 8,
    }
    return {"op": "gpu", "situation": params["kind"], "sizes": sizes}


def _callback(params: Params, draw: Draw) -> dict[str, Any]:
    answers: list[Any] = [{"allocated_mib": _number(draw), "card": draw.integer(0, 7)}, None]
    answers += ["raise OSError", "raise ValueError", {"allocated_mib": _number(draw)}]
    answers += ["raise RuntimeError", "raise Broken", {}]
    script = []
    for step in range(len(answers) * params["every"]):
        script += [_tick(draw), _log(draw, step)]
    return _played(draw, script, _scene(gpu=answers, every=params["every"]))


def _bulk(params: Params, draw: Draw) -> dict[str, Any]:
    calls, every = params["calls"], params["every"]
    last = [calls - 1 - draw.integer(0, 500), calls - 1]
    return {
        "op": "bulk",
        "clock": 1000 + draw.integer(1, 9999) / 1024,
        "tick": _seconds(draw),
        "options": _chosen(params),
        "values": draw.normal([calls], dtype=torch.float64) + 2.0,
        "weights": torch.tensor([draw.integer(1, 5) for _ in range(50)]).repeat(calls // 50),
        "shown": sorted(set(last)) if every == 1 else [],
        "chunk": calls // 100,
    }


def _refusals(params: Params, draw: Draw) -> dict[str, Any]:
    value, below = _number(draw), -draw.integer(1, 9)
    calls: dict[str, Any] = {
        "n negative": {"log": {"n": below, "loss": value}},
        "closed": {"closed": True, "log": {"loss": value}},
    }
    if params["kind"] == "numbers":
        for name in ("every", "window"):
            calls |= {f"{name} {item}": {"init": {name: item}} for item in (0, below)}
        calls["closed, no metric"] = {"closed": True, "log": {}}
        return {"op": "refuse", "calls": calls}
    metrics = {
        "no element": torch.zeros(0),
        "two elements": torch.zeros(2),
        "matrix": torch.zeros(2, 2),
        "text": "0.5",
        "None": None,
        "list": [value],
    }
    calls |= {name: {"log": {"lr": value, "loss": item}} for name, item in metrics.items()}
    return {"op": "refuse", "calls": calls}


def _raising(params: Params, draw: Draw) -> dict[str, Any]:
    return {"op": "raise"}


SCRIPTS = {
    "healthy": _healthy,
    "steps": _plain,
    "odd steps": _odd_steps,
    "within": _within,
    "stdout": _stdout,
    "side by side": _side_by_side,
    "own clock": _own_clock,
    "no time": _no_time,
    "no samples": _no_samples,
    "no metrics": _no_metrics,
    "names": _names,
    "nonfinite": _nonfinite_script,
    "tensors": _tensors,
    "leaving": _leaving,
    "counting": _counting,
    "timers": _timers,
    "timer around logs": _timer_around_logs,
    "gpu": _gpu_script,
    "callback": _callback,
    "bulk": _bulk,
    "refusals": _refusals,
    "raising": _raising,
}
