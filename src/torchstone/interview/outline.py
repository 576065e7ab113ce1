"""Outline of an interview: sections, units, topics and points, and the code tasks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from torchstone.bank.loader import CONTENT
from torchstone.bank.schema import ProblemId, Words
from torchstone.bank.table import read_table
from torchstone.interview.ability import Vector

FOLDER = "interviews"
PointId = Annotated[str, Meta(pattern=r"^[1-6](\.[1-9]){3}\Z")]
# A question of the bank, or a topic, which stands for all of its questions.
QuestionOrTopic = Annotated[str, Meta(pattern=r"^[0-9]+(\.[0-9]+){3,4}\Z")]
Family = Annotated[str, Meta(pattern=r"^c-[a-z]+(-[a-z]+)*\Z", max_length=40)]


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A TOML table: immutable, without unknown keys."""


class _Named(_Table, frozen=True, kw_only=True):
    """Element with a name in both languages."""

    en: str
    zh: str

    def __post_init__(self) -> None:
        """Check both languages as ``Words`` does."""
        Words(en=self.en, zh=self.zh)

    @property
    def words(self) -> dict[str, str]:
        """Return the name in both languages."""
        return {"en": self.en, "zh": self.zh}


class OutlinePoint(_Named, frozen=True, kw_only=True):
    """Point of the outline, with the questions of the bank about it."""

    id: PointId
    questions: tuple[QuestionOrTopic, ...] = ()


class OutlineTopic(_Named, frozen=True, kw_only=True):
    """Topic of the outline."""

    id: str
    points: Annotated[tuple[OutlinePoint, ...], Meta(min_length=1)]


class Unit(_Named, frozen=True, kw_only=True):
    """Unit: topics of a section."""

    id: str
    topics: Annotated[tuple[OutlineTopic, ...], Meta(min_length=1)] = msgspec.field(name="topic")


class OutlineSection(_Named, frozen=True, kw_only=True):
    """Section: its range of minutes in a full interview, and the dimensions that it measures."""

    id: int
    minutes: tuple[int, int]
    loads: Vector
    units: Annotated[tuple[Unit, ...], Meta(min_length=1)] = msgspec.field(name="unit")

    @property
    def points(self) -> Iterator[OutlinePoint]:
        """Iterate over the points in order."""
        return (point for unit in self.units for topic in unit.topics for point in topic.points)


class Outline(_Table, frozen=True, kw_only=True):
    """The content of ``outline.toml``."""

    sections: Annotated[tuple[OutlineSection, ...], Meta(min_length=6, max_length=6)] = (
        msgspec.field(name="section")
    )

    def __post_init__(self) -> None:
        """Check the consistency of the numbers of sections, units, topics and points."""
        for number, section in enumerate(self.sections, 1):
            if section.id != number:
                raise ValueError(f"section {number} has the id {section.id}")
            for unit in section.units:
                for topic in unit.topics:
                    stray = [p.id for p in topic.points if not p.id.startswith(f"{topic.id}.")]
                    if stray or not topic.id.startswith(f"{unit.id}."):
                        raise ValueError(f"topic {topic.id} does not contain {stray or unit.id}")

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """Return the range of minutes of each section."""
        return tuple(section.minutes for section in self.sections)

    @property
    def points(self) -> Iterator[OutlinePoint]:
        """Iterate over all points in order."""
        return (point for section in self.sections for point in section.points)

    @property
    def topics(self) -> Iterator[OutlineTopic]:
        """Iterate over all topics in order."""
        return (
            topic for section in self.sections for unit in section.units for topic in unit.topics
        )

    def loads_of(self, section: int) -> Vector:
        """Return the weight of each dimension in a section."""
        return self.sections[section - 1].loads


class CodeVariant(_Table, frozen=True, kw_only=True):
    """Programming task: a problem with a proven solution."""

    problem: ProblemId


class CodeTask(_Named, frozen=True, kw_only=True):
    """Family of code tasks whose variants need different solutions, not only different names.

    Attributes:
        kind: Kind of code task in the outline, one of four.
        section: The section in which it is asked.
        practice: Problem that practises the same skill.
    """

    family: Family
    kind: str
    section: Annotated[int, Meta(ge=1, le=6)]
    points: Annotated[tuple[PointId, ...], Meta(min_length=1)]
    practice: ProblemId
    variants: tuple[CodeVariant, ...] = msgspec.field(name="variant", default=())


class _CodeFile(_Table, frozen=True, kw_only=True):
    tasks: tuple[CodeTask, ...] = msgspec.field(name="task")


class Strategy(_Named, frozen=True, kw_only=True):
    """Interview strategy: a rule that offers items."""

    id: str


class _StrategyFile(_Table, frozen=True, kw_only=True):
    strategies: tuple[Strategy, ...] = msgspec.field(name="strategy")


def load_outline(root: Path = CONTENT) -> Outline:
    """Read the outline.

    Raises:
        TorchstoneError: The file is missing or violates its schema.
    """
    return read_table(root / FOLDER / "outline.toml", Outline)


def load_code_tasks(root: Path = CONTENT) -> tuple[CodeTask, ...]:
    """Read the families of code tasks.

    Raises:
        TorchstoneError: The file is missing or violates its schema.
    """
    return read_table(root / FOLDER / "code.toml", _CodeFile).tasks


def load_strategies(root: Path = CONTENT) -> tuple[Strategy, ...]:
    """Read the names of the strategies.

    Raises:
        TorchstoneError: The file is missing or violates its schema.
    """
    return read_table(root / FOLDER / "strategies.toml", _StrategyFile).strategies
