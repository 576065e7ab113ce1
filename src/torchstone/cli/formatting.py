"""Command ``format``: format the file of a problem, or any file of Python, C++ or CUDA."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from torchstone.cli.command import command
from torchstone.cli.problem import complete_problem
from torchstone.cli.screen import Screen
from torchstone.core.errors import BadInput
from torchstone.core.verdict import ExitCode

TargetArgument = Annotated[
    str,
    typer.Argument(
        metavar="PROBLEM|FILE", help="argument.formatted", autocompletion=complete_problem
    ),
]


def add_commands(app: typer.Typer) -> None:
    """Add the command to the application."""
    command(app, "format")(format_)


def format_(
    screen: Screen,
    target: TargetArgument,
    write: Annotated[bool, typer.Option("--write", help="option.write")] = False,
    check: Annotated[bool, typer.Option("--check", help="option.check")] = False,
) -> ExitCode:
    """Print the formatted text, write it, or say whether it differs."""
    import msgspec

    from torchstone.app.judging.formatting_files import format_file

    if write and check:
        raise BadInput("cli.write_or_check")
    done = format_file(screen.home(), target, write=write)
    is_right = done.reason is None and not (check and done.is_changed)
    code = ExitCode.ACCEPTED if is_right else ExitCode.NOT_ACCEPTED
    if screen.as_json:
        screen.answer({"ok": True, **msgspec.to_builtins(done, enc_hook=str)})
    elif done.reason is not None:
        screen.note(done.reason[screen.lang])
    elif check or write:
        key = "written" if done.is_written else "differs" if done.is_changed else "same"
        screen.write(screen.say(f"format.{key}", path=done.path))
    else:
        sys.stdout.write(done.text or "")
    return code
