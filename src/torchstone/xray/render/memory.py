"""Memory in a terminal: the course of it as a curve, and who lived at its peak."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchstone.xray.render.text import MARGIN, Line, Say, Scene, fit, note, size

_BARS = " ▁▂▃▄▅▆▇█"
_MAX_ALIVE = 12


def draw(scene: Scene, say: Say, columns: int) -> Iterator[Line]:
    """Yield the lines of a scene ``memory``."""
    if not scene["events"]:
        yield from note(say("memory.none"), columns)
        return
    peak, allocator = scene["peak"], scene["allocator"]
    yield []
    yield [(MARGIN + curve(scene["events"], columns - 2 * len(MARGIN)), "number")]
    yield from note(say("memory.peak", bytes=size(peak["bytes"]), i=peak["i"]), columns, "strong")
    if allocator["peak_bytes"] is not None:
        values = {name: size(value) for name, value in allocator.items()}
        yield from note(say("memory.allocator", **values), columns)
    phases = ", ".join(f"{name} {size(value)}" for name, value in scene["phases"].items() if value)
    yield from note(say("memory.phases", phases=phases), columns)
    yield []
    for event in peak["alive"][:_MAX_ALIVE]:
        yield _alive(event)
    rest = peak["alive"][_MAX_ALIVE:]
    if rest:
        total = size(sum(event["bytes"] for event in rest))
        yield from note(say("memory.rest", count=len(rest), bytes=total), columns)


def _alive(event: dict[str, Any]) -> Line:
    operator = event["op"].removeprefix("aten.").removesuffix(".default")
    line = f":{event['line']}" if event["line"] else ""
    return [
        (f"{MARGIN}{size(event['bytes']):>10}  ", "number"),
        (fit(operator, 26), "plain"),
        (f" {fit(event['module'] or '-', 14)} {event['phase']} {line}", "quiet"),
    ]


def curve(events: list[dict[str, Any]], columns: int) -> str:
    """Return the course of memory as one line of bars, each the most of its events."""
    top = max(event["now"] for event in events) or 1
    bars = []
    for column in range(min(columns, len(events))):
        begin = column * len(events) // min(columns, len(events))
        end = max(begin + 1, (column + 1) * len(events) // min(columns, len(events)))
        most = max(event["now"] for event in events[begin:end])
        bars.append(_BARS[round(most / top * (len(_BARS) - 1))])
    return "".join(bars)
