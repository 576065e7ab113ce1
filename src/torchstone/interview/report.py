"""Report of an interview as data, computed from its events alone."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from torchstone.interview.ability import DIMENSIONS, WEIGHTS, estimate, place
from torchstone.interview.events import Event
from torchstone.interview.item import Item, Kind, Pool
from torchstone.interview.plan import Plan
from torchstone.interview.scoring import Result, score_entries
from torchstone.interview.session import Entry, Folder, Session

SCHEMA = 1
NUM_STEPS = 5
NOT_HASHED = frozenset({"hash", "ok", "unused_lines"})
_MOST_WORTH = 1.0

Words = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Text of an item and its points, in both languages.

    Args:
        asked: Text of the question.
        points: Id of a point, criterion, claim, group or misconception -> its sentence.
    """

    asked: Words
    points: Mapping[str, Words]


def make_report(
    pool: Pool,
    plan: Plan,
    events: Sequence[Event],
    wordings: Mapping[str, Wording],
    *,
    name: str,
) -> dict[str, Any]:
    """Return the report as JSON.

    Args:
        pool: Item pool.
        plan: Plan of the interview.
        events: All events.
        wordings: Text of each item of ``needed_wordings``.
        name: Id of the interview.
    """
    session = Folder(pool).fold(events)
    result = score_entries(session.setting, session.entries)
    content = {
        "schema": SCHEMA,
        "id": name,
        "interview": name,
        **_facts(session, plan),
        "items": [_item(entry, wordings[entry.item.id]) for entry in session.entries],
        "dimensions": {
            dimension: {
                "score": round(result.scale.dimensions[d], 1),
                "se": round(result.scale.errors[d], 1),
            }
            for d, dimension in enumerate(DIMENSIONS)
        },
        "total": {"score": round(result.scale.total, 1), "se": round(result.scale.error, 1)},
        "verdict": _verdict(result),
        "levels": {str(level): round(chance, 3) for level, chance in result.levels.items()},
        "level_reached": str(result.level) if result.level else None,
        "evidence": list(_evidence(session, wordings)),
        "misconceptions": list(_misconceptions(session, wordings)),
        "advice": _advice(pool, session, wordings),
        "notes": [
            {
                "elapsed_s": note.elapsed_ms / 1000,
                "item": note.item,
                "text": note.text,
                "is_quote": note.is_quote,
            }
            for note in session.notes
        ],
        "timeline": _timeline(session),
        "replay": {"events": [msgspec.to_builtins(event) for event in events]},
        "chain_hash": events[-1].hash,
    }
    return {**content, "hash": report_hash(content)}


def report_hash(report: Mapping[str, Any]) -> str:
    """Return the hash of a report, without the hash field and fields added by commands."""
    content = {key: value for key, value in report.items() if key not in NOT_HASHED}
    text = msgspec.json.encode(content, order="deterministic")
    return hashlib.sha256(text).hexdigest()


def needed_wordings(pool: Pool, session: Session) -> tuple[Item, ...]:
    """Return the items whose text the report needs: those asked, and those recommended."""
    asked = [entry.item for entry in session.entries]
    return (*asked, *(step.item for step in _steps(pool, session) if step.item not in asked))


def _facts(session: Session, plan: Plan) -> dict[str, Any]:
    setting = session.setting
    asked = [entry.item.id for entry in session.entries]
    return {
        "level": str(setting.level),
        "minutes": setting.minutes,
        "mode": str(setting.mode),
        "format": setting.format,
        "form": _form(session, [offer.item.id for offer in plan.offers], asked),
        "seed": setting.seed,
        "plan_hash": session.header["plan_hash"],
        "bank_hash": session.header["bank_hash"],
        "versions": {"torchstone": session.header["torchstone"], "report": SCHEMA},
        "label": session.header["label"],
        "accommodations": {"factor": setting.factor},
        "interruptions": list(session.interruptions),
        "interviewers": [],
        "comparison": None,
        "state": session.state,
        "ended": session.ended,
        "elapsed_s": session.elapsed_ms / 1000,
        "is_indication": setting.format == "quick",
    }


def _form(session: Session, planned: list[str], asked: list[str]) -> str:
    if str(session.setting.mode) == "self":
        return "adaptive"
    return "fixed" if asked == planned[: len(asked)] else "changed"


def _item(entry: Entry, wording: Wording) -> dict[str, Any]:
    item, mark = entry.item, entry.mark
    ended = entry.ended_ms if entry.ended_ms is not None else entry.begun_ms
    return {
        "id": item.id,
        "kind": str(item.kind),
        "section": item.section,
        "rung": item.rung,
        "b": item.b,
        "asked": wording.asked,
        "minutes": item.minutes,
        "used_s": (ended - entry.begun_ms) / 1000,
        "is_cut_off": entry.is_cut_off,
        "rule": str(entry.offer.rule),
        "because": str(entry.offer.because),
        "score": None if entry.score is None else round(entry.score, 4),
        "by": entry.by,
        "weight": entry.past().weight,
        "machine_score": None if mark is None else round(mark.score, 4),
        "human_score": None if entry.person is None else round(entry.person.score, 4),
        "anchor": None if entry.person is None else entry.person.anchor,
        "quote": None if entry.person is None else entry.person.evidence,
        "verdict": None if mark is None else mark.verdict,
        "refusal": None if mark is None else mark.refusal,
        "is_unsure": mark is not None and mark.is_unsure and entry.person is None,
        "skipped": entry.skipped,
        "submission": None,
        "receipt_id": None,
        "events": list(entry.events),
    }


def _verdict(result: Result) -> dict[str, Any]:
    verdict = result.verdict
    return {
        "word": str(verdict.word) if verdict.word else None,
        "band_low": str(verdict.low),
        "band_high": str(verdict.high),
        "enough": verdict.enough,
        "missing_minutes": verdict.missing_minutes,
        "missing_in": verdict.missing_in or None,
        "capped_by": verdict.capped_by or None,
    }


def _evidence(session: Session, wordings: Mapping[str, Wording]) -> Iterable[dict[str, Any]]:
    """Yield a row for each point of each answer: hit, missed or wrong."""
    for entry in session.entries:
        mark = entry.mark
        if mark is None:
            continue
        points = wordings[entry.item.id].points
        loads = entry.item.loads
        shared = {
            "item": entry.item.id,
            "dimension": DIMENSIONS[loads.index(max(loads))],
        }
        lines = [("hit", each.id, each.quote) for each in mark.found]
        lines += [("missed", each, "") for each in mark.missed]
        lines += [("wrong", each.id, each.quote) for each in mark.mistakes]
        for what, point, quote in lines:
            yield {
                **shared,
                "point": point,
                "words": points.get(point, {"en": point, "zh": point}),
                "what": what,
                "quote": quote,
            }


def _misconceptions(session: Session, wordings: Mapping[str, Wording]) -> Iterable[dict[str, Any]]:
    for entry in session.entries:
        if entry.mark is None or entry.item.kind is Kind.PREDICT:
            continue
        points = wordings[entry.item.id].points
        for each in entry.mark.mistakes:
            yield {
                "item": entry.item.id,
                "id": each.id,
                "words": points.get(each.id, {"en": each.id, "zh": each.id}),
                "quote": each.quote,
            }


def _timeline(session: Session) -> list[dict[str, Any]]:
    """Return the total after each answer, with its error, and the item's difficulty."""
    drawn, responses = [], []
    mean, start = session.setting.mean, None
    for entry in session.entries:
        response = entry.past().response() if entry.is_over else None
        if response is None:
            continue
        responses.append(response)
        ability = estimate(responses, mean, start=start)
        start = ability.theta
        scale = place(ability, mean)
        drawn.append(
            {
                "item": entry.item.id,
                "minute": round((entry.ended_ms or 0) / 60_000, 1),
                "b": entry.item.b,
                "score": round(response.score, 4),
                "total": round(scale.total, 1),
                "se": round(scale.error, 1),
            }
        )
    return drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    item: Item
    gain: float
    why: str


def _steps(pool: Pool, session: Session) -> list[_Step]:
    """Return the next steps: the items whose mastery would raise the total most."""
    setting = session.setting
    over = [entry for entry in session.entries if entry.is_over and entry.score is not None]
    responses = [each for entry in over if (each := entry.past().response())]
    ability = estimate(responses, setting.mean)
    total = place(ability, setting.mean).total
    steps = []
    for index, entry in enumerate(over):
        if (
            entry.score is not None
            and entry.score < _MOST_WORTH
            and entry.item.kind is not Kind.OPEN
        ):
            better = [*responses]
            better[index] = entry.item.response(1.0, weight=entry.past().weight)
            raised = place(estimate(better, setting.mean, start=ability.theta), setting.mean)
            steps.append(_Step(item=entry.item, gain=raised.total - total, why="missed"))
    steps.sort(key=lambda step: (-round(step.gain, 3), step.item.id))
    if len(steps) < NUM_STEPS:
        steps += _new_steps(pool, session, ability.theta)
    return steps[:NUM_STEPS]


def _new_steps(pool: Pool, session: Session, theta: Sequence[float]) -> list[_Step]:
    """Return unasked questions, starting with the dimension of lowest score."""
    asked = {entry.item.topic for entry in session.entries}
    weakest = min(range(len(WEIGHTS)), key=lambda d: (round(theta[d], 6), d))
    fresh = [item for item in pool if item.kind is Kind.CONCEPT and item.topic not in asked]
    fresh.sort(key=lambda item: (-item.loads[weakest], abs(item.b - theta[weakest]), item.id))
    chosen: dict[str, Item] = {}
    for item in fresh:
        chosen.setdefault(item.topic, item)
    return [_Step(item=item, gain=0.0, why="new") for item in chosen.values()]


def _advice(pool: Pool, session: Session, wordings: Mapping[str, Wording]) -> list[dict[str, Any]]:
    return [
        {
            "item": step.item.id,
            "review": _review_item(step.item),
            "words": wordings[step.item.id].asked,
            "why": step.why,
            "gain": round(step.gain, 1),
        }
        for step in _steps(pool, session)
    ]


def _review_item(item: Item) -> str:
    """Return the item of the review log: a problem, or a question."""
    if item.kind is Kind.CODE:
        return item.practice
    number = item.source.rpartition(".")[0] if item.kind is Kind.PREDICT else item.source
    return f"question:{number}"
