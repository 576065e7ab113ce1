"""Draw the series, windows and batches of c03."""

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
        {"T": 7, "length": 3, "stride": 2},
        {"counts": [3, 1, 2], "trailing": [2]},
    ]


def _small(draw: Draw) -> list[dict[str, Any]]:
    return [
        {
            "T": draw.integer(9, 12),
            "length": 4,
            "stride": 1,
            "trailing": [2],
            "transform": "counted",
        },
        {"T": 4 * draw.integer(2, 4), "length": 4, "stride": 4, "transform": "negate"},
        {"T": 5 * draw.integer(2, 4) + 1, "length": 2, "stride": 5},
        {"T": 5 * draw.integer(2, 4) + 3, "length": 2, "stride": 5, "dtype": "int64"},
        {"T": draw.integer(11, 13), "length": 3, "stride": 3, "transform": "counted"},
        {"counts": [draw.integer(2, 3), 5, 1], "trailing": [], "zeros": True},
        {"counts": [1, draw.integer(3, 4)], "trailing": [2, 3], "dtype": "float64"},
        {"counts": [2, 4, 3], "trailing": [2], "dtype": "int64", "zeros": True},
        {"counts": [2, 4, 3], "trailing": [3], "again": True},
    ]


def _edge(draw: Draw) -> list[dict[str, Any]]:
    return [
        {"T": 0, "length": 2, "stride": 1},
        {"T": 1, "length": 4, "stride": 3},
        {"T": 6, "length": 9, "stride": 2, "transform": "counted"},
        {"T": 6, "length": 1, "stride": 9},
        {"T": 8, "length": 3, "stride": 2, "outside": True},
        {"refused": [[0, 1], [1, 0], [-2, 1], [3, -1]]},
        {"counts": [3], "trailing": [2]},
        {"counts": [0, 2], "trailing": [2]},
        {"counts": [0, 0], "trailing": []},
        {"counts": [2, 2, 2], "trailing": []},
        {"counts": [2, 3], "trailing": [0]},
    ]


def _layout(draw: Draw) -> list[dict[str, Any]]:
    kinds = ("transposed", "stepped", "offset")
    made = [
        {"T": draw.integer(6, 9), "length": 3, "stride": 2, "trailing": [3], "layout": kind}
        for kind in kinds
    ]
    return made + [
        {"counts": [3, 2, 4], "trailing": [2, 2], "layout": kind} for kind in (*kinds, "expanded")
    ]


def _large(draw: Draw) -> list[dict[str, Any]]:
    length = draw.integer(495, 505)
    return [
        {"T": 400_000, "length": length, "stride": 1, "some": [0, 399_999, -2, 123_456]},
        {"counts": [draw.integer(1, 400) for _ in range(64)], "trailing": [8]},
    ]


PLANS = {"sample": _sample, "small": _small, "edge": _edge, "layout": _layout, "large": _large}


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw a series and what is asked of its windows, or a batch."""
    if "refused" in params:
        data: dict[str, Any] = {"series": draw.normal([5]), "sizes": params["refused"]}
        return Case(steps=(Request(op="refused", data=data),), secret=data | {"op": "refused"})
    if "counts" in params:
        batch = [_values([count, *params["trailing"]], params, draw) for count in params["counts"]]
        shown = {f"window {number}": window for number, window in enumerate(batch)}
        return Case(
            steps=(call("collate", batch),), secret={"op": "collate", "batch": batch}, shown=shown
        )
    series = _values([params["T"], *params.get("trailing", [])], params, draw)
    count = -(-params["T"] // params["stride"])
    indices = params.get("some") or [*range(count), *range(-count, 0)]
    if params.get("outside"):
        indices = [*indices, count, -count - 1, count + 7, -count - 7]
    elif "some" not in params:
        indices = [*indices, count]
    data = {
        "series": series,
        "length": params["length"],
        "stride": params["stride"],
        "transform": params.get("transform", "none"),
        "indices": indices,
        "whole": "some" not in params,
        "most": count + MOST,
    }
    names = ("series", "length", "stride", "transform")
    shown = {name: data[name] for name in names}
    return Case(
        steps=(Request(op="windows", data=data),), secret=data | {"op": "windows"}, shown=shown
    )


def _values(shape: list[int], params: dict[str, Any], draw: Draw) -> torch.Tensor:
    dtype = getattr(torch, params.get("dtype", "float32"))
    if dtype == torch.int64:
        values = draw.integers(shape, 1, 99)
    else:
        values = draw.normal(shape, dtype)
    if params.get("zeros") and values.numel():
        # Real zeros at the end of a window and inside of it.
        values[-1] = 0
        values[0] = 0
    layout = params.get("layout", "contiguous")
    return lay_out(values, layout) if values.numel() else values
