"""Output of a proof: kill matrix, margins, mutants and objections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from torchstone.cli.layout import paragraph, span, two_sided
from torchstone.cli.palette import FAILED, GOLD, NUMBER, PASSED, SECONDARY, STRONG, WRONG
from torchstone.cli.screen import Screen
from torchstone.core.i18n import pad, truncate

if TYPE_CHECKING:
    from torchstone.app.problems.authoring import BankProof
    from torchstone.judge.escapes.search import Escapes
    from torchstone.judge.proof.entry import Objection, ProofEntry

NAME_WIDTH = 34
_OF_VERDICTS = (
    "good_refused",
    "wrong_accepted",
    "wrong_for_other_reason",
    "cheats_accepted",
    "cheats_for_other_reason",
)


def draw_proof(screen: Screen, entry: ProofEntry) -> Iterator[Text]:
    """Draw the proof of one problem; of a proof from the cache only its numbers."""
    if not entry.cached:
        yield Text()
    holds = entry.holds
    mark = (PASSED, GOLD) if holds else (FAILED, WRONG)
    word = "bank.held" if entry.cached else _word(holds)
    title = span(mark, " ", (entry.id, NUMBER), "  ", (screen.say(word), STRONG))
    yield from two_sided(title, _numbers(screen, entry), screen.columns)
    # The run that proved it has printed its findings.
    if entry.cached:
        return
    if entry.kills:
        head = pad(screen.say("bank.matrix"), NAME_WIDTH + 2) + screen.say("bank.matrix_verdicts")
        yield span((f"    {head}", SECONDARY))
    for name, kills in entry.kills.items():
        yield _kill_line(screen, name, kills)
    # An objection has more details on an unexplained mutant.
    for survivor in entry.survivors:
        if survivor.why is None:
            continue
        place = f"{survivor.file}:{survivor.line}"
        change = f"{survivor.before} → {survivor.after}"
        words = screen.say(
            "bank.survivor", change=change, place=place, why=survivor.why.said_in(screen.lang)
        )
        yield from paragraph(words, screen.columns, style=SECONDARY, margin=4)
    unwritten = [each.name for each in entry.objections if each.kind == "unwritten"]
    if unwritten:
        words = screen.say("bank.unwritten", files=screen.say("list_comma").join(unwritten))
        yield from paragraph(f"{FAILED} {words}", screen.columns, style=WRONG, margin=4)
    yield from _objections(screen, entry.objections)


def _objections(screen: Screen, objections: Sequence[Objection]) -> Iterator[Text]:
    """Set each objection; what further seeds object to the same program is only counted."""
    same: dict[tuple[str, str], list[Objection]] = {}
    for number, each in enumerate(objections):
        if each.kind in _OF_VERDICTS:
            same.setdefault((each.kind, each.name), []).append(each)
        elif each.kind != "unwritten":
            same[each.kind, str(number)] = [each]
    for (kind, _), alike in same.items():
        first = next((each for each in alike if each.evidence), alike[0])
        head = screen.say(f"bank.objection.{kind}", name=first.name)
        yield from paragraph(f"{FAILED} {head}", screen.columns, style=WRONG, margin=4)
        for line in first.detail.said_in(screen.lang).splitlines():
            yield from paragraph(line, screen.columns, margin=6)
        if len(alike) > 1:
            words = screen.say("bank.more_seeds", count=len(alike) - 1)
            yield from paragraph(words, screen.columns, style=SECONDARY, margin=6)


def _word(holds: bool) -> str:
    return "bank.holds" if holds else "bank.fails"


def _numbers(screen: Screen, entry: ProofEntry) -> str:
    parts = []
    if entry.good_ratio is not None:
        parts.append(screen.say("bank.good_margin", ratio=f"{entry.good_ratio:.2f}"))
    if entry.lowprec_ratio is not None:
        parts.append(screen.say("bank.lowprec_margin", ratio=f"{entry.lowprec_ratio:.2g}"))
    if entry.mutation_score is not None:
        share = f"{100 * entry.mutation_score:.0f}"
        parts.append(screen.say("bank.mutation_score", percent=share))
    if entry.median_ms is not None:
        parts.append(f"{entry.median_ms:.0f} ms")
    return "  ".join(parts)


def _kill_line(screen: Screen, name: str, kills: Sequence[str]) -> Text:
    """Set one row of the matrix; seeds that agree are counted, not repeated."""
    shown = pad(truncate(name, NAME_WIDTH), NAME_WIDTH + 2)
    counted = Counter(kills).most_common()
    words = ", ".join(f"{kill} ×{count}" for kill, count in counted)
    style = WRONG if any(kill.startswith("AC") for kill in kills) else ""
    room = max(8, screen.columns - 4 - NAME_WIDTH - 2)
    return span("    ", (shown, SECONDARY), (truncate(words, room), style))


def draw_broken(screen: Screen, broken: Sequence[dict[str, Any]]) -> Iterator[Text]:
    """Draw the folders that could not be loaded."""
    for error in broken:
        said = error[screen.lang]
        yield from paragraph(f"{FAILED} {said['message']}", screen.columns, style=WRONG)
        yield from paragraph(said["hint"], screen.columns, style=SECONDARY, margin=4)


def draw_escapes(screen: Screen, found: Escapes) -> Iterator[Text]:
    """Draw the counts of a search for escapes, and each finding that nothing explains."""
    mark = (FAILED, WRONG) if found.unexplained else (PASSED, GOLD)
    words = screen.say("bank.escapes", **found.counts)
    yield from two_sided(span(mark, " ", (found.problem, NUMBER)), words, screen.columns)
    for each in found.findings:
        if not each.reason:
            key = f"bank.escape.{each.outcome}"
            line = screen.say(key, name=each.name, form=each.form, result=each.result)
            yield from paragraph(f"{FAILED} {line}", screen.columns, style=WRONG, margin=4)


def draw_sum(screen: Screen, found: BankProof) -> Iterator[Text]:
    """Draw the one line that says whether anything was found."""
    yield Text()
    num_held = sum(entry.holds for entry in found.problems)
    count = len(found.problems) + len(found.broken)
    words = screen.say("bank.sum", held=num_held, count=count)
    yield from paragraph(words, screen.columns, style=GOLD if found.holds else STRONG)
    if found.num_cached:
        words = screen.say("bank.cached", count=found.num_cached)
        yield from paragraph(words, screen.columns, style=SECONDARY)
