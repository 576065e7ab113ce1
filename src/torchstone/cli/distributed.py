"""Commands of distributed training: simulate, and checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from torchstone.app.programs.distributed import Value


def _option(name: str, mark: str) -> typer.models.OptionInfo:
    key = f"option.distributed_{name.replace('-', '_')}"
    option: typer.models.OptionInfo = typer.Option(f"--{name}", metavar=mark, help=key)
    return option


# The program has a default for each missing option.
World = Annotated[int | None, _option("world", "N")]
Parallel = Annotated[str | None, _option("parallel", "NAME")]
Steps = Annotated[int | None, _option("steps", "K")]
LinkRate = Annotated[str | None, _option("link", "RATE")]
Gflops = Annotated[float | None, _option("gflops", "G")]
SlowRank = Annotated[str | None, _option("slow", "RANKxTIMES")]
Timeline = Annotated[Path | None, _option("timeline", "FILE")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="argument.checkpoints")]
NewWorld = Annotated[int, typer.Option("--world", metavar="N", help="option.distributed_new_world")]
Out = Annotated[Path, _option("out", "DIR")]


def add_commands(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    group = add_group(app, "distributed")
    command(group, "simulate")(simulate)
    checkpoint = add_group(group, "checkpoint")
    command(checkpoint, "show")(show_checkpoint)
    command(checkpoint, "reshard")(reshard_checkpoint)


def simulate(
    screen: Screen,
    world: World = None,
    parallel: Parallel = None,
    steps: Steps = None,
    link: LinkRate = None,
    gflops: Gflops = None,
    slow: SlowRank = None,
    timeline: Timeline = None,
) -> ExitCode:
    """Train on simulated ranks and compare with one process."""
    from torchstone.cli.distributing import follow_simulation

    file = None if timeline is None else str(timeline.absolute())
    options: dict[str, Value] = {"world": world, "parallel": parallel, "steps": steps}
    options |= {"link": link, "gflops": gflops, "slow": slow}
    return follow_simulation(screen, options | {"timeline": file, "lang": screen.lang})


def show_checkpoint(screen: Screen, folder: Folder) -> ExitCode:
    """Print what a folder of checkpoints holds."""
    return _look(screen, "show", folder, {})


def reshard_checkpoint(screen: Screen, folder: Folder, world: NewWorld, out: Out) -> ExitCode:
    """Write a checkpoint for another number of ranks."""
    return _look(screen, "reshard", folder, {"world": world, "out": str(out)})


def _look(screen: Screen, verb: str, folder: Path, options: dict[str, str | int]) -> ExitCode:
    from torchstone.app.programs import distributed
    from torchstone.cli.distributing import draw_checkpoint
    from torchstone.cli.program_result import answer_of, show

    shown = distributed.checkpoint(verb, str(folder), options | {"lang": screen.lang})
    return show(screen, answer_of(shown), draw_checkpoint(screen, shown))
