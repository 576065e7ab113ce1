"""Write the scripts of problem 26, and draw what each rank begins with and gets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request
from torchstone.judge.kit.problem import load_module

# The sample comes last: a wrong answer is to be told what its own group shows.
GROUPS = ("basic", "order", "unused", "overlap", "bytes", "group", "sample")
ZOO = load_module(Path(__file__).with_name("probe.py"))
# Rows of the parameters of the model of 1 MB; a row has 64 numbers, a bucket room for 1,024 rows.
WIDE = 64
ROWS = (300, 100, 1600, 300, 200, 470, 625, 512, 512)
QUARTER = 0.25


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases: a scene, how many ranks, and sizes."""

    def case(scene: str, world_size: int, **more: Any) -> dict[str, Any]:
        sizes = {"width": draw.integer(3, 5), "batch": draw.integer(3, 5), "steps": 2}
        return {"scene": scene, "world_size": world_size, **sizes, **more}

    if group == "basic":
        return [
            case("steps", 1),
            case("steps", 2, steps=3, late=True),
            case("steps", 4, steps=3),
            case("accumulate", 2),
            case("buffers", 2, broadcast=True),
            case("buffers", 2, broadcast=False),
        ]
    if group == "unused":
        return [
            case("unused", 2, cap_layers=draw.choice((1, 9)), uses=_uses(draw, 2)),
            case("unused", 3, cap_layers=2, uses=_uses(draw, 3)),
            case("left", 2, cap_layers=draw.choice((1, 9))),
        ]
    if group == "order":
        return [
            case("order", 2, dtypes=["float64"] * 3),
            case("order", 4, dtypes=["float64"] * 3),
            case("order", 2, dtypes=["float32", "float64", "float32"], alike=True, cap_layers=9),
            case("frozen", 2),
        ]
    if group == "overlap":
        return [case("overlap", 2, place=place) for place in ("first", "last")]
    if group == "bytes":
        return [{"scene": "wide", "world_size": ranks, "batch": 2, "steps": 2} for ranks in (2, 4)]
    if group == "sample":
        return [{"scene": "steps", "world_size": 2, "width": 2, "batch": 2, "steps": 1}]
    return [case("steps", 4, members=[1, 3]), case("unused", 4, **_in_group(draw))]


def _uses(draw: Draw, world_size: int) -> list[list[list[int]]]:
    """Draw who uses which of three branches: in each pass, one on some ranks, one on none."""
    passes = []
    for number in range(3):
        some, nowhere = number % 3, (number + draw.integer(1, 2)) % 3
        users = {draw.integer(0, world_size - 1)}
        everywhere = 3 - some - nowhere
        passes.append(
            [[everywhere, *([some] if rank in users else [])] for rank in range(world_size)]
        )
    return [*passes, [[0, 1, 2]] * world_size]


def _in_group(draw: Draw) -> dict[str, Any]:
    uses = _uses(draw, 2)
    # Ranks 0 and 2 stay outside.
    return {"members": [1, 3], "cap_layers": 2, "uses": [[[], a, [], b] for a, b in uses]}


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Build the script of a scene, and the values for each rank."""
    scene, world_size = params["scene"], params["world_size"]
    if scene == "overlap" and world_size < 2:
        raise ValueError("one rank is never late")
    if "members" in params and world_size < 4:
        raise ValueError("the group has rank 3")
    if params["batch"] < 2 or params["width"] < 2 if scene != "wide" else params["batch"] < 1:
        raise ValueError("batch statistics need two rows")
    written = SCENES[scene](params)
    model = {"frozen": False, **written["model"]}
    script = written["script"]
    acts = [act for act in script if act["do"] in ("one_pass", "silent", "refused")]
    empty = ZOO.tensors_of(ZOO.build_model(model))
    ranks = []
    for rank in range(world_size):
        state = {name: _value(name, tensor, draw) for name, tensor in empty.items()}
        wide = model["kind"] == "wide"
        dtype = torch.float32 if wide else torch.float64
        shape = (params["batch"], model["width"])
        x = [draw.normal(shape, dtype, scale=0.2 if wide else 1.0) for _ in acts]
        branches = [act.get("branches", [[]] * world_size)[rank] for act in acts]
        ranks.append({"state": state, "x": x, "branches": branches})
    data = {
        "world_size": world_size,
        "members": params.get("members"),
        "model": model,
        "options": written.get("options", {}),
        "script": script,
        "meets": scene == "wide",
    }
    secret = {**data, "scene": scene, "ranks": ranks}
    request = Request(op="play", data={**data, "ranks": ranks})
    return Case(steps=(request,), secret=secret, shown=_shown(data, ranks))


def _value(name: str, tensor: torch.Tensor, draw: Draw) -> torch.Tensor:
    if not tensor.is_floating_point():
        return draw.integers(tensor.shape, 1, 9, tensor.dtype)
    value = draw.normal(tensor.shape, tensor.dtype, scale=0.5)
    return value.abs() + 0.5 if name.endswith("running_var") else value


def _shown(data: dict[str, Any], ranks: list[dict[str, Any]]) -> dict[str, Any]:
    shown = {key: data[key] for key in ("world_size", "members", "model", "options")}
    shown["script"] = [_line(act) for act in data["script"]]
    for number, rank in enumerate(ranks):
        shown |= {f"rank {number}: batch {place}": x for place, x in enumerate(rank["x"])}
    return shown


def _line(act: dict[str, Any]) -> str:
    named = {
        key: item for key, item in act.items() if key != "do" and item not in (False, None, "")
    }
    return " ".join([act["do"], *(f"{key}={item}" for key, item in named.items())])


# --- acts -----------------------------------------------------------------------------------------


def _pass(*, sync: bool = True, late: str = "", looks: bool = True, **more: Any) -> Any:
    return {"do": "one_pass", "sync": sync, "late": late, "looks": looks, **more}


def _zero(none: bool) -> dict[str, Any]:
    return {"do": "zero", "none": none}


STEP = {"do": "step"}
BROKEN_OFF = {"do": "broken_off"}


def _silent(*, training: bool) -> dict[str, Any]:
    return {"do": "silent", "training": training}


# --- scenes ---------------------------------------------------------------------------------------


def _net(params: dict[str, Any]) -> dict[str, Any]:
    return {"kind": "net", "width": params["width"], "more": []}


def _steps(params: dict[str, Any]) -> dict[str, Any]:
    """Steps of SGD with momentum; gradients are set to None or to zero in turn."""
    script = []
    for number in range(params["steps"]):
        late = params.get("late") and params["world_size"] > 1 and number == 0
        script += [_zero(none=number % 2 == 0), _pass(late="last" if late else ""), STEP]
    return {"model": _net(params), "script": script}


def _accumulate(params: dict[str, Any]) -> dict[str, Any]:
    """Accumulate inside ``no_sync``, after an exception in it, and over passes that communicate."""
    local = [_pass(sync=False) for _ in range(params["steps"])]
    local.append(_pass(sync=False, nested=True))
    script = [*local, _pass(), STEP, _zero(none=False), BROKEN_OFF, _pass(), _pass()]
    return {"model": _net(params), "script": [*script, _zero(none=True), *local[:1], _pass()]}


def _buffers(params: dict[str, Any]) -> dict[str, Any]:
    """Run passes whose buffers differ over ranks, and forwards that must stay silent."""
    passes = [_pass() for _ in range(params["steps"])]
    quiet = [_silent(training=False), _silent(training=True)]
    script = [_silent(training=False), *passes, _pass(sync=False), *quiet, _pass()]
    options = {"broadcast_buffers": params["broadcast"]}
    return {"model": _net(params), "script": script, "options": options}


def _branches(params: dict[str, Any], dtypes: list[str]) -> dict[str, Any]:
    return {"kind": "branches", "width": params["width"], "more": [dtypes]}


def _cap(params: dict[str, Any], num_layers: int) -> float:
    return num_layers * params["width"] ** 2 * 8 / 2**20


def _unused(params: dict[str, Any]) -> dict[str, Any]:
    """Leave out branches, on some ranks or on all."""
    if len(params["uses"][0]) != params["world_size"]:
        raise ValueError("the uses are those of as many ranks")
    script: list[dict[str, Any]] = []
    for number, branches in enumerate(params["uses"]):
        script += [_zero(none=number != 2), _pass(branches=branches), STEP]
    options = {"find_unused_parameters": True, "bucket_cap_mb": _cap(params, params["cap_layers"])}
    return {
        "model": _branches(params, ["float64"] * 3),
        "script": script,
        "options": options,
    }


def _left(params: dict[str, Any]) -> dict[str, Any]:
    """Leave out one branch on all ranks, without the flag; the next forward is refused."""
    ranks, whole = range(params["world_size"]), [0, 1, 2]
    script = [
        _pass(branches=[whole for _ in ranks]),
        _zero(none=True),
        _pass(branches=[[0, 2] for _ in ranks], looks=False),
        {"do": "refused", "branches": [whole for _ in ranks]},
    ]
    options = {"bucket_cap_mb": _cap(params, params["cap_layers"])}
    return {"model": _branches(params, ["float64"] * 3), "script": script, "options": options}


def _order(params: dict[str, Any]) -> dict[str, Any]:
    """Run the branches in another order on each rank, in buckets of one layer."""
    orders = [[0, 1, 2], [2, 1, 0], [1, 2, 0], [2, 0, 1]]
    script: list[dict[str, Any]] = []
    for _ in range(params["steps"]):
        chosen = [orders[0 if params.get("alike") else r] for r in range(params["world_size"])]
        script += [_zero(none=True), _pass(branches=chosen), STEP]
    options = {"bucket_cap_mb": _cap(params, params.get("cap_layers", 1))}
    return {"model": _branches(params, params["dtypes"]), "script": script, "options": options}


def _frozen(params: dict[str, Any]) -> dict[str, Any]:
    model = {"kind": "chain", "width": params["width"], "more": [2], "frozen": True}
    return {"model": model, "script": []}


def _overlap(params: dict[str, Any]) -> dict[str, Any]:
    """Begin the backward of rank 1 when that of rank 0 has passed its last gradient."""
    width = params["width"]
    model = {"kind": "chain", "width": width, "more": [4]}
    # A bucket for each layer, with its bias.
    options = {"bucket_cap_mb": (width + 1) * width * 8 / 2**20}
    return {"model": model, "script": [_pass(late=params["place"])], "options": options}


def _wide(params: dict[str, Any]) -> dict[str, Any]:
    """Measure the traffic of each pass; one of them must have none."""
    model = {"kind": "wide", "width": WIDE, "more": [list(ROWS)]}
    script = [_pass(looks=False), _pass(sync=False, looks=False)]
    script += [_pass(looks=number == 0) for number in range(params["steps"] - 1)]
    return {"model": model, "script": script, "options": {"bucket_cap_mb": QUARTER}}


SCENES = {
    "steps": _steps,
    "accumulate": _accumulate,
    "buffers": _buffers,
    "unused": _unused,
    "left": _left,
    "order": _order,
    "frozen": _frozen,
    "overlap": _overlap,
    "wide": _wide,
}


def shrink(params: dict[str, Any]) -> Any:
    """Yield fewer ranks first, then fewer steps, and smaller sizes."""
    for key, least in (("world_size", 1), ("steps", 1), ("batch", 2), ("width", 2)):
        for number in range(least, params.get(key, least)):
            smaller = params | {key: number}
            if key == "world_size" and "uses" in params and "members" not in params:
                smaller["uses"] = [each[:number] for each in params["uses"]]
            yield smaller
    for number in range(len(params.get("uses", ()))) if len(params.get("uses", ())) > 1 else ():
        yield params | {"uses": [params["uses"][number]]}
