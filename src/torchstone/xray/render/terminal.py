"""A scene in a terminal: what it is, whether it is true, the drawing, and what it leaves out."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torchstone.xray.render import compile as compiled
from torchstone.xray.render import dispatch, graph, memory, storage
from torchstone.xray.render.text import MARGIN, Line, Say, Scene, note

Draw = Callable[[Scene, Say, int], Iterator[Line]]
DRAWINGS: dict[str, Draw] = {
    "compile": compiled.draw,
    "dispatch": dispatch.draw,
    "graph": graph.draw,
    "memory": memory.draw,
    "storage": storage.draw,
}


def draw(scene: Scene, say: Say, columns: int) -> Iterator[Line]:
    """Yield the lines of a scene."""
    source, same = scene["source"], scene["fidelity"]
    title = say(f"title.{scene['scene']}")
    yield [
        (f"{MARGIN}{source['file']}", "strong"),
        (f"  {title} · torch {scene['torch']}", "quiet"),
    ]
    if scene["state"] != "live":
        yield from note(say(f"state.{scene['state']}", why=scene["why"]), columns, "wrong")
    key = "same" if same["equal"] == same["compared"] else "differs"
    if not scene["deterministic"]:
        key = "unrepeatable"
    yield from note(say(f"fidelity.{key}", **same), columns)
    yield from DRAWINGS[scene["scene"]](scene, say, columns)
    left_out = list(_left_out(scene, say))
    if left_out:
        yield []
    for words in left_out:
        yield from note(f"· {words}", columns)
    if (raised := scene["raised"]) is not None:
        yield []
        words = say("raised", **{**raised, "line": raised["line"] or "?"})
        yield from note(words, columns, "wrong")


def _left_out(scene: Scene, say: Say) -> Iterator[str]:
    for what, count in scene["truncated"].items():
        yield say(f"truncated.{what}", count=count)
    for each in scene["not_followed"]:
        yield say(f"not_followed.{each['what']}", count=each["count"])
    if scene["stdout"]["bytes"]:
        yield say("printed", count=scene["stdout"]["bytes"])
