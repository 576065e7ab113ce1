"""The marker of free text as the use cases call it: questions of the bank in, marks out."""

from __future__ import annotations

from pathlib import Path

import msgspec

from torchstone.app.home import Home
from torchstone.bank.questions import KeyPoint, Misconception, Question
from torchstone.bank.table import read_table
from torchstone.core.errors import BadInput
from torchstone.core.i18n import Lang
from torchstone.study.marking import MAX_CHARS, Asked, Mark, Mistake, Point, mark

# What ``questions measure --record`` has written of the marker's agreement with people.
MEASURED = Path("questions") / "measured.toml"


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How well the marker agrees with people on the answers in one language.

    Attributes:
        answers: The number of answers that were compared.
        precision: The share of the found key points that a person credits, too.
        recall: The share of the points that a person credits that the marker finds.
        misconception_precision: The share of its accusations that a person makes, too.
    """

    answers: int
    precision: float
    recall: float
    misconception_precision: float


def mark_answer(question: Question, answer: str) -> Mark:
    """Mark an answer in free text.

    Raises:
        BadInput: It cannot be marked: it is empty, too long, a list of words, or the question.
    """
    marked = mark(answer, as_asked(question))
    if marked.refusal is not None:
        raise BadInput(f"app.answer_{marked.refusal}", question=question.id, most=MAX_CHARS)
    return marked


def published(home: Home, lang: Lang) -> Published | None:
    """Read how well the marker agrees with people in a language; None if it was not measured."""
    path = home.bank_root / MEASURED
    return read_table(path, dict[Lang, Published]).get(lang) if path.is_file() else None


def as_asked(question: Question) -> Asked:
    """Return a question as the marker sees it."""
    return Asked(
        id=question.id,
        words={"en": question.en, "zh": question.zh},
        points=tuple(
            Point(id=point.id, weight=point.weight, say=_wordings(point), words=_words(point))
            for point in question.key_points
        ),
        mistakes=tuple(
            Mistake(id=wrong.id, say=_wordings(wrong), words=_words(wrong))
            for wrong in question.misconceptions
        ),
        subjects=question.subjects,
    )


def _wordings(marked: KeyPoint | Misconception) -> dict[str, tuple[str, ...]]:
    return {"en": marked.say.en, "zh": marked.say.zh}


def _words(marked: KeyPoint | Misconception) -> dict[str, str]:
    return {"en": marked.en, "zh": marked.zh}
