"""Output of the learner's record with one problem, above its statement."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from torchstone.cli.layout import paragraph, span, two_sided
from torchstone.cli.palette import SECONDARY, STATUS_MARKS
from torchstone.cli.screen import Screen
from torchstone.cli.verdict import run_words
from torchstone.core.verdict import Verdict

if TYPE_CHECKING:
    from torchstone.app.judging.record import ProblemRecord


def draw_record(screen: Screen, problem: str, known: ProblemRecord) -> Iterator[Text]:
    """Draw the state of a problem, its last verdict, and the command that shows the report."""
    mark = STATUS_MARKS[known.status]
    words = screen.say("record.comma").join(_state(screen, known))
    latest = known.last or known.run
    note = "" if latest is None else f"torchstone history {problem} {latest.id}"
    yield Text()
    yield from two_sided(span((f"{mark.glyph} {words}", mark.style)), note, screen.columns)
    if known.run is not None:
        result = run_words(screen, known.run.verdict)
        when = _moment(known.run.created_at)
        said = screen.say("record.run", result=result, when=when)
        yield from paragraph(said, screen.columns, style=SECONDARY)
    if known.num_submissions + known.num_runs:
        counts = screen.say(
            "record.counts",
            submissions=known.num_submissions,
            tries=known.attempts,
            runs=known.num_runs,
        )
        yield from paragraph(counts, screen.columns, style=SECONDARY)


def _state(screen: Screen, known: ProblemRecord) -> Iterator[str]:
    """Yield the words of the state; an acceptance is not named twice."""
    if known.proof is not None:
        passed, planned = known.proof.num_passed, known.proof.num_planned
        yield screen.say("record.proven", passed=passed, planned=planned)
    elif known.status == "proven":
        yield screen.say("record.proven_bare")
    if known.last is not None and (
        known.status != "proven" or known.last.verdict is not Verdict.AC
    ):
        when = _moment(known.last.created_at)
        yield screen.say("record.last", verdict=known.last.verdict, when=when)
    elif known.status == "tried":
        yield screen.say("record.begun")
    elif known.status == "untouched":
        yield screen.say("record.untouched")


def _moment(moment: datetime) -> str:
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
