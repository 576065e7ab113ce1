"""Verify a report: repeat the draw, the marking, the scoring and the judging."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from torchstone.app.home import Home
from torchstone.app.interview.marking import Judge, judge_with, mark_item
from torchstone.app.interview.material import Material, read_material
from torchstone.app.interview.reporting import report_on
from torchstone.app.interview.running import plan_for
from torchstone.app.judging.source import decode_text, read_content
from torchstone.core.errors import BadInput, TorchstoneError
from torchstone.interview.events import Event, What, first_broken
from torchstone.interview.item import Kind
from torchstone.interview.mark import Mark
from torchstone.interview.plan import Plan
from torchstone.interview.report import NOT_HASHED, SCHEMA, report_hash
from torchstone.interview.session import setting_of

HOLDS, DIFFERS, NOT_COMPARABLE = "holds", "differs", "not_comparable"
_MAX_BYTES = 32_000_000
_PLAN_KEYS = frozenset({"seed", "level", "minutes", "mode", "format", "plan_hash", "bank_hash"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Difference between a report and its events.

    Args:
        check: Check that found it: hash, chain, plan, marks, scores or code.
        where: Path of the value in the report.
        line: Line in the file.
    """

    check: str
    where: str
    line: int | None
    stored: Any
    computed: Any


def verify_report(home: Home, path: Path, judge: Judge | None = None) -> dict[str, Any]:
    """Verify a report and return the results, as JSON.

    Raises:
        BadInput: The file is not a report of an interview.
    """
    text = decode_text(path, read_content(path, max_bytes=_MAX_BYTES).data)
    report = _read(path, text)
    events = _events(path, report)
    lines = _lines_of(text)
    material = read_material(home)
    found = [*_differences(material, report, events, judge or judge_with(material))]
    placed = [
        Difference(
            check=each.check,
            where=each.where,
            line=lines.get(each.where),
            stored=each.stored,
            computed=each.computed,
        )
        for each in found
    ]
    is_comparable = events[0].body["bank_hash"] == material.pool.hash
    checks = {
        name: DIFFERS if any(each.check == name for each in placed) else HOLDS
        for name in ("chain", "plan", "marks", "scores", "code")
    }
    if not is_comparable:
        checks |= {name: NOT_COMPARABLE for name in ("plan", "marks", "code", "scores")}
    return {
        "hash_holds": not any(each.check == "hash" for each in placed),
        **checks,
        "conclusion": DIFFERS if placed else (HOLDS if is_comparable else NOT_COMPARABLE),
        "differences": [asdict(each) for each in placed],
    }


def _differences(
    material: Material, report: dict[str, Any], events: list[Event], judge: Judge
) -> Iterator[Difference]:
    if report.get("hash") != report_hash(report):
        yield _differ("hash", "hash", report.get("hash"), report_hash(report))
    broken = first_broken(events)
    if broken is not None:
        where = f"replay.events[{broken - 1}]"
        yield _differ("chain", where, events[broken - 1].hash, "-")
    header = events[0].body
    if header["bank_hash"] != material.pool.hash:
        return
    plan = plan_for(material, setting_of(header))
    if header["plan_hash"] != plan.hash:
        yield _differ("plan", "replay.events[0].body.plan_hash", header["plan_hash"], plan.hash)
    yield from _remark(material, events, judge)
    yield from _refold(material, plan, report, events)


def _remark(material: Material, events: list[Event], judge: Judge) -> Iterator[Difference]:
    """Repeat the marking of every stored answer."""
    answers: dict[str, tuple[str, list[str] | None]] = {}
    for index, event in enumerate(events):
        if event.kind is What.ANSWERED:
            answers[event.body["item"]] = (event.body["text"], event.body.get("set"))
        elif event.kind is What.MARKED:
            item = material.pool.get(event.body["item"])
            text, chosen = answers.get(item.id, ("", None))
            stored = msgspec.convert(event.body["mark"], Mark)
            again = mark_item(material, item, text, chosen, judge)
            if again != stored:
                check = "code" if item.kind is Kind.CODE else "marks"
                where = f"replay.events[{index}].body.mark.points"
                yield _differ(check, where, stored.points, again.points)


def _refold(
    material: Material, plan: Plan, report: dict[str, Any], events: list[Event]
) -> Iterator[Difference]:
    """Recompute the report from its events, and compare every value."""
    again = report_on(material, plan, events, name=str(report.get("id")))
    for where, stored, computed in _compare(report, again, ""):
        top = where.partition(".")[0].partition("[")[0]
        if top == "replay" or top in NOT_HASHED:
            continue
        yield _differ("plan" if top in _PLAN_KEYS else "scores", where, stored, computed)


def _differ(check: str, where: str, stored: object, computed: object) -> Difference:
    return Difference(check=check, where=where, line=None, stored=stored, computed=computed)


def _compare(stored: object, computed: object, where: str) -> Iterator[tuple[str, object, object]]:
    if isinstance(stored, dict) and isinstance(computed, dict):
        for key in sorted(stored.keys() | computed.keys()):
            below = f"{where}.{key}" if where else key
            yield from _compare(stored.get(key), computed.get(key), below)
    elif isinstance(stored, list) and isinstance(computed, list):
        for index in range(max(len(stored), len(computed))):
            one = stored[index] if index < len(stored) else None
            other = computed[index] if index < len(computed) else None
            yield from _compare(one, other, f"{where}[{index}]")
    elif stored != computed:
        yield where, stored, computed


def _read(path: Path, text: str) -> dict[str, Any]:
    try:
        report = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadInput("interview.report_unreadable", path=path, reason=error) from error
    if not isinstance(report, dict) or "replay" not in report:
        raise BadInput("interview.report_foreign", path=path)
    if report.get("schema") != SCHEMA:
        came = report.get("schema")
        raise BadInput("interview.report_schema", path=path, came=came, known=SCHEMA)
    return report


def _events(path: Path, report: Mapping[str, Any]) -> list[Event]:
    try:
        events = msgspec.convert(report["replay"]["events"], list[Event])
        if not events or events[0].kind is not What.BEGUN:
            raise ValueError("the first event begins no interview")
        setting_of(events[0].body)
        events[0].body["bank_hash"], events[0].body["plan_hash"]
    except (KeyError, TypeError, ValueError, TorchstoneError) as error:
        raise BadInput("interview.report_events", path=path, reason=error) from error
    return events


def _lines_of(text: str) -> dict[str, int]:
    """Return the line of every value, if the file is formatted as written by the program."""
    lines: dict[str, int] = {}
    stack: list[tuple[str, int]] = []
    for number, line in enumerate(text.splitlines(), 1):
        word = line.strip()
        if word[:1] in ("}", "]"):
            if stack:
                stack.pop()
            continue
        where = _place(stack, word)
        lines.setdefault(where, number)
        if word.endswith(("{", "[")):
            stack.append((where, -1 if word.endswith("{") else 0))
    return lines


def _place(stack: list[tuple[str, int]], word: str) -> str:
    """Return the path of the value that starts on a line."""
    if not stack:
        return ""
    above, index = stack[-1]
    if index >= 0:
        stack[-1] = (above, index + 1)
        return f"{above}[{index}]"
    key = json.JSONDecoder().raw_decode(word)[0] if word.startswith('"') else word
    return f"{above}.{key}" if above else str(key)
