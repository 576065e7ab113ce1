"""Commands of kept inputs: list, keep, rename, delete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.problem import ProblemArgument
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from torchstone.app.problems.kept_inputs import KeptInputs

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="argument.input")]


def add_commands(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    group = add_group(app, "input")
    for name, function in (
        ("list", list_inputs),
        ("keep", keep),
        ("rename", rename),
        ("delete", delete),
    ):
        command(group, name)(function)


def list_inputs(screen: Screen, problem: ProblemArgument) -> ExitCode:
    """List the kept inputs of a problem with their texts."""
    from torchstone.app.problems import kept_inputs

    found = kept_inputs.list_inputs(screen.home(), problem)
    if screen.as_json:
        return _answer(screen, found)
    if not found.inputs:
        screen.note(screen.say("input.none", problem=found.problem))
    for each in found.inputs:
        screen.write(f"@{each.name}")
        for line in each.code.splitlines():
            screen.write(f"    {line}")
    return ExitCode.ACCEPTED


def keep(
    screen: Screen,
    problem: ProblemArgument,
    name: NameArgument,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="argument.input_text")],
    replace: Annotated[bool, typer.Option("--replace", help="option.replace_input")] = False,
) -> ExitCode:
    """Keep an input under a name."""
    from torchstone.app.problems import kept_inputs

    kept = kept_inputs.keep_input(screen.home(), problem, name, text, replace=replace)
    if screen.as_json:
        return _answer(screen, kept)
    screen.write(screen.say("input.kept", name=name.strip(), problem=kept.problem))
    return ExitCode.ACCEPTED


def rename(
    screen: Screen,
    problem: ProblemArgument,
    name: NameArgument,
    new_name: Annotated[str, typer.Argument(metavar="NEW_NAME", help="argument.new_name")],
) -> ExitCode:
    """Keep an input under another name."""
    from torchstone.app.problems import kept_inputs

    kept = kept_inputs.rename_input(screen.home(), problem, name, new_name)
    if screen.as_json:
        return _answer(screen, kept)
    screen.write(screen.say("input.kept", name=new_name.strip(), problem=kept.problem))
    return ExitCode.ACCEPTED


def delete(screen: Screen, problem: ProblemArgument, name: NameArgument) -> ExitCode:
    """Remove a kept input."""
    from torchstone.app.problems import kept_inputs

    left = kept_inputs.delete_input(screen.home(), problem, name)
    if screen.as_json:
        return _answer(screen, left)
    screen.write(screen.say("input.deleted", name=name, problem=left.problem))
    return ExitCode.ACCEPTED


def _answer(screen: Screen, found: KeptInputs) -> ExitCode:
    import msgspec

    screen.answer({"ok": True, **msgspec.to_builtins(found)})
    return ExitCode.ACCEPTED
