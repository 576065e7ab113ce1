"""Output of the mastery map, due reviews and the history of a problem."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from torchstone.cli.layout import LABEL_WIDTH, labelled, paragraph, span, two_sided
from torchstone.cli.palette import (
    GOLD,
    MARKS,
    NUMBER,
    PLAIN,
    SECONDARY,
    STAR,
    STATUS_MARKS,
    STRONG,
)
from torchstone.cli.paths import path_line
from torchstone.cli.screen import Screen
from torchstone.cli.verdict import next_lines, run_words
from torchstone.study import Status

if TYPE_CHECKING:
    from torchstone.app.judging.history import HistoryLine
    from torchstone.app.review.overview import Overview
    from torchstone.study import MapCell


def draw_overview(screen: Screen, found: Overview) -> Iterator[Text]:
    """Draw the map with its totals, the due reviews, and the next problem."""
    yield Text()
    count = found.num_proven + found.num_tried + found.num_untouched
    title = span((screen.say("status.title"), STRONG))
    note = screen.say("status.totals", proven=found.num_proven, count=count, tried=found.num_tried)
    yield from two_sided(title, note, screen.columns)
    yield Text()
    for part in sorted({cell.part for cell in found.cells}):
        yield _part_line(screen, part, [cell for cell in found.cells if cell.part == part])
    for path in found.paths:
        if path.is_chosen:
            yield Text()
            yield from path_line(screen, path)
    if not found.num_proven:
        yield Text()
        yield from paragraph(screen.say("status.bare"), screen.columns, style=SECONDARY)
    if found.due:
        yield Text()
        yield from paragraph(screen.say("status.due"), screen.columns, style=STRONG)
        id_width = max(len(item.problem_id) for item in found.due)
        for item in found.due:
            name = found.titles[item.problem_id][screen.lang]
            line = span((item.problem_id.ljust(id_width), NUMBER), "  ", name)
            yield from two_sided(line, f"{100 * item.strength:.0f} %", screen.columns)
            yield from paragraph(
                item.reason[screen.lang], screen.columns, style=SECONDARY, margin=6
            )
    yield Text()
    if found.next is not None:
        yield from next_lines(screen, found.next.problem_id, found.next.reason)
    elif count:
        yield from paragraph(screen.say("session.all_proven"), screen.columns, style=STRONG)


def _part_line(screen: Screen, part: int, cells: Sequence[MapCell]) -> Text:
    line = Text("  ") + labelled(screen.say("status.part", part=part), LABEL_WIDTH, "")
    for cell in cells:
        line.append(f"{STAR * cell.stars} ", SECONDARY)
        for status, count in (
            (Status.PROVEN, cell.num_proven),
            (Status.TRIED, cell.num_tried),
            (Status.UNTOUCHED, cell.num_untouched),
        ):
            mark = STATUS_MARKS[status]
            line.append(mark.glyph * count, mark.style)
        if cell.strength is not None:
            line.append(f" {100 * cell.strength:.0f} %", GOLD)
        line.append("   ")
    line.rstrip()
    return line


def draw_history(
    screen: Screen, lines: Sequence[HistoryLine], *, num_submissions: int, num_runs: int
) -> Iterator[Text]:
    """Draw the submissions of a problem, newest first, and the number of all."""
    if not lines:
        yield from paragraph(screen.say("history.none"), screen.columns)
    if num_submissions + num_runs:
        totals = screen.say("history.totals", submissions=num_submissions, runs=num_runs)
        yield from paragraph(totals, screen.columns, style=SECONDARY)
    for each in lines:
        when = f"{each.created_at.astimezone():%Y-%m-%d %H:%M}"
        parts: list[tuple[str, str] | str] = [(each.id, NUMBER), "  ", (when, SECONDARY), "  "]
        if each.verdict is not None and each.kind == "run":
            parts.append((run_words(screen, each.verdict), PLAIN))
        elif each.verdict is not None:
            mark = MARKS[each.verdict]
            parts.append((f"{mark.glyph} {each.verdict}", mark.style))
        else:
            parts.append((screen.say(f"state.{each.state}"), PLAIN))
        is_no_try = each.kind == "submit" and each.verdict is not None and not each.is_try
        note = screen.say("history.no_try" if is_no_try else f"history.{each.kind}")
        if each.time_ms is not None:
            note += f"  {each.time_ms:.0f} ms"
        yield from two_sided(span(*parts), note, screen.columns)
