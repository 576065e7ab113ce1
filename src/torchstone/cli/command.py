"""Convert functions that take a screen and return an exit code to Typer commands."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable
from enum import StrEnum
from typing import Annotated, Any

import typer

from torchstone.cli.manual import Manual, ManualGroup
from torchstone.cli.screen import Screen
from torchstone.core.errors import BadInput
from torchstone.core.verdict import ExitCode


class LangChoice(StrEnum):
    """The languages of ``--lang``."""

    EN = "en"
    ZH = "zh"


LangOption = Annotated[
    LangChoice | None, typer.Option("--lang", metavar="en|zh", help="option.lang")
]
JsonOption = Annotated[bool, typer.Option("--json", help="option.json")]


def new_app(name: str, *, help_key: str, add_completion: bool = False) -> typer.Typer:
    """Create a Typer application with help in the reader's language."""
    return typer.Typer(
        name=name,
        cls=ManualGroup,
        help=help_key,
        no_args_is_help=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=add_completion,
    )


def add_group(app: typer.Typer, name: str) -> typer.Typer:
    """Add a group of commands to an application, with the options ``--lang`` and ``--json``."""
    group = new_app(name, help_key=f"command.{name}")
    group.callback(invoke_without_command=True)(with_screen(_refuse_group_alone))
    app.add_typer(group)
    return group


def _refuse_group_alone(screen: Screen) -> ExitCode:
    raise BadInput("cli.argument_missing", name=screen.say("manual.command_mark"))


def command(app: typer.Typer, name: str) -> Callable[[Callable[..., ExitCode]], None]:
    """Add a function to an application as a command.

    The function's first parameter is the screen. Every command has its own options, ``--lang`` and
    ``--json``. Its help is the catalogue entry ``cli.command.<name>``.
    """

    def add(function: Callable[..., ExitCode]) -> None:
        prefix = "" if app.info.name == "torchstone" else f"{app.info.name}_."
        app.command(name, cls=Manual, help=f"command.{prefix}{name}")(with_screen(function))

    return add


def with_screen(function: Callable[..., ExitCode]) -> Callable[..., ExitCode]:
    """Pass the screen to a function, and add ``--lang`` and ``--json`` to its signature."""
    own = inspect.signature(function, eval_str=True)

    def run(ctx: typer.Context, **options: Any) -> ExitCode:
        # read_screen has read both options already; this only checks them.
        del options["lang"], options["as_json"]
        if ctx.invoked_subcommand is not None:
            return ExitCode.ACCEPTED
        screen = ctx.obj
        assert isinstance(screen, Screen), "main() gives every command its screen"
        try:
            return function(screen, **options)
        except KeyboardInterrupt:
            # Typer would exit with a code of its own.
            screen.note(screen.say("interrupted"))
            return ExitCode.NOT_ACCEPTED
        except BrokenPipeError:
            close_pipe()
            return ExitCode.ACCEPTED

    keyword = inspect.Parameter.KEYWORD_ONLY
    parameters = [
        inspect.Parameter("ctx", keyword, annotation=typer.Context),
        *(each.replace(kind=keyword) for each in list(own.parameters.values())[1:]),
        inspect.Parameter("lang", keyword, default=None, annotation=LangOption),
        inspect.Parameter("as_json", keyword, default=False, annotation=JsonOption),
    ]
    run.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def close_pipe() -> None:
    """Redirect a closed stdout, so that Python does not report an error when it exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
