"""The commands of practising."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from torchstone.cli.command import command
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

ProblemArgument = Annotated[str, typer.Argument(metavar="PROBLEM", help="argument.problem")]
FileOption = Annotated[Path | None, typer.Option("--file", metavar="PATH", help="option.file")]


def add_commands(app: typer.Typer) -> None:
    """Add the commands to the application."""
    command(app, "submit")(submit)


def submit(screen: Screen, problem: ProblemArgument, file: FileOption = None) -> ExitCode:
    """Have a solution judged."""
    from torchstone.app.judging import judge_file

    home = screen.home()
    assert file
    judged = judge_file(home, problem, file, lambda event: None)
    if screen.as_json:
        screen.answer({"ok": True, **judged.as_json()})
    return judged.verdict.exit_code
