"""Command of MicroTorch: microtorch train."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode


def add_commands(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    command(add_group(app, "microtorch"), "train")(train)


def train(
    screen: Screen,
    model: Annotated[str | None, typer.Argument(metavar="MODEL", help="argument.model")] = None,
    data: Annotated[Path | None, typer.Option("--data", metavar="DIR", help="option.data")] = None,
    epochs: Annotated[
        int | None, typer.Option("--epochs", metavar="N", help="option.epochs")
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option("--batch-size", metavar="N", help="option.batch_size")
    ] = None,
    lr: Annotated[float | None, typer.Option("--lr", metavar="X", help="option.lr")] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="option.train_seed")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="DIR", help="option.out")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="option.resume")] = False,
) -> ExitCode:
    """Train a network."""
    from torchstone.app.programs.training import TrainingPlan
    from torchstone.cli.training import Watch

    # The program that trains checks the numbers.
    plan = TrainingPlan(
        model=model,
        data=data,
        epochs=epochs,
        batch_size=batch_size,
        lr=lr,
        seed=seed,
        out=out,
        resume=resume,
    )
    watch = Watch(screen)
    try:
        watch.follow(plan)
    except KeyboardInterrupt:
        screen.note(watch.describe_interruption())
        return ExitCode.NOT_ACCEPTED
    return ExitCode.ACCEPTED
