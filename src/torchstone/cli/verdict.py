"""Output of a verdict: the sentence, the evidence and the next steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from torchstone.cli.code_words import mark_code, wrap_marked
from torchstone.cli.figures import draw_strip, format_ratio, group_name, strip_cells
from torchstone.cli.hazard import draw_hazard
from torchstone.cli.layout import LABEL_WIDTH, labelled, paragraph, span, two_sided
from torchstone.cli.palette import (
    GOLD,
    MARKS,
    NUMBER,
    PLAIN,
    RUN,
    SECONDARY,
    STAR,
    STREAK,
    STREAK_END,
    STRONG,
)
from torchstone.cli.screen import Screen
from torchstone.cli.smallest import draw_smallest
from torchstone.core.verdict import Verdict

if TYPE_CHECKING:
    from torchstone.app.judging.submission import ExplainedMisconception, Judged
    from torchstone.app.review.after_verdict import Aftermath
    from torchstone.judge.messages import Forbidden, Raised, Report

MAX_PRINTED_LINES = 5
MAX_FOUND_LINES = 24


def draw_verdict(
    screen: Screen, judged: Judged, aftermath: Aftermath | None = None
) -> Iterator[Text]:
    """Draw the result of a judged program."""
    yield Text()
    yield from _heading(screen, judged, aftermath)
    yield Text()
    cells = strip_cells(judged.report, judged.plan, screen.lang)
    yield from draw_strip(cells, screen.columns)
    if cells:
        yield Text()
    if judged.verdict is Verdict.AC:
        yield from _accepted(screen, judged)
    else:
        yield from _refused(screen, judged)
    yield Text()
    yield from _closing(screen, judged, aftermath)


def _heading(screen: Screen, judged: Judged, aftermath: Aftermath | None) -> Iterator[Text]:
    spec = judged.problem.spec
    title = span((spec.id, NUMBER), "  ", (spec.title.said_in(screen.lang), STRONG))
    note = screen.say("verdict.part", part=spec.part, stars=STAR * spec.stars)
    if aftermath is not None and judged.verdict.is_try:
        note += " " + screen.say("verdict.attempt", number=aftermath.attempt)
    yield from two_sided(title, note, screen.columns)


def _accepted(screen: Screen, judged: Judged) -> Iterator[Text]:
    report = judged.report
    note = screen.say("verdict.cases", count=len(report.cases), ms=f"{report.time_ms:.0f}")
    if judged.kind == "run":
        yield from two_sided(
            span((run_words(screen, judged.verdict), STRONG)), note, screen.columns
        )
        yield from paragraph(screen.say("verdict.samples_note"), screen.columns, style=SECONDARY)
        yield Text()
        yield from _margins(screen, report)
        return
    mark = MARKS[Verdict.AC]
    word = f"{mark.glyph} {judged.verdict}  "
    length = screen.columns - 2 - Text(word).cell_len - Text(note).cell_len - 3
    streak = STREAK * max(0, length) + STREAK_END if length >= 8 else ""
    yield from two_sided(span((word + streak, GOLD)), note, screen.columns)
    yield Text()
    yield from _margins(screen, report)
    yield from _subtasks(screen, report)
    yield from _counted(screen, report)


def run_words(screen: Screen, verdict: Verdict) -> str:
    """Return the mark of a run of the samples, and its result; it is never the code AC."""
    if verdict is Verdict.AC:
        return f"{RUN} {screen.say('verdict.samples_pass')}"
    return f"{RUN} {screen.say('verdict.samples_fail', verdict=verdict)}"


def _margins(screen: Screen, report: Report) -> Iterator[Text]:
    margins = [(float(case.ratio), case.group) for case in report.cases if case.ratio is not None]
    if margins:
        worst, group = max(margins)
        where = screen.say("verdict.worst_in", group=group_name(group, screen.lang))
        line = labelled(screen.say("verdict.worst"), LABEL_WIDTH, format_ratio(worst))
        yield from two_sided(line, where, screen.columns)


def _refused(screen: Screen, judged: Judged) -> Iterator[Text]:
    report, mark = judged.report, MARKS[judged.verdict]
    name = (
        screen.say(f"aspect.{report.aspect}")
        if report.aspect
        else screen.say(f"verdict.{judged.verdict}")
    )
    is_run = judged.kind == "run"
    words = run_words(screen, judged.verdict) if is_run else f"{mark.glyph} {judged.verdict}"
    line = span((words, mark.style), "  ", name)
    yield from two_sided(line, _score(screen, report), screen.columns)
    sentences = list(_sentences(screen, judged))
    if sentences:
        yield Text()
    for marked in sentences:
        yield from wrap_marked(marked, screen.columns)
    yield from _subtasks(screen, report)
    yield from _found(screen, report)
    yield from _printed(screen, report.stdout)
    if report.smallest:
        yield Text()
        yield from draw_smallest(screen, report.smallest)


def _score(screen: Screen, report: Report) -> str:
    wrong = sum(case.code is not Verdict.AC for case in report.cases)
    if not report.cases or not wrong:
        return str(screen.say("verdict.stopped", count=len(report.cases)))
    return screen.say(
        "verdict.wrong_of",
        wrong=wrong,
        count=len(report.cases),
        ms=f"{report.time_ms:.0f}",
    )


def _misconception(screen: Screen, named: ExplainedMisconception) -> Iterator[Text]:
    yield _say(screen, named.words.said_in(screen.lang), STRONG)
    yield _say(
        screen, screen.say("verdict.equal_to", name=named.name, count=named.cases), SECONDARY
    )
    if named.alternatives:
        others = screen.say("list_comma").join(named.alternatives)
        yield _say(screen, screen.say("verdict.or_equal_to", names=others), SECONDARY)
    if named.also is not None and named.also_words is not None:
        yield _say(screen, screen.say("verdict.also_equal_to", name=named.also), SECONDARY)
        yield _say(screen, named.also_words.said_in(screen.lang))
    if (rest := named.unexplained) is not None:
        groups = screen.say("list_comma").join(
            group_name(each, screen.lang) for each in rest.groups
        )
        yield _say(screen, screen.say("verdict.something_else", count=rest.cases, groups=groups))


def _say(screen: Screen, words: str, style: str = PLAIN) -> Text:
    return mark_code(words, style, has_colour=screen.has_colour)


def _sentences(screen: Screen, judged: Judged) -> Iterator[Text]:
    report = judged.report
    if judged.misconception is not None:
        yield from _misconception(screen, judged.misconception)
    # Without a smallest case the explanation stopped early, and perhaps compared nothing.
    elif (
        judged.verdict is Verdict.WA
        and not report.detail
        and not report.symptoms
        and len(judged.plan) > 1
        and report.smallest
    ):
        yield _say(screen, screen.say("verdict.no_misconception"), SECONDARY)
    for symptom in report.symptoms:
        yield _say(screen, symptom.words.said_in(screen.lang))
    error, detail = report.error, report.detail
    if detail and not (error and error.type in detail.en):
        style = PLAIN if judged.misconception else STRONG
        yield _say(screen, detail.said_in(screen.lang), style)
    # What the program or its text says is quoted, so its backticks stay.
    if error:
        yield Text(str(error), style=PLAIN if detail and judged.misconception else STRONG)
        if error.line:
            yield Text(_place(screen, error), style=SECONDARY)
    forbidden = report.forbidden
    if forbidden and forbidden.line:
        yield Text(_place(screen, forbidden), style=SECONDARY)
    if judged.verdict is Verdict.IE:
        yield _say(screen, screen.say("verdict.not_counted"))
    elif judged.is_recorded_as_no_try:
        yield _say(screen, screen.say("verdict.no_try"), SECONDARY)


def _place(screen: Screen, found: Raised | Forbidden) -> str:
    text = (found.text or "").strip()
    place = screen.say("verdict.line" if text else "verdict.bare_line", line=found.line, text=text)
    return f"{found.file} {place}" if found.file else place


def _subtasks(screen: Screen, report: Report) -> Iterator[Text]:
    """Draw the parts with points of their own."""
    subtasks = report.subtasks
    if subtasks:
        yield Text()
    for each in subtasks:
        mark = MARKS[Verdict.AC].glyph if each.earned else " "
        points = f"{each.points if each.earned else 0} / {each.points}"
        words = f"{mark} {each.title.said_in(screen.lang)}"
        yield from two_sided(
            span(words), screen.say("verdict.points", points=points), screen.columns
        )


def _found(screen: Screen, report: Report) -> Iterator[Text]:
    """Draw the findings of the detectors in native code, with its lines."""
    native = report.native
    if not native or not native.drawn:
        return
    yield from draw_hazard(screen, report)
    yield Text()
    lines = native.drawn.said_in(screen.lang).split("\n")
    for line in lines[:MAX_FOUND_LINES]:
        yield Text(f"  {line}")


def _counted(screen: Screen, report: Report) -> Iterator[Text]:
    """Draw the memory traffic of native code, line by line, and the earned stars."""
    native = report.native
    if not native:
        return
    if native.stars:
        yield Text()
    for star in native.stars:
        came = "-" if star.came is None else f"{star.came:.4g}"
        mark = MARKS[Verdict.AC].glyph if star.earned else " "
        words = f"{mark} {star.words.said_in(screen.lang)}"
        yield from two_sided(span(words), f"{came} / {star.most:.4g}", screen.columns)
    if native.profile:
        yield Text()
        for line in native.profile.said_in(screen.lang).rstrip("\n").split("\n"):
            yield Text(f"  {line}")


def _printed(screen: Screen, stdout: str) -> Iterator[Text]:
    if not stdout.strip():
        return
    yield Text()
    yield from paragraph(screen.say("verdict.printed"), screen.columns, style=SECONDARY)
    lines = stdout.rstrip("\n").split("\n")
    for line in lines[:MAX_PRINTED_LINES]:
        yield from paragraph(line, screen.columns, margin=4)
    if len(lines) > MAX_PRINTED_LINES:
        more = screen.say("verdict.printed_more", count=len(lines) - MAX_PRINTED_LINES)
        yield from paragraph(more, screen.columns, style=SECONDARY, margin=4)


def _closing(screen: Screen, judged: Judged, aftermath: Aftermath | None) -> Iterator[Text]:
    problem = judged.problem.id
    if aftermath is not None and judged.verdict is Verdict.AC:
        yield from _proven(screen, judged, aftermath)
    elif aftermath is not None and judged.verdict is not Verdict.IE:
        note = screen.say("verdict.rungs", count=aftermath.num_rungs, opened=aftermath.rungs_open)
        label = screen.say("verdict.next")
        line = labelled(label, LABEL_WIDTH, f"torchstone hint {problem}")
        yield from two_sided(line, note, screen.columns)
    if not judged.is_walled_in:
        words = screen.say("verdict.weak", level=judged.report.isolation)
        yield from paragraph(words, screen.columns)
    receipt = judged.report.receipt
    if receipt:
        note = screen.say("verdict.isolation", level=judged.report.isolation)
        line = labelled(screen.say("verdict.receipt"), LABEL_WIDTH, receipt)
        yield from two_sided(line, note, screen.columns)
    if aftermath is not None and judged.verdict is Verdict.AC and aftermath.next is not None:
        yield Text()
        yield from next_lines(screen, aftermath.next.problem_id, aftermath.next.reason)


def _proven(screen: Screen, judged: Judged, aftermath: Aftermath) -> Iterator[Text]:
    problem = judged.problem.id
    opened = span(screen.say("verdict.opened", count=aftermath.num_solutions))
    yield from two_sided(opened, f"torchstone editorial {problem}", screen.columns)
    if aftermath.unlocked:
        ids = screen.say("list_comma").join(aftermath.unlocked)
        line = labelled(screen.say("verdict.unlocked"), LABEL_WIDTH, ids)
        yield from two_sided(line, "", screen.columns)
    review = aftermath.review
    if review is not None:
        date = f"{review.due.astimezone():%Y-%m-%d}"
        rating = screen.say(f"rating.{review.rating}") if review.rating else ""
        line = labelled(screen.say("verdict.review"), LABEL_WIDTH, date)
        yield from two_sided(line, rating, screen.columns)
        reason = review.reason[screen.lang] if review.reason else review.date_reason[screen.lang]
        margin = 2 + LABEL_WIDTH
        yield from paragraph(reason, screen.columns, style=SECONDARY, margin=margin)


def next_lines(screen: Screen, problem_id: str, reason: dict[str, str]) -> Iterator[Text]:
    """Yield the next problem, the reason, and the command that starts it."""
    home = screen.home()
    title = home.problem(problem_id).title.said_in(screen.lang)
    line = labelled(screen.say("verdict.next_problem"), LABEL_WIDTH, f"{problem_id} {title}")
    yield from two_sided(line, f"torchstone start {problem_id}", screen.columns)
    margin = 2 + LABEL_WIDTH
    yield from paragraph(reason[screen.lang], screen.columns, style=SECONDARY, margin=margin)
