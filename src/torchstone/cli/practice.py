"""Commands of practice: list, show, mark, start, run, submit, watch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from torchstone.cli.command import command
from torchstone.cli.problem import FileOption, ProblemArgument, complete_problem, show_judged
from torchstone.cli.screen import Screen
from torchstone.core.errors import StoreError
from torchstone.core.verdict import ExitCode, Verdict

if TYPE_CHECKING:
    from torchstone.app.home import Home
    from torchstone.app.judging.record import ProblemRecord
    from torchstone.app.judging.submission import Tried
    from torchstone.app.problems.catalog import ProblemRow


def add_commands(app: typer.Typer) -> None:
    """Add the commands to the application."""
    for name, function in (
        ("list", list_problems),
        ("show", show),
        ("mark", mark),
        ("start", start),
        ("run", run),
        ("submit", submit),
        ("watch", watch),
    ):
        command(app, name)(function)


def list_problems(
    screen: Screen,
    part: Annotated[
        int | None, typer.Option("--part", min=1, max=5, metavar="N", help="option.part")
    ] = None,
    path: Annotated[str | None, typer.Option("--path", metavar="NAME", help="option.path")] = None,
    marked: Annotated[bool, typer.Option("--marked", help="option.marked")] = False,
) -> ExitCode:
    """List the problems."""
    import msgspec

    from torchstone.app.problems import catalog

    found = catalog.list_problems(screen.home(), part=part, path=path, only_marked=marked)
    if screen.as_json:
        screen.answer({"ok": True, **msgspec.to_builtins(found)})
        return ExitCode.ACCEPTED
    id_width = max((len(row.id) for row in found.problems), default=0)
    for row in found.problems:
        for line in _row_lines(screen, row, id_width):
            screen.out.print(line)
    if marked and not found.problems and part is None and path is None:
        screen.note(screen.say("list.none_marked"))
    for folder in found.broken:
        screen.note(
            screen.say("list.broken", folder=folder.folder, file=folder.file, reason=folder.reason)
        )
    return ExitCode.ACCEPTED


def _row_lines(screen: Screen, row: ProblemRow, id_width: int) -> list[object]:
    from torchstone.cli.layout import span, two_sided
    from torchstone.cli.palette import NUMBER, PLAIN, SECONDARY, STAR, STATUS_MARKS

    mark = STATUS_MARKS[row.status]
    stars = STAR * row.stars + " " * (5 - row.stars)
    notes = []
    if row.is_due:
        notes.append(screen.say("list.due"))
    elif row.due is not None:
        notes.append(screen.say("list.review", date=f"{row.due.astimezone():%Y-%m-%d}"))
    elif row.attempts:
        notes.append(screen.say("list.attempts", count=row.attempts))
    if row.is_marked:
        notes.insert(0, screen.say("list.marked"))
    line = span(
        (mark.glyph, mark.style),
        " ",
        (row.id.ljust(id_width), NUMBER),
        "  ",
        (stars, SECONDARY),
        " ",
        (row.title[screen.lang], PLAIN),
    )
    return list(two_sided(line, " ".join(notes), screen.columns))


def show(screen: Screen, problem: ProblemArgument) -> ExitCode:
    """Print a statement."""
    import msgspec

    from torchstone.app.problems import catalog
    from torchstone.cli.prose import print_markdown
    from torchstone.cli.record import draw_record

    home = screen.home()
    page, known = catalog.show_problem(home, problem), _record_of(screen, home, problem)
    if screen.as_json:
        screen.answer(
            {"ok": True, **msgspec.to_builtins(page), "record": msgspec.to_builtins(known)}
        )
        return ExitCode.ACCEPTED
    if known is not None:
        for line in draw_record(screen, page.id, known):
            screen.out.print(line)
    print_markdown(screen, page.statement[screen.lang])
    return ExitCode.ACCEPTED


def _record_of(screen: Screen, home: Home, name: str) -> ProblemRecord | None:
    from torchstone.app.judging.record import find_record

    try:
        return find_record(home, name)
    except StoreError as error:
        # A statement can be read whatever the state of the database is. There is one JSON object,
        # where the record is null then.
        if not screen.as_json:
            screen.fail(error)
        return None


def mark(screen: Screen, problem: ProblemArgument) -> ExitCode:
    """Mark a problem, or remove its mark."""
    import msgspec

    from torchstone.app.problems.marks import mark_problem

    found = mark_problem(screen.home(), problem)
    if screen.as_json:
        screen.answer({"ok": True, **msgspec.to_builtins(found)})
    else:
        done = "set" if found.marked else "removed"
        screen.write(screen.say(f"mark.{done}", problem=found.problem))
    return ExitCode.ACCEPTED


def start(
    screen: Screen,
    problem: ProblemArgument,
    again: Annotated[bool, typer.Option("--again", help="option.again")] = False,
) -> ExitCode:
    """Write the starter to the workspace."""
    import msgspec

    from torchstone.app.problems import workspace

    started = workspace.start(screen.home(), problem, again=again)
    if screen.as_json:
        screen.answer({"ok": True, **msgspec.to_builtins(started, enc_hook=str)})
        return ExitCode.ACCEPTED
    if started.put_aside is not None:
        screen.note(screen.say("start.put_aside", path=started.put_aside))
    if started.state is workspace.FileState.KEPT:
        screen.note(screen.say("start.kept", problem=started.problem))
    screen.write(str(started.path))
    return ExitCode.ACCEPTED


def run(
    screen: Screen,
    problem: ProblemArgument,
    file: FileOption = None,
    given: Annotated[
        str | None, typer.Option("--input", metavar="TEXT", help="option.input")
    ] = None,
) -> ExitCode:
    """Judge the samples, or call the solution on the learner's own input."""
    from torchstone.app.judging import submission
    from torchstone.app.judging.source import read_source
    from torchstone.app.problems import workspace
    from torchstone.cli.progress import Progress

    home = screen.home()
    found = home.problem(problem)
    if given is not None:
        given = _input_of(home, problem, given)
        source = read_source(file) if file else workspace.read_workspace(home, found)
        with Progress(screen) as progress:
            tried = submission.try_input(home, found, source, given, progress.on_event)
        if found.spec.entry.kind == "distributed" and not screen.as_json:
            screen.note(screen.say("run.one_rank"))
        return _show_tried(screen, tried)
    with Progress(screen) as progress:
        if file is not None:
            samples = ("sample",)
            judged = submission.judge_file(home, problem, file, progress.on_event, groups=samples)
        else:
            source = workspace.read_workspace(home, found)
            judged = submission.submit(home, problem, source, progress.on_event, kind="run")
    return show_judged(screen, judged)


def _input_of(home: Home, problem: str, given: str) -> str:
    """Return the input itself, or the kept one that `@NAME` means; no statement has this form."""
    if not given.startswith("@") or "\n" in given:
        return given
    from torchstone.app.problems.kept_inputs import find_input

    return find_input(home, problem, given[1:])


def _show_tried(screen: Screen, tried: Tried) -> ExitCode:
    import msgspec

    if screen.as_json:
        screen.answer({"ok": True, **msgspec.to_builtins(tried)})
    else:
        if tried.stdout:
            screen.write(tried.stdout.rstrip("\n"))
        if tried.text is not None:
            screen.write(tried.text)
        if tried.detail is not None:
            screen.note(tried.detail.said_in(screen.lang))
        if tried.error is not None:
            screen.note(str(tried.error))
        if tried.expected is not None:
            screen.write(screen.say("run.expected", value=tried.expected))
        if tried.no_expected is not None:
            screen.note(tried.no_expected.said_in(screen.lang))
    is_over = tried.error is None and tried.detail is None
    return ExitCode.ACCEPTED if is_over else ExitCode.NOT_ACCEPTED


def submit(screen: Screen, problem: ProblemArgument, file: FileOption = None) -> ExitCode:
    """Submit a solution."""
    from torchstone.app.judging import submission
    from torchstone.cli.progress import Progress

    home = screen.home()
    if file is not None:
        with Progress(screen) as progress:
            judged = submission.judge_file(home, problem, file, progress.on_event)
        return show_judged(screen, judged)
    from torchstone.app.problems import workspace
    from torchstone.app.review.after_verdict import conclude

    source = workspace.read_workspace(home, home.problem(problem))
    with Progress(screen) as progress:
        judged = submission.submit(home, problem, source, progress.on_event, kind="submit")
    code = show_judged(screen, judged, conclude(home, judged))
    if judged.verdict is Verdict.AC and not screen.as_json:
        from torchstone.cli.times import draw_after

        screen.out.print()
        for line in draw_after(screen, home, judged):
            screen.out.print(line)
    return code


def watch(
    screen: Screen,
    problem: Annotated[
        str | None,
        typer.Argument(metavar="PROBLEM", help="argument.watched", autocompletion=complete_problem),
    ] = None,
) -> ExitCode:
    """Judge the file at every save."""
    from torchstone.cli.session import watch_problems

    return watch_problems(screen, problem)
