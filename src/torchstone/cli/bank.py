"""Commands of problem authors: bank check, bank new, bank expand, bank export, bank escapes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.screen import Screen
from torchstone.core.event_program import INTERRUPTED
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from torchstone.app.problems.authoring import BankProof
    from torchstone.judge.proof.entry import ProofEntry


def add_commands(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    group = add_group(app, "bank")
    for function in (check, new, expand, export, escapes):
        command(group, function.__name__)(function)


def check(
    screen: Screen,
    problems: Annotated[
        list[str] | None, typer.Argument(metavar="PROBLEM", help="argument.proven")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="option.every")] = False,
    fast: Annotated[bool, typer.Option("--fast", help="option.fast")] = False,
    seeds: Annotated[
        int | None, typer.Option("--seeds", min=1, max=1000, metavar="N", help="option.seeds")
    ] = None,
    good_seeds: Annotated[
        int | None,
        typer.Option("--good-seeds", min=1, max=1000, metavar="N", help="option.good_seeds"),
    ] = None,
    mutants: Annotated[
        int | None, typer.Option("--mutants", min=0, max=1000, metavar="N", help="option.mutants")
    ] = None,
    no_cache: Annotated[bool, typer.Option("--no-cache", help="option.no_cache")] = False,
    changed: Annotated[bool, typer.Option("--changed", help="option.changed")] = False,
    record: Annotated[bool, typer.Option("--record", help="option.record")] = False,
) -> ExitCode:
    """Prove problems."""
    from torchstone.app.problems import authoring
    from torchstone.cli.progress import Progress
    from torchstone.cli.proof import draw_broken, draw_proof, draw_sum

    home = screen.home()
    how = authoring.thoroughness(fast=fast, seeds=seeds, mutants=mutants, good_seeds=good_seeds)
    with Progress(screen) as progress:

        def on_proof(entry: ProofEntry) -> None:
            progress.show("")
            if not screen.as_json:
                for line in draw_proof(screen, entry):
                    screen.out.print(line)

        found = authoring.check(
            home,
            () if every else problems or (),
            how,
            on_progress=progress.on_trial,
            on_proof=on_proof,
            use_cache=not no_cache,
            record=record,
            only_changed=changed,
        )
    if screen.as_json:
        screen.answer(_facts_of(found))
    else:
        for line in (*draw_broken(screen, found.broken), *draw_sum(screen, found)):
            screen.out.print(line)
    return ExitCode.ACCEPTED if found.holds else ExitCode.NOT_ACCEPTED


def _facts_of(found: BankProof) -> dict[str, object]:
    from torchstone.judge.messages import plain

    return {
        "ok": True,
        "holds": found.holds,
        "problems": [plain(entry) for entry in found.problems],
        "sum": plain(found.sum),
        "broken": found.broken,
        "num_cached": found.num_cached,
    }


def new(
    screen: Screen,
    number: Annotated[str, typer.Argument(metavar="NUMBER", help="argument.number")],
    slug: Annotated[str, typer.Argument(metavar="NAME", help="argument.slug")],
    title_en: Annotated[str, typer.Option("--title-en", metavar="TEXT", help="option.title")] = "",
    title_zh: Annotated[str, typer.Option("--title-zh", metavar="TEXT", help="option.title")] = "",
) -> ExitCode:
    """Create the folder of a problem."""
    from torchstone.app.problems.authoring import begin_problem

    home = screen.home()
    folder = begin_problem(home, number, slug, title_en=title_en, title_zh=title_zh)
    if screen.as_json:
        screen.answer({"ok": True, "path": str(folder)})
    else:
        screen.write(str(folder))
        screen.note(screen.say("bank.begun", slug=slug))
    return ExitCode.ACCEPTED


def expand(
    screen: Screen,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="argument.program")],
) -> ExitCode:
    """Print the whole text of a program; a patch is expanded."""
    from torchstone.app.problems.authoring import expand_file

    source = expand_file(file)
    if screen.as_json:
        screen.answer({"ok": True, "source": source})
    else:
        sys.stdout.write(source)
    return ExitCode.ACCEPTED


def export(
    screen: Screen,
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="argument.folder")],
) -> ExitCode:
    """Write the bank as a separate repository."""
    from torchstone.app.problems import authoring

    written = authoring.export(screen.home(), folder)
    if screen.as_json:
        screen.answer(
            {
                "ok": True,
                "path": str(written.folder),
                "problems": written.num_problems,
                "files": written.num_files,
            }
        )
    else:
        screen.write(
            screen.say(
                "bank.exported",
                path=written.folder,
                problems=written.num_problems,
                files=written.num_files,
            )
        )
    return ExitCode.ACCEPTED


def escapes(
    screen: Screen,
    problems: Annotated[
        list[str] | None, typer.Argument(metavar="PROBLEM", help="argument.searched")
    ] = None,
) -> ExitCode:
    """Search for escapes from bans."""
    from torchstone.app.problems.escapes import escapes as search
    from torchstone.cli.progress import Progress
    from torchstone.cli.proof import draw_escapes
    from torchstone.judge.escapes.search import sum_of

    home = screen.home()
    with Progress(screen) as progress:
        found = search(home, problems or (), on_tried=progress.on_tried)
    num_unexplained = sum(each.unexplained for each in found)
    is_whole = all(each.is_whole for each in found)
    if screen.as_json:
        screen.answer({"ok": is_whole, **sum_of(found), "problems": [each.entry for each in found]})
    else:
        for each in found:
            for line in draw_escapes(screen, each):
                screen.out.print(line)
    if not is_whole:
        screen.note(screen.say("bank.escapes_interrupted"))
        raise typer.Exit(INTERRUPTED)
    return ExitCode.NOT_ACCEPTED if num_unexplained else ExitCode.ACCEPTED
