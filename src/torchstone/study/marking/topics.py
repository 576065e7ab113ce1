"""Read the marking data of a topic: questions, and answers marked by a person."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from torchstone.bank.table import read_table
from torchstone.study.marking.asked import Asked, Mistake, Point


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Answer marked by a person: the ids of its statements.

    Args:
        kind: ``full``, ``partial``, ``wrong``, ``vague`` or ``stuffed``.
    """

    question: str
    lang: str
    kind: str
    text: str
    found: tuple[str, ...]
    misconceptions: tuple[str, ...]


class _Marked(msgspec.Struct, frozen=True):
    id: str
    en: str
    zh: str
    say: Mapping[str, tuple[str, ...]]
    weight: int = 1


class _Question(msgspec.Struct, frozen=True):
    id: str
    en: str
    zh: str
    key_point: tuple[_Marked, ...]
    misconception: tuple[_Marked, ...] = ()
    subjects: Mapping[str, str] = {}


class _Topic(msgspec.Struct, frozen=True):
    question: tuple[_Question, ...]


class _Answers(msgspec.Struct, frozen=True):
    answer: tuple[Written, ...]


def read_asked(path: Path) -> tuple[Asked, ...]:
    """Read the questions of a ``topic.toml`` in the marker's form.

    Raises:
        TorchstoneError: The file is missing or violates its schema.
    """
    return tuple(_asked(question) for question in read_table(path, _Topic).question)


def read_written(path: Path) -> tuple[Written, ...]:
    """Read answers that a person has marked.

    Raises:
        TorchstoneError: The file is missing or violates its schema.
    """
    return read_table(path, _Answers).answer


def _asked(question: _Question) -> Asked:
    return Asked(
        id=question.id,
        words=_words(question),
        points=tuple(
            Point(id=point.id, weight=point.weight, say=point.say, words=_words(point))
            for point in question.key_point
        ),
        mistakes=tuple(
            Mistake(id=mistake.id, say=mistake.say, words=_words(mistake))
            for mistake in question.misconception
        ),
        subjects=question.subjects,
    )


def _words(written: _Question | _Marked) -> Mapping[str, str]:
    return {"en": written.en, "zh": written.zh}
