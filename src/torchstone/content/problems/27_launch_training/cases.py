"""Draw data and launches for problem 27.

A case is a list of acts: a data file is written, the script is started as several ranks, and the
probe looks at what is in the folder then.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

Params = dict[str, Any]

GROUPS = ("sample", "plain", "one", "uneven", "two-nodes", "old-launcher", "rerun", "error")
# What the script takes where an argument is left out.
DEFAULTS = {"epochs": 3, "batch_size": 8, "lr": 0.1, "hidden": 16, "seed": 0}
FILES = ["model.pt", "metrics.jsonl"]
TAKEN = 29500


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    case: Params = {"group": group, "classes": 3, "d": draw.integer(4, 6)}
    return [case | each for each in PLANS[group](draw)]


def _launch(ranks: int, args: Params, **options: Any) -> Params:
    return {"ranks": ranks, "args": args, **options}


def _sample(draw: Draw) -> list[Params]:
    # All batches are full, on every rank.
    args = {"epochs": 2, "batch_size": 4, "lr": 0.2, "hidden": 40, "seed": draw.integer(1, 999)}
    return [{"n": 24, "d": 24, "launches": [_launch(2, args)]}]


def _plain(draw: Draw) -> list[Params]:
    args = {"epochs": 2, "batch_size": 6, "seed": draw.integer(1, 999)}
    return [{"n": 18, "launches": [_launch(1, args, by="python")]}]


def _uneven(draw: Draw) -> list[Params]:
    args = {"epochs": 2, "batch_size": 5, "lr": 0.3, "hidden": 40, "seed": draw.integer(1, 999)}
    return [{"n": 37, "d": 24, "launches": [_launch(3, args, busy=[TAKEN])]}]


def _two_nodes(draw: Draw) -> list[Params]:
    args = {"epochs": 2, "batch_size": 3, "hidden": 40, "seed": draw.integer(1, 999)}
    return [{"n": 26, "d": 24, "launches": [_launch(4, args, nodes=2)]}]


def _old_launcher(draw: Draw) -> list[Params]:
    args = {"epochs": 1, "batch_size": 6}
    spellings = ("--local-rank={}", "--local_rank={}", "--local_rank {}")
    # The first on two nodes, where the argument is 0 on both ranks.
    launches = [
        _launch(nodes, args, nodes=nodes, local_rank=spelling)
        for nodes, spelling in zip((2, 1, 1), spellings, strict=True)
    ]
    return [{"n": 20, "launches": launches}]


def _rerun(draw: Draw) -> list[Params]:
    args = {"epochs": 3, "batch_size": 5, "seed": draw.integer(1, 999)}
    again = args | {"epochs": 2, "seed": draw.integer(1, 999)}
    launches = [_launch(2, args), _launch(2, again, by="torchrun")]
    return [{"n": 21, "launches": launches, "old": True}]


def _error(draw: Draw) -> list[Params]:
    launches = [_launch(2, {}, data="{box}/d/missing.pt"), _launch(2, {}, data="{box}/d/bad.pt")]
    return [{"n": 16, "launches": launches}]


PLANS = {
    "sample": _sample,
    "plain": _plain,
    # Nothing but what is required is said.
    "one": lambda draw: [{"n": 16, "launches": [_launch(1, {})]}],
    "uneven": _uneven,
    "two-nodes": _two_nodes,
    "old-launcher": _old_launcher,
    "rerun": _rerun,
    "error": _error,
}


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the samples, and write down the acts."""
    x = draw.normal([params["n"], params["d"]], torch.float64)
    # Every class occurs, and so the last one does.
    y = torch.arange(params["n"]) % params["classes"]
    y = y[
        torch.randperm(params["n"], generator=torch.Generator().manual_seed(draw.integer(0, 999)))
    ]
    x = x + y[:, None] * draw.normal([params["d"]], torch.float64)
    script = [_write("data.pt", _saved({"x": x, "y": y}))]
    if group == "error":
        script.append(_write("bad.pt", bytes(range(200))))
    if params.get("old"):
        script.append(_write("metrics.jsonl", b'{"epoch": 0, "loss": 9.0}\n' * 5, folder="a"))
    for number, launch in enumerate(params["launches"]):
        # A second run finds the files of the first in the group `rerun` only.
        folder = "a" if group == "rerun" else f"a{number}"
        script += _acts(launch, folder, draw.integer(20_000, 28_000), fails=group == "error")
    shown = {"n": params["n"], "d": params["d"]}
    for number, launch in enumerate(params["launches"], 1):
        shown[f"start {number}"] = _line(launch)
    secret = {"params": params, "x": x, "y": y}
    return Case(steps=(Request(op="train", data={"script": script}),), secret=secret, shown=shown)


def shrink(params: Params) -> Iterator[Params]:
    """Propose fewer starts, and fewer epochs."""
    launches = params["launches"]
    if len(launches) > 1 and params["group"] == "old-launcher":
        yield from (params | {"launches": [each]} for each in launches)


def _saved(value: Any) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def _write(name: str, content: bytes, folder: str = "d") -> Params:
    return {"do": "write", "in": folder, "name": name, "bytes": content}


def _acts(launch: Params, folder: str, port: int, *, fails: bool) -> list[Params]:
    data = launch.get("data", "{box}/d/data.pt")
    argv = ["--data", data, "--out", f"{{box}}/{folder}", *_words(launch["args"])]
    by = launch.get("by", "fork")
    act: Params = {"do": "launch", "in": folder, "ranks": launch["ranks"], "argv": argv, "by": by}
    act["port"] = None if by == "python" else port
    act |= {key: launch[key] for key in ("nodes", "busy", "local_rank") if key in launch}
    if fails:
        return [act | {"fails": True}]
    return [act | {"complete": FILES}, {"do": "look", "in": folder}]


def _words(args: Params) -> list[str]:
    return [
        word for name, item in args.items() for word in (f"--{name.replace('_', '-')}", str(item))
    ]


def _line(launch: Params) -> str:
    """Say how a launch is started, as a reader would type it."""
    nodes = launch.get("nodes", 1)
    starter = f"torchrun --nproc_per_node={launch['ranks'] // nodes}"
    starter += f" --nnodes={nodes}" if nodes > 1 else ""
    starter = "python" if launch.get("by") == "python" else starter
    local = launch.get("local_rank", "").format("K")
    data = launch.get("data", "data.pt").rpartition("/")[2]
    words = [starter, "train.py", local, "--data", data, "--out", "out", *_words(launch["args"])]
    return " ".join(filter(None, words))
