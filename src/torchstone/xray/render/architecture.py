"""The map of PyTorch as SVG: a band for each layer, a box for each component, edges of four kinds.

The layout is computed from the data: layers from top to bottom, within a layer the order in which
the edges to the layer above cross least.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

Map = Mapping[str, Any]
Box = tuple[float, float, float, float]

WIDTH, MARGIN, BAND = 1440, 24, 132
_TITLE, _BOX_HEIGHT, _GAP = 26, 30, 10
_ROUNDS = 4
_DASHES = {"calls": "", "owns": "", "registers": "6 3", "data": "2 3"}
_STYLE = """
svg { font: 12px system-ui, sans-serif; color: #1b1d1a; background: #f4f4f0; }
.band { fill: none; stroke: currentColor; stroke-opacity: .12 }
.box { fill: #fbfbf9; stroke: currentColor; stroke-opacity: .5 }
.on { fill: #e9d9a8; stroke-opacity: 1 }
text { fill: currentColor }
.title { font-weight: 600 }
.edge { fill: none; stroke: currentColor; stroke-opacity: .28 }
.owns { stroke-width: 2 }
.cited { stroke-opacity: .16 }
.step { stroke-opacity: 1; stroke-width: 2; stroke: #8a6d1a }
@media (prefers-color-scheme: dark) {
  svg { color: #e8e8e2; background: #161815 }
  .box { fill: #20231f } .on { fill: #5a4a17 } .step { stroke: #e0c060 }
}
"""


def draw(found: Map, lang: str, *, path: Sequence[str] = (), title: str = "PyTorch") -> str:
    """Return the map as an SVG.

    Args:
        found: Layers, components and edges, as ``torchstone explain map --json`` prints them.
        lang: The language of titles and sentences.
        path: The components that a recorded call has passed, in order.
        title: The title of the picture.
    """
    rows = _rows(found)
    boxes = {id: box for row, ids in enumerate(rows.values()) for id, box in _boxes(ids, row)}
    height = len(rows) * BAND + 2 * MARGIN
    body = [
        *_bands(found, rows, lang),
        *_edges(found, boxes),
        *_components(found, boxes, lang, path),
        *_steps(path, boxes),
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            _ARROW,
            *body,
            "</svg>",
            "",
        ]
    )


_ARROW = (
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    'orient="auto"><path d="M0 0L8 4L0 8z" fill="currentColor" fill-opacity=".45"/></marker></defs>'
)


def _rows(found: Map) -> dict[str, list[str]]:
    """Order the components of each layer by where those are that they are tied to."""
    rows: dict[str, list[str]] = {layer["id"]: [] for layer in found["layers"]}
    for component in found["components"]:
        rows[component["layer"]].append(component["id"])
    ties: dict[str, list[str]] = {component["id"]: [] for component in found["components"]}
    for edge in found["edges"]:
        ties[edge["from"]].append(edge["to"])
        ties[edge["to"]].append(edge["from"])
    for _ in range(_ROUNDS):
        places = {
            id: place / max(1, len(ids) - 1)
            for ids in rows.values()
            for place, id in enumerate(ids)
        }
        for ids in rows.values():
            ids.sort(key=lambda id: _middle([places[tie] for tie in ties[id]]))
    return {layer: ids for layer, ids in rows.items() if ids}


def _middle(places: list[float]) -> float:
    return sum(places) / len(places) if places else 0.5


def _boxes(ids: Sequence[str], row: int) -> Iterator[tuple[str, Box]]:
    """Place the boxes of a layer in lines of at most eight."""
    num_lines = -(-len(ids) // 8)
    per_line = -(-len(ids) // num_lines)
    for place, id in enumerate(ids):
        line, column = divmod(place, per_line)
        in_line = min(per_line, len(ids) - line * per_line)
        wide = (WIDTH - 2 * MARGIN - (in_line - 1) * _GAP) / in_line
        x = MARGIN + column * (wide + _GAP)
        y = MARGIN + row * BAND + _TITLE + line * (_BOX_HEIGHT + _GAP)
        yield id, (x, y, wide, _BOX_HEIGHT)


def _bands(found: Map, rows: Mapping[str, Sequence[str]], lang: str) -> Iterator[str]:
    titles = {layer["id"]: layer["title"][lang] for layer in found["layers"]}
    for row, layer in enumerate(rows):
        y = MARGIN + row * BAND
        yield f'<path class="band" d="M{MARGIN} {y + 4}H{WIDTH - MARGIN}"/>'
        yield f'<text class="title" x="{MARGIN}" y="{y + 19}">{escape(titles[layer])}</text>'


def _components(
    found: Map, boxes: Mapping[str, Box], lang: str, path: Sequence[str]
) -> Iterator[str]:
    for component in found["components"]:
        x, y, wide, high = boxes[component["id"]]
        on = " on" if component["id"] in path else ""
        about = f"{component['about'][lang]} ({component['home']})"
        yield f"<g id={quoteattr(component['id'])}><title>{escape(about)}</title>"
        size = f'width="{wide:.1f}" height="{high}" rx="3"'
        yield f'<rect class="box{on}" x="{x:.1f}" y="{y}" {size}/>'
        yield (
            f'<text x="{x + wide / 2:.1f}" y="{y + 19}" text-anchor="middle">'
            f"{escape(component['name'])}</text></g>"
        )


def _edges(found: Map, boxes: Mapping[str, Box]) -> Iterator[str]:
    names = {component["id"]: component["name"] for component in found["components"]}
    for edge in found["edges"]:
        dash = _DASHES[edge["kind"]]
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        cited = " cited" if edge["evidence"] == "cited" else ""
        words = f"{names[edge['from']]} {edge['kind']} {names[edge['to']]}"
        curve = _curve(boxes, edge["from"], edge["to"])
        yield (
            f'<path class="edge {edge["kind"]}{cited}" d="{curve}"'
            f'{dashed} marker-end="url(#tip)"><title>{escape(words)}</title></path>'
        )


def _steps(path: Sequence[str], boxes: Mapping[str, Box]) -> Iterator[str]:
    for before, after in itertools.pairwise(path):
        if before != after:
            yield f'<path class="edge step" d="{_curve(boxes, before, after)}"/>'


def _curve(boxes: Mapping[str, Box], source: str, target: str) -> str:
    x1, y1, wide1, high1 = boxes[source]
    x2, y2, wide2, high2 = boxes[target]
    begin, end = (x1 + wide1 / 2), (x2 + wide2 / 2)
    if y2 > y1:
        top, bottom = y1 + high1, y2
    elif y2 < y1:
        top, bottom = y1, y2 + high2
    else:
        lift = y1 - 14
        return f"M{begin:.1f} {y1}C{begin:.1f} {lift} {end:.1f} {lift} {end:.1f} {y2}"
    middle = (top + bottom) / 2
    return f"M{begin:.1f} {top}C{begin:.1f} {middle} {end:.1f} {middle} {end:.1f} {bottom}"


# The key of a stop -> the component that does something there.
_AT_KEY = {
    "ADInplaceOrView": "in_place_or_view",
    "Functionalize": "functionalize",
    "FuncTorchBatched": "batching",
    "Python": "python_key",
    "Meta": "meta",
    # It finds the backend of a tensor that does not exist yet, and calls on.
    "BackendSelect": "dispatcher",
    "compiled": "inductor",
}


def play(calls: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return which components a recorded call passes, in order.

    Args:
        calls: The calls of a scene ``dispatch``.
    """
    path = ["functions", "dispatcher"]
    for call in calls:
        path += _passed(call)
    return [each for place, each in enumerate(path) if place == 0 or path[place - 1] != each]


def component_at(node: Mapping[str, Any]) -> str:
    """Return the component that does something at a stop of a call."""
    key = node["key"]
    if key.startswith("Autograd"):
        # A composite kernel stands at the key and records nothing.
        return "variable_type" if node["kernel"] == "Autograd" else "dispatcher"
    return "autocast_key" if key.startswith("Autocast") else _AT_KEY.get(key, "cpu_kernel")


def _passed(node: Mapping[str, Any]) -> Iterator[str]:
    yield component_at(node)
    for child in node["children"]:
        yield "dispatcher"
        yield from _passed(child)
