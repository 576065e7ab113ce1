"""Two runs compared: which stops, nodes, bytes and kernels a change has taken away or added."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

Scene = dict[str, Any]
Facts = dict[str, Any]


def diff(before: Scene, after: Scene) -> dict[str, Any]:
    """Compare two scenes of one kind.

    Raises:
        ValueError: They are not of one kind.
    """
    kind = before["scene"]
    if kind != after["scene"]:
        raise ValueError(
            f"xray diff: the first is a scene {kind!r}, the second {after['scene']!r}; "
            "compare two of one kind."
        )
    return {
        "schema": 1,
        "scene": kind,
        "before": _side(before),
        "after": _side(after),
        **COMPARISONS[kind](before, after),
    }


def _side(scene: Scene) -> dict[str, Any]:
    return {"source": scene["source"], "torch": scene["torch"], **_totals(scene)}


def _totals(scene: Scene) -> dict[str, Any]:
    return dict(TOTALS[scene["scene"]](scene))


def _changes(before: Counter[Any], after: Counter[Any], names: tuple[str, ...]) -> Facts:
    def rows(more: Counter[Any]) -> list[dict[str, Any]]:
        return [
            {**dict(zip(names, key, strict=True)), "count": count}
            for key, count in sorted(more.items(), key=lambda each: (-each[1], str(each[0])))
        ]

    return {"added": rows(after - before), "removed": rows(before - after)}


def _stops(nodes: list[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    for node in nodes:
        yield node["op"], node["key"], node["kernel"]
        yield from _stops(node["children"])


def _dispatch(before: Scene, after: Scene) -> Facts:
    first, second = (Counter(_stops(scene["calls"])) for scene in (before, after))
    return _changes(first, second, ("op", "key", "kernel"))


def _dispatch_totals(scene: Scene) -> Facts:
    return {"calls": len(scene["calls"]), "stops": scene["stops"]}


def _graph(before: Scene, after: Scene) -> Facts:
    first, second = (Counter(_nodes(scene)) for scene in (before, after))
    return _changes(first, second, ("node", "saved"))


def _nodes(scene: Scene) -> Iterator[tuple[str, int]]:
    for node in scene["nodes"]:
        yield node["name"], sum(each.get("bytes") or 0 for each in node["saved"].values())


def _graph_totals(scene: Scene) -> Facts:
    return {"nodes": len(scene["nodes"]), **scene["totals"]}


def _storage(before: Scene, after: Scene) -> Facts:
    first, second = (Counter(_views(scene)) for scene in (before, after))
    return _changes(first, second, ("storage", "bytes", "view", "stride"))


def _views(scene: Scene) -> Iterator[tuple[str, int, str, str]]:
    for storage in scene["storages"]:
        for view in storage["views"]:
            yield storage["id"], storage["bytes"], view["name"], str(view["stride"])


def _storage_totals(scene: Scene) -> Facts:
    storages = scene["storages"]
    return {
        "storages": len(storages),
        "views": sum(len(each["views"]) for each in storages),
        "bytes": sum(each["bytes"] for each in storages),
    }


def _memory(before: Scene, after: Scene) -> Facts:
    first, second = (Counter(_alive(scene)) for scene in (before, after))
    return _changes(first, second, ("op", "module", "bytes"))


def _alive(scene: Scene) -> Iterator[tuple[str, str, int]]:
    for event in scene["peak"]["alive"]:
        yield event["op"], event["module"] or "-", event["bytes"]


def _memory_totals(scene: Scene) -> Facts:
    allocator = scene["allocator"]
    return {"peak_bytes": scene["peak"]["bytes"], "allocator_bytes": allocator["peak_bytes"]}


def _compile(before: Scene, after: Scene) -> Facts:
    first, second = (Counter(_compiled(scene)) for scene in (before, after))
    return _changes(first, second, ("what", "name", "line"))


def _compiled(scene: Scene) -> Iterator[tuple[str, str, str]]:
    for each in scene["breaks"]:
        yield "break", each["reason"], str(each["line"])
    for graph in scene["graphs"]:
        for kernel in graph["kernels"]:
            yield "kernel", kernel["name"], " ".join(map(str, kernel["lines"]))


def _compile_totals(scene: Scene) -> Facts:
    return {
        "graphs": len(scene["graphs"]),
        "breaks": sum(each["count"] for each in scene["breaks"]),
        "recompiles": len(scene["recompiles"]),
        "kernels": sum(len(graph["kernels"]) for graph in scene["graphs"]),
    }


COMPARISONS: dict[str, Callable[[Scene, Scene], Facts]] = {
    "compile": _compile,
    "dispatch": _dispatch,
    "graph": _graph,
    "memory": _memory,
    "storage": _storage,
}
TOTALS: dict[str, Callable[[Scene], Facts]] = {
    "compile": _compile_totals,
    "dispatch": _dispatch_totals,
    "graph": _graph_totals,
    "memory": _memory_totals,
    "storage": _storage_totals,
}
