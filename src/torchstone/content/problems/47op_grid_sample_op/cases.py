"""Draw the calls of the operator over the sampling kernel."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, call, lay_out

# The double comes before opcheck and the compiler, which stumble over the same things more dimly.
GROUPS = (
    "sample", "small", "layout", "edge", "grad", "launches", "state", "memory",
    "later", "errors", "meta", "double", "opcheck", "compile",
)  # fmt: skip
ZEROS, BORDER, REFLECTION = range(3)
MODES = [[padding, align] for padding in (ZEROS, BORDER, REFLECTION) for align in (False, True)]
INPUTS = ("transposed", "stepped", "offset", "expanded", "channels_last")
GRIDS = ("transposed", "stepped", "offset", "expanded", "flow")
GRADS = ("transposed", "stepped", "offset", "expanded", "channels_last", "sum")
# Nearer to a border of cells, or to a mirror, float32 might see another cell than float64.
MARGIN_PIXELS = 2e-3


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    if group == "sample":
        return [_sizes(draw) | {"mode": MODES[0], "reach": 0.9}, {"kind": "schema"}]
    if group == "small":
        return [_sizes(draw) | {"mode": mode} for mode in MODES]
    if group == "layout":
        return [
            _sizes(draw) | _mode(draw) | {name: layout}
            for name, layouts in (("input", INPUTS), ("grid", GRIDS))
            for layout in layouts
        ]
    if group == "edge":
        empty = [{"N": 0}, {"C": 0}, {"Ho": 0}, {"Wo": 0}]
        return [
            *(_sizes(draw) | _mode(draw) | each for each in empty),
            # What the kernel writes for the grid is open where there are no channels.
            *({"kind": "vjp"} | _sizes(draw) | _mode(draw) | each
              for each in (empty[0], empty[1] | {"wrt": [0]}, *empty[2:])),
            _sizes(draw) | _mode(draw) | {"N": 1, "C": 1, "H": 1, "W": 1},
        ]  # fmt: skip
    if group == "grad":
        grads = [{"grad": layout} for layout in GRADS]
        others = [{"input": "channels_last"}, {"grid": "flow"}, {"wrt": [0]}, {"wrt": [1]}]
        return [
            *({"kind": "vjp"} | _sizes(draw) | {"mode": mode} for mode in MODES),
            *({"kind": "vjp"} | _sizes(draw) | _mode(draw) | each for each in (*grads, *others)),
            {"kind": "vjp"} | _sizes(draw) | _mode(draw) | {"again": True},
            {"kind": "gradcheck"} | dict.fromkeys(SIZES, 2) | {"C": 1, "H": 4, "N": 1}
            | _mode(draw) | {"reach": 0.6, "middle": True},
        ]  # fmt: skip
    more: dict[str, list[dict[str, Any]]] = {
        "launches": [{"wanted": wanted} for wanted in (["input", "grid"], ["input"], ["grid"])],
        "state": [{}],
        "later": [{"changed": "input"}, {"changed": "grid"}],
        "memory": [{}, {"input": "channels_last", "grid": "flow"}],
        "errors": [{"devices": [device] * 2} for device in ("cpu", "meta", "fake")]
        + [{"devices": pair, "mixed": True} for pair in (["cpu", "meta"], ["meta", "cpu"])],
        "meta": [{}, {"input": "channels_last"}, {"input": "expanded", "grid": "flow"}, {"Ho": 0}],
        "double": [{}],
        "opcheck": [
            *({}, {"input": "channels_last", "grid": "flow"}),
            *({"input": "expanded"}, {"Ho": 0}),
        ],
        "compile": [{}],
    }
    return [{"kind": group} | _sizes(draw) | _mode(draw) | each for each in more[group]]


SIZES = ("N", "C", "H", "W", "Ho", "Wo")


def _sizes(draw: Draw) -> dict[str, Any]:
    """Give sizes that differ wherever two of them might be confused."""
    height, rows = draw.integer(3, 5), draw.integer(2, 3)
    width, columns = height + draw.integer(1, 2), rows + draw.integer(1, 2)
    channels = draw.choice([size for size in (2, 3, 4) if size != columns])
    return dict(zip(SIZES, (2, channels, height, width, rows, columns), strict=True))


def _mode(draw: Draw) -> dict[str, Any]:
    return {"mode": draw.choice(MODES)}


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Build the requests of one case."""
    kind = params.get("kind", "value")
    if kind == "schema":
        return _ask("schema", {}, {"kind": kind})
    if kind == "errors":
        return _errors(params, draw)
    tensors = _tensors(params, draw)
    image, grid, grad, mode = *tensors.values(), params["mode"]
    secret = {"kind": kind, **tensors, "mode": mode}
    if kind == "value":
        return Case(steps=(call("grid_sample", image, grid, *mode),), secret=secret)
    if kind == "vjp":
        wrt = secret["wrt"] = params.get("wrt", [0, 1])
        asked = call("grid_sample", image, grid, *mode, wrt=wrt, cotangents=(grad,))
        return Case(steps=(asked,), secret=secret)
    data: dict[str, Any] = {"input": image, "grid": grid, "mode": mode}
    if kind in WITH_GRADIENT:
        data["grad"] = grad
    extra = _extra(params, image, draw)
    secret |= extra
    free = {"free": True} if kind in FREE else {}
    return _ask(REQUESTS.get(kind, kind), data | extra | free, secret)


def _extra(params: dict[str, Any], image: torch.Tensor, draw: Draw) -> dict[str, Any]:
    """Draw what a request needs besides tensors, a mode and a gradient."""
    kind = params["kind"]
    if kind == "launches":
        marks = {name: draw.integer(2, 99) + part for name, part in MARKS.items()}
        return {"marks": marks, "wanted": params["wanted"]}
    if kind == "state":
        others = [mode for mode in MODES if mode != params["mode"]]
        modes = [params["mode"], draw.choice(others), params["mode"]]
        return {"modes": modes, "images": [draw.normal(image.shape) for _ in modes]}
    if kind == "later":
        return {"changed": params["changed"]}
    if kind == "double":
        places = [params["N"], params["Ho"], params["Wo"], 2]
        return {"toward_input": draw.normal(image.shape), "toward_grid": draw.normal(places)}
    return {}


MARKS = {"out": 0.25, "grad_input": 0.5, "grad_grid": 0.75}
WITH_GRADIENT = ("launches", "state", "later", "double", "compile")
FREE = ("double", "gradcheck", "opcheck", "compile")
REQUESTS = {
    "launches": "traced",
    "state": "interleaved",
    "memory": "saved",
    "meta": "promise",
    "double": "twice",
}


def _ask(op: str, data: dict[str, Any], secret: dict[str, Any]) -> Case:
    shown = {key: item for key, item in data.items() if key != "free"}
    return Case(steps=(Request(op=op, data=data),), secret=secret, shown=shown)


def _tensors(params: dict[str, Any], draw: Draw) -> dict[str, torch.Tensor]:
    N, C, H, W, Ho, Wo = (params[name] for name in SIZES)
    columns = [_places(N * Ho * Wo, size, params, draw) for size in (W, H)]
    tensors = {
        "input": draw.normal([N, C, H, W]),
        "grid": torch.stack(columns, dim=-1).reshape(N, Ho, Wo, 2),
        "grad": draw.normal([N, C, Ho, Wo]),
    }
    return {name: _laid_out(x, params.get(name, "contiguous")) for name, x in tensors.items()}


def _laid_out(tensor: torch.Tensor, layout: str) -> torch.Tensor:
    if layout == "channels_last":
        return tensor.contiguous(memory_format=torch.channels_last)
    if layout == "flow":
        # As a network gives it: (N, 2, Ho, Wo) in memory.
        return tensor.permute(0, 3, 1, 2).contiguous().permute(0, 2, 3, 1)
    if layout == "sum":
        return torch.ones(()).expand(tensor.shape)
    return lay_out(tensor, layout)


def _places(count: int, size: int, params: dict[str, Any], draw: Draw) -> torch.Tensor:
    """Draw numbers whose positions keep away from the middle and the edges of every pixel."""
    reach = params.get("reach", 1.5)
    margin = 0.15 if params.get("middle") else MARGIN_PIXELS

    def again(count: int) -> torch.Tensor:
        drawn = torch.rand(count, generator=draw.generator, dtype=torch.float64)
        drawn = drawn * 2 * reach - reach
        return ((drawn * 100).round() / 100 if draw.plain else drawn).float()

    numbers = again(count)
    while (bad := _is_near(numbers, size, margin, align=params["mode"][1])).any():
        numbers[bad] = again(int(bad.sum()))
    return numbers


def _is_near(numbers: torch.Tensor, size: int, margin: float, *, align: bool) -> torch.Tensor:
    wide = numbers.double() + 1
    position = wide / 2 * (size - 1) if align else (wide * size - 1) / 2
    if size == 1 and align:
        return torch.zeros(len(numbers), dtype=torch.bool)  # always at 0, exactly
    return (2 * position - (2 * position).round()).abs() < 2 * margin


def _errors(params: dict[str, Any], draw: Draw) -> Case:
    image, grid = draw.normal([2, 3, 4, 5]), draw.uniform([2, 3, 2, 2], -1, 1)
    calls = {
        "a double input": (image.double(), grid, 0),
        "a double grid": (image, grid.double(), 0),
        "a half input and grid": (image.half(), grid.half(), 0),
        "an int grid": (image, grid.int(), 0),
        "padding_mode 3": (image, grid, 3),
        "padding_mode -1": (image, grid, -1),
        "a grid for fewer images": (image, grid[:1], 0),
        "a grid for more images": (image[:1], grid, 0),
        "a grid of 3 numbers": (image, draw.uniform([2, 3, 2, 3], -1, 1), 1),
        "a grid of 1 number": (image, grid[..., :1], 1),
        "a grid of 3 dimensions": (image, grid[0], 0),
        "an input of 3 dimensions": (image[0], grid, 0),
        "an input of 5 dimensions": (image[None], grid[None], 0),
        "no rows": (image[:, :, :0], grid, 0),
        "no columns": (image[..., :0], grid, 2),
    }
    if params.get("mixed"):
        calls = {"two devices": (image, grid, 0)}
    data = {
        "calls": {name: list(each) for name, each in calls.items()},
        "devices": params["devices"],
    }
    if "fake" in params["devices"]:
        data["free"] = True
    return _ask("refused", data, {"kind": "errors", "names": list(calls)})


def shrink(params: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield simpler calls: contiguous tensors, one image, one channel, few samples."""
    if "mode" not in params or params.get("kind") == "errors":
        return
    for name in ("input", "grid", "grad"):
        if params.get(name, "contiguous") != "contiguous":
            yield params | {name: "contiguous"}
    for name in ("N", "C", "Ho", "Wo"):
        if params[name] > 1:
            yield params | {name: 1}
    if params["mode"] != MODES[0]:
        yield params | {"mode": MODES[0]}
