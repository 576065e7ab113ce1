"""Commands of cudasim: cuda run and cuda check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

File = Annotated[Path, typer.Argument(metavar="FILE", help="argument.cuda_file")]
Arguments = Annotated[list[str] | None, typer.Argument(metavar="ARG", help="argument.cuda_words")]
Watchdog = Annotated[float, typer.Option("--watchdog", metavar="S", help="option.watchdog")]
Orders = Annotated[int, typer.Option("--orders", metavar="N", min=1, help="option.orders")]


def add_commands(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    group = add_group(app, "cuda")
    command(group, "run")(run)
    command(group, "check")(check)


def run(screen: Screen, file: File, words: Arguments = None, watchdog: Watchdog = 20) -> ExitCode:
    """Run a program and exit with its code."""
    from torchstone.app.programs.simulating import Simulation, simulate

    options = [f"--lang={screen.lang}", f"--watchdog={watchdog}"]
    quiet = screen.as_json
    code = simulate(
        Simulation(verb="run", file=file, arguments=words or (), options=options, is_quiet=quiet)
    )
    if screen.as_json:
        screen.answer({"ok": code == 0, "exit_code": code})
    raise typer.Exit(code)


def check(
    screen: Screen, file: File, words: Arguments = None, orders: Orders = 1, watchdog: Watchdog = 20
) -> ExitCode:
    """Check a program for bugs."""
    from torchstone.app.programs.simulating import Simulation, simulate

    options = [f"--lang={screen.lang}", f"--watchdog={watchdog}", f"--orders={orders}"]
    options += ["--json"] * screen.as_json
    plan = Simulation(verb="check", file=file, arguments=words or (), options=options)
    return ExitCode(simulate(plan))
