"""Chapters, parts and concepts as the page lists them."""

from __future__ import annotations

from collections.abc import Iterable

from torchstone.bank.concepts import load_concepts
from torchstone.core.i18n import both
from torchstone.web.reports import model_of
from torchstone.web.schemas import Concept, Numbered, Words

NUM_PARTS = 5
# "4.2.2 normalisation layers": a topic is too specific for a filter, a section too general.
SHOWN_DEPTH = 3


def list_chapters() -> list[Numbered]:
    """Return the ten chapters of the curriculum."""
    return [
        Numbered(number=chapter.chapter, name=model_of(Words, chapter.name))
        for chapter in load_concepts().chapters
    ]


def list_parts() -> list[Numbered]:
    """Return the five parts of the bank."""
    return [
        Numbered(number=number, name=Words(**both(f"web.part.{number}")))
        for number in range(1, NUM_PARTS + 1)
    ]


def chapters_of(questions: Iterable[str]) -> list[int]:
    """Return the chapters of some questions, in order."""
    return list(load_concepts().chapters_of(questions))


def concepts_of(questions: Iterable[str]) -> list[Concept]:
    """Return the concepts of some questions, each once."""
    found = {}
    for question in questions:
        for concept in load_concepts().path(question)[:SHOWN_DEPTH][-1:]:
            found[concept.id] = Concept(id=concept.id, name=model_of(Words, concept.name))
    return list(found.values())
