"""Commands of the x-ray: what PyTorch does inside a program, tables of operators, two runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.text import Text

File = Annotated[str, typer.Argument(metavar="FILE", help="argument.xray_file")]
Operator = Annotated[str, typer.Argument(metavar="OP", help="argument.operator")]
Before = Annotated[str, typer.Argument(metavar="A", help="argument.xray_before")]
After = Annotated[str, typer.Argument(metavar="B", help="argument.xray_after")]
SceneName = Annotated[str, typer.Option("--scene", metavar="NAME", help="option.xray_scene")]
Function = Annotated[
    str | None, typer.Option("--function", metavar="NAME", help="option.xray_function")
]
Under = Annotated[str | None, typer.Option("--under", metavar="MODES", help="option.xray_under")]

Svg = Annotated[Path | None, typer.Option("--svg", metavar="DIR", help="option.xray_svg")]


def add_commands(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    group = add_group(app, "xray")
    command(group, "file")(file)
    command(group, "table")(table)
    command(group, "diff")(diff)
    command(group, "selftest")(selftest)


def file(
    screen: Screen,
    path: File,
    scene: SceneName = "dispatch",
    function: Function = None,
    under: Under = None,
    svg: Svg = None,
) -> ExitCode:
    """Show what PyTorch does inside a program."""
    from torchstone.app.programs import xray
    from torchstone.cli.observing import draw_scene, say_level
    from torchstone.cli.progress import Progress

    asked = xray.examination_of(
        path, scene, function=function, under=under.split(",") if under else ()
    )
    say_level(screen)
    with Progress(screen) as progress:
        progress.show(screen.say("xray.running", file=asked.name))
        scenes = list(xray.examine(asked))
    if svg is not None:
        xray.draw_pictures(scenes, svg.absolute(), screen.lang)
    ok = all(each["raised"] is None for each in scenes)
    answer = {"ok": ok, **(scenes[0] if scene != "all" else {"scenes": scenes})}
    lines = (line for each in scenes for line in draw_scene(screen, each))
    return _show(screen, answer, lines)


def table(screen: Screen, operator: Operator) -> ExitCode:
    """Show what each dispatch key of an operator leads to."""
    from torchstone.app.programs import xray
    from torchstone.cli.observing import draw_table

    found = xray.table(operator)
    return _show(screen, {"ok": True, **found}, draw_table(screen, found))


def diff(screen: Screen, before: Before, after: After, scene: SceneName = "dispatch") -> ExitCode:
    """Show what a change of a program changes inside PyTorch."""
    from torchstone.app.programs import xray
    from torchstone.cli.observing import draw_diff, say_level

    say_level(screen)
    found = xray.diff(before, after, scene)
    return _show(screen, {"ok": True, **found}, draw_diff(screen, found))


def selftest(screen: Screen) -> ExitCode:
    """Prove on this torch that what runs traced is what runs untraced."""
    from torchstone.app.programs import xray
    from torchstone.cli.observing import draw_selftest

    found = xray.selftest()
    ok = found["equal"] == found["compared"]
    return _show(screen, {"ok": ok, **found}, draw_selftest(screen, found))


def _show(screen: Screen, answer: dict[str, object], lines: Iterable[Text]) -> ExitCode:
    from torchstone.cli.program_result import show

    return show(screen, answer, lines)
