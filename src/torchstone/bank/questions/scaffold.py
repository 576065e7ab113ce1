"""Scaffold of a new topic: a folder with every file, which the check then refuses."""

from __future__ import annotations

import re
from pathlib import Path

from torchstone.bank import template
from torchstone.bank.concepts import load_concepts
from torchstone.bank.questions.loader import FOLDER, load_questions
from torchstone.bank.questions.syllabus import load_syllabus
from torchstone.bank.questions.texts import HEADINGS
from torchstone.core.errors import BadInput
from torchstone.core.i18n import LANGS, Lang

_NO_SLUG = re.compile(r"[^a-z0-9]+")


def scaffold_topic(root: Path, number: str) -> Path:
    """Write the folder of a new topic under ``root/questions``.

    Args:
        root: The folder of the content.
        number: The number of the topic, ``"2.3.1.1"``.

    Returns:
        The folder.

    Raises:
        BadInput: The syllabus has no such topic, or its folder exists.
    """
    num_questions = load_syllabus().get(number, 0)
    if not num_questions:
        raise BadInput("bank.topic_unplanned", id=number)
    taken = load_questions(root).folders.get(number)
    if taken is not None:
        raise BadInput("bank.topic_taken", id=number, folder=taken.name)
    name = load_concepts().path(number)[-1].name
    slug = _NO_SLUG.sub("_", name.en.lower()).strip("_")
    folder = root / FOLDER / f"{number}_{slug}"
    asked = [f"{number}.{place}" for place in range(1, num_questions + 1)]
    values = {
        "number": number,
        "slug": slug,
        "questions": "\n".join(template.fill("topic", "question.toml", id=each) for each in asked),
        "cells": "\n\n".join(f"# %% {each} a name of the cell" for each in asked),
        "answers": "\n".join(_answers(each) for each in asked),
        **{f"sections_{lang}": "\n".join(_section(each, lang) for each in asked) for lang in LANGS},
        "title_en": name.en,
        "title_zh": name.zh,
    }
    try:
        folder.mkdir(parents=True)
        for file in ("topic.toml", "demo.py", "en.md", "zh.md", "answers.toml"):
            text = template.fill("topic", file, **values)
            (folder / file).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInput("bank.unwritable", path=folder, reason=error.strerror) from error
    return folder


def _section(question: str, lang: Lang) -> str:
    heads = "\n".join(f"### {heading}\n" for heading in HEADINGS[lang])
    return f"## {question} ?\n\n{heads}"


def _answers(question: str) -> str:
    return "\n".join(
        template.fill("topic", "answer.toml", id=question, lang=lang) for lang in LANGS
    )
