"""Marker of free text for use cases, with questions of the bank."""

from __future__ import annotations

from pathlib import Path

import msgspec

from torchstone.app.home import Home
from torchstone.bank.questions import KeyPoint, Misconception, Question
from torchstone.bank.table import read_table
from torchstone.core.errors import BadInput
from torchstone.core.i18n import Lang
from torchstone.study.marking import MAX_CHARS, Asked, Mark, Mistake, Point, mark

# Agreement with people, as written by ``questions measure --record``.
MEASURED = Path("questions") / "measured.toml"


class Published(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Agreement of the marker with people on answers in one language.

    Attributes:
        answers: Number of compared answers.
        precision: Share of found key points that a person credits as well.
        recall: Share of points credited by a person that the marker finds.
        misconception_precision: Share of found misconceptions that a person finds as well.
    """

    answers: int
    precision: float
    recall: float
    misconception_precision: float


def mark_answer(question: Question, answer: str) -> Mark:
    """Mark a free-text answer.

    Raises:
        BadInput: The answer cannot be marked: it is empty, too long, a list of words, or the
            question.
    """
    marked = mark(answer, as_asked(question))
    if marked.refusal is not None:
        raise BadInput(f"app.answer_{marked.refusal}", question=question.id, most=MAX_CHARS)
    return marked


def published(home: Home, lang: Lang) -> Published | None:
    """Read the agreement of the marker with people in a language; None if not measured."""
    path = home.bank_root / MEASURED
    return read_table(path, dict[Lang, Published]).get(lang) if path.is_file() else None


def as_asked(question: Question) -> Asked:
    """Return a question in the marker's form."""
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
