"""Drawing of a roofline: operators below the roof of the device, on logarithmic axes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from torchstone.doctor.charts.drawing import Drawing
from torchstone.doctor.charts.numbers import said_count, said_share, said_time, three
from torchstone.doctor.roofline.bound import Operator, Roofline
from torchstone.doctor.roofline.listing import MOST_OPERATORS

_LEFT, _RIGHT, _TOP, _FOOT, _HEIGHT = 64.0, 16.0, 20.0, 40.0, 400.0
_LEAST_RADIUS, _MOST_RADIUS = 3.0, 18.0


class _Axes:
    """Two logarithmic axes around given values."""

    def __init__(self, width: float, xs: Sequence[float], ys: Sequence[float]) -> None:
        self.right, self.bottom = width - _RIGHT, _HEIGHT - _FOOT
        self.x_range, self.y_range = _around(xs), _around(ys)

    def x(self, value: float) -> float:
        low, high = self.x_range
        return _LEFT + (math.log10(value) - low) / (high - low) * (self.right - _LEFT)

    def y(self, value: float) -> float:
        low, high = self.y_range
        return self.bottom - (math.log10(value) - low) / (high - low) * (self.bottom - _TOP)


def roofs_of(roofline: Roofline, width: float, *, evidence: Sequence[int]) -> Drawing | None:
    """Draw a roofline; empty if no operator has known work.

    Args:
        roofline: The roofline.
        width: Width in pixels.
        evidence: Positions of operators that a finding is about.
    """
    # Operators without computation have no position on a logarithmic axis.
    listed = list(enumerate(roofline.operators[:MOST_OPERATORS]))
    operators = [(at, each) for at, each in listed if each.flops and each.num_bytes and each.time]
    if not operators:
        return None
    bandwidth = roofline.peaks.bandwidth if roofline.peaks is not None else None
    ridges = sorted({each.ridge for _, each in operators if each.ridge}) if bandwidth else []
    peaks = [ridge * (bandwidth or 0.0) for ridge in ridges]
    axes = _Axes(
        width,
        [*(each.intensity for _, each in operators), *ridges],
        [*(_reached(each) for _, each in operators), *peaks],
    )
    drawing = Drawing(width, _HEIGHT)
    _draw_axes(drawing, axes)
    for ridge, peak in zip(ridges, peaks, strict=True):
        types = sorted({each.dtype for _, each in operators if each.ridge == ridge})
        _draw_roof(drawing, axes, ridge, peak, ", ".join(types))
    most = max(each.time for _, each in operators)
    for at, each in operators:
        # Longest operators first, so that they do not hide smaller ones.
        radius = max(_LEAST_RADIUS, _MOST_RADIUS * math.sqrt(each.time / most))
        kind = "spot of" if at in evidence else "spot"
        x, y = axes.x(each.intensity), axes.y(_reached(each))
        drawing.spot(x, y, radius, kind, title=_told(each))
    return drawing


def _reached(operator: Operator) -> float:
    """Return the achieved operations per second."""
    return operator.flops / operator.time * 1e6


def _told(operator: Operator) -> str:
    shapes = " ".join(str(list(each)) for each in operator.work.shape[:8])
    reached = "" if operator.efficiency is None else f", {said_share(operator.efficiency)}"
    times = f"{said_time(operator.time)}, {three(operator.intensity)} FLOP/B{reached}"
    return f"{operator.name} {shapes} {operator.dtype}: {times}, {operator.bound}"


def _draw_axes(drawing: Drawing, axes: _Axes) -> None:
    for power in _powers(axes.x_range):
        x = axes.x(10.0**power)
        drawing.line([(x, _TOP), (x, axes.bottom)], "hair")
        drawing.words(x, axes.bottom + 16, said_count(10.0**power), "mid")
    for power in _powers(axes.y_range):
        y = axes.y(10.0**power)
        drawing.line([(_LEFT, y), (axes.right, y)], "hair")
        drawing.words(_LEFT - 8, y + 4, said_count(10.0**power), "end")
    drawing.words(axes.right, axes.bottom + 34, "FLOP/B", "end")
    drawing.words(0, 12, "FLOP/s")


def _draw_roof(drawing: Drawing, axes: _Axes, ridge: float, peak: float, types: str) -> None:
    bandwidth = peak / ridge
    # The slope starts where it enters the drawing area.
    from_x = 10 ** max(axes.x_range[0], math.log10(10 ** axes.y_range[0] / bandwidth))
    corner = (axes.x(ridge), axes.y(peak))
    begin = (axes.x(from_x), axes.y(from_x * bandwidth))
    drawing.line([begin, corner, (axes.right, corner[1])], "line")
    drawing.line([corner, (corner[0], axes.bottom)], "dash")
    drawing.words(axes.right, corner[1] - 5, types, "ink end")
    drawing.words(corner[0] + 4, axes.bottom - 6, three(ridge))


def _around(values: Sequence[float]) -> tuple[int, int]:
    low, high = math.log10(min(values)), math.log10(max(values))
    return math.floor(low - 0.2), math.ceil(high + 0.2)


def _powers(limits: tuple[int, int]) -> range:
    low, high = limits
    return range(low, high + 1, math.ceil((high - low) / 8))
