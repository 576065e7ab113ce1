"""Contents of the interview pages: for the candidate, the interviewer, and the seat."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torchstone.app.home import Home
from torchstone.app.interview.guiding import Guide, guide_to, propose, remaining
from torchstone.app.interview.holding import Kept
from torchstone.app.interview.material import Material
from torchstone.app.interview.running import Running
from torchstone.app.interview.showing import Asked, clocks, show_item
from torchstone.app.judging.submission import judge_text
from torchstone.bank.schema import Language
from torchstone.core.errors import BadInput
from torchstone.core.verdict import Verdict
from torchstone.interview.item import Item, Kind
from torchstone.interview.session import MOST_PAUSES, Entry, Session

Words = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Result of a completed item: for a program the judge's verdict, otherwise nothing."""

    item: str
    kind: str
    verdict: str | None
    passed: tuple[str, ...]
    failed: tuple[str, ...]
    is_cut_off: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Candidate's view.

    Args:
        strategy: Name of the strategy that offers the item.
        language: Editor language, for a program.
        draft: Draft; None if there is none.
        num_over: Number of completed items.
        num_pauses_left: Number of remaining pauses.
    """

    id: str
    mode: str
    state: str
    level: str
    minutes: int
    factor: float
    seed: int
    label: str
    num_sections: int
    num_over: int
    num_pauses_left: int
    clock: dict[str, Any]
    item: Asked | None
    strategy: Words | None
    language: str | None
    draft: str | None
    last: Outcome | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """Completed item in the interviewer's view.

    Args:
        proposal: Automatic score; None before a person's score is stored.
    """

    outcome: Outcome
    words: Words
    answer: str
    skipped: str | None
    anchor: int | None
    evidence: str
    num_scores: int
    anchors: tuple[Words, ...]
    proposal: dict[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Remaining:
    """Unasked item of the form, and its start minute."""

    item: str
    kind: str
    words: Words
    minutes: float
    at_minute: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """Additional data of the interviewer's view.

    Args:
        next_because: Reason why the first remaining item comes next.
        form: Whether the form is fixed, or changed.
    """

    view: View
    guide: Guide | None
    ticks: tuple[str, ...]
    scored: tuple[Scored, ...]
    notes: tuple[dict[str, Any], ...]
    remaining: tuple[Remaining, ...]
    next_item: str | None
    next_because: str | None
    form: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """Candidate's window: no rule, point, anchor, note, score or other item."""

    id: str
    state: str
    item_left_s: float | None
    total_left_s: float
    item: Asked | None
    language: str | None
    draft: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleRun:
    """Run of a program on its samples.

    Args:
        error: Exception of the program; None if there is none.
        line: Line of the error in the program.
    """

    verdict: str
    num_passed: int
    num_cases: int
    error: str | None
    line: int | None
    printed: str


def view_of(kept: Kept) -> View:
    """Return the candidate's view."""
    running = kept.running
    session, setting = running.session, running.plan.setting
    entry = open_entry(session)
    over = [each for each in session.entries if each.is_over]
    asked = None if entry is None else show_item(running.material, entry)
    return View(
        id=kept.name,
        mode=str(setting.mode),
        state=session.state,
        level=str(setting.level),
        minutes=setting.minutes,
        factor=setting.factor,
        seed=setting.seed,
        label=session.header["label"],
        num_sections=len(running.plan.drawn.ends),
        num_over=len(over),
        num_pauses_left=MOST_PAUSES - session.num_pauses,
        clock=clocks(session, running.plan, running.clock.elapsed_ms),
        item=asked,
        strategy=None if asked is None else _strategy(running.material, asked.rule),
        language=None if entry is None else language_of(running.material, entry.item),
        draft=None if entry is None else kept.draft(entry.item.id) or None,
        last=outcome_of(over[-1]) if over else None,
    )


def lead_of(kept: Kept) -> Lead:
    """Return the interviewer's view."""
    running = kept.running
    session = running.session
    entry = open_entry(session)
    offer = None if session.ended is not None else running.suggest()
    asked = [each.item.id for each in session.entries]
    planned = [each.item.id for each in running.plan.offers]
    return Lead(
        view=view_of(kept),
        guide=None if entry is None else guide_to(running.material, entry.item),
        ticks=() if entry is None else tuple(kept.ticks(entry.item.id)),
        scored=tuple(_scored(running, each) for each in reversed(session.entries) if each.is_over),
        notes=tuple(
            {"elapsed_s": each.elapsed_ms / 1000, "text": each.text, "is_quote": each.is_quote}
            for each in session.notes
        ),
        remaining=tuple(
            Remaining(
                item=item.id,
                kind=str(item.kind),
                words=running.material.words(item),
                minutes=item.minutes,
                at_minute=minute,
            )
            for item, minute in remaining(running)
        ),
        next_item=None if offer is None else offer.item.id,
        next_because=None if offer is None else "form",
        form="fixed" if asked == planned[: len(asked)] else "changed",
    )


def open_entry(session: Session) -> Entry | None:
    """Return the current item; None at the end, even if an item has no answer."""
    return None if session.ended is not None else session.current


def outcome_of(entry: Entry) -> Outcome:
    """Return the result of a completed item."""
    mark = entry.mark if entry.item.kind is Kind.CODE else None
    return Outcome(
        item=entry.item.id,
        kind=str(entry.item.kind),
        verdict=None if mark is None else mark.verdict,
        passed=() if mark is None else tuple(each.id for each in mark.found),
        failed=() if mark is None else mark.missed,
        is_cut_off=entry.is_cut_off,
    )


def language_of(material: Material, item: Item) -> str | None:
    """Return the language of a program; None for other kinds."""
    if item.kind is not Kind.CODE:
        return None
    language = material.problem(item).spec.language
    return "cpp" if language in (Language.CPP, Language.CUDA) else "python"


def run_samples(home: Home, running: Running, text: str) -> SampleRun:
    """Judge a program on the samples of the open item.

    Raises:
        BadInput: The current item is not a program.
    """
    entry = running.session.current
    if entry is None or entry.item.kind is not Kind.CODE:
        raise BadInput("interview.no_program")
    problem = running.material.problem(entry.item)
    report = judge_text(home, problem, text, lambda event: None, groups=("sample",)).report
    said, line = None, None
    if report.error is not None:
        said, line = str(report.error), report.error.line
    elif report.forbidden is not None:
        said, line = report.forbidden.operator, report.forbidden.line
    return SampleRun(
        verdict=str(report.verdict),
        num_passed=sum(case.code is Verdict.AC for case in report.cases),
        num_cases=len(report.cases),
        error=said,
        line=line,
        printed=report.stdout,
    )


def _strategy(material: Material, rule: str) -> Words:
    found = material.strategies[rule]
    return {"en": found.en, "zh": found.zh}


def _scored(running: Running, entry: Entry) -> Scored:
    person = entry.person
    return Scored(
        outcome=outcome_of(entry),
        words=running.material.words(entry.item),
        answer=_said(entry),
        skipped=entry.skipped,
        anchor=None if person is None else person.anchor,
        evidence="" if person is None else person.evidence,
        num_scores=len(entry.scores),
        anchors=guide_to(running.material, entry.item).anchors,
        proposal=propose(entry),
    )


def _said(entry: Entry) -> str:
    return "\n".join(entry.chosen) if entry.chosen else entry.answer or ""
