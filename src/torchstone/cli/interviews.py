"""Commands of interviews that are kept, from start to report."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torchstone.cli.command import command
from torchstone.cli.interview_options import (
    FactorOption,
    LevelOption,
    MinutesOption,
    ModeOption,
    SeedOption,
)
from torchstone.cli.interview_report import show_report
from torchstone.cli.screen import Screen
from torchstone.core.errors import BadInput
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from torchstone.app.interview.holding import Kept

IdArgument = Annotated[str, typer.Argument(metavar="ID", help="argument.interview_id")]
_STDIN = Path("-")


def add_commands(group: typer.Typer) -> None:
    """Add the commands to the group of interviews."""
    for name, function in (
        ("start", start),
        ("resume", resume),
        ("conduct", conduct),
        ("seat", seat),
        ("list", list_interviews),
        ("show", show),
        ("answer", answer),
        ("score", score),
        ("pause", pause),
        ("report", report),
        ("delete", delete),
    ):
        command(group, name)(function)


def start(
    screen: Screen,
    level: LevelOption = "mid",
    minutes: MinutesOption = 60,
    seed: SeedOption = 0,
    mode: ModeOption = "self",
    factor: FactorOption = 1.0,
    label: Annotated[
        str, typer.Option("--label", metavar="TEXT", help="option.interview_label")
    ] = "",
) -> ExitCode:
    """Begin an interview."""
    from torchstone.app.interview.holding import STEPS, TERMINAL, begin
    from torchstone.app.interview.planning import read_setting

    if not screen.is_interactive and not screen.as_json:
        raise BadInput("interview.no_terminal")
    setting = read_setting(level=level, minutes=minutes, seed=seed, mode=mode, factor=factor)
    held = STEPS if screen.as_json else TERMINAL
    with begin(screen.home(), setting, held=held, label=label, lang=screen.lang) as kept:
        if screen.as_json:
            kept.running.next()
            screen.answer({"ok": True, **_shown(kept)})
            return ExitCode.ACCEPTED
        return _hold(screen, kept)


def resume(screen: Screen, interview: IdArgument) -> ExitCode:
    """Go on with an interview."""
    from torchstone.app.interview.holding import resume as go_on

    if not screen.is_interactive and not screen.as_json:
        raise BadInput("interview.no_terminal")
    with go_on(screen.home(), interview) as kept:
        if screen.as_json:
            if kept.running.session.paused_since is not None:
                kept.running.resume()
            kept.running.next()
            screen.answer({"ok": True, **_shown(kept)})
            return ExitCode.ACCEPTED
        return _hold(screen, kept)


def conduct(
    screen: Screen,
    level: LevelOption = "mid",
    minutes: MinutesOption = 60,
    seed: SeedOption = 0,
    factor: FactorOption = 1.0,
    label: Annotated[
        str, typer.Option("--label", metavar="TEXT", help="option.interview_label")
    ] = "",
    again: Annotated[
        str | None, typer.Option("--resume", metavar="ID", help="option.interview_resume")
    ] = None,
) -> ExitCode:
    """Lead an interview."""
    from torchstone.app.interview.holding import TERMINAL, begin
    from torchstone.app.interview.holding import resume as go_on
    from torchstone.app.interview.planning import read_setting

    if screen.as_json:
        raise BadInput("interview.conduct_is_for_people")
    if again is not None:
        with go_on(screen.home(), again) as kept:
            return _lead(screen, kept)
    setting = read_setting(level=level, minutes=minutes, seed=seed, mode="conduct", factor=factor)
    with begin(screen.home(), setting, held=TERMINAL, label=label, lang=screen.lang) as kept:
        return _lead(screen, kept)


def seat(screen: Screen, interview: IdArgument) -> ExitCode:
    """Show the candidate the open item of an interview that a person leads, and nothing else."""
    from torchstone.cli.seating import CandidateWindow

    if screen.as_json:
        raise BadInput("interview.conduct_is_for_people")
    return CandidateWindow(screen, interview).hold()


def list_interviews(screen: Screen) -> ExitCode:
    """List the interviews."""
    from torchstone.app.interview.reading import list_interviews as read

    found = read(screen.home())
    if screen.as_json:
        screen.answer({"ok": True, "interviews": found})
        return ExitCode.ACCEPTED
    for each in found:
        said = {key: screen.say(f"interview.{key}.{each[key]}") for key in ("mode", "state")}
        screen.write(screen.say("interview.listed", **(each | said)))
    if not found:
        screen.note(screen.say("interview.none"))
    return ExitCode.ACCEPTED


def show(screen: Screen, interview: IdArgument) -> ExitCode:
    """Show an interview."""
    from torchstone.app.interview.reading import show_interview

    shown = show_interview(screen.home(), interview)
    if screen.as_json:
        screen.answer({"ok": True, **shown})
        return ExitCode.ACCEPTED
    state = screen.say(f"interview.state.{shown['state']}")
    screen.write(f"{shown['id']}  {state}")
    if shown["item"] is not None:
        screen.write(shown["item"]["words"][screen.lang])
    return ExitCode.ACCEPTED


def answer(
    screen: Screen,
    interview: IdArgument,
    text: Annotated[
        Path | None, typer.Option("--text", metavar="FILE", help="option.interview_text")
    ] = None,
    chosen: Annotated[
        str | None, typer.Option("--set", metavar="CLAIMS", help="option.interview_set")
    ] = None,
    item: Annotated[
        str | None, typer.Option("--item", metavar="ITEM", help="option.interview_item")
    ] = None,
) -> ExitCode:
    """Hand in an answer."""
    from torchstone.app.interview.holding import resume as go_on

    words = "" if text is None else _read(text)
    claims = None if chosen is None else chosen.replace(",", " ").split()
    with go_on(screen.home(), interview) as kept:
        entry = kept.running.next()
        if entry is None:
            raise BadInput("interview.over", id=kept.name)
        if item is not None and entry.item.id != item:
            raise BadInput("interview.other_item", item=item[:60], open=entry.item.id)
        kept.running.answer(words, claims)
        kept.running.next()
        if screen.as_json:
            screen.answer({"ok": True, "handed_in": entry.item.id, **_shown(kept)})
            return ExitCode.ACCEPTED
        screen.write(screen.say("interview.handed_in", item=entry.item.id))
    return ExitCode.ACCEPTED


def score(
    screen: Screen,
    interview: IdArgument,
    item: Annotated[str, typer.Argument(metavar="ITEM", help="argument.interview_item")],
    anchor: Annotated[int, typer.Argument(metavar="ANCHOR", help="argument.interview_anchor")],
    evidence: Annotated[
        str, typer.Option("--evidence", metavar="TEXT", help="option.interview_evidence")
    ] = "",
    reason: Annotated[
        str, typer.Option("--reason", metavar="TEXT", help="option.interview_reason")
    ] = "",
) -> ExitCode:
    """Score an item."""
    from torchstone.app.interview.guiding import propose
    from torchstone.app.interview.holding import resume as go_on

    with go_on(screen.home(), interview) as kept:
        entry = kept.running.score(item, anchor, evidence, reason)
        proposed = propose(entry)
    if screen.as_json:
        screen.answer({"ok": True, "item": item, "anchor": anchor, "proposed": proposed})
    elif proposed is not None:
        screen.write(screen.say("interview.proposed", **proposed))
    return ExitCode.ACCEPTED


def pause(screen: Screen, interview: IdArgument) -> ExitCode:
    """Stop the clock of an interview that is held by commands."""
    from torchstone.app.interview.holding import resume as go_on

    with go_on(screen.home(), interview) as kept:
        kept.running.pause()
        shown = _shown(kept)
    if screen.as_json:
        screen.answer({"ok": True, **shown})
    else:
        screen.write(screen.say("interview.paused"))
    return ExitCode.ACCEPTED


def report(
    screen: Screen,
    interview: IdArgument,
    out: Annotated[
        Path | None, typer.Option("--out", metavar="FILE", help="option.interview_report_out")
    ] = None,
) -> ExitCode:
    """Print the report of an interview."""
    from torchstone.app.interview.reading import report_interview
    from torchstone.app.interview.reporting import write_report

    found = report_interview(screen.home(), interview)
    if out is not None:
        write_report(found, out, screen.lang)
    if screen.as_json:
        screen.answer({"ok": True, **found})
    else:
        show_report(screen, found)
    return ExitCode.ACCEPTED


def delete(screen: Screen, interview: IdArgument) -> ExitCode:
    """Delete an interview."""
    from torchstone.app.interview.reading import delete_interview

    name = delete_interview(screen.home(), interview)
    if screen.as_json:
        screen.answer({"ok": True, "id": name})
    else:
        screen.write(screen.say("interview.deleted", id=name))
    return ExitCode.ACCEPTED


def _hold(screen: Screen, kept: Kept) -> ExitCode:
    from torchstone.app.interview.guiding import require_alone
    from torchstone.app.interview.reporting import report_on
    from torchstone.cli.interviewing import Seat

    require_alone(kept.running, kept.name)
    if not Seat(screen, kept).hold():
        screen.note(screen.say("interview.left", id=kept.name))
        return ExitCode.NOT_ACCEPTED
    running = kept.running
    show_report(screen, report_on(running.material, running.plan, running.events, name=kept.name))
    return ExitCode.ACCEPTED


def _lead(screen: Screen, kept: Kept) -> ExitCode:
    from torchstone.app.interview.guiding import require_conduct
    from torchstone.app.interview.reporting import report_on
    from torchstone.cli.conducting import Desk

    running = kept.running
    require_conduct(running, kept.name)
    if not Desk(screen, kept).hold():
        screen.note(screen.say("interview.led_left", id=kept.name))
        return ExitCode.NOT_ACCEPTED
    show_report(screen, report_on(running.material, running.plan, running.events, name=kept.name))
    return ExitCode.ACCEPTED


def _shown(kept: Kept) -> dict[str, Any]:
    from torchstone.app.interview.reading import shown_of

    return shown_of(kept.name, kept.running)


def _read(source: Path) -> str:
    from torchstone.app.judging.source import decode_text, read_content

    most = 256_000
    if source == _STDIN:
        return decode_text(source, sys.stdin.buffer.read(most))
    return decode_text(source, read_content(source, max_bytes=most).data)
