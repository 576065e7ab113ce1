"""A scene as SVG, from its JSON alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from torchstone.xray.render.canvas import LEFT, ROW, Canvas
from torchstone.xray.render.text import Say, Scene, shape, size

_NAMES, _COLUMN, _CELL = 300, 150, 26
_MAX_ROWS = 400
_MAX_CELLS = 64


def draw(scene: Scene, say: Say) -> str:
    """Return the picture of a scene."""
    canvas = Canvas(f"{scene['source']['file']}: {say('title.' + scene['scene'])}")
    canvas.text(LEFT, ROW, f"{scene['source']['file']}  {say('title.' + scene['scene'])}", "strong")
    _PICTURES[scene["scene"]](canvas, scene)
    return canvas.svg()


def _dispatch(canvas: Canvas, scene: Scene) -> None:
    """Draw time from top to bottom, and a column for each key, the first asked on the left."""
    rows = list(_stops(scene["calls"], 0))[:_MAX_ROWS]
    keys = list(dict.fromkeys(node["key"] for node, _ in rows))
    keys.sort(key=lambda key: _depth_of(key, rows))
    columns = {key: LEFT + _NAMES + 60 + place * _COLUMN for place, key in enumerate(keys)}
    top = 3 * ROW
    for key, x in columns.items():
        canvas.text(x, top - 8, key, "quiet", "middle")
        canvas.line([(x, top), (x, top + len(rows) * ROW)], "thin")
    before: tuple[float, float] | None = None
    for place, (node, depth) in enumerate(rows):
        x, y = columns[node["key"]], top + (place + 0.7) * ROW
        name = node["op"].removeprefix("aten::")
        canvas.text(LEFT + min(depth, 14) * 12, y + 4, name, "" if depth else "strong")
        if depth and before is not None:
            canvas.line([before, (before[0], y - ROW / 2), (x, y - ROW / 2), (x, y)])
        before = (x, y)
    for place, (node, _) in enumerate(rows):
        y = top + (place + 0.7) * ROW
        canvas.dot(columns[node["key"]], y, is_end=not node["children"])


def _stops(nodes: list[dict[str, Any]], depth: int) -> Iterator[tuple[dict[str, Any], int]]:
    for node in nodes:
        yield node, depth
        yield from _stops(node["children"], depth + 1)


def _depth_of(key: str, rows: list[tuple[dict[str, Any], int]]) -> float:
    depths = [depth for node, depth in rows if node["key"] == key]
    return sum(depths) / len(depths)


def _graph(canvas: Canvas, scene: Scene) -> None:
    """Draw the backward from top to bottom; beside each node what it has saved, by its size."""
    nodes = {node["id"]: node for node in scene["nodes"]}
    order = [*scene["order"], *(n for n in nodes if n not in scene["order"])][:_MAX_ROWS]
    most = max((s["bytes"] or 0 for n in nodes.values() for s in n["saved"].values()), default=1)
    y = 2.5 * ROW
    places: dict[int, float] = {}
    for number in order:
        node = nodes[number]
        places[number] = y
        canvas.dot(LEFT + 90, y - 4, is_end=node["leaf"] is not None)
        canvas.text(LEFT + 104, y, f"{node['name']} {node['leaf'] or ''}".strip(), "strong")
        for name, saved in node["saved"].items():
            y += ROW
            wide = 4 + 220 * (saved["bytes"] or 0) / max(1, most)
            kind = "wrong" if saved["state"] == "modified" else ""
            canvas.box(LEFT + 330, y - 12, wide, 14, kind)
            words = (
                f"{name} {saved['state']}"
                if saved["bytes"] is None
                else f"{name} {size(saved['bytes'])}"
            )
            canvas.text(LEFT + 340 + wide, y, words, "quiet")
        y += ROW
    for later, _, before, _ in scene["edges"]:
        if later in places and before in places:
            x, y1, y2 = LEFT + 90, places[later] - 4, places[before] - 4
            bend = x - min(80, 8 + abs(y2 - y1) / 8)
            canvas.line([(x, y1), (bend, (y1 + y2) / 2), (x, y2)], "thin")


def _storage(canvas: Canvas, scene: Scene) -> None:
    """Draw a row of cells for each storage, and below it those that each view visits."""
    y = 2.5 * ROW
    for storage in scene["storages"]:
        canvas.text(LEFT, y, f"{storage['id']}  {size(storage['bytes'])}", "strong")
        y += ROW
        for view in storage["views"]:
            canvas.text(LEFT, y, f"{view['name']}  {shape(view['shape'])} {tuple(view['stride'])}")
            _cells(canvas, view["cells"], y)
            y += ROW
        y += ROW / 2


def _cells(canvas: Canvas, cells: list[int] | None, y: float) -> None:
    if cells is None:
        return
    visits: dict[int, list[int]] = {}
    for place, cell in enumerate(cells):
        if cell < _MAX_CELLS:
            visits.setdefault(cell, []).append(place)
    for cell, places in visits.items():
        x = LEFT + _NAMES + cell * _CELL
        canvas.box(x, y - 13, _CELL - 2, 17, "more" if len(places) > 1 else "")
        words = str(places[0]) if len(places) == 1 else f"{places[0]}+"
        canvas.text(x + _CELL / 2, y, words, "", "middle")


def _memory(canvas: Canvas, scene: Scene) -> None:
    """Draw the sum of what lives over the events, and who lives at the peak."""
    events, peak = scene["events"], scene["peak"]
    wide, high, top = 720.0, 200.0, 2.5 * ROW
    most = max(1, peak["bytes"])
    step = wide / max(1, len(events))
    points: list[tuple[float, float]] = [(LEFT, top + high)]
    for place, event in enumerate(events):
        y = top + high * (1 - event["now"] / most)
        points += [(LEFT + place * step, points[-1][1]), (LEFT + place * step, y)]
    canvas.line([*points, (LEFT + wide, points[-1][1])])
    canvas.line([(LEFT, top + high), (LEFT + wide, top + high)], "thin")
    canvas.text(LEFT + wide + 8, top + 8, size(peak["bytes"]), "strong")
    y = top + high + 1.5 * ROW
    for event in peak["alive"][:20]:
        canvas.box(LEFT, y - 12, 4 + 240 * event["bytes"] / most, 14)
        words = f"{event['op']} {event['module'] or ''} {size(event['bytes'])}"
        canvas.text(LEFT + 260, y, words, "quiet")
        y += ROW


def _compile(canvas: Canvas, scene: Scene) -> None:
    """Draw three columns: the lines, the nodes and the kernels that they became."""
    y = 2.5 * ROW
    kernels: dict[str, float] = {}
    for row in scene["map"]:
        for name in row["kernels"]:
            kernels.setdefault(name, 2.5 * ROW + len(kernels) * ROW)
    for row in scene["map"]:
        canvas.text(LEFT, y, f":{row['line']}", "strong")
        begin = y
        for name in row["nodes"] or ["-"]:
            canvas.text(LEFT + 90, y, name)
            y += ROW
        for name in row["kernels"]:
            canvas.line([(LEFT + 280, begin - 4), (LEFT + 400, kernels[name] - 4)], "thin")
    for name, place in kernels.items():
        canvas.text(LEFT + 410, place, name)
    y = max(y, 3.5 * ROW + len(kernels) * ROW)
    for each in scene["breaks"]:
        canvas.text(LEFT, y, f":{each['line']} {each['reason']}", "wrong")
        y += ROW


_PICTURES: dict[str, Callable[[Canvas, Scene], None]] = {
    "compile": _compile,
    "dispatch": _dispatch,
    "graph": _graph,
    "memory": _memory,
    "storage": _storage,
}
