"""Commands of interviews: interview plan, run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torchstone.cli import interviews
from torchstone.cli.command import add_group, command
from torchstone.cli.interview_options import (
    FactorGiven,
    LevelGiven,
    LevelOption,
    MinutesGiven,
    MinutesOption,
    ModeGiven,
    ModeOption,
    SeedGiven,
    SeedOption,
)
from torchstone.cli.interview_report import show_report
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from torchstone.interview.draw import Setting
    from torchstone.interview.simulate import Row


def add_commands(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    group = add_group(app, "interview")
    for name, function in (
        ("plan", plan),
        ("run", run),
        ("coverage", coverage),
        ("verify", verify),
        ("simulate", simulate),
    ):
        command(group, name)(function)
    interviews.add_commands(group)


def plan(
    screen: Screen,
    level: LevelOption = "mid",
    minutes: MinutesOption = 60,
    seed: SeedOption = 0,
    mode: ModeOption = "self",
) -> ExitCode:
    """Plan an interview."""
    from torchstone.app.interview.planning import plan_interview, read_setting

    setting = read_setting(level=level, minutes=minutes, seed=seed, mode=mode)
    planned = plan_interview(screen.home(), setting)
    if screen.as_json:
        screen.answer({"ok": True, **planned})
        return ExitCode.ACCEPTED
    for section in planned["sections"]:
        screen.write(screen.say("interview.section", **section))
        for item in planned["items"]:
            if item["section"] == section["id"]:
                kind = screen.say(f"interview.kind.{item['kind']}")
                screen.write(f"  {item['minutes']:>4g}  {kind}  {item['id']}")
    screen.note(screen.say("interview.plan_hash", hash=planned["plan_hash"][:12]))
    return ExitCode.ACCEPTED


def run(
    screen: Screen,
    script: Annotated[Path, typer.Argument(metavar="SCRIPT", help="argument.interview_script")],
    level: LevelGiven = None,
    minutes: MinutesGiven = None,
    seed: SeedGiven = None,
    mode: ModeGiven = None,
    factor: FactorGiven = None,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="option.interview_report_out")
    ] = None,
) -> ExitCode:
    """Hold an interview by a script."""
    from torchstone.app.interview.material import read_material
    from torchstone.app.interview.planning import read_setting
    from torchstone.app.interview.scripted import first_of, read_script, run_script

    read = read_script(script)
    given = read.arguments
    setting: Setting = read_setting(
        level=first_of(level, given.level, "mid"),
        minutes=first_of(minutes, given.minutes, 60),
        seed=first_of(seed, given.seed, 0),
        mode=first_of(mode, given.mode, "self"),
        factor=first_of(factor, given.factor, 1.0),
    )
    held = run_script(read_material(screen.home()), setting, read)
    report = held.report
    if out is not None:
        from torchstone.app.interview.reporting import write_report

        write_report(report, out, screen.lang)
    if screen.as_json:
        screen.answer({"ok": True, **report, "unused_lines": held.unused})
        return ExitCode.ACCEPTED
    show_report(screen, report)
    if held.unused:
        screen.note(screen.say("interview.unused", count=held.unused))
    return ExitCode.ACCEPTED


def coverage(screen: Screen) -> ExitCode:
    """Show what the items cover of the outline."""
    from torchstone.app.interview.planning import cover_outline

    found = cover_outline(screen.home())
    if screen.as_json:
        screen.answer({"ok": True, **found})
        return ExitCode.ACCEPTED
    for point in found["points"]:
        kinds = screen.say("list_comma").join(
            f"{screen.say(f'interview.kind.{kind}')} {count}"
            for kind, count in point["items"].items()
        )
        mark = "○" if point["stands_in"] else "●"
        screen.write(f"{mark} {point['id']}  {point['words'][screen.lang]}  ({kinds})")
    screen.note(
        screen.say(
            "interview.covered",
            topics=found["num_topics"],
            points=found["num_points"],
            open=len(found["open"]),
        )
    )
    return ExitCode.ACCEPTED


def verify(
    screen: Screen,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="argument.interview_report")],
) -> ExitCode:
    """Verify a report."""
    from torchstone.app.interview.verifying import HOLDS, verify_report

    found = verify_report(screen.home(), file)
    if screen.as_json:
        screen.answer({"ok": True, **found})
    else:
        for name in ("chain", "plan", "marks", "scores", "code"):
            said = screen.say(f"interview.check.{found[name]}")
            screen.write(f"{screen.say(f'interview.check_of.{name}')}  {said}")
        for each in found["differences"]:
            screen.write(screen.say("interview.differs_at", **each))
        screen.write(screen.say(f"interview.conclusion.{found['conclusion']}"))
    return ExitCode.ACCEPTED if found["conclusion"] == HOLDS else ExitCode.NOT_ACCEPTED


def simulate(
    screen: Screen,
    candidates: Annotated[
        int, typer.Option("--candidates", metavar="N", help="option.interview_candidates")
    ] = 200,
) -> ExitCode:
    """Simulate candidates."""
    from dataclasses import asdict

    from torchstone.app.interview.planning import simulate_candidates

    def on_row(row: Row) -> None:
        if not screen.as_json:
            screen.write(screen.say("interview.simulated", **asdict(row)))

    rows = simulate_candidates(screen.home(), candidates, on_row)
    if screen.as_json:
        screen.answer({"ok": True, "rows": [asdict(row) for row in rows]})
    return ExitCode.ACCEPTED
