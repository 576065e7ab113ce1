"""What commands about a problem share: its argument, the option of a file, and the result."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from torchstone.app.judging.submission import Judged
    from torchstone.app.review.after_verdict import Aftermath


def complete_problem(incomplete: str) -> list[tuple[str, str]]:
    """Return the numbers of the problems for the shell's completion, with their names."""
    from torchstone.app.home import find_home

    return [
        (problem.id, problem.slug)
        for problem in find_home().bank
        if problem.id.startswith(incomplete) or problem.slug.startswith(incomplete)
    ]


ProblemArgument = Annotated[
    str,
    typer.Argument(metavar="PROBLEM", help="argument.problem", autocompletion=complete_problem),
]
FileOption = Annotated[Path | None, typer.Option("--file", metavar="PATH", help="option.file")]


def show_judged(screen: Screen, judged: Judged, aftermath: Aftermath | None = None) -> ExitCode:
    """Print the result of a program, and return its exit code."""
    import msgspec

    if screen.as_json:
        more = {} if aftermath is None else msgspec.to_builtins(aftermath)
        screen.answer({"ok": True, **judged.as_json(), **more})
    else:
        from torchstone.cli.verdict import draw_verdict

        for line in draw_verdict(screen, judged, aftermath):
            screen.out.print(line)
    return judged.verdict.exit_code
