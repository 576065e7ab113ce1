"""The chapters of the handbook: their order, their texts, and what they are joined to."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from torchstone.bank.markdown import Cell, Heading, python_cells, split_text
from torchstone.bank.questions.library import CodeName
from torchstone.bank.schema import ProblemId, Words
from torchstone.bank.table import read_table
from torchstone.core.i18n import LANGS, Lang

_PACKAGE = Path(__file__).resolve().parents[1]
# A wheel carries the handbook beside the package's own folders; a checkout has it in docs.
_PLACES = (_PACKAGE / "handbook", _PACKAGE.parents[1] / "docs" / "handbook")
CHAPTERS = "chapters.toml"
CELLS = "cells.toml"
FIGURES = "figure_*.svg"

ChapterId = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9-]{0,39}\Z")]
_Topic = Annotated[str, Meta(pattern=r"^[0-9]{1,2}(\.[0-9]{1,2}){3}\Z")]


class ChapterSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A chapter, and the topics, problems and lines of the library that it is joined to."""

    id: ChapterId
    topics: tuple[_Topic, ...] = ()
    problems: tuple[ProblemId, ...] = ()
    code: tuple[CodeName, ...] = ()


class Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Chapters that belong together, in reading order."""

    title: Words
    chapters: tuple[ChapterSpec, ...] = msgspec.field(name="chapter")


class CellTimes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What ``tools/handbook_cells.py`` measured of the cells of a chapter in the sandbox.

    Args:
        hash: The hash of the cells that were measured.
        seconds: The time of each cell alone, as far as they ran.
        end: What ended the cell after these: the name of an exception, or the limit it met;
            None if all of them ran.
    """

    hash: str
    seconds: tuple[float, ...]
    end: str | None = None


class _ChaptersFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    parts: tuple[Part, ...] = msgspec.field(name="part")


class _CellsFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    chapters: dict[str, CellTimes] = msgspec.field(name="chapter", default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """A chapter of the handbook.

    Args:
        folder: The handbook, with a folder for each language.
        times: What was measured of its cells; None if nothing was, or they have changed since.
    """

    spec: ChapterSpec
    folder: Path
    measured: CellTimes | None

    @property
    def id(self) -> str:
        """Return its name in addresses, which is that of its file."""
        return self.spec.id

    @cached_property
    def texts(self) -> Mapping[Lang, str]:
        """Read its text in both languages."""
        return {
            lang: (self.folder / lang / f"{self.id}.md").read_text(encoding="utf-8")
            for lang in LANGS
        }

    def title(self, lang: Lang) -> str:
        """Return the first heading."""
        first = next(self.parts(lang))
        return first.title if isinstance(first, Heading) else self.id

    def parts(self, lang: Lang) -> Iterator[str | Heading | Cell]:
        """Cut the text at headings and cells."""
        return split_text(self.texts[lang])

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Return its ``python`` cells; both languages have the same."""
        return python_cells(self.texts["en"])

    @property
    def times(self) -> CellTimes | None:
        """Return what was measured of these very cells."""
        is_same = self.measured is not None and self.measured.hash == hash_cells(self.cells)
        return self.measured if is_same else None


@dataclass(frozen=True, kw_only=True)
class Handbook:
    """All chapters; without any where the handbook was not installed."""

    folder: Path | None
    parts: tuple[Part, ...]
    chapters: Mapping[str, Chapter]


@cache
def load_handbook(folder: Path | None = None) -> Handbook:
    """Load the handbook, once; each text is read when it is first asked for.

    A chapter whose file is missing in a language is left out.

    Raises:
        TorchstoneError: A table violates its schema.
    """
    places = _PLACES if folder is None else (folder,)
    found = next((each for each in places if (each / CHAPTERS).is_file()), None)
    if found is None:
        return Handbook(folder=None, parts=(), chapters={})
    parts = read_table(found / CHAPTERS, _ChaptersFile).parts
    kept = found / CELLS
    measured = read_table(kept, _CellsFile).chapters if kept.is_file() else {}
    chapters = {
        spec.id: Chapter(spec=spec, folder=found, measured=measured.get(spec.id))
        for part in parts
        for spec in part.chapters
        if all((found / lang / f"{spec.id}.md").is_file() for lang in LANGS)
    }
    return Handbook(folder=found, parts=parts, chapters=chapters)


def hash_cells(cells: tuple[Cell, ...]) -> str:
    """Hash what was measured: the sources of the cells."""
    text = "\0".join(cell.source for cell in cells)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def slug(title: str) -> str:
    """Make the anchor of a heading as the usual renderers do, so that links of chapters hold.

    >>> slug("What `backward()` keeps")
    'what-backward-keeps'
    """
    kept = re.sub(r"[^\w -]", "", title.lower())
    return kept.strip().replace(" ", "-")
