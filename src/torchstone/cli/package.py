"""Commands of packages: unpack to a folder, pack again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.problem import ProblemArgument
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

FolderArgument = Annotated[
    Path | None, typer.Argument(metavar="FOLDER", help="argument.package_folder")
]


def add_commands(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    group = add_group(app, "package")
    for function in (unpack, pack):
        command(group, function.__name__)(function)


def unpack(screen: Screen, problem: ProblemArgument, folder: FolderArgument = None) -> ExitCode:
    """Write the files of a package to a folder."""
    import msgspec

    from torchstone.app.problems import packages

    done = packages.unpack(screen.home(), problem, folder)
    if screen.as_json:
        screen.answer({"ok": True, **msgspec.to_builtins(done, enc_hook=str)})
        return ExitCode.ACCEPTED
    screen.note(screen.say("package.unpacked", count=len(done.files), problem=done.problem))
    screen.write(str(done.folder))
    return ExitCode.ACCEPTED


def pack(screen: Screen, problem: ProblemArgument, folder: FolderArgument = None) -> ExitCode:
    """Write the files of a folder to the workspace."""
    import msgspec

    from torchstone.app.problems import packages

    done = packages.pack(screen.home(), problem, folder)
    if screen.as_json:
        screen.answer({"ok": True, **msgspec.to_builtins(done, enc_hook=str)})
        return ExitCode.ACCEPTED
    if done.put_aside is not None:
        screen.note(screen.say("package.put_aside", path=done.put_aside))
    key = "package.packed" if done.is_changed else "package.same"
    screen.note(screen.say(key, count=len(done.files), problem=done.problem))
    screen.write(str(done.path))
    return ExitCode.ACCEPTED
