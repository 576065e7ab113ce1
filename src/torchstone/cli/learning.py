"""Commands of learning: hint, editorial, solution, status, history, review."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from torchstone.cli.command import command
from torchstone.cli.problem import ProblemArgument, complete_problem, show_judged
from torchstone.cli.screen import Screen
from torchstone.core.errors import BadInput
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from torchstone.bank.questions.library import LibraryLines
    from torchstone.store import SubmissionKind


def add_commands(app: typer.Typer) -> None:
    """Add the commands to the application."""
    for name, function in (
        ("hint", hint),
        ("editorial", editorial),
        ("solution", solution),
        ("status", status),
        ("history", history),
        ("review", review),
    ):
        command(app, name)(function)


def hint(
    screen: Screen,
    problem: ProblemArgument,
    rung: Annotated[
        int | None, typer.Option("--rung", min=1, max=4, metavar="N", help="option.rung")
    ] = None,
) -> ExitCode:
    """Open the next hint."""
    import msgspec

    from torchstone.app.problems import learning
    from torchstone.cli.prose import print_markdown

    home = screen.home()
    if screen.is_interactive and not screen.as_json:
        ladder = learning.read_ladder(home, problem)
        is_asked = ladder.is_dear and rung in (None, ladder.next_rung)
        if is_asked and ladder.price is not None:
            question = screen.say("hint.ask", price=ladder.price[screen.lang])
            if not typer.confirm(question):
                return ExitCode.NOT_ACCEPTED
    shown = learning.open_hint(home, problem, rung)
    if screen.as_json:
        screen.answer({"ok": True, **msgspec.to_builtins(shown)})
        return ExitCode.ACCEPTED
    screen.note(
        screen.say(
            "hint.counts" if shown.counts else "hint.free",
            number=shown.number,
            count=shown.num_rungs,
        )
    )
    print_markdown(screen, shown.words[screen.lang])
    return ExitCode.ACCEPTED


def editorial(screen: Screen, problem: ProblemArgument) -> ExitCode:
    """Print the explanation, and where the library does the same."""
    import msgspec

    from torchstone.app.problems import learning
    from torchstone.cli.prose import print_markdown

    found = learning.read_editorial(screen.home(), problem)
    if screen.as_json:
        code = msgspec.to_builtins(found.code)
        screen.answer({"ok": True, "editorial": found.words, "code": code})
        return ExitCode.ACCEPTED
    print_markdown(screen, found.words[screen.lang] + _places(screen, found.code))
    return ExitCode.ACCEPTED


def _places(screen: Screen, code: tuple[LibraryLines, ...]) -> str:
    if not code:
        return ""
    rows = (f"- `{each.name.split(':')[1]}`: `{each.file}:{each.line}`" for each in code)
    return "\n".join(["", f"## {screen.say('editorial.library')}", "", *rows, ""])


def solution(
    screen: Screen,
    problem: ProblemArgument,
    give_up: Annotated[bool, typer.Option("--give-up", help="option.give_up")] = False,
) -> ExitCode:
    """Print the solutions."""
    import msgspec

    from torchstone.app.problems import learning

    home = screen.home()
    if give_up and screen.is_interactive and not screen.as_json:
        if not typer.confirm(screen.say("solution.ask")):
            return ExitCode.NOT_ACCEPTED
    found = learning.open_solutions(home, problem, give_up=give_up)
    if screen.as_json:
        screen.answer({"ok": True, **msgspec.to_builtins(found)})
        return ExitCode.ACCEPTED
    if found.gave_up and found.review is not None:
        screen.note(found.review.date_reason[screen.lang])
    for each in found.solutions:
        screen.write(f"# {each.name}")
        screen.write(each.source)
    return ExitCode.ACCEPTED


def status(screen: Screen) -> ExitCode:
    """Print the proven problems, the due reviews and the next problem."""
    import msgspec

    from torchstone.app.review.overview import look_over
    from torchstone.cli.overview import draw_overview

    found = look_over(screen.home())
    if screen.as_json:
        screen.answer({"ok": True, **msgspec.to_builtins(found)})
        return ExitCode.ACCEPTED
    for line in draw_overview(screen, found):
        screen.out.print(line)
    return ExitCode.ACCEPTED


def history(
    screen: Screen,
    problem: ProblemArgument,
    submission: Annotated[
        str | None, typer.Argument(metavar="ID", help="argument.submission")
    ] = None,
    submissions: Annotated[bool, typer.Option("--submissions", help="option.submissions")] = False,
    runs: Annotated[bool, typer.Option("--runs", help="option.runs")] = False,
) -> ExitCode:
    """List the submissions of a problem, or print one of them again."""
    import msgspec

    from torchstone.app.judging.history import count_submissions, list_history, recall
    from torchstone.cli.overview import draw_history

    home = screen.home()
    if submission is not None:
        show_judged(screen, recall(home, problem, submission))
        return ExitCode.ACCEPTED
    kind: SubmissionKind | None = None
    if submissions != runs:
        kind = "submit" if submissions else "run"
    lines = list_history(home, problem, kind=kind)
    counts = {
        "num_submissions": count_submissions(home, problem),
        "num_runs": count_submissions(home, problem, kind="run"),
    }
    if screen.as_json:
        screen.answer({"ok": True, "submissions": msgspec.to_builtins(lines), **counts})
        return ExitCode.ACCEPTED
    for line in draw_history(screen, lines, **counts):
        screen.out.print(line)
    return ExitCode.ACCEPTED


def review(
    screen: Screen,
    problem: Annotated[
        str | None,
        typer.Argument(
            metavar="PROBLEM", help="argument.reviewed", autocompletion=complete_problem
        ),
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="option.undo")] = False,
) -> ExitCode:
    """List the reviews, print those of one problem, or undo its last one."""
    import msgspec

    from torchstone.app.questions.question_state import is_question_number
    from torchstone.app.review import question_reviews, reviews
    from torchstone.cli.review import draw_log, draw_reviews, draw_undone

    home = screen.home()
    if problem is None:
        if undo:
            raise BadInput("cli.argument_missing", name="PROBLEM")
        found = reviews.list_reviews(home)
        answer, lines = msgspec.to_builtins(found), draw_reviews(screen, found)
    elif is_question_number(problem):
        if undo:
            left_of_it = question_reviews.undo_question(home, problem)
            answer = {"review": msgspec.to_builtins(left_of_it)}
            lines = draw_undone(screen, problem, left_of_it, is_question=True)
        else:
            log = question_reviews.question_log(home, problem)
            answer, lines = {"reviews": msgspec.to_builtins(log)}, draw_log(screen, log)
    elif undo:
        left = reviews.undo_review(home, problem)
        answer = {"review": msgspec.to_builtins(left)}
        lines = draw_undone(screen, home.problem(problem).id, left)
    else:
        log = reviews.review_log(home, problem)
        answer, lines = {"reviews": msgspec.to_builtins(log)}, draw_log(screen, log)
    if screen.as_json:
        screen.answer({"ok": True, **answer})
        return ExitCode.ACCEPTED
    for line in lines:
        screen.out.print(line)
    return ExitCode.ACCEPTED
