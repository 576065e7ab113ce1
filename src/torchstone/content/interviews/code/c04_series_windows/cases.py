"""Draw the series, windows and batches of c04."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, call, lay_out

GROUPS = ("sample", "small", "edge", "layout", "large")
MOST = 5


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases: of the dataset, or of a batch."""
    return PLANS[group](draw)


def _sample(draw: Draw) -> list[dict[str, Any]]:
    return [
        {"T": [5, 1, 3], "length": 3, "stride": 2},
        {"counts": [1, 3, 2], "trailing": [2]},
    ]


def _small(draw: Draw) -> list[dict[str, Any]]:
    drawn = [draw.integer(4, 9) for _ in range(3)]
    return [
        {"T": drawn, "length": 3, "stride": 1, "trailing": [2], "transform": "counted"},
        {"T": [2, *drawn, 1], "length": 3, "stride": 2, "transform": "negate"},
        {"T": [7, 3, 12, 8], "length": 2, "stride": 5, "dtype": "int64"},
        {"T": [6, 0, 0, draw.integer(4, 8), 6], "length": 4, "stride": 2},
        {"T": [draw.integer(1, 9) for _ in range(6)], "length": 4, "stride": 3},
        {"counts": [draw.integer(2, 3), 5, 1], "trailing": [], "zeros": True},
        {"counts": [4, 1, draw.integer(2, 3)], "trailing": [2, 3], "dtype": "float64"},
        {"counts": [2, 4, 3], "trailing": [2], "dtype": "int64", "zeros": True},
        {"counts": [2, 4, 3], "trailing": [3], "again": True},
    ]


def _edge(draw: Draw) -> list[dict[str, Any]]:
    return [
        {"T": [], "length": 2, "stride": 1},
        {"T": [0, 1], "length": 2, "stride": 1},
        {"T": [0, 2, 0, 0, 2, 0], "length": 2, "stride": 3, "transform": "counted"},
        {"T": [3], "length": 1, "stride": 1},
        {"T": [4, 1, 5], "length": 3, "stride": 1, "outside": True},
        {"T": [1, 1, 9], "length": 4, "stride": 2},
        {"refused": [[0, 1], [1, 0], [-2, 1], [3, -1]]},
        {"counts": [3], "trailing": [2]},
        {"counts": [0, 2], "trailing": [2]},
        {"counts": [0, 0], "trailing": []},
        {"counts": [2, 2, 2], "trailing": []},
    ]


def _layout(draw: Draw) -> list[dict[str, Any]]:
    kinds = ("transposed", "stepped", "offset")
    made = [
        {"T": [4, draw.integer(5, 7)], "length": 3, "stride": 2, "trailing": [3], "layout": kind}
        for kind in kinds
    ]
    return made + [
        {"counts": [3, 2, 4], "trailing": [2, 2], "layout": kind} for kind in (*kinds, "expanded")
    ]


def _large(draw: Draw) -> list[dict[str, Any]]:
    some = [0, 19_951, 19_952, -1, draw.integer(10**6, 3 * 10**6)]
    return [
        {
            "repeated": 200,
            "T": [20_000],
            "dtype": "uint8",
            "length": 49,
            "stride": 1,
            "some": some,
        },
        {"counts": [draw.integer(1, 300) for _ in range(48)], "trailing": [8]},
    ]


PLANS = {"sample": _sample, "small": _small, "edge": _edge, "layout": _layout, "large": _large}


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw series and what is asked of their windows, or a batch."""
    if "refused" in params:
        data: dict[str, Any] = {"series": [draw.normal([5])], "sizes": params["refused"]}
        return Case(steps=(Request(op="refused", data=data),), secret=data | {"op": "refused"})
    if "counts" in params:
        batch = [
            (draw.integer(0, 99), _values([count, *params["trailing"]], params, draw))
            for count in params["counts"]
        ]
        shown = {f"window {place}": window for place, (_, window) in enumerate(batch)}
        return Case(
            steps=(call("collate", _fixed(batch, params)),),
            secret={"op": "collate", "batch": _fixed(batch, params)},
            shown=shown,
        )
    trailing = params.get("trailing", [])
    series = [_values([size, *trailing], params, draw) for size in params["T"]]
    series *= params.get("repeated", 1)
    room = [len(each) - params["length"] for each in series]
    counts = [each // params["stride"] + 1 if each >= 0 else 0 for each in room]
    count = sum(counts)
    indices = params.get("some") or [*range(count), *range(-count, 0)]
    if params.get("outside"):
        indices = [*indices, count, -count - 1, count + 7, -count - 7]
    data = {
        "series": series,
        "length": params["length"],
        "stride": params["stride"],
        "transform": params.get("transform", "none"),
        "indices": indices,
        "whole": "some" not in params,
        "most": count + MOST,
    }
    shown = {"lengths of the series": params["T"]}
    shown |= {name: data[name] for name in ("length", "stride", "transform")}
    secret = data | {"op": "windows", "counts": counts}
    return Case(steps=(Request(op="windows", data=data),), secret=secret, shown=shown)


def _fixed(batch: list[tuple[int, torch.Tensor]], params: dict[str, Any]) -> Any:
    """Number the windows by their places where a call is made again: the numbers must stay."""
    if not params.get("again"):
        return batch
    return [(place, window) for place, (_, window) in enumerate(batch)]


def _values(shape: list[int], params: dict[str, Any], draw: Draw) -> torch.Tensor:
    dtype = getattr(torch, params.get("dtype", "float32"))
    if not dtype.is_floating_point:
        values = draw.integers(shape, 1, 99, dtype)
    else:
        values = draw.normal(shape, dtype)
    if params.get("zeros") and values.numel():
        # Real zeros at both ends of a window.
        values[-1] = 0
        values[0] = 0
    layout = params.get("layout", "contiguous")
    return lay_out(values, layout) if values.numel() else values
