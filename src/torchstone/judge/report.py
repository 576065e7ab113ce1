"""Verdict and report of a submission, from its findings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec

from torchstone.core.i18n import LANGS, both
from torchstone.core.isolation import Isolation
from torchstone.core.verdict import Aspect, Verdict, worst
from torchstone.judge.excerpt import excerpt
from torchstone.judge.messages import (
    CaseResult,
    Forbidden,
    NativeReport,
    Preview,
    Report,
    SavedBytes,
    Smallest,
    SmallestInput,
    SmallestRow,
    SubtaskResult,
    Symptom,
    ValuePreview,
    Words,
    Worst,
    spell,
)
from torchstone.judge.order import Findings, Order, Outcome
from torchstone.judge.outcomes import clean_error, printable
from torchstone.judge.package_lines import line_of, place_error
from torchstone.judge.replies import FoundWrong, Named, SmallestFailure, WrongRow


@dataclass(frozen=True, slots=True)
class Decision:
    """A verdict, and the case that determined it, if there is one."""

    code: Verdict
    aspect: Aspect | None
    group: str | None
    case: CaseResult | None
    outcome: Outcome | None


def decide(findings: Findings) -> Decision:
    """Decide the verdict of a job.

    The first failing group determines it, because it has the simplest failing cases. Within the
    group the verdict of highest precedence wins. A ban or a file that does not load takes
    precedence over all cases.
    """
    outcome = findings.outcome
    died_in = _group_of_death(findings)
    if outcome is not None and (outcome.code.is_overriding or died_in is None):
        return Decision(outcome.code, outcome.aspect, died_in, None, outcome)
    failed = [case for case in findings.cases if case.code is not Verdict.AC]
    for group in dict.fromkeys(group for group, _ in findings.plan):
        inside = [case for case in failed if case.group == group]
        dead = outcome if group == died_in else None
        codes = [case.code for case in inside] + ([dead.code] if dead else [])
        if not codes:
            continue
        code = worst(codes)
        case = next((case for case in inside if case.code is code), None)
        if case is None:
            assert dead is not None, "a group fails by a case or by the end of a process"
            return Decision(dead.code, dead.aspect, group, None, dead)
        return Decision(case.code, case.aspect, group, case, None)
    return Decision(Verdict.AC, None, None, None, None)


def can_be_shown(order: Order, verdict: Verdict) -> bool:
    """Return whether a case's answer can show the verdict, so that a smaller case can, too.

    A rank or a run that waits forever is found in a case. Any other program that hangs has ended.
    """
    return verdict.can_be_shrunk or (order.assignment.row.is_led and verdict is Verdict.HUNG)


def shown_case(
    order: Order, findings: Findings, deciding: CaseResult | None, named: int | None
) -> int | None:
    """Return the index of the case to show: one that the named misconception gets wrong alike.

    It may be in another group than the deciding case. Without a misconception the deciding case is
    shown. Return None if a smaller case cannot show the fault.
    """
    found = next((case for case in findings.cases if case.index == named), deciding)
    return found.index if found is not None and can_be_shown(order, found.code) else None


def _group_of_death(findings: Findings) -> str | None:
    """Return the group of the case in which the process ended; None if it ended before a case."""
    if findings.outcome is None or findings.outcome.code is Verdict.CE or not findings.plan:
        return None
    if findings.outcome.at_load:
        return None
    position = min(len(findings.cases), len(findings.plan) - 1)
    return findings.plan[position][0]


def build_report(order: Order, findings: Findings, isolation: Isolation, time_ms: float) -> Report:
    """Return the report; later steps add the misconception, the smallest case and the receipt."""
    decision = decide(findings)
    outcome, case = decision.outcome, decision.case
    details = findings.details.get(case.index, ()) if case is not None else ()
    detail = (
        outcome.detail
        if outcome is not None
        else next((d.detail for d in sorted(details, key=_decides(decision)) if d.detail), None)
    )
    error = outcome.error if outcome is not None else None
    if error is None and details:
        error = next((clean_error(each.raised) for each in details if each.raised), None)
    failed = [case.group for case in findings.cases if case.code is not Verdict.AC]
    if decision.group is not None:
        failed.append(decision.group)
    groups = dict.fromkeys(group for group, _ in findings.plan)
    return Report(
        problem=order.assignment.problem_id,
        verdict=decision.code,
        aspect=decision.aspect,
        group=decision.group,
        isolation=isolation,
        cases=tuple(findings.cases),
        planned=len(findings.plan),
        failed_groups=tuple(group for group in groups if group in failed),
        time_ms=round(time_ms, 1),
        cpu_s=findings.cpu_s,
        max_rss_kib=findings.max_rss_kib,
        detail=_printable_words(detail),
        error=place_error(error, order.source),
        forbidden=_with_text(outcome.forbidden, order.source) if outcome is not None else None,
        stdout=findings.stdout,
        subtasks=_subtasks(order, findings),
        native=_native(findings, decision) if order.assignment.native is not None else None,
        misconception=None,
        saved=_saved(findings) if decision.code is Verdict.AC else None,
        smallest=None,
        receipt=None,
    )


def _saved(findings: Findings) -> SavedBytes | None:
    """Return the sum of the bytes saved for backward; None if no case measures them."""
    if not findings.saved:
        return None
    return SavedBytes(
        num_bytes=sum(each.num_bytes for each in findings.saved),
        argument_bytes=sum(each.argument_bytes for each in findings.saved),
    )


def _decides(decision: Decision) -> Callable[[FoundWrong], bool]:
    """Return a sort key that puts the faults with the final verdict first."""
    return lambda each: each.code is not decision.code


def _subtasks(order: Order, findings: Findings) -> tuple[SubtaskResult, ...]:
    """Return the subtasks; a subtask is earned if all cases of its groups are right.

    The result is empty if the order names groups, or if the submission was not loaded.
    """
    at_load = findings.outcome is not None and findings.outcome.at_load
    if order.groups is not None or at_load or not findings.plan:
        return ()
    right = {(each.group, each.index) for each in findings.cases if each.code is Verdict.AC}
    return tuple(
        SubtaskResult(
            name=subtask.name,
            title=Words(en=subtask.title.en, zh=subtask.title.zh),
            points=subtask.points,
            earned=all(
                (group, index) in right for group, index in findings.plan if group in subtask.groups
            ),
        )
        for subtask in order.assignment.subtasks
    )


def _native(findings: Findings, decision: Decision) -> NativeReport:
    """Return the native part of the report; a later step adds the findings and the counters."""
    return NativeReport(
        # A wrong kernel earns no star.
        stars=tuple(findings.stars) if decision.code is Verdict.AC else (),
        found=(),
        drawn=None,
        counters=(),
        profile=None,
        nvcc=None,
    )


def _with_text(forbidden: Forbidden | None, source: str) -> Forbidden | None:
    """Add the source line of a banned call; the process reported only its number."""
    if forbidden is None or forbidden.text or not forbidden.line:
        return forbidden
    text = line_of(source, forbidden.line, forbidden.file)
    return msgspec.structs.replace(forbidden, text=printable(text))


def internal_error(order: Order, reason: str, isolation: Isolation) -> Report:
    """Return the report of a job that the judge could not finish."""
    detail = both("judge.outcome.internal", reason=excerpt(printable(reason), max_chars=600))
    return _fault(order.assignment.problem_id, detail, isolation)


def interrupted_report(problem: str, count: int) -> Report:
    """Return the report of a submission that was interrupted too often."""
    return _fault(problem, both("judge.outcome.interrupted", count=count), Isolation.NONE)


def damaged_report(problem: str, submission: str) -> Report:
    """Return the report of a submission whose stored text is damaged, so that it is not judged."""
    return _fault(problem, both("judge.outcome.damaged", id=submission), Isolation.NONE)


def _fault(problem: str, detail: Mapping[str, str], isolation: Isolation) -> Report:
    return Report(
        problem=problem,
        verdict=Verdict.IE,
        aspect=None,
        group=None,
        isolation=isolation,
        cases=(),
        planned=0,
        failed_groups=(),
        time_ms=0.0,
        cpu_s=None,
        max_rss_kib=None,
        detail=_printable_words(detail),
        error=None,
        forbidden=None,
        stdout="",
        misconception=None,
        smallest=None,
        receipt=None,
    )


def smallest_of(found: SmallestFailure) -> Smallest:
    """Return the smallest case for a report: valid in JSON, with the submission's text cleaned."""
    return Smallest(
        group=found.group,
        index=found.index,
        regime=found.regime,
        inputs=tuple(
            SmallestInput(name=each.name, preview=_clean(each.preview)) for each in found.inputs
        ),
        rows=tuple(_row(each) for each in found.rows),
    )


def symptoms_of(named: Named) -> tuple[Symptom, ...]:
    """Return the symptoms for a report, with clean text."""
    return tuple(
        Symptom(name=each.name, words=words, cases=each.cases)
        for each in named.symptoms
        if (words := _printable_words(each.words)) is not None
    )


def _row(row: WrongRow) -> SmallestRow:
    worst = row.worst
    return SmallestRow(
        code=row.code,
        aspect=row.aspect,
        key=row.key,
        name=row.name,
        # A case without a number counts as infinitely wrong.
        ratio="inf" if row.ratio is None else spell(row.ratio),
        detail=_printable_words(row.detail),
        raised=clean_error(row.raised),
        expected=None if row.expected is None else _clean(row.expected),
        actual=None if row.actual is None else _clean(row.actual),
        worst=None
        if worst is None
        else Worst(index=worst.index, ulp=spell(worst.ulp), relative=spell(worst.relative)),
    )


def _clean(preview: Preview) -> Preview:
    if isinstance(preview, ValuePreview):
        return ValuePreview(text=printable(preview.text))
    return preview


def _printable_words(words: Mapping[str, str] | None) -> Words | None:
    if not words:
        return None
    return Words(**{lang: printable(words[lang])[:2000] for lang in LANGS})
