"""Commands of nested, quantized tensors: the table of operators, and what a file holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from torchstone.app.programs import nested


File = Annotated[Path, typer.Argument(metavar="FILE", help="argument.nested_file")]
LABEL_WIDTH = 16


def add_commands(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    group = add_group(app, "nested")
    command(group, "ops")(list_operators)
    command(group, "info")(describe_file)


def list_operators(screen: Screen) -> ExitCode:
    """Print what happens to each operator that meets a quantized tensor."""
    from torchstone.app.programs import nested
    from torchstone.cli.program_result import answer_of, show

    found = nested.operators(screen.lang)
    return show(screen, answer_of(found), _draw_operators(screen, found))


def _draw_operators(screen: Screen, found: nested.Operators) -> Iterator[Text]:
    from torchstone.cli.layout import paragraph, span, two_sided
    from torchstone.cli.palette import NUMBER, SECONDARY, STRONG

    for way, count in found.counts.items():
        yield span()
        title = span((screen.say(f"nested.{way}"), STRONG))
        yield from two_sided(title, str(count), screen.columns)
        yield from paragraph(screen.say(f"nested.about_{way}"), screen.columns, style=SECONDARY)
        for each in found.operators:
            if each.way == way:
                yield span("  ", (each.name, NUMBER), (f"  {each.when}", SECONDARY))


def describe_file(screen: Screen, file: File) -> ExitCode:
    """Print what a file of a quantized tensor holds, and what it weighs."""
    from torchstone.app.programs import nested
    from torchstone.cli.program_result import answer_of, show

    found = nested.describe(str(file), screen.lang)
    return show(screen, answer_of(found), _draw_file(screen, found))


def _draw_file(screen: Screen, found: nested.Described) -> Iterator[Text]:
    from torchstone.cli.layout import span
    from torchstone.cli.palette import STRONG

    yield span("  ", (found.path, STRONG))
    how = f"{found.format}, block {found.block}, {found.dtype}"
    yield _fact(screen, "format", how)
    if found.lengths is not None and found.fill is not None:
        lengths = f"{min(found.lengths, default=0)} … {max(found.lengths, default=0)}"
        yield _fact(screen, "sequences", str(found.num_sequences))
        yield _fact(screen, "lengths", lengths)
        yield _fact(screen, "fill", f"{found.fill:.3f}")
    yield _fact(screen, "values", f"{found.num_values:,}")
    yield _fact(screen, "bytes", f"{found.nbytes:,}")
    yield _fact(screen, "bits", f"{found.bits_per_value:.3f}")


def _fact(screen: Screen, name: str, words: str) -> Text:
    from torchstone.cli.layout import labelled

    return labelled(f"  {screen.say(f'nested.{name}')}", LABEL_WIDTH, words)
