"""Chapters of the handbook, with reading progress and related items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from torchstone.app.home import Home
from torchstone.app.problems.catalog import title_of
from torchstone.bank.concepts import load_concepts
from torchstone.bank.handbook import Chapter, load_handbook
from torchstone.bank.markdown import Heading
from torchstone.bank.questions.library import LibraryLines, find_lines
from torchstone.core.errors import BadInput, NotFound
from torchstone.core.i18n import LANGS

State: TypeAlias = Literal["unread", "reading", "done"]
_WORDS_A_MINUTE = 200
_CHARACTERS_A_WORD = 6
Said: TypeAlias = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterRow:
    """Chapter in the list, with reading progress.

    Args:
        minutes: Approximate reading time.
        section: Number of the last section that was read; 0 is the beginning.
    """

    id: str
    title: Said
    minutes: int
    num_cells: int
    num_sections: int
    state: State
    section: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PartRow:
    """Part of the handbook with its chapters in reading order."""

    title: Said
    chapters: tuple[ChapterRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterList:
    """All chapters, and the one to read next.

    Args:
        is_installed: Whether the handbook is installed.
        next_id: Chapter in progress, the latest first, or else the first unread chapter.
    """

    is_installed: bool
    parts: tuple[PartRow, ...]
    next_id: str | None

    def plain(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """Related item of a chapter: a question topic or a problem.

    Args:
        count: Number of questions of a topic; None for a problem.
    """

    id: str
    title: Said
    count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChapterPage:
    """Chapter with its progress, related items and neighbours."""

    row: ChapterRow
    part: Said
    topics: tuple[Joined, ...]
    problems: tuple[Joined, ...]
    code: tuple[LibraryLines, ...]
    previous: ChapterRow | None
    next: ChapterRow | None


def find_chapter(chapter_id: str) -> Chapter:
    """Return a chapter.

    Raises:
        NotFound: There is no such chapter, or the handbook is not installed.
    """
    book = load_handbook()
    if book.folder is None:
        raise NotFound("app.handbook_absent")
    found = book.chapters.get(chapter_id)
    if found is None:
        raise NotFound("app.chapter_unknown", chapter=chapter_id[:60])
    return found


def list_chapters(home: Home) -> ChapterList:
    """List all chapters in reading order, with reading progress."""
    book = load_handbook()
    rows = _rows(home)
    parts = tuple(
        PartRow(
            title=_said(part.title),
            chapters=tuple(rows[spec.id] for spec in part.chapters if spec.id in rows),
        )
        for part in book.parts
    )
    return ChapterList(is_installed=book.folder is not None, parts=parts, next_id=_next(home, rows))


def show_chapter(home: Home, chapter_id: str) -> ChapterPage:
    """Return the metadata of a chapter: everything but its text.

    Raises:
        NotFound: There is no such chapter.
    """
    chapter = find_chapter(chapter_id)
    rows = _rows(home)
    order = [*rows.values()]
    at = order.index(rows[chapter.id])
    part = next(p for p in load_handbook().parts if chapter.spec in p.chapters)
    return ChapterPage(
        row=rows[chapter.id],
        part=_said(part.title),
        topics=tuple(_topics(home, chapter)),
        problems=tuple(
            Joined(id=each, title=title_of(home.problem(each)))
            for each in chapter.spec.problems
            if each in {problem.id for problem in home.bank}
        ),
        code=tuple(lines for name in chapter.spec.code if (lines := find_lines(name)) is not None),
        previous=order[at - 1] if at else None,
        next=order[at + 1] if at + 1 < len(order) else None,
    )


def note_reading(
    home: Home, chapter_id: str, *, section: int | None = None, is_done: bool | None = None
) -> ChapterRow:
    """Record the reading progress.

    Args:
        home: The learner's home.
        chapter_id: The chapter.
        section: Number of the last section; None leaves it unchanged.
        is_done: Whether the chapter is read; None leaves it unchanged.

    Raises:
        NotFound: There is no such chapter.
        BadInput: The chapter has no such section.
    """
    chapter = find_chapter(chapter_id)
    most = len(sections_of(chapter))
    if section is not None and not 0 <= section <= most:
        raise BadInput("app.chapter_section", came=section, most=most, chapter=chapter.id)
    with home.open_store() as store:
        if section is not None:
            store.reach_section(chapter.id, section)
        if is_done is not None:
            store.finish_chapter(chapter.id, is_done=is_done)
    return _rows(home)[chapter.id]


def sections_of(chapter: Chapter) -> tuple[Heading, ...]:
    """Return the headings below the title; their levels are equal in both languages."""
    _, *others = (each for each in chapter.parts("en") if isinstance(each, Heading))
    return tuple(others)


def _rows(home: Home) -> dict[str, ChapterRow]:
    with home.open_store() as store:
        readings = store.readings()
    found = {}
    for chapter in load_handbook().chapters.values():
        read = readings.get(chapter.id)
        num_sections, minutes = _measure(chapter.id)
        found[chapter.id] = ChapterRow(
            id=chapter.id,
            title={lang: chapter.title(lang) for lang in LANGS},
            minutes=minutes,
            num_cells=len(chapter.cells),
            num_sections=num_sections,
            state="unread" if read is None else "done" if read.is_done else "reading",
            # The chapter may have become shorter since.
            section=min(read.section, num_sections) if read else 0,
        )
    return found


@cache
def _measure(chapter_id: str) -> tuple[int, int]:
    chapter = load_handbook().chapters[chapter_id]
    words = len(chapter.texts["en"]) / _CHARACTERS_A_WORD
    return len(sections_of(chapter)), max(1, round(words / _WORDS_A_MINUTE))


def _next(home: Home, rows: dict[str, ChapterRow]) -> str | None:
    with home.open_store() as store:
        readings = store.readings().values()
    latest = sorted(readings, key=lambda each: each.read_at, reverse=True)
    begun = [each.chapter_id for each in latest if not each.is_done and each.chapter_id in rows]
    unread = [row.id for row in rows.values() if row.state == "unread"]
    return next(iter([*begun, *unread]), None)


def _topics(home: Home, chapter: Chapter) -> Iterator[Joined]:
    written = {topic.id: topic for topic in home.questions.topics}
    for topic_id in chapter.spec.topics:
        if topic_id in written:
            (*_, place) = load_concepts().path(topic_id)
            yield Joined(id=topic_id, title=_said(place.name), count=len([*written[topic_id]]))


def _said(words: Any) -> Said:
    return {lang: words.said_in(lang) for lang in LANGS}
