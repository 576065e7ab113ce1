"""Command of times: one's own submissions beside the model solutions, by time and by cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import typer

from torchstone.cli.command import command
from torchstone.cli.problem import ProblemArgument
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode

if TYPE_CHECKING:
    from rich.text import Text

    from torchstone.app.home import Home
    from torchstone.app.judging.submission import Judged
    from torchstone.app.judging.timing import OwnTime, ProgramTime, Times

MOST_EARLIER = 5
WHY_MARGIN = 6


def add_commands(app: typer.Typer) -> None:
    """Add the command to the application."""
    command(app, "times")(times)


def times(screen: Screen, problem: ProblemArgument) -> ExitCode:
    """Print times and costs, and measure those of the bank that are missing."""
    import msgspec

    from torchstone.app.judging.timing import measure_times
    from torchstone.cli.progress import Progress

    with Progress(screen) as progress:
        found = measure_times(screen.home(), problem, progress.on_event)
    if screen.as_json:
        screen.answer({"ok": True, **msgspec.to_builtins(found)})
        return ExitCode.ACCEPTED
    for part in (draw_times, draw_saved, draw_costs):
        for line in part(screen, found):
            screen.out.print(line)
    screen.note(screen.say("times.note", runs=found.num_runs))
    return ExitCode.ACCEPTED


def draw_after(screen: Screen, home: Home, judged: Judged) -> Iterator[Text]:
    """Draw what is measured of an accepted submission, and already known to compare it with."""
    from torchstone.app.judging.timing import read_times, time_of
    from torchstone.cli.layout import span, two_sided

    found = read_times(home, judged.problem.id)
    mine = screen.say("times.mine", ms=_say(time_of(judged.report)))
    yield from two_sided(span(mine), f"torchstone times {judged.problem.id}", screen.columns)
    yield from draw_times(screen, found, shown=judged.submission)
    yield from draw_saved(screen, found, shown=judged.submission)
    yield from draw_costs(screen, found, shown=judged.submission)


def draw_times(screen: Screen, found: Times, *, shown: str | None = None) -> Iterator[Text]:
    """Draw a line for each program whose time is known; not for the submission that is shown."""
    from torchstone.cli.layout import span, two_sided
    from torchstone.cli.palette import SECONDARY

    rows = [
        (_solution_name(screen, each, at), each.ms)
        for at, each in enumerate(found.solutions)
        if each.ms is not None
    ]
    rows += [(_own_name(screen, each), each.ms) for each in _earlier(found, shown)]
    for name, ms in rows:
        yield from two_sided(span((name, SECONDARY)), _say(ms), screen.columns)


def draw_saved(screen: Screen, found: Times, *, shown: str | None = None) -> Iterator[Text]:
    """Draw what each program saves for backward, where the problem limits it."""
    from torchstone.cli.layout import paragraph, span, two_sided
    from torchstone.cli.palette import GOLD, SECONDARY

    own = [(screen.say("times.this"), each) for each in found.own if each.submission == shown]
    rows: list[tuple[str, ProgramTime | OwnTime]] = [
        *own,
        *((_solution_name(screen, each, at), each) for at, each in enumerate(found.solutions)),
        *((_own_name(screen, each), each) for each in _earlier(found, shown)),
    ]
    known = [(name, each) for name, each in rows if each.saved_ratio is not None]
    if not known:
        return
    yield span("")
    yield span("  ", screen.say("times.saved"))
    yield from paragraph(screen.say("times.saved_note"), screen.columns, style=SECONDARY)
    for name, each in known:
        left = span((name, GOLD if own and each is own[0][1] else SECONDARY))
        note = f"{_say_bytes(each.saved_bytes or 0)}   {each.saved_ratio or 0:.3g} ×"
        yield from two_sided(left, note, screen.columns)


def draw_costs(screen: Screen, found: Times, *, shown: str | None = None) -> Iterator[Text]:
    """Draw a rung for each CUDA program whose cost is known, the highest cost first.

    A cost is printed as a part of the highest one. The submission ``shown`` was judged just now.
    """
    from torchstone.cli.code_words import mark_code, wrap_marked
    from torchstone.cli.layout import paragraph, span, two_sided
    from torchstone.cli.palette import GOLD, SECONDARY

    rungs = _rungs(screen, found, shown)
    if len(rungs) < 2:
        return
    yield span("")
    yield span("  ", screen.say("times.cost"))
    yield from paragraph(screen.say("times.cost_note"), screen.columns, style=SECONDARY)
    for name, cycles, why in rungs:
        is_shown = name == screen.say("times.this")
        left = span((name, GOLD if is_shown else SECONDARY))
        yield from two_sided(left, _say_share(cycles / rungs[0].cycles), screen.columns)
        marked = mark_code(why, SECONDARY, has_colour=screen.has_colour)
        yield from wrap_marked(marked, screen.columns, margin=WHY_MARGIN) if why else ()
    own = [each for each in found.own if each.submission == shown]
    outdated = sum(each.is_cost_outdated for each in (*own, *_earlier(found, shown)))
    if outdated:
        note = screen.say("times.outdated", count=outdated)
        yield from paragraph(note, screen.columns, style=SECONDARY)


class _Rung(NamedTuple):
    """A program with the cost of its kernels; ``why`` is the misconception of a slow one."""

    name: str
    cycles: float
    why: str = ""


def _rungs(screen: Screen, found: Times, shown: str | None) -> list[_Rung]:
    say, lang = screen.say, screen.lang
    own = [each for each in found.own if each.submission == shown]
    rungs = [
        *(
            (_solution_name(screen, each, at), each.cycles, "")
            for at, each in enumerate(found.solutions)
        ),
        *(
            (say("times.slow", name=each.name), each.cycles, each.words.said_in(lang))
            for each in found.slow
            if each.words is not None
        ),
        *((_own_name(screen, each), each.cycles, "") for each in _earlier(found, shown)),
        *((say("times.this"), each.cycles, "") for each in own),
    ]
    known = [_Rung(name, cycles, why) for name, cycles, why in rungs if cycles]
    return sorted(known, key=lambda each: -each.cycles)


def _earlier(found: Times, shown: str | None) -> list[OwnTime]:
    return [each for each in found.own if each.submission != shown][:MOST_EARLIER]


def _own_name(screen: Screen, own: OwnTime) -> str:
    return screen.say("times.own", when=f"{own.created_at.astimezone():%Y-%m-%d %H:%M}")


def _solution_name(screen: Screen, solution: ProgramTime, at: int) -> str:
    """Return the name of a right answer; the first one is the model solution of the problem."""
    return screen.say("times.other", name=solution.name) if at else screen.say("times.model")


def _say(ms: float) -> str:
    """Say a time with three digits: ``4.21 ms``, ``937 ms``, ``10.9 s``."""
    return f"{_digits(ms, 3)} ms" if ms < 999.5 else f"{_digits(ms / 1000, 3)} s"


def _say_share(share: float) -> str:
    """Say a part of the highest cost with two digits: ``0.0097``, ``0.010``."""
    return "1" if share == 1 else _digits(share, 2)


def _digits(value: float, count: int) -> str:
    """Write a number with this many significant digits, zeros included."""
    return f"{value:#.{count}g}".rstrip(".")


def _say_bytes(num_bytes: float) -> str:
    for factor, unit in ((1e6, "MB"), (1e3, "kB")):
        # What rounds to a thousand of a unit is one of the next.
        if num_bytes >= 0.9995 * factor:
            return f"{num_bytes / factor:.3g} {unit}"
    return f"{num_bytes:.0f} B"
