"""Response and request schemas of the chapters; see ``schemas.py`` for how they are made."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from torchstone.core.isolation import Isolation
from torchstone.web.schemas import ApiModel, LibraryLines, Text, Words

ChapterId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
Number = Annotated[int, Field(ge=1, le=1000)]


class ChapterRow(ApiModel):
    """A chapter in the list, and how far it is read."""

    id: str
    title: Words
    minutes: int
    num_cells: int
    num_sections: int
    state: Literal["unread", "reading", "done"]
    section: int


class ChapterPart(ApiModel):
    """A part of the handbook with its chapters in reading order."""

    title: Words
    chapters: list[ChapterRow]


class ChapterList(ApiModel):
    """All chapters, and the one to read next."""

    is_installed: bool
    parts: list[ChapterPart]
    next_id: str | None


class ChapterHeading(ApiModel):
    """A heading below the title, and the number of its section, from 1."""

    number: int
    level: int
    anchor: str
    html: str


class ChapterCell(ApiModel):
    """A cell, and how it runs in the sandbox.

    Args:
        seconds: What it takes with the cells before it; null if that was not measured.
        runs: Whether it runs there; ``long`` if it takes too much time or memory, ``absent`` if it
            needs what the sandbox does not have.
    """

    number: int
    source: str
    html: str
    seconds: float | None
    runs: Literal["yes", "long", "absent"]


class ChapterPiece(ApiModel):
    """A piece of a chapter: a heading, a text as HTML, or a cell."""

    heading: ChapterHeading | None = None
    html: str | None = None
    cell: ChapterCell | None = None


class JoinedTopic(ApiModel):
    """A topic of questions about the chapter."""

    id: str
    title: Words
    count: int | None


class JoinedProblem(ApiModel):
    """A problem that practises the chapter."""

    id: str
    title: Words


class ChapterPage(ApiModel):
    """A chapter in one language, with what it is joined to."""

    row: ChapterRow
    part: Words
    pieces: list[ChapterPiece]
    topics: list[JoinedTopic]
    problems: list[JoinedProblem]
    code: list[LibraryLines]
    previous: ChapterRow | None
    next: ChapterRow | None


class NoteReading(ApiModel):
    """How far the learner has read; null leaves what is known."""

    section: Annotated[int, Field(ge=0, le=1000)] | None = None
    is_done: bool | None = None


class EditedCell(ApiModel):
    """What stands in the place of a cell."""

    cell: Number
    source: Text


class RunChapterCell(ApiModel):
    """A cell to run after those before it, and what was edited of all these."""

    cell: Number
    edited: Annotated[tuple[EditedCell, ...], Field(max_length=100)] = ()


class ChapterError(ApiModel):
    """What ended a run: an exception of a cell, or a limit."""

    kind: Literal["raised", "time", "memory", "output", "died"]
    cell: int | None
    type: str
    message: str
    line: int | None


class ChapterRun(ApiModel):
    """What a cell printed, or what ended the run."""

    ok: bool
    cell: int
    stdout: str
    error: ChapterError | None
    isolation: Isolation
    time_ms: int
