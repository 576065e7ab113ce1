"""Commands of the doctor: diagnose traces, list the rules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

Files = Annotated[list[str], typer.Argument(metavar="FILE...", help="argument.traces")]
Script = Annotated[str, typer.Argument(metavar="SCRIPT", help="argument.script")]
Words = Annotated[list[str] | None, typer.Argument(metavar="ARG", help="argument.script_words")]
Module = Annotated[bool, typer.Option("-m", "--module", help="option.doctor_module")]
Steps = Annotated[int | None, typer.Option("--steps", metavar="N", help="option.doctor_steps")]
Limit = Annotated[float | None, typer.Option("--limit", metavar="S", help="option.doctor_limit")]
Nproc = Annotated[int | None, typer.Option("--nproc", metavar="N", help="option.doctor_nproc")]
Out = Annotated[Path | None, typer.Option("--out", metavar="DIR", help="option.doctor_out")]
Before = Annotated[str, typer.Argument(metavar="A", help="argument.run_before")]
After = Annotated[str, typer.Argument(metavar="B", help="argument.run_after")]
Chart = Annotated[str | None, typer.Option("--chart", metavar="FILE", help="option.doctor_chart")]
Code = Annotated[str | None, typer.Argument(metavar="CODE", help="argument.rule")]


def add_commands(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    group = add_group(app, "doctor")
    command(group, "diagnose")(diagnose)
    command(group, "run")(run)
    command(group, "compare")(compare)
    command(group, "calibrate")(calibrate)
    command(group, "rules")(rules)


def diagnose(screen: Screen, files: Files, chart: Chart = None) -> ExitCode:
    """Name what is slow in a recorded run, why, on which line, and what to do."""
    from torchstone.app.programs import doctor
    from torchstone.cli.diagnosing import draw_diagnosis
    from torchstone.cli.program_result import answer_of, show
    from torchstone.cli.progress import Progress

    with Progress(screen) as progress:
        progress.show(screen.say("doctor.reading"))
        found = doctor.diagnose(files, screen.lang, chart=chart)
    return show(screen, answer_of(found), draw_diagnosis(screen, found))


def run(
    screen: Screen,
    script: Script,
    words: Words = None,
    module: Module = False,
    steps: Steps = None,
    limit: Limit = None,
    nproc: Nproc = None,
    out: Out = None,
) -> ExitCode:
    """Run a program twice, unwatched and recorded, and name what is slow in it."""
    from torchstone.app.programs import doctor
    from torchstone.cli.diagnosing import draw_diagnosis, follow_run
    from torchstone.cli.program_result import answer_of, show

    plan = doctor.RunPlan(
        script=script,
        words=words or (),
        is_module=module,
        steps=steps,
        limit=limit,
        nproc=nproc,
        out=None if out is None else str(out.absolute()),
    )
    found = follow_run(screen, plan)
    return show(screen, answer_of(found), draw_diagnosis(screen, found))


def compare(screen: Screen, before: Before, after: After) -> ExitCode:
    """Print what got better between two runs, and what took its place."""
    from torchstone.app.programs import doctor
    from torchstone.cli.comparing import draw_comparison
    from torchstone.cli.program_result import answer_of, show

    compared = doctor.compare(before, after, screen.lang)
    return show(screen, answer_of(compared), draw_comparison(screen, compared))


def calibrate(screen: Screen) -> ExitCode:
    """Measure what the processor of this machine reaches."""
    from torchstone.app.programs import doctor
    from torchstone.cli.comparing import draw_calibration
    from torchstone.cli.program_result import answer_of, show
    from torchstone.cli.progress import Progress

    with Progress(screen) as progress:
        progress.show(screen.say("doctor.calibrating"), always=True)
        measured = doctor.calibrate(screen.lang)
    return show(screen, answer_of(measured), draw_calibration(screen, measured))


def rules(screen: Screen, code: Code = None) -> ExitCode:
    """Print the rules, or the page of one."""
    from torchstone.app.programs import doctor
    from torchstone.cli.diagnosing import draw_manual
    from torchstone.cli.program_result import answer_of, show

    manual = doctor.rules(code, screen.lang)
    return show(screen, answer_of(manual), draw_manual(screen, manual))
