"""Decide the verdict from what was found, and write the report."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from torchstone.core.i18n import both
from torchstone.core.verdict import Verdict, worst
from torchstone.judge.contestant import clean_error, printable
from torchstone.judge.excerpt import excerpt
from torchstone.judge.order import CaseResult, Findings, Order, Outcome


@dataclass(frozen=True, slots=True)
class Decision:
    """Hold a verdict and the case that decided it, if a case did."""

    code: str
    aspect: str | None
    group: str | None
    case: CaseResult | None
    outcome: Outcome | None


def decide(findings: Findings) -> Decision:
    """Decide the verdict of a job.

    The first group that fails decides, because it is the simplest thing that is wrong; inside the
    group the verdict of highest precedence. A broken ban and a file that cannot be judged override.
    """
    outcome = findings.outcome
    died_in = _group_of_death(findings)
    if outcome is not None and (Verdict(outcome.code).is_overriding or died_in is None):
        return Decision(outcome.code, outcome.aspect, died_in, None, outcome)
    failed = [case for case in findings.cases if case.code != "AC"]
    for group in dict.fromkeys(group for group, _ in findings.plan):
        inside = [case for case in failed if case.group == group]
        dead = outcome if group == died_in else None
        codes = [Verdict(case.code) for case in inside] + ([Verdict(dead.code)] if dead else [])
        if not codes:
            continue
        code = worst(codes)
        case = next((case for case in inside if case.code == code), None)
        if case is None:
            assert dead is not None, "a group fails by a case or by a death"
            return Decision(dead.code, dead.aspect, group, None, dead)
        return Decision(case.code, case.aspect, group, case, None)
    return Decision("AC", None, None, None, None)


def _group_of_death(findings: Findings) -> str | None:
    """Return the group in whose case the process ended; ``None`` when it ended before the first."""
    if findings.outcome is None or findings.outcome.code == "CE" or not findings.plan:
        return None
    if findings.outcome.at_load:
        return None
    position = min(len(findings.cases), len(findings.plan) - 1)
    return findings.plan[position][0]


def build_report(
    order: Order, findings: Findings, isolation: str, time_ms: float
) -> dict[str, Any]:
    """Write the report; misconception, smallest case and receipt are filled in later."""
    decision = decide(findings)
    outcome, case = decision.outcome, decision.case
    details = findings.details.get(case.index, []) if case is not None else []
    detail = (
        outcome.detail
        if outcome is not None
        else next(
            (d["detail"] for d in sorted(details, key=_decides(decision)) if d["detail"]), None
        )
    )
    error = outcome.error if outcome is not None else None
    if error is None and details:
        error = next((clean_error(each["raised"]) for each in details if each["raised"]), None)
    failed = [case.group for case in findings.cases if case.code != "AC"]
    if decision.group is not None:
        failed.append(decision.group)
    groups = dict.fromkeys(group for group, _ in findings.plan)
    return {
        "problem": order.assignment.problem_id,
        "verdict": decision.code,
        "aspect": decision.aspect,
        "group": decision.group,
        "isolation": isolation,
        "cases": [each.event() for each in findings.cases],
        "planned": len(findings.plan),
        "failed_groups": [group for group in groups if group in failed],
        "time_ms": round(time_ms, 1),
        "cpu_s": findings.cpu_s,
        "max_rss_kib": findings.max_rss_kib,
        "detail": _printable_words(detail),
        "error": error,
        "forbidden": _with_text(outcome.forbidden, order.source) if outcome is not None else None,
        "stdout": findings.stdout,
        "subtasks": _subtasks(order, findings),
        "native": _native(findings, decision) if order.assignment.native is not None else None,
        "misconception": None,
        "smallest": None,
        "receipt": None,
    }


def _decides(decision: Decision) -> Callable[[dict[str, Any]], bool]:
    """Put what led to the verdict before whatever else is wrong with the case."""
    return lambda each: each.get("code") != decision.code


def _subtasks(order: Order, findings: Findings) -> list[dict[str, Any]]:
    """List the subtasks with their points; one is earned if all cases of its groups are right.

    Nothing is said where only some groups were asked for.
    """
    if order.groups is not None or (findings.outcome is not None and findings.outcome.at_load):
        return []
    right = {(each.group, each.index) for each in findings.cases if each.code == "AC"}
    return [
        {
            "name": subtask.name,
            "title": {"en": subtask.title.en, "zh": subtask.title.zh},
            "points": subtask.points,
            "earned": all(
                (group, index) in right for group, index in findings.plan if group in subtask.groups
            ),
        }
        for subtask in order.assignment.subtasks
    ]


def _native(findings: Findings, decision: Decision) -> dict[str, Any]:
    """Build the native part of the report; findings and counters are filled in later."""
    return {
        # What a wrong kernel counts is no merit.
        "stars": findings.stars if decision.code == "AC" else [],
        "found": [],
        "drawn": None,
        "counters": [],
        "profile": None,
        "nvcc": None,
    }


def _with_text(forbidden: dict[str, Any] | None, source: str) -> dict[str, Any] | None:
    """Add the line of the file that reached the ban; the kernel that raised knows its number."""
    if forbidden is None or forbidden.get("text") or not forbidden.get("line"):
        return forbidden
    lines = source.splitlines()
    number = int(forbidden["line"])
    text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
    return forbidden | {"text": printable(text)}


def internal_error(order: Order, reason: str, isolation: str) -> dict[str, Any]:
    """Write the report of a job that the judge could not finish."""
    findings = Findings()
    findings.outcome = Outcome(
        code="IE",
        detail=both("judge.outcome.internal", reason=excerpt(printable(reason), max_chars=600)),
    )
    return build_report(order, findings, isolation, 0.0)


def number_of_shown(smallest: dict[str, Any]) -> dict[str, Any]:
    """Spell what JSON cannot hold, and clean what the submission wrote."""
    for row in smallest["rows"]:
        ratio = row["ratio"]
        row["ratio"] = ratio if ratio is not None and math.isfinite(ratio) else "inf"
        row["raised"] = clean_error(row["raised"])
        for measure in ("ulp", "relative") if row["worst"] else ():
            number = row["worst"][measure]
            row["worst"][measure] = number if math.isfinite(number) else "inf"
        row["detail"] = _printable_words(row["detail"])
    for item in [*smallest["inputs"], *smallest["rows"]]:
        for key in ("preview", "expected", "actual"):
            if item.get(key) and item[key].get("text"):
                item[key]["text"] = printable(item[key]["text"])
    return smallest


def _printable_words(words: dict[str, str] | None) -> dict[str, str] | None:
    return {lang: printable(text)[:2000] for lang, text in words.items()} if words else None
