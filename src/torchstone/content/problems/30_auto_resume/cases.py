"""Draw runs, kills and damages for problem 30.

A case is a list of acts on folders: ``run`` starts the training as a new process, the others
change files between two runs. Run 0 is never interrupted; the others must repeat its bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

Params = dict[str, Any]

GROUPS = (
    "sample", "plain", "random", "seed", "kill", "kill-in-save", "damage", "finished", "extend",
    "moved", "manager", "full-disk",
)  # fmt: skip
CHECKPOINTS = "ckpt_*[0-9].pt"
# A buffer of 8 MB, of which the file of a checkpoint is a copy.
BALLAST = 2 << 20
FOREIGN = ("notes.txt", "ckpt_best.pt")
HARMS = ("flip", "half", "empty", "garbage", "tail", "flip late", "all")

DEFAULTS: Params = {
    "op": "train",
    "mode": "random",
    "samples": 17,
    "batch_size": 3,
    "save_every": 3,
    "keep_last": 3,
    "total_steps": 12,
    "ballast": 0,
    "lr": 0.05,
    "gamma": 0.0,
}


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    return [DEFAULTS | {"group": group, **each} for each in PLANS[group](draw)]


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the samples."""
    wide = params["mode"] == "plain"
    dtype = torch.float64 if wide else torch.float32
    names = ("mode", "batch_size", "save_every", "keep_last", "total_steps", "ballast", "lr")
    data: Params = {name: params[name] for name in (*names, "gamma")}
    if params["op"] == "manager":
        data = {"at": params["at"]}
    data |= {
        "x": draw.normal([params["samples"], 4], dtype),
        "y": draw.normal([params["samples"]], dtype),
        "seed": draw.integer(1, 1 << 31),
        "script": [dict(act) for act in params["script"]],
    }
    if group == "seed":
        data["script"][1]["data"] = {"seed": data["seed"] + (1 << draw.integer(8, 29))}
    request = Request(op=params["op"], data=data)
    shown = {
        name: params[name]
        for name in ("total_steps", "save_every", "keep_last", "batch_size", "samples")
    }
    shown |= {
        f"act {number}": " ".join(f"{key}={item}" for key, item in act.items())
        for number, act in enumerate(params["script"], 1)
    }
    secret = {"params": params, "data": {"x": data["x"], "y": data["y"]}}
    return Case(steps=(request,), secret=secret, shown=shown)


def shrink(params: Params) -> Iterator[Params]:
    """Propose fewer kills."""
    script = params["script"]
    kills = [number for number, act in enumerate(script) if "kill" in act]
    if len(kills) > 1:
        for kept in kills:
            yield params | {
                "script": [act for at, act in enumerate(script) if at not in kills or at == kept]
            }


def _run(folder: str = "a", **options: Any) -> Params:
    return {"do": "run", "in": folder, **options}


def _plain(draw: Draw) -> list[Params]:
    common: Params = {"mode": "plain", "samples": draw.integer(13, 15), "batch_size": 4}
    return [
        common | {"total_steps": 8, "script": [_run()]},
        common
        | {"total_steps": 10, "gamma": 0.9, "keep_last": 2, "save_every": 4, "script": [_run()]},
    ]


def _sample(draw: Draw) -> list[Params]:
    small: Params = {"mode": "plain", "samples": 7, "batch_size": 2, "total_steps": 4}
    return [small | {"save_every": 2, "script": [_run()]}]


def _kills(draw: Draw) -> list[Params]:
    """Draw kills such that some come before the first save, and most behind one."""
    cases: list[Params] = []
    for save_every in (3, 4):
        kills: list[Any] = [["sample", draw.integer(1, 3)]]
        kills += [["step", draw.integer(save_every + 1, 2 * save_every)]]
        kills += [["sample", 3 * draw.integer(save_every + 1, save_every + 2) + draw.integer(0, 2)]]
        kills += [["step", draw.integer(1, save_every)], ["loss", draw.integer(2, 2 * save_every)]]
        kills += [["build", 1], [None, draw.integer(20, 40)]]
        script = [_run(), *[_run("b", kill=kill) for kill in kills], _run("b")]
        cases.append({"save_every": save_every, "total_steps": 26, "script": script})
    return cases


def _kills_in_save(draw: Draw) -> list[Params]:
    cases: list[Params] = []
    for first in (1, 2):
        moments = [[first, 0.0], [1, draw.integer(0, 3) / 1000]]
        moments += [[draw.integer(1, 5), draw.integer(0, 10) / 1000] for _ in range(5)]
        script = [_run(), *[_run("b", growth=moment) for moment in moments], _run("b")]
        cases.append({"save_every": 1, "keep_last": 2, "total_steps": 6, "ballast": BALLAST})
        cases[-1]["script"] = script
    return cases


def _damage(draw: Draw) -> list[Params]:
    script: list[Params] = [_run()]
    for how in HARMS:
        act: Params = {"do": "damage", "in": "a", "files": CHECKPOINTS, "pick": -1, "how": how}
        if how.startswith("flip"):
            late = how != "flip"
            share = (draw.integer(60, 80) if late else draw.integer(30, 50)) / 100
            act |= {"how": "flip", "share": share}
        if how == "all":
            act |= {"how": "half", "pick": None}
        script += [act, _run()]
    return [{"save_every": 2, "total_steps": 6, "ballast": 1 << 14, "script": script}]


def _moved(draw: Draw) -> list[Params]:
    foreign = [
        {"do": "write", "in": "b", "name": name, "bytes": b"not a checkpoint"} for name in FOREIGN
    ]
    old = {"do": "touch", "in": "c", "files": CHECKPOINTS, "pick": 0, "time": 4_000_000_000}
    script: list[Params] = [_run("a", data={"total_steps": 13}), *foreign]
    script += [{"do": "make", "in": "b", "name": "older"}, _run("b", data={"total_steps": 9})]
    script += [{"do": "copy", "from": "b", "to": "c"}, {"do": "remove", "in": "b"}]
    script += [{"do": "make", "in": "c", "name": "older"}, old]
    script += [_run("c", data={"total_steps": 13})]
    return [{"script": script}]


def _manager(draw: Draw) -> list[Params]:
    parts = [
        _run("z", data={"part": "refuses"}),
        _run(data={"part": "save"}),
        _run(data={"part": "load"}),
    ]
    # Numeric order is not the order of the names.
    wide = [99_999_998, 99_999_999, 100_000_000]
    return [
        {"op": "manager", "at": at, "script": parts, "samples": 5} for at in ([3, 5, 11], wide, [7])
    ]


def _full_disk(draw: Draw) -> list[Params]:
    script = [
        _run(),
        _run("b", data={"total_steps": 4}),
        _run("b", data={"may_raise": True}, file_bytes=60_000),
        _run("b"),
    ]
    common: Params = {"save_every": 2, "total_steps": 8, "ballast": 1 << 16, "script": script}
    return [common | {"keep_last": 1}, common]


PLANS = {
    "sample": _sample,
    "plain": _plain,
    "random": lambda draw: [{"script": [_run("a"), _run("b")]}],
    "seed": lambda draw: [{"script": [_run("a"), _run("b")], "total_steps": 6}],
    "kill": _kills,
    "kill-in-save": _kills_in_save,
    "damage": _damage,
    "finished": lambda draw: [
        {"script": [_run(), _run(), _run()], "total_steps": draw.integer(6, 8)}
    ],
    "extend": lambda draw: [
        {"script": [_run("a"), _run("b", data={"total_steps": draw.integer(4, 8)}), _run("b")]}
    ],
    "moved": _moved,
    "manager": _manager,
    "full-disk": _full_disk,
}
