"""Reading of questions: the list, and one question with or without its answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from torchstone.app.home import Home
from torchstone.bank.concepts import load_concepts
from torchstone.bank.questions.loader import load_questions
from torchstone.bank.questions.schema import Question
from torchstone.bank.questions.texts import PARTS
from torchstone.bank.questions.topic import Topic
from torchstone.core.i18n import LANGS

JsonObject = dict[str, Any]


def list_questions(
    home: Home, *, chapter: int | None = None, level: int | None = None
) -> tuple[JsonObject, ...]:
    """Return the topics with their questions.

    Args:
        home: The learner's home, with the bank.
        chapter: The number of a chapter; all by default.
        level: A level, 1 (junior) to 4 (expert); all by default.
    """
    bank = load_questions(home.bank_root)
    wanted = [number for number in bank.folders if chapter in (None, int(number.partition(".")[0]))]
    found = (_topic(bank.topic(number), level) for number in wanted)
    return tuple(topic for topic in found if topic["questions"])


def show_question(home: Home, number: str, *, with_answer: bool = False) -> JsonObject:
    """Return one question, with its answer only on request.

    Raises:
        NotFound: No question has this number.
    """
    bank = load_questions(home.bank_root)
    question = bank.question(number)
    shown = _question(question) | {"topic": _title(question.topic_id)}
    if with_answer:
        shown["answer"] = _answer(bank.topic(question.topic_id), question)
    return shown


def _topic(topic: Topic, level: int | None) -> JsonObject:
    chosen = [question for question in topic if level in (None, question.level)]
    return {
        "id": topic.id,
        "title": _title(topic.id),
        "needs": list(topic.spec.needs),
        "questions": [_question(question) for question in chosen],
    }


def _question(question: Question) -> JsonObject:
    return {
        "id": question.id,
        "level": question.level,
        "minutes": question.minutes,
        "question": {lang: question.words.said_in(lang) for lang in LANGS},
    }


def _answer(topic: Topic, question: Question) -> JsonObject:
    texts = {lang: topic.section(question.id, lang) for lang in LANGS}
    return {
        "parts": {
            lang: {part: section.parts.get(part, "") for part in PARTS}
            for lang, section in texts.items()
            if section is not None
        },
        "key_points": [
            {lang: point.words.said_in(lang) for lang in LANGS} for point in question.key_points
        ],
        "cells": [
            {"name": cell.name, "source": cell.source.strip("\n")}
            for cell in topic.demo.of(question.id)
        ],
    }


def _title(topic: str) -> JsonObject:
    path = load_concepts().path(topic)
    name = path[-1].name if path else None
    return {lang: name.said_in(lang) if name else topic for lang in LANGS}


def spoken_parts(answer: JsonObject, lang: str) -> Iterator[tuple[str, str]]:
    """Yield the parts of an answer in order, each cell where the text refers to it."""
    sources = {cell["name"]: cell["source"] for cell in answer["cells"]}
    for part in PARTS:
        text = answer["parts"].get(lang, {}).get(part, "")
        for name, source in sources.items():
            text = text.replace(f"```cell\n{name}\n```", f"```python\n{source}\n```")
        if text:
            yield part, text
