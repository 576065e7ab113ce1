"""Interviewer's guide: what to ask, the model answer, and the remaining items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torchstone.app.interview.marking import asserted_lines
from torchstone.app.interview.material import Material
from torchstone.app.interview.running import Running
from torchstone.core.errors import BadInput
from torchstone.core.i18n import LANGS, both
from torchstone.interview.item import Item, Kind
from torchstone.interview.levels import Mode
from torchstone.interview.session import NUM_ANCHORS, Entry

Words = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """Interviewer's information about an item, hidden from the candidate.

    Args:
        purpose: Points of the outline that it assesses.
        answer: Model answer; empty for a program.
        points: Key points, criteria or groups to tick, with their weights.
        misconceptions: Possible misconceptions.
        probes: Follow-up questions, with an answer if there is one.
        anchors: Descriptions of answers of level 0, 1, 2 and 3.
    """

    purpose: tuple[Words, ...]
    answer: Words
    points: tuple[tuple[str, Words, int], ...]
    misconceptions: tuple[tuple[str, Words], ...]
    probes: tuple[tuple[Words, Words], ...]
    anchors: tuple[Words, ...]


def guide_to(material: Material, item: Item) -> Guide:
    """Return the guide of an item."""
    named = {point.id: point.words for point in material.outline.points}
    purpose = tuple(named[point] for point in item.points)
    if item.kind is Kind.CODE:
        return _to_program(material, item, purpose)
    if item.kind is Kind.OPEN:
        return _to_discussion(material, item, purpose)
    if item.kind is Kind.PREDICT:
        return _to_prediction(material, item, purpose)
    return _to_question(material, item, purpose)


def propose(entry: Entry) -> dict[str, Any] | None:
    """Return the automatic score as a proposal; None before a person's score is stored."""
    if entry.mark is None or entry.person is None:
        return None
    return {
        "score": round(entry.mark.score, 2),
        "anchor": round(entry.mark.score * (NUM_ANCHORS - 1)),
        "found": [each.id for each in entry.mark.found],
        "missed": list(entry.mark.missed),
        "mistakes": [each.id for each in entry.mark.mistakes],
    }


def take_written(running: Running, written: str) -> Entry:
    """Submit the candidate's text for the current item; a program is judged."""
    entry = running.session.current
    is_set = entry is not None and entry.item.kind is Kind.PREDICT
    return running.answer(written, written.replace(",", " ").split() if is_set else None)


def remaining(running: Running) -> tuple[tuple[Item, float], ...]:
    """Return the unasked items of the form, with their start minutes."""
    asked = {entry.item.id for entry in running.session.entries}
    minute = running.clock.elapsed_ms / 60_000
    left = []
    for offer in running.plan.offers:
        if offer.item.id not in asked:
            left.append((offer.item, round(minute, 1)))
            minute += offer.item.minutes
    return tuple(left)


def swap(running: Running, name: str, reason: str) -> Entry:
    """Replace the current item by another one; the form is then marked as changed.

    Raises:
        BadInput: No reason is given.
    """
    why = require_reason(reason)
    item = running.material.pool.get(name)
    if running.session.entry(item.id) is not None:
        # Checked before the current item is left: a refused swap has no effect.
        raise BadInput("interview.item_twice", item=item.id)
    if running.session.current is not None:
        running.skip(why)
    return running.take(name)


def require_reason(reason: str) -> str:
    """Return the reason for a change of the form.

    Raises:
        BadInput: There is none.
    """
    if not reason.strip():
        raise BadInput("interview.change_reason")
    return reason.strip()


def require_conduct(running: Running, name: str) -> None:
    """Check that a person conducts the interview.

    Raises:
        BadInput: The interview is held alone.
    """
    if running.plan.setting.mode is not Mode.CONDUCT:
        raise BadInput("interview.not_led", id=name)


def require_alone(running: Running, name: str) -> None:
    """Check that the interview is held alone.

    Raises:
        BadInput: A person conducts the interview.
    """
    if running.plan.setting.mode is not Mode.SELF:
        raise BadInput("interview.led", id=name)


def _to_question(material: Material, item: Item, purpose: tuple[Words, ...]) -> Guide:
    question = material.question(item)
    topic = material.home.questions.topic(question.topic_id)
    sections = {lang: topic.section(question.id, lang) for lang in LANGS}
    return Guide(
        purpose=purpose,
        answer={lang: each.short if each else "" for lang, each in sections.items()},
        points=tuple(
            (point.id, {"en": point.en, "zh": point.zh}, point.weight)
            for point in question.key_points
        ),
        misconceptions=tuple(
            (wrong.id, {"en": wrong.en, "zh": wrong.zh}) for wrong in question.misconceptions
        ),
        probes=(
            (
                both("interview.probe.follow_up"),
                {
                    lang: each.parts.get("follow_up", "") if each else ""
                    for lang, each in sections.items()
                },
            ),
        ),
        anchors=tuple(both(f"interview.anchor.{n}") for n in range(NUM_ANCHORS)),
    )


def _to_prediction(material: Material, item: Item, purpose: tuple[Words, ...]) -> Guide:
    right = material.change(item).fails
    lines = asserted_lines(material, item).items()
    failing = {claim: f"`{line}`" for claim, line in lines if claim in right}
    return Guide(
        purpose=purpose,
        answer={lang: "\n\n".join(failing.values()) for lang in LANGS},
        points=tuple((claim, {"en": line, "zh": line}, 1) for claim, line in failing.items()),
        misconceptions=(),
        probes=((both("interview.probe.why"), {"en": "", "zh": ""}),),
        anchors=tuple(both(f"interview.anchor_set.{n}") for n in range(NUM_ANCHORS)),
    )


def _to_discussion(material: Material, item: Item, purpose: tuple[Words, ...]) -> Guide:
    opened = material.open_item(item)
    anchors = tuple({"en": each.en, "zh": each.zh} for each in opened.anchors)
    return Guide(
        purpose=purpose,
        answer=anchors[-1],
        points=tuple(
            (criterion.id, {"en": criterion.en, "zh": criterion.zh}, criterion.weight)
            for criterion in opened.criteria
        ),
        misconceptions=(),
        probes=tuple(
            ({"en": each.en, "zh": each.zh}, {"en": "", "zh": ""}) for each in opened.probes
        ),
        anchors=anchors,
    )


def _to_program(material: Material, item: Item, purpose: tuple[Words, ...]) -> Guide:
    problem = material.problem(item)
    return Guide(
        purpose=purpose,
        answer={"en": "", "zh": ""},
        points=(),
        misconceptions=(),
        probes=tuple(
            (
                {"en": each.question.en, "zh": each.question.zh},
                {"en": each.answer.en, "zh": each.answer.zh},
            )
            for each in problem.rubric.followups
        ),
        anchors=tuple(
            {"en": each.anchor.en, "zh": each.anchor.zh} for each in problem.rubric.levels
        ),
    )
