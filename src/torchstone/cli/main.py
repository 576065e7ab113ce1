"""Entry point of the command line: build the commands, run one, report its errors."""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer
from typer.main import get_command

import torchstone
from torchstone.cli import (
    asking,
    bank,
    chapters,
    cuda,
    distributed,
    doctor,
    explain,
    formatting,
    inputs,
    interview,
    learning,
    machine,
    microtorch,
    models,
    nested,
    package,
    paths,
    practice,
    questions,
    receipt,
    serve,
    times,
    xray,
)
from torchstone.cli.command import close_pipe, new_app, with_screen
from torchstone.cli.own_words import set_apart
from torchstone.cli.screen import Screen, read_screen
from torchstone.cli.usage import explain_misuse
from torchstone.core.errors import TorchstoneError
from torchstone.core.verdict import ExitCode

PROGRAM = "torchstone"


def build_app() -> typer.Typer:
    """Create the application with all commands."""
    app = new_app(PROGRAM, help_key="command.torchstone", add_completion=True)
    app.callback(invoke_without_command=True)(with_screen(_begin))
    parts = (
        serve, practice, inputs, formatting, paths, package, learning, asking,
        times, receipt, bank, questions, interview, microtorch, models, distributed, nested, doctor,
        xray, explain, chapters, cuda, machine,
    )  # fmt: skip
    for part in parts:
        part.add_commands(app)
    return app


def _begin(
    screen: Screen,
    *,
    version: Annotated[bool, typer.Option("--version", help="option.version")] = False,
) -> ExitCode:
    """Serve the page and open it; this is the default command."""
    return _show_version(screen) if version else serve.serve(screen)


def _show_version(screen: Screen) -> ExitCode:
    if screen.as_json:
        screen.answer({"ok": True, "torchstone": torchstone.__version__})
    else:
        screen.write(f"torchstone {torchstone.__version__}")
    return ExitCode.ACCEPTED


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot encode a character prints a question mark instead of a
            # traceback.
            stream.reconfigure(errors="replace")
    given = set_apart(sys.argv[1:] if arguments is None else arguments)
    screen = read_screen(given)
    code = _run(given, screen)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        close_pipe()
    return int(code)


def _run(arguments: list[str], screen: Screen) -> int:
    try:
        code = get_command(build_app()).main(
            args=arguments, prog_name=PROGRAM, standalone_mode=False, obj=screen
        )
        return int(code or 0)
    except typer.TyperException as error:
        screen.fail(explain_misuse(error))
        return ExitCode.MISUSE
    except TorchstoneError as error:
        screen.fail(error)
        return error.exit_code
    except typer.Abort:
        screen.note(screen.say("interrupted"))
        return ExitCode.NOT_ACCEPTED
    # Python would exit with 1, which means a wrong answer; an internal error has a code of its own.
    except Exception as error:  # noqa: BLE001
        traceback.print_exc()
        screen.fail(TorchstoneError("cli.fault", type=type(error).__name__))
        return ExitCode.OUR_FAULT
