"""The stages of torch.compile in a terminal: graphs and kernels, breaks, and the map of lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchstone.xray.render.text import MARGIN, Line, Say, Scene, note

STAGES = ("dynamo", "pre_grad", "joint", "forward", "backward", "post_grad")
_MAX_NAMES = 6


def draw(scene: Scene, say: Say, columns: int) -> Iterator[Line]:
    """Yield the lines of a scene ``compile``."""
    if not scene["graphs"] and not scene["breaks"]:
        yield from note(say("compile.none"), columns)
        return
    for graph in scene["graphs"]:
        yield []
        yield from _graph(graph, say, columns)
    for each in scene["breaks"]:
        yield []
        yield from _break(each, say, columns)
    if scene["recompiles"]:
        yield []
    for each in scene["recompiles"]:
        words = say("compile.again", **{**each, "line": each["line"] or "?"})
        yield from note(words, columns, "plain")
    yield from _map(scene, say, columns)


def _graph(graph: dict[str, Any], say: Say, columns: int) -> Iterator[Line]:
    frame = f"{MARGIN}{graph['id']}  {graph['frame']}"
    yield [(frame, "strong"), (f"  {say('line', line=graph['line'] or '?')}", "quiet")]
    there = [stage for stage in STAGES if graph[stage]]
    yield from note(f"  {' → '.join([*there, 'kernels'] if graph['kernels'] else there)}", columns)
    counts = {"nodes": len(graph["nodes"]), "guards": len(graph["guards"])}
    yield from note("  " + say("compile.counts", **counts), columns)
    for kernel in graph["kernels"]:
        lines = ", ".join(f":{line}" for line in kernel["lines"])
        nodes = _some(kernel["nodes"])
        yield [
            (f"{MARGIN}  {kernel['name']}", "number"),
            (f"  {kernel['stage']} ← {lines}", "quiet"),
        ]
        if nodes:
            yield from note(f"    {nodes}", columns)


def _break(each: dict[str, Any], say: Say, columns: int) -> Iterator[Line]:
    words = say("compile.break", line=each["line"] or "?", reason=each["reason"])
    times = f" ×{each['count']}" if each["count"] > 1 else ""
    yield from note(f"{words} {each['gb'] or ''}{times}", columns, "wrong")
    yield from note(each["explanation"], columns, "plain")
    for hint in each["hints"]:
        yield from note(f"→ {hint}", columns)


def _map(scene: Scene, say: Say, columns: int) -> Iterator[Line]:
    if scene["map"]:
        yield []
        yield [(MARGIN + say("compile.map"), "strong")]
    for row in scene["map"]:
        nodes = _some([each.partition(":")[2] for each in row["nodes"]])
        kernels = _some([each.partition(":")[2] for each in row["kernels"]])
        yield from note(f":{row['line']}  {nodes or '-'} → {kernels or '-'}", columns, "plain")


def _some(names: list[str]) -> str:
    more = f" … +{len(names) - _MAX_NAMES}" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more
