"""Commands of the explanations: the map of PyTorch."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

Svg = Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="option.explain_svg")]
LayerName = Annotated[
    str | None, typer.Option("--layer", metavar="NAME", help="option.explain_layer")
]
Play = Annotated[str | None, typer.Option("--play", metavar="FILE", help="option.explain_play")]


def add_commands(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    group = add_group(app, "explain")
    command(group, "map")(show_map)


def show_map(
    screen: Screen, svg: Svg = None, layer: LayerName = None, play: Play = None
) -> ExitCode:
    """Show the parts of PyTorch, what ties them, and the evidence."""
    from torchstone.app import architecture
    from torchstone.cli.program_result import show

    found = architecture.show_map(layer, scene=play)
    if svg is not None:
        architecture.write_map(found, svg.absolute(), screen.lang)
    file = None if svg is None else str(svg)
    return show(screen, {"ok": True, "svg": file, **found}, _draw(screen, found))


def _draw(screen: Screen, found: dict[str, Any]) -> Iterator[Text]:
    from rich.text import Text

    from torchstone.cli.layout import span
    from torchstone.cli.palette import NUMBER, SECONDARY, STRONG
    from torchstone.xray.render.text import fit

    names = {each["id"]: each["name"] for each in found["components"]}
    for layer in found["layers"]:
        inside = [each for each in found["components"] if each["layer"] == layer["id"]]
        if not inside:
            continue
        yield Text()
        yield span("  ", (layer["title"][screen.lang], STRONG), (f"  {layer['id']}", SECONDARY))
        for component in inside:
            yield span(
                (f"  {fit(component['name'], 24)}", NUMBER), f" {component['about'][screen.lang]}"
            )
            for edge in found["edges"]:
                if edge["from"] == component["id"]:
                    mark = "✓" if edge["evidence"] == "claim" else "·"
                    words = f"    {mark} {edge['kind']} {names[edge['to']]}"
                    yield Text(words, style=SECONDARY)
    proven = sum(1 for edge in found["edges"] if edge["evidence"] == "claim")
    yield Text()
    counts = {"components": len(found["components"]), "edges": len(found["edges"])}
    yield Text(f"  {screen.say('explain.counts', proven=proven, **counts)}")
