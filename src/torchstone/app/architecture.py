"""Map of PyTorch's layers, with the path of a recorded call."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchstone.app.judging.source import read_source
from torchstone.app.programs.xray import Examination, Scene
from torchstone.bank.architecture import load_architecture
from torchstone.core.errors import BadInput
from torchstone.core.i18n import Lang
from torchstone.xray.render.architecture import component_at, draw, play

Map = dict[str, Any]
# Variables that an expression can use.
SETUP = "import torch\nx = torch.randn(4, 4, requires_grad=True)\n"


def show_map(layer: str | None = None, *, scene: str | None = None) -> Map:
    """Return the map, or one layer with its connections.

    Args:
        layer: The id of a layer; None for all of them.
        scene: File with a scene ``dispatch``, whose first call is shown.

    Raises:
        BadInput: There is no such layer, or the file does not contain such a scene.
    """
    found = load_architecture()
    layers = [{"id": each.id, "title": {"en": each.title.en, "zh": each.title.zh}}
              for each in found.layer]  # fmt: skip
    if layer is not None and layer not in {each["id"] for each in layers}:
        known = ", ".join(str(each["id"]) for each in layers)
        raise BadInput("app.xray.layer", name=layer, known=known)
    inside = {each.id for each in found.component if layer in (None, each.layer)}
    edges = [each for each in found.edge if {each.source, each.target} & inside]
    shown = inside | {end for each in edges for end in (each.source, each.target)}
    return {
        "torch": found.torch,
        "layers": layers,
        "components": [
            {
                "id": each.id,
                "layer": each.layer,
                "name": each.name,
                "home": each.home,
                "about": {"en": each.about.en, "zh": each.about.zh},
                "question": each.question,
                "problem": each.problem,
            }
            for each in found.component
            if each.id in shown
        ],
        "edges": [
            {
                "from": each.source,
                "to": each.target,
                "kind": each.kind,
                "evidence": "cited" if each.claim is None else "claim",
                "proof": each.cited if each.claim is None else each.claim.strip(),
            }
            for each in edges
        ],
        "path": [each for each in _path(scene) if each in shown],
    }


def _path(scene: str | None) -> Sequence[str]:
    if scene is None:
        return ()
    try:
        calls = json.loads(read_source(Path(scene)))["calls"]
        return play(calls[:1])
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput("app.xray.no_scene", file=scene) from error


def write_map(found: Map, file: Path, lang: Lang) -> None:
    """Draw the map.

    Raises:
        BadInput: The file cannot be written.
    """
    picture = draw(found, lang, path=found["path"], title=f"PyTorch {found['torch']}")
    try:
        file.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise BadInput("app.xray.unwritable", file=file, reason=error.strerror) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedStop:
    """Dispatch key at which a call stops, and the component that handles it."""

    op: str
    key: str
    depth: int
    component: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedCall:
    """Components on the path of an expression, in order, and the stops of its calls."""

    path: list[str]
    stops: list[PlayedStop]


def expression_program(expression: str) -> Examination:
    """Return the program that records the calls of an expression in ``x``.

    Raises:
        BadInput: It is more than one line.
    """
    written = expression.strip()
    if not written or "\n" in written:
        raise BadInput("app.xray.one_line")
    return Examination(name="expression", text=f"{SETUP}{written}\n")


def play_scene(scene: Scene) -> PlayedCall:
    """Return the path of a program's last line through the map.

    Raises:
        BadInput: It raised, or calls no operator.
    """
    if scene["raised"] is not None:
        raise BadInput("app.xray.raised", **scene["raised"])
    calls = [call for call in scene["calls"] if call["line"] == scene["source"]["lines"]]
    if not calls:
        raise BadInput("app.xray.no_call")
    stops = [
        PlayedStop(op=node["op"], key=node["key"], depth=depth, component=component_at(node))
        for node, depth in _stops(calls, 0)
    ]
    return PlayedCall(path=play(calls), stops=stops)


def _stops(nodes: Sequence[Scene], depth: int) -> Iterator[tuple[Scene, int]]:
    for node in nodes:
        yield node, depth
        yield from _stops(node["children"], depth + 1)
