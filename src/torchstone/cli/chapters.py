"""Commands of the handbook: its chapters, and one of them to read or to run."""

from __future__ import annotations

from typing import Annotated

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

ChapterName = Annotated[str, typer.Argument(metavar="CHAPTER", help="argument.chapter")]
Code = Annotated[bool, typer.Option("--code", help="option.learn_code")]


def add_commands(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    group = add_group(app, "learn")
    command(group, "list")(list_chapters)
    command(group, "show")(show_chapter)


def list_chapters(screen: Screen) -> ExitCode:
    """List the chapters in reading order, with what is read of each."""
    from rich.text import Text

    from torchstone.app.handbook import reading
    from torchstone.cli.layout import span
    from torchstone.cli.palette import NUMBER, SECONDARY, STRONG

    found = reading.list_chapters(screen.home())
    if screen.as_json:
        screen.answer({"ok": True, **found.plain()})
        return ExitCode.ACCEPTED
    if not found.is_installed:
        screen.write(screen.say("learn.absent"))
    width = max((len(row.id) for part in found.parts for row in part.chapters), default=0)
    for part in found.parts:
        screen.out.print(Text())
        screen.out.print(span("  ", (part.title[screen.lang], STRONG)))
        for row in part.chapters:
            state = "" if row.state == "unread" else f"  {screen.say(f'learn.{row.state}')}"
            name = f"  {row.id.ljust(width)}  "
            screen.out.print(span((name, NUMBER), row.title[screen.lang], (state, SECONDARY)))
    return ExitCode.ACCEPTED


def show_chapter(screen: Screen, chapter: ChapterName, code: Code = False) -> ExitCode:
    """Show a chapter, or the code of its cells as one program."""
    from torchstone.app.handbook.reading import find_chapter
    from torchstone.cli.prose import print_markdown

    found = find_chapter(chapter)
    program = "\n\n".join(cell.source.rstrip("\n") for cell in found.cells)
    text = program if code else found.texts[screen.lang]
    if screen.as_json:
        screen.answer({"ok": True, "id": found.id, "title": found.title(screen.lang), "text": text})
    elif code:
        screen.write(text)
    else:
        print_markdown(screen, text)
    return ExitCode.ACCEPTED
