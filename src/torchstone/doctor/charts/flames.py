"""Drawing of a flame graph."""

from __future__ import annotations

from torchstone.doctor.charts.account import CLASSES
from torchstone.doctor.charts.drawing import Drawing, fitting
from torchstone.doctor.charts.flame import Flame
from torchstone.doctor.charts.numbers import said_share, said_time
from torchstone.doctor.events import NONE

_ROW, _LEAST, _MOST_DEPTH = 20.0, 1.0, 60


def flames_of(flame: Flame, width: float) -> Drawing:
    """Draw a flame graph; a line marks the evidence in each box."""
    drawing = Drawing(width)
    scale = width / flame.time
    next_root = 0.0
    free: list[float] = []
    depths: list[int] = []
    for node in flame.nodes:
        # Parents precede children, so that their position is known.
        size = node.time * scale
        if node.parent == NONE:
            x, depth = next_root, 0
            next_root += size
        else:
            x, depth = free[node.parent], depths[node.parent] + 1
            free[node.parent] += size
        free.append(x)
        depths.append(depth)
        if size < _LEAST or depth >= _MOST_DEPTH:
            continue
        y = depth * _ROW
        told = f"{node.name}: {said_time(node.time)}, {said_share(node.time / flame.time)}"
        drawing.rect(x, y, size - min(1, size / 4), _ROW - 1, f"e-{CLASSES[node.kind]}", title=told)
        if node.evidence > 0:
            drawing.rect(x, y + _ROW - 5, size * node.evidence / node.time, 3, "ink")
        drawing.words(x + 4, y + 13, fitting(node.name, size - 8, keeps_end=True), "ink")
        drawing.height = max(drawing.height, y + _ROW)
    return drawing
