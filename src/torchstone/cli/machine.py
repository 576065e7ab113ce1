"""Commands of the machine: system, host, export, import."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

LABEL_WIDTH = 20


def add_commands(app: typer.Typer) -> None:
    """Add the commands to the application."""
    command(app, "system")(system)
    command(app, "export")(export)
    command(app, "import")(import_)
    group = add_group(app, "host")
    command(group, "status")(host_status)
    command(group, "stop")(host_stop)


def system(screen: Screen) -> ExitCode:
    """Print a report on this machine."""
    import msgspec

    from torchstone.app.judging.machine import find_damage, inspect_system

    found, damage = inspect_system(screen.home()), find_damage(screen.home())
    if screen.as_json:
        damaged = {"damaged": msgspec.to_builtins(damage)}
        screen.answer({"ok": True, **msgspec.to_builtins(found), **damaged})
    else:
        _print_system(screen, found)
        _print_damage(screen, damage)
    is_sound = found.judges and damage.is_none
    return ExitCode.ACCEPTED if is_sound else ExitCode.OUR_FAULT


def _print_damage(screen: Screen, damage: Any) -> None:
    from torchstone.cli.layout import paragraph
    from torchstone.cli.palette import SECONDARY

    lines: list[Any] = []
    for each in damage.submissions:
        parts = ", ".join(screen.say(f"system.part_{part}") for part in each.parts)
        said = screen.say("system.damaged_row", id=each.id, problem=each.problem_id, parts=parts)
        lines += paragraph(said, screen.columns)
    for each in damage.facts:
        said = screen.say(f"system.damaged_{each.table}", number=each.number, about=each.about)
        lines += paragraph(said, screen.columns)
    for path in damage.files:
        lines += paragraph(screen.say("system.damaged_file", path=path), screen.columns)
    remedies = {
        "damaged_row_remedy": damage.submissions,
        "drop_damaged_remedy": damage.submissions or damage.facts,
        "damaged_file_remedy": damage.files,
    }
    for remedy, is_due in remedies.items():
        if is_due:
            said = screen.say(f"system.{remedy}")
            lines += paragraph(said, screen.columns, style=SECONDARY, margin=4)
    for line in lines:
        screen.out.print(line, soft_wrap=True)


def _print_system(screen: Screen, found: Any) -> None:
    from rich.text import Text

    from torchstone.cli.layout import labelled, paragraph
    from torchstone.cli.palette import SECONDARY, STRONG

    absent = screen.say("system.absent")
    rows = {
        "torchstone": found.torchstone,
        "python": found.python,
        "platform": found.platform,
        "torch": found.torch or absent,
        "compiler": found.compiler or absent,
        "bubblewrap": found.bubblewrap or absent,
        "landlock": found.landlock_abi or absent,
        "seccomp": screen.say("receipt.yes" if found.seccomp else "receipt.no"),
        "cgroup": found.cgroup or absent,
        "problems": screen.say("system.count", count=found.num_problems, broken=found.num_broken),
        "isolation": found.isolation,
    }
    lines = [
        labelled(f"  {screen.say(f'system.{name}')}", LABEL_WIDTH, str(value))
        for name, value in rows.items()
    ]
    verdict = "system.judges" if found.judges else "system.cannot_judge"
    lines += [Text(), *paragraph(screen.say(verdict), screen.columns, style=STRONG)]
    for obstacle in found.obstacles:
        lines += paragraph(obstacle.message[screen.lang], screen.columns)
        lines += paragraph(obstacle.remedy[screen.lang], screen.columns, style=SECONDARY, margin=4)
    for line in lines:
        screen.out.print(line, soft_wrap=True)


def host_status(screen: Screen) -> ExitCode:
    """Print the state of the judge host."""
    import msgspec

    from torchstone.app.judging.machine import read_host

    found = read_host(screen.home())
    if screen.as_json:
        screen.answer({"ok": True, **msgspec.to_builtins(found)})
    elif found.runs:
        state = screen.say("host.ready" if found.ready else "host.preparing")
        screen.write(
            screen.say(
                "host.runs",
                pid=found.pid,
                state=state,
                isolation=found.isolation,
                capacity=found.capacity,
                waiting=found.waiting,
            )
        )
    else:
        screen.write(screen.say("host.none"))
    return ExitCode.ACCEPTED


def host_stop(screen: Screen) -> ExitCode:
    """Stop the judge host."""
    from torchstone.app.judging.machine import stop_host

    stopped = stop_host(screen.home())
    if screen.as_json:
        screen.answer({"ok": True, "stopped": stopped})
    else:
        screen.write(screen.say("host.stopped" if stopped else "host.none"))
    return ExitCode.ACCEPTED


def export(
    screen: Screen,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="argument.export")],
    replace: Annotated[bool, typer.Option("--replace", help="option.replace")] = False,
) -> ExitCode:
    """Write all progress to a file."""
    import msgspec

    from torchstone.app.transfer import export_progress

    done = export_progress(screen.home(), file, replace=replace)
    left_out = msgspec.to_builtins(done.left_out)
    if screen.as_json:
        answer = {"path": str(file), "bytes": done.num_bytes, "left_out": left_out}
        screen.answer({"ok": True, **answer})
        return ExitCode.ACCEPTED
    screen.write(screen.say("transfer.exported", path=file, bytes=done.num_bytes))
    if done.left_out.total:
        screen.write(screen.say("transfer.left_out", **left_out))
    return ExitCode.ACCEPTED


def import_(
    screen: Screen,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="argument.import")],
) -> ExitCode:
    """Merge exported progress into the local progress."""
    import msgspec

    from torchstone.app.transfer import import_progress

    added = import_progress(screen.home(), file)
    if screen.as_json:
        screen.answer({"ok": True, **msgspec.to_builtins(added)})
    else:
        screen.write(screen.say("transfer.imported", **msgspec.to_builtins(added)))
    return ExitCode.ACCEPTED
