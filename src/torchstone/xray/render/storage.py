"""Storages in a terminal: a row of cells, and below it which of them each view visits."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchstone.xray.render.text import MARGIN, Line, Say, Scene, fit, note, shape, size

_NAME = 18
_CELL = 3
_MAX_CELLS = 18


def draw(scene: Scene, say: Say, columns: int) -> Iterator[Line]:
    """Yield the lines of a scene ``storage``."""
    if not scene["storages"]:
        yield from note(say("storage.none"), columns)
    for storage in scene["storages"]:
        yield []
        marks = [name for name in ("shared", "cow") if storage[name]]
        head = f"{storage['id']}  {size(storage['bytes'])} {' '.join(marks)}"
        yield [(MARGIN + head.rstrip(), "strong")]
        yield from _views(storage, columns)
    if scene["opaque"]:
        yield []
        names = ", ".join(f"{each['name']} ({each['why']})" for each in scene["opaque"])
        yield from note(say("storage.opaque", names=names), columns)
    yield from _timeline(scene, say, columns)


def _views(storage: dict[str, Any], columns: int) -> Iterator[Line]:
    views = storage["views"]
    listed = [cell for view in views for cell in view["cells"] or ()]
    num_cells = max(listed, default=-1) + 1
    room = (columns - _NAME - len(MARGIN) - 2) // _CELL
    is_small = 0 < num_cells <= min(room, _MAX_CELLS)
    if is_small:
        cells = "".join(f"{cell:>{_CELL}}" for cell in range(num_cells))
        yield [(MARGIN + " " * _NAME + cells, "quiet")]
    for view in views:
        row = _row(view["cells"], num_cells) if is_small and view["cells"] is not None else ""
        yield [(MARGIN + fit(view["name"], _NAME), "plain"), (row, "number")]
        facts = [f"{shape(view['shape'])} stride {tuple(view['stride'])}"]
        facts += [f"offset {view['offset']}"] if view["offset"] else []
        facts += [f"version {view['version']}"] if view["version"] else []
        facts += [f"base {view['base']}"] if view["base"] else []
        facts += ["overlaps"] if view["overlaps"] else []
        yield [(f"{MARGIN}  {', '.join(facts)}"[:columns], "quiet")]


def _row(cells: list[int], num_cells: int) -> str:
    """Return for each cell the place at which the view visits it; + if it does so again."""
    row = ["·"] * num_cells
    for place, cell in enumerate(cells):
        row[cell] = str(place) if row[cell] == "·" else "+"
    return "".join(f"{each:>{_CELL}}" for each in row)


def _timeline(scene: Scene, say: Say, columns: int) -> Iterator[Line]:
    """Yield the lines that write to a storage which others see."""
    shared = {each["id"] for each in scene["storages"] if len(each["views"]) > 1}
    writes = [
        event
        for event in scene["timeline"]
        if event["event"] == "write" and event["storage"] in shared
    ]
    if writes:
        yield []
    for event in writes:
        words = say("storage.write", **{key: event[key] for key in ("line", "op", "storage")})
        yield from note(f"{words} · version {event['version']}", columns, "plain")
