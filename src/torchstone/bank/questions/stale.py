"""Stale content: superseded names, words of a file that are gone, and pages read too long ago."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from datetime import date
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from torchstone.bank.loader import CONTENT
from torchstone.bank.questions.finding import Finding
from torchstone.bank.questions.schema import PageSource, Question, WheelSource
from torchstone.bank.questions.topic import Topic
from torchstone.bank.schema import Name
from torchstone.bank.table import read_table
from torchstone.core.i18n import LANGS

STALE = CONTENT / "questions/stale.toml"
_TICKED = re.compile(r"`([^`\n]+)`")
_TORCH_NAME = re.compile(r"torch(?:\.[A-Za-z_]\w*)+(?=$|\(|\[|\s)")
_MONTHS = 12


class StaleName(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A name that is not taught as current.

    Attributes:
        name: The name, as questions list it in ``deprecated``.
        state: Whether it is gone, warns, or works in silence.
        instead: What holds now.
        written: How it is found in prose and code, as a pattern; by default the name itself.
    """

    name: Name
    state: Literal["gone", "warns", "superseded"]
    instead: Name
    written: str = ""

    @property
    def pattern(self) -> re.Pattern[str]:
        """Return the pattern that finds it."""
        word = re.escape(self.name)
        return re.compile(self.written or rf"(?<![\w.]){word}(?!\w)")


class StaleFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The content of ``stale.toml``; ``as_of`` is the day on which pages are judged."""

    as_of: date
    names: Annotated[tuple[StaleName, ...], Meta(min_length=1)] = msgspec.field(name="stale")


@cache
def load_stale(path: Path = STALE) -> StaleFile:
    """Load the superseded names.

    Raises:
        TorchstoneError: The file is missing or violates its schema.
    """
    return read_table(path, StaleFile)


def check_stale(topic: Topic, stale: StaleFile, today: date) -> Iterator[Finding]:
    """Yield superseded names, sources whose words are gone, and pages read too long ago."""
    for question in topic:
        yield from _check_names(topic, question, stale)
    for source in topic.spec.sources:
        if isinstance(source, WheelSource):
            yield from _check_wheel(topic, source)
        elif isinstance(source, PageSource) and today > _until(source):
            values = {"id": source.id, "until": _until(source).isoformat()}
            yield _finding(topic, "page_old", **values)


def torch_names(topic: Topic) -> dict[str, str]:
    """Return the names of torch in backticks, each with a question that has it.

    Those of a question that is about stale names are left out.
    """
    found: dict[str, str] = {}
    for question in topic:
        for lang in LANGS:
            section = topic.section(question.id, lang)
            for ticked in _TICKED.findall(section.prose if section else ""):
                name = _TORCH_NAME.match(ticked)
                if name and not any(name[0].startswith(old) for old in question.deprecated):
                    found.setdefault(name[0], question.id)
    return found


def _check_names(topic: Topic, question: Question, stale: StaleFile) -> Iterator[Finding]:
    sections = [topic.section(question.id, lang) for lang in LANGS]
    ticked = [name for each in sections if each for name in _TICKED.findall(each.prose)]
    text = "\n".join([*ticked, *(cell.source for cell in topic.demo.of(question.id))])
    for each in stale.names:
        if each.name not in question.deprecated and each.pattern.search(text):
            values = {"name": each.name, "instead": each.instead}
            yield _finding(topic, "stale_name", question.id, **values)


def _check_wheel(topic: Topic, source: WheelSource) -> Iterator[Finding]:
    path = _site_packages() / source.file
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        yield _finding(topic, "wheel_file", id=source.id, file=source.file)
        return
    for words in source.contains:
        if words not in text:
            yield _finding(topic, "wheel_words", id=source.id, file=source.file, words=words)


@cache
def _site_packages() -> Path:
    found = importlib.util.find_spec("torch")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("check_stale: there is no torch to compare the sources with")
    return Path(found.origin).parents[1]


def _until(source: PageSource) -> date:
    month = source.read.month - 1 + source.valid_months
    year, month = source.read.year + month // _MONTHS, month % _MONTHS + 1
    # The last day of a shorter month is not worth a rule of its own.
    return date(year, month, min(source.read.day, 28))


def _finding(topic: Topic, fault: str, question: str = "", **values: object) -> Finding:
    return Finding(
        code="TS-Q08",
        topic=topic.id,
        question=question,
        key=f"bank.question_{fault}",
        values=values,
    )
