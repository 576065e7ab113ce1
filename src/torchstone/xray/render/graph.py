"""What the backward remembers, in a terminal: the nodes in the order they run, and their bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchstone.xray.render.text import Line, Role, Say, Scene, fit, note, shape, size

Node = dict[str, Any]
_NAME = 26
_PLACE = 24


def draw(scene: Scene, say: Say, columns: int) -> Iterator[Line]:
    """Yield the lines of a scene ``graph``."""
    nodes = {node["id"]: node for node in scene["nodes"]}
    if not nodes:
        yield from note(say("graph.none"), columns)
        return
    ran = set(scene["order"])
    order = [*scene["order"], *(number for number in nodes if number not in ran)]
    yield []
    for place, number in enumerate(order):
        yield from _node(nodes[number], place if number in ran else None, columns)
    yield []
    totals = {name: size(value) for name, value in scene["totals"].items()}
    yield from note(say("graph.totals", **totals), columns, "plain")
    for node in nodes.values():
        for name, saved in node["saved"].items():
            if saved["state"] == "modified":
                words = say("graph.modified", node=node["name"], name=name, words=saved["words"])
                yield from note(words, columns, "wrong")


def _node(node: Node, place: int | None, columns: int) -> Iterator[Line]:
    where = [node["leaf"] or node["module"], f":{node['line']}" if node["line"] else None]
    number = f"{place:4}" if place is not None else "   ┄"
    yield [
        (f"{number} ", "quiet"),
        (fit(node["name"], _NAME), "strong" if node["leaf"] is None else "plain"),
        (" " + fit(" ".join(filter(None, where)), _PLACE), "quiet"),
    ]
    for name, saved in node["saved"].items():
        kept = "" if saved["bytes"] is None else size(saved["bytes"])
        what = "" if saved["dtype"] is None else f"{shape(saved['shape'])} {saved['dtype']}"
        state = "" if saved["state"] == "live" else saved["state"]
        mark = "parameter" if saved["is_parameter"] else ""
        words = " ".join(filter(None, (what, saved["storage"], mark, state)))
        role: Role = "wrong" if saved["state"] == "modified" else "quiet"
        line = f"      {fit(name, _NAME - 6)} {kept:>9}  {words}"
        yield [(line[: columns + 1], role)]
