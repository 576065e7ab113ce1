"""Schemas of the TOML files of a topic of questions: ``topic.toml`` and ``answers.toml``.

An unknown field is an error, so a misspelt field cannot be ignored silently.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from torchstone.bank.schema import Name, Positive, ProblemId, QuestionId, Words
from torchstone.core.i18n import Lang

TopicId = Annotated[str, Meta(pattern=r"^[0-9]+(\.[0-9]+){3}\Z")]
# The names of claims, key points and misconceptions.
Label = Annotated[str, Meta(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*\Z", max_length=60)]
Need = Annotated[
    str, Meta(pattern=r"^(processes|compile|compiler|cudasim|library:[A-Za-z0-9_.-]+)\Z")
]
TopicSlug = Annotated[str, Meta(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*\Z", max_length=60)]
CodeName = Annotated[str, Meta(pattern=r"^[a-z_][\w.]*:[A-Za-z_][\w.]*\Z")]
Version = Annotated[str, Meta(pattern=r"^[0-9]+(\.[0-9]+)+\Z")]
Pattern = Annotated[str, Meta(min_length=1, max_length=4000)]
_LEAST_POINTS, _MOST_POINTS = 3, 6
_HEAVIEST = 3


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A TOML table: immutable, without unknown keys."""


class Say(_Table, frozen=True, kw_only=True):
    """Marking patterns: wordings that count as the point, in each language."""

    en: Annotated[tuple[Pattern, ...], Meta(min_length=1)]
    zh: Annotated[tuple[Pattern, ...], Meta(min_length=1)]


class _Source(_Table, frozen=True, kw_only=True, tag_field="kind"):
    """What backs a sentence that no cell shows: who says it, and what it says in our words."""

    id: Name
    en: str
    zh: str

    def __post_init__(self) -> None:
        """Check both languages as ``Words`` does."""
        Words(en=self.en, zh=self.zh)

    @property
    def words(self) -> Words:
        """Return what the source says."""
        return Words(en=self.en, zh=self.zh)


class WheelSource(_Source, frozen=True, kw_only=True, tag="wheel"):
    """A file of the pinned torch, and strings that must stand in it."""

    file: Name
    contains: Annotated[tuple[Name, ...], Meta(min_length=1)]


class PaperSource(_Source, frozen=True, kw_only=True, tag="paper"):
    """A paper, and the place in it."""

    title: Name
    authors: Name
    year: Annotated[int, Meta(ge=1900, le=2100)]
    locator: Name


class StandardSource(_Source, frozen=True, kw_only=True, tag="standard"):
    """A standard, and the place in it."""

    title: Name
    authors: Name
    year: Annotated[int, Meta(ge=1900, le=2100)]
    locator: Name


class PageSource(_Source, frozen=True, kw_only=True, tag="page"):
    """A page of a project, with the day it was read and the months for which that holds."""

    title: Name
    publisher: Name
    url: Name
    version: Name
    read: date
    valid_months: Annotated[int, Meta(ge=1, le=12)]


class RecordedSource(_Source, frozen=True, kw_only=True, tag="recorded"):
    """The record of a run on another machine."""

    file: Name


Source = WheelSource | PaperSource | StandardSource | PageSource | RecordedSource


class Backing(_Table, frozen=True, kw_only=True):
    """What backs every sentence of fact in a part of an answer.

    Attributes:
        claims: Claims of the cells that show it.
        cited: Ids of sources.
        derived_from: Claims from which it follows by the argument in the text.
        opinion: Whether it is a recommendation, worded as one.
    """

    claims: tuple[Label, ...] = ()
    cited: tuple[Name, ...] = ()
    derived_from: tuple[Label, ...] = ()
    opinion: bool = False

    def __post_init__(self) -> None:
        """Check that there is a backing."""
        if not (self.claims or self.cited or self.derived_from or self.opinion):
            raise ValueError("needs one of `claims`, `cited`, `derived_from` and `opinion`")

    @property
    def fed_by(self) -> tuple[str, ...]:
        """Return the claims that it uses."""
        return (*self.claims, *self.derived_from)


class KeyPoint(_Table, frozen=True, kw_only=True):
    """A sentence that a complete answer contains, with its weight in the mark."""

    id: Label
    weight: Annotated[int, Meta(ge=1, le=_HEAVIEST)]
    en: str
    zh: str
    say: Say
    claims: tuple[Label, ...] = ()
    cited: tuple[Name, ...] = ()
    opinion: bool = False

    def __post_init__(self) -> None:
        """Check both languages, and that something backs the sentence."""
        Words(en=self.en, zh=self.zh)
        if not (self.claims or self.cited or self.opinion):
            raise ValueError(f"key point `{self.id}` needs one of `claims`, `cited` and `opinion`")
        if self.opinion and self.weight == _HEAVIEST:
            raise ValueError(f"key point `{self.id}`: an opinion has no weight of {_HEAVIEST}")

    @property
    def words(self) -> Words:
        """Return the sentence in both languages."""
        return Words(en=self.en, zh=self.zh)


class Misconception(_Table, frozen=True, kw_only=True):
    """A wrong sentence that people say, and what refutes it: claims, or sources."""

    id: Label
    en: str
    zh: str
    refuted_by: Annotated[tuple[Name, ...], Meta(min_length=1)]
    say: Say

    def __post_init__(self) -> None:
        """Check both languages as ``Words`` does."""
        Words(en=self.en, zh=self.zh)

    @property
    def words(self) -> Words:
        """Return the wrong sentence in both languages."""
        return Words(en=self.en, zh=self.zh)


class Change(_Table, frozen=True, kw_only=True):
    """An edit of one cell, and exactly the claims that it makes false."""

    cell: Name
    before: Annotated[str, Meta(min_length=1)] = msgspec.field(name="from")
    after: str = msgspec.field(name="to")
    fails: Annotated[tuple[Label, ...], Meta(min_length=1)]


class Question(_Table, frozen=True, kw_only=True):
    """A question of an interview: what a good answer contains, and what backs it.

    Attributes:
        minutes: The planned time for an answer.
        problems: Problems that exercise it, beside those whose concepts name it.
        code: ``module:qualname`` of code of this package.
        see: Questions that ask about the same thing.
        subjects: Name -> pattern of the things of which an answer speaks.
        deprecated: Stale names that the question is about.
    """

    id: QuestionId
    level: Annotated[int, Meta(ge=1, le=4)]
    minutes: Positive
    en: str
    zh: str
    key_points: tuple[KeyPoint, ...] = msgspec.field(name="key_point")
    misconceptions: Annotated[tuple[Misconception, ...], Meta(min_length=1)] = msgspec.field(
        name="misconception"
    )
    changes: tuple[Change, ...] = msgspec.field(name="change", default=())
    mechanism: Backing
    follow_up: Backing
    problems: tuple[ProblemId, ...] = ()
    code: tuple[CodeName, ...] = ()
    see: tuple[QuestionId, ...] = ()
    subjects: dict[str, str] = {}
    deprecated: tuple[Name, ...] = ()

    def __post_init__(self) -> None:
        """Check both languages, the number of key points, unique ids and the share of opinions."""
        Words(en=self.en, zh=self.zh)
        if not _LEAST_POINTS <= len(self.key_points) <= _MOST_POINTS:
            raise ValueError(
                f"`{self.id}` needs {_LEAST_POINTS} to {_MOST_POINTS} key points; "
                f"got {len(self.key_points)}"
            )
        points = [point.id for point in self.key_points]
        _refuse_twice([*points, *(wrong.id for wrong in self.misconceptions)])
        opinions = sum(point.opinion for point in self.key_points)
        if opinions > 1 and not self.id.startswith("1."):
            raise ValueError(f"`{self.id}` may have one key point of opinion; got {opinions}")

    @property
    def words(self) -> Words:
        """Return the question in both languages."""
        return Words(en=self.en, zh=self.zh)

    @property
    def topic_id(self) -> str:
        """Return the id of its topic."""
        return self.id.rpartition(".")[0]

    @property
    def cited(self) -> frozenset[str]:
        """Return the ids of the sources that back anything of it."""
        return frozenset(_cited_by(self))

    @property
    def fed(self) -> frozenset[str]:
        """Return the claims that back anything of it."""
        return frozenset(_fed_by(self))


class TopicSpec(_Table, frozen=True, kw_only=True):
    """The content of ``topic.toml``."""

    id: TopicId
    slug: TopicSlug
    torch: Version
    terms: tuple[Name, ...] = ()
    needs: tuple[Need, ...] = ()
    sources: tuple[Source, ...] = msgspec.field(name="source", default=())
    questions: Annotated[tuple[Question, ...], Meta(min_length=1)] = msgspec.field(name="question")

    def __post_init__(self) -> None:
        """Check that ids are unique, and that the questions belong to the topic."""
        _refuse_twice(source.id for source in self.sources)
        _refuse_twice(question.id for question in self.questions)
        stray = [each.id for each in self.questions if each.topic_id != self.id]
        if stray:
            raise ValueError(f"a question of topic {self.id} needs its number; got {stray[0]}")


class WrittenAnswer(_Table, frozen=True, kw_only=True):
    """An answer that somebody wrote, and what a person credits."""

    question: QuestionId
    lang: Lang
    kind: Literal["full", "partial", "wrong", "vague", "stuffed"]
    text: Annotated[str, Meta(min_length=1)]
    found: tuple[Label, ...]
    misconceptions: tuple[Label, ...]


class AnswerFile(_Table, frozen=True, kw_only=True):
    """The content of ``answers.toml``."""

    answers: tuple[WrittenAnswer, ...] = msgspec.field(name="answer")


def _cited_by(question: Question) -> Iterator[str]:
    for point in question.key_points:
        yield from point.cited
    yield from question.mechanism.cited
    yield from question.follow_up.cited


def _fed_by(question: Question) -> Iterator[str]:
    for point in question.key_points:
        yield from point.claims
    for misconception in question.misconceptions:
        yield from misconception.refuted_by
    yield from question.mechanism.fed_by
    yield from question.follow_up.fed_by


def _refuse_twice(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise ValueError(f"each id must occur once; got `{name}` twice")
        seen.add(name)
