"""The dispatch tree in a terminal: an operator a line, the key asked for, the kernel reached."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchstone.xray.render.text import MARGIN, Line, Say, Scene, fit, note, shape

Node = dict[str, Any]
_KEY = 17
_OPERATOR = 33
_MAX_DEPTH = 10


def draw(scene: Scene, say: Say, columns: int) -> Iterator[Line]:
    """Yield the lines of a scene ``dispatch``."""
    yield from _draw_calls(scene["calls"], say, columns)
    for name, data in scene["modes"].items():
        yield []
        words = say("dispatch.under", mode=name, stops=data["stops"], before=scene["stops"])
        yield [(MARGIN + words, "strong")]
        yield from _draw_calls(data["calls"], say, columns)


def _draw_calls(calls: list[Node], say: Say, columns: int) -> Iterator[Line]:
    line: object = object()
    for call, count in _grouped(calls):
        if call["line"] != line:
            line = call["line"]
            yield []
            yield [(MARGIN + say("line", line="?" if line is None else line), "strong")]
        yield from _draw_node(call, "", "", columns, count)
        for arg in call["args"]:
            yield _argument(arg, columns)


def _grouped(calls: list[Node]) -> Iterator[tuple[Node, int]]:
    """Join calls that follow each other and have the same tree."""
    before, count = None, 0
    signature: object = None
    for call in calls:
        own = (call["line"], _signature(call))
        if own == signature:
            count += 1
            continue
        if before is not None:
            yield before, count
        before, count, signature = call, 1, own
    if before is not None:
        yield before, count


def _signature(node: Node) -> tuple[Any, ...]:
    shapes = tuple(str(arg["shape"]) for arg in node["args"])
    inner = tuple(map(_signature, node["children"]))
    return (node["op"], node["key"], node["kernel"], node["raised"], shapes, inner)


def _draw_node(node: Node, lead: str, branch: str, columns: int, count: int = 1) -> Iterator[Line]:
    name = node["op"].removeprefix("aten::")
    left = fit(f"{MARGIN}{lead}{branch}{name}", _OPERATOR)
    # Observed: a full line; computed from the table: a dashed one.
    computed = node["opaque"] == "computed"
    line: Line = [(left, "plain"), (" ", "plain"), (fit(node["key"], _KEY), "number")]
    arrow = "┄→" if computed else "→"
    rest = f" {arrow} {node['kernel']}" if node["alias"] or computed else ""
    rest += "".join(f" ┄{key}" for key in node["skipped"] if key != "BackendSelect")
    rest += f" ({node['opaque']})" if node["opaque"] and not computed else ""
    rest += f" ×{count}" if count > 1 else ""
    line.append((_cut(rest, columns - _OPERATOR - _KEY - 1), "quiet"))
    if node["raised"]:
        line.append((f" {node['raised']}", "wrong"))
    yield line
    lead += {"": "", "├ ": "│ ", "└ ": "  "}[branch]
    if len(lead) >= 2 * _MAX_DEPTH and node["children"]:
        yield [(f"{MARGIN}{lead}└ … {node['stops'] - 1}", "quiet")]
        return
    for index, child in enumerate(node["children"]):
        is_last = index == len(node["children"]) - 1
        yield from _draw_node(child, lead, "└ " if is_last else "├ ", columns)


def _cut(words: str, columns: int) -> str:
    return words if len(words) <= columns else fit(words, columns)


def _argument(arg: dict[str, Any], columns: int) -> Line:
    keys = " ".join(reversed(arg["keys"]))
    words = f"{MARGIN}    {arg['name']} {shape(arg['shape'])} {arg['dtype']}  {keys}"
    return [(_cut(words, columns), "quiet")]


def draw_table(found: Scene, say: Say, columns: int) -> Iterator[Line]:
    """Yield the table of an operator, the key that is asked first on top."""
    yield [(MARGIN + found["op"], "strong")]
    yield from note(found["signature"], columns)
    yield []
    for row in found["rows"]:
        kind = "fallthrough" if row["fallthrough"] else row["kind"]
        place = row["registered"].rpartition("/")[2]
        line = f" {fit(kind, 18)} {place}"
        yield [(MARGIN + fit(row["key"], 31), "number"), (_cut(line, columns - 33), "quiet")]
    yield []
    yield from note(say("table.block"), columns)
