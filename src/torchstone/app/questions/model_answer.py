"""Model answer of a question: text, key points, cells and sources."""

from __future__ import annotations

from dataclasses import dataclass

from torchstone.app.home import Home
from torchstone.app.questions.answered import Ids, cells_of
from torchstone.app.questions.asking import find_question
from torchstone.bank.questions import KeyPoint, Misconception, Question, Section, Topic
from torchstone.bank.questions.library import LibraryLines, find_lines
from torchstone.core.i18n import LANGS, Lang


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPoint:
    """Key point, with its proof.

    Args:
        cells: Cells that prove it.
        sources: Cited sources.
    """

    id: str
    words: dict[str, str]
    weight: int
    cells: Ids
    sources: Ids
    is_opinion: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelMisconception:
    """Misconception, with its refutation."""

    id: str
    words: dict[str, str]
    cells: Ids
    sources: Ids


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelAnswer:
    """Complete answer to a question.

    Args:
        parts: Language -> name of ``bank.questions.texts.PARTS`` -> Markdown.
        sources: Id of a cited source -> its text, in both languages.
        code: Current library lines that the question is about.
    """

    question: str
    parts: dict[Lang, dict[str, str]]
    points: tuple[ModelPoint, ...]
    misconceptions: tuple[ModelMisconception, ...]
    sources: dict[str, dict[str, str]]
    see: Ids
    problems: Ids
    code: tuple[LibraryLines, ...]


def read_model_answer(home: Home, number: str) -> ModelAnswer:
    """Read the model answer of a question.

    Raises:
        NotFound: There is no such question.
        BrokenTopic: A file of its topic cannot be read.
    """
    topic, question = find_question(home, number)
    used = {name for each in question.misconceptions for name in each.refuted_by}
    used |= question.cited
    return ModelAnswer(
        question=question.id,
        parts={lang: _parts(topic.section(question.id, lang)) for lang in LANGS},
        points=tuple(_point(topic, question, point) for point in question.key_points),
        misconceptions=tuple(
            _misconception(topic, question, wrong) for wrong in question.misconceptions
        ),
        sources={
            source.id: {"en": source.en, "zh": source.zh}
            for source in topic.spec.sources
            if source.id in used
        },
        see=question.see,
        problems=_problems(home, question),
        code=tuple(filter(None, map(find_lines, question.code))),
    )


def _parts(section: Section | None) -> dict[str, str]:
    return dict(section.parts) if section is not None else {}


def _point(topic: Topic, question: Question, point: KeyPoint) -> ModelPoint:
    return ModelPoint(
        id=point.id,
        words={"en": point.en, "zh": point.zh},
        weight=point.weight,
        cells=cells_of(topic.demo, question.id, point.claims),
        sources=point.cited,
        is_opinion=point.opinion,
    )


def _misconception(topic: Topic, question: Question, wrong: Misconception) -> ModelMisconception:
    claims = set(topic.demo.claims_of(question.id))
    return ModelMisconception(
        id=wrong.id,
        words={"en": wrong.en, "zh": wrong.zh},
        cells=cells_of(topic.demo, question.id, wrong.refuted_by),
        sources=tuple(each for each in wrong.refuted_by if each not in claims),
    )


def _problems(home: Home, question: Question) -> Ids:
    """Return the problems that exercise the question: by their concepts, and further ones."""
    naming = [problem.id for problem in home.bank if question.id in problem.spec.concepts]
    further = [each for each in question.problems if each not in naming]
    known = {problem.id for problem in home.bank}
    return tuple(each for each in (*naming, *further) if each in known)
