"""Watch mode: judge the file of a problem at every save, then move to the next problem."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchstone.app.judging import submission
from torchstone.app.judging.file_watcher import stamp, wait_for_save
from torchstone.app.problems import workspace
from torchstone.app.review import overview
from torchstone.app.review.after_verdict import conclude
from torchstone.cli.problem import show_judged
from torchstone.cli.progress import Progress
from torchstone.cli.screen import Screen
from torchstone.cli.verdict import next_lines
from torchstone.core.errors import BadInput, TorchstoneError
from torchstone.core.verdict import ExitCode, Verdict

if TYPE_CHECKING:
    from torchstone.app.home import Home


def watch_problems(screen: Screen, name: str | None) -> ExitCode:
    """Watch a problem until it is accepted, then the next one; Ctrl-C ends it.

    A save becomes a submission only if the samples pass; otherwise it is a run.
    """
    if screen.as_json:
        raise BadInput("cli.watch_is_for_people")
    home = screen.home()
    chosen = name if name is not None else _next(screen, home, is_said=False)
    try:
        while chosen is not None:
            watch_one(screen, home, chosen)
            # The verdict has already named the next problem.
            chosen = _next(screen, home, is_said=True)
    except KeyboardInterrupt:
        screen.write()
        return ExitCode.ACCEPTED
    screen.write(screen.say("session.all_proven"))
    return ExitCode.ACCEPTED


def _next(screen: Screen, home: Home, *, is_said: bool) -> str | None:
    following = overview.look_over(home).next
    if following is None:
        return None
    if not is_said:
        screen.write()
        for line in next_lines(screen, following.problem_id, following.reason):
            screen.out.print(line)
    return following.problem_id


def watch_one(screen: Screen, home: Home, name: str) -> None:
    """Judge the file of one problem at every save until it is accepted."""
    problem = home.problem(name)
    started = workspace.start(home, name)
    # Before the first message, because a reader can save the file at once.
    seen = stamp(started.path)
    screen.write()
    screen.write(screen.say("session.edit", path=started.path))
    screen.write(screen.say("session.leave", problem=problem.id))
    while True:
        seen = wait_for_save(started.path, seen)
        try:
            if judge_save(screen, home, problem.id) is Verdict.AC:
                return
        except TorchstoneError as error:
            # The next save repairs a file that is broken for a moment.
            screen.fail(error)


def judge_save(screen: Screen, home: Home, name: str) -> Verdict:
    """Run the samples of the saved file, and submit it if they pass."""
    source = workspace.read_workspace(home, home.problem(name))
    with Progress(screen) as progress:
        judged = submission.submit(home, name, source, progress.on_event, kind="run")
        if judged.verdict is Verdict.AC:
            judged = submission.submit(home, name, source, progress.on_event, kind="submit")
            aftermath = conclude(home, judged)
        else:
            aftermath = None
    show_judged(screen, judged, aftermath)
    return judged.verdict
