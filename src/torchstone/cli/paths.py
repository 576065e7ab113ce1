"""Command ``paths``: list the paths, show one, follow one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from torchstone.cli.command import command
from torchstone.cli.screen import Screen
from torchstone.core.errors import BadInput
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from rich.text import Text

    from torchstone.app.problems.paths import PathProgress


def add_commands(app: typer.Typer) -> None:
    """Add the command to the application."""
    command(app, "paths")(paths)


def paths(
    screen: Screen,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="argument.path")] = None,
    follow: Annotated[bool, typer.Option("--follow", help="option.follow")] = False,
    leave: Annotated[bool, typer.Option("--leave", help="option.leave")] = False,
) -> ExitCode:
    """List the paths, show the problems of one, follow one, or follow none."""
    import msgspec

    from torchstone.app.problems.paths import follow_path, list_paths

    home = screen.home()
    if follow and name is None:
        raise BadInput("cli.argument_missing", name="NAME")
    if follow and leave:
        raise BadInput("cli.follow_or_leave")
    if follow or leave:
        follow_path(home, None if leave else name)
    if name is not None:
        home.require_path(name)
    found = [path for path in list_paths(home) if name in (None, path.id)]
    if screen.as_json:
        screen.answer({"ok": True, "paths": msgspec.to_builtins(found)})
        return ExitCode.ACCEPTED
    for path in found:
        for line in _draw(screen, path, is_whole=name is not None):
            screen.out.print(line)
    return ExitCode.ACCEPTED


def path_line(screen: Screen, path: PathProgress) -> Iterator[Text]:
    """Draw the name of a path, with the progress on it."""
    from torchstone.cli.layout import span, two_sided
    from torchstone.cli.palette import NUMBER, STRONG

    line = span((path.id, NUMBER), "  ", (path.title[screen.lang], STRONG))
    note = screen.say("paths.progress", proven=path.num_proven, count=len(path.steps))
    if path.is_chosen:
        note = f"{screen.say('paths.followed')}  {note}"
    yield from two_sided(line, note, screen.columns)


def _draw(screen: Screen, path: PathProgress, *, is_whole: bool) -> Iterator[Text]:
    from torchstone.cli.layout import paragraph, span
    from torchstone.cli.palette import NUMBER, PLAIN, SECONDARY, STATUS_MARKS

    yield from path_line(screen, path)
    yield from paragraph(path.lead[screen.lang], screen.columns, style=SECONDARY, margin=4)
    if not is_whole:
        return
    id_width = max(len(step.problem) for step in path.steps)
    for step in path.steps:
        mark = STATUS_MARKS["proven" if step.is_proven else "untouched"]
        title = (step.title[screen.lang], PLAIN)
        number = (step.problem.ljust(id_width), NUMBER)
        yield span((mark.glyph, mark.style), " ", number, "  ", title)
        yield from paragraph(step.why[screen.lang], screen.columns, style=SECONDARY, margin=6)
