"""Build the item pool from questions, their variations, programs and open items."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec

from torchstone.bank.questions import Question
from torchstone.interview.item import CODE_POINTS, Item, Kind, Pool, make_pool
from torchstone.interview.levels import DIFFICULTY
from torchstone.interview.open_item import OpenItem
from torchstone.interview.outline import CodeTask, Outline

# Spoken answers take less than the planned time, which is for writing: model answers take 25 to 90
# s.
_SPOKEN_SHARE = 0.6
_LEAST_MINUTES = 2.0
_PREDICT_MINUTES = 2.0
_MOST_CLAIMS = 6
_RUNGS = {1: 1, 2: 2, 3: 4, 4: 4}
_CODE_DIFFICULTY = {1: -1.2, 2: -0.4, 3: 0.4, 4: 1.2, 5: 1.7}


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Facts of a problem of the bank that the pool needs."""

    id: str
    stars: int
    minutes: int
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingredients:
    """Sources of a pool."""

    outline: Outline
    questions: tuple[Question, ...]
    open_items: tuple[OpenItem, ...]
    tasks: tuple[CodeTask, ...]
    programs: Mapping[str, Program]


def build_pool(parts: Ingredients) -> Pool:
    """Create the items of all sources."""
    items = [*_asked(parts), *_opened(parts), *_programmed(parts)]
    content = hashlib.sha256(
        msgspec.json.encode(
            [
                [question for question in parts.questions],
                parts.open_items,
                [[program.id, program.hash] for program in parts.programs.values()],
            ],
            order="deterministic",
        )
    )
    return make_pool(items, content.hexdigest())


def points_of(outline: Outline, questions: Iterable[Question]) -> dict[str, tuple[str, ...]]:
    """Return the points of the outline that refer to each question or its topic."""
    named: dict[str, list[str]] = {}
    for point in outline.points:
        for name in point.questions:
            named.setdefault(name, []).append(point.id)
    return {
        question.id: tuple(sorted({*named.get(question.id, ()), *named.get(question.topic_id, ())}))
        for question in questions
    }


def _asked(parts: Ingredients) -> Iterator[Item]:
    points = points_of(parts.outline, parts.questions)
    for question in parts.questions:
        mine = points[question.id]
        if mine:
            # Later sections have fewer questions: a question belongs to the last section that
            # refers to it.
            section = int(mine[-1].partition(".")[0])
            yield _concept(parts.outline, question, section, mine)
            yield from _predictions(parts.outline, question, section, mine)


def _concept(outline: Outline, question: Question, section: int, points: tuple[str, ...]) -> Item:
    return Item(
        id=f"question:{question.id}",
        kind=Kind.CONCEPT,
        section=section,
        topic=question.topic_id,
        points=points,
        loads=outline.loads_of(section),
        b=DIFFICULTY[question.level],
        minutes=max(_LEAST_MINUTES, round(2 * _SPOKEN_SHARE * question.minutes) / 2),
        rung=_RUNGS[question.level],
        num_points=len(question.key_points),
        source=question.id,
    )


def _predictions(
    outline: Outline, question: Question, section: int, points: tuple[str, ...]
) -> Iterator[Item]:
    """Yield the variations that falsify some claims, but not all."""
    claims = {claim for change in question.changes for claim in change.fails}
    if len(claims) < 3:
        return
    for number, change in enumerate(question.changes, 1):
        if 1 < len(change.fails) < len(claims):
            yield Item(
                id=f"predict:{question.id}.{number}",
                kind=Kind.PREDICT,
                section=section,
                topic=question.topic_id,
                points=points,
                loads=outline.loads_of(section),
                b=DIFFICULTY[question.level],
                minutes=_PREDICT_MINUTES,
                rung=3,
                num_points=min(_MOST_CLAIMS, len(claims)),
                source=f"{question.id}.{number}",
            )


def _opened(parts: Ingredients) -> Iterator[Item]:
    for each in parts.open_items:
        yield Item(
            id=f"open:{each.id}",
            kind=Kind.OPEN,
            section=each.section,
            topic=f"open:{each.id}",
            points=each.points,
            loads=each.loads or parts.outline.loads_of(each.section),
            b=DIFFICULTY[each.level],
            minutes=each.minutes,
            rung=4,
            num_points=len(each.criteria),
            source=each.id,
        )


def _programmed(parts: Ingredients) -> Iterator[Item]:
    for task in parts.tasks:
        for number, variant in enumerate(task.variants, 1):
            program = parts.programs.get(variant.problem)
            if program is None:
                continue
            yield Item(
                id=f"{task.family}-{number}",
                kind=Kind.CODE,
                section=task.section,
                topic=task.family,
                points=task.points,
                loads=parts.outline.loads_of(task.section),
                b=_CODE_DIFFICULTY[program.stars],
                minutes=float(program.minutes),
                rung=3,
                num_points=CODE_POINTS,
                source=variant.problem,
                family=task.family,
                group=task.kind,
                practice=task.practice,
            )
