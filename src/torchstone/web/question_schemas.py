"""Response and request schemas of questions; see ``schemas.py`` for how they are made."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field, StringConstraints

from torchstone.study import Recall
from torchstone.web.schemas import ApiModel, LibraryLines, Numbered, Text, Words

QuestionId = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,2}(\.[0-9]{1,2}){4}$")]
Label = Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,60}$")]
Labels = Annotated[tuple[Label, ...], Field(max_length=64)]
# More than any answer that is marked, see ``study.marking``; a longer one says so.
Answer = Annotated[Text, Field(max_length=1 << 20)]
Seconds = Annotated[float, Field(ge=0, le=86_400)]


class QuestionRow(ApiModel):
    """One question of the list and what the learner knows of it."""

    id: str
    words: Words
    level: int
    minutes: float
    recall: Recall
    strength: float | None
    due: datetime | None
    is_today: bool


class TopicRow(ApiModel):
    """One topic of the list with its questions."""

    id: str
    chapter: int
    name: Words
    questions: list[QuestionRow]


class BrokenTopicFolder(ApiModel):
    """A folder of the question bank that cannot be read."""

    topic: str
    file: str
    reason: str


class QuestionList(ApiModel):
    """All questions of the bank, and the one to ask next."""

    chapters: list[Numbered]
    topics: list[TopicRow]
    broken: list[BrokenTopicFolder]
    next_id: str | None


class QuestionPage(ApiModel):
    """One question as it is asked: nothing of its answer."""

    id: str
    words: Words
    level: int
    minutes: float
    topic: str
    names: list[Words]
    recall: Recall
    is_open: bool
    due: datetime | None
    previous_id: str | None
    next_id: str | None


class HandIn(ApiModel):
    """An answer: a text, or the points that were said aloud; with corrections in practice."""

    text: Answer = ""
    said: Labels | None = None
    seconds: Seconds | None = None
    credited: Labels = ()
    denied: Labels = ()
    taken_back: Labels = ()


class Show(ApiModel):
    """Show the answer: before there is one, or to tick what was said aloud."""

    is_aloud: bool = False


class Correct(ApiModel):
    """All corrections of the marking of the review ``of``."""

    credited: Labels = ()
    denied: Labels = ()
    taken_back: Labels = ()
    of: AwareDatetime


class Predict(ApiModel):
    """The claims that a change of a cell is expected to make false."""

    change: Annotated[int, Field(ge=0, le=1000)]
    claims: Labels


class RunCell(ApiModel):
    """A cell to run, and what stands in its place; null for the cell itself."""

    cell: Annotated[str, Field(max_length=200)]
    source: Annotated[Text, Field(max_length=1 << 20)] | None = None


class ClaimState(ApiModel):
    """A claim of a cell that ran; null if it was not reached."""

    id: str
    held: bool | None


class CellError(ApiModel):
    """What ended the run of a cell: an exception, or a limit."""

    kind: Literal["raised", "time", "memory", "output", "died"]
    type: str
    message: str
    line: int | None


class CellRun(ApiModel):
    """What the run of a cell printed, and which of its claims held."""

    ok: bool
    stdout: str
    claims: list[ClaimState]
    error: CellError | None
    isolation: str
    time_ms: int


class UndoAnswer(ApiModel):
    """Undo the review ``reviewed_at``, so that two equal requests undo one review."""

    reviewed_at: AwareDatetime | None = None


class FoundPoint(ApiModel):
    """A key point that counts, and the words of the answer that state it."""

    id: str
    html: Words
    weight: int
    by: Literal["marker", "learner"]
    quote: str | None
    start: int | None
    end: int | None


class MissedPoint(ApiModel):
    """A key point that does not count."""

    id: str
    html: Words
    weight: int
    is_denied: bool


class NamedMisconception(ApiModel):
    """A misconception that the answer states, and the cells that refute it."""

    id: str
    html: Words
    quote: str
    start: int
    end: int
    cells: list[str]
    sources: list[str]
    is_taken_back: bool


class Corrections(ApiModel):
    """What the learner corrected, and the review that it changes."""

    credited: list[str]
    denied: list[str]
    taken_back: list[str]
    of: datetime | None


class Published(ApiModel):
    """How well the marker agrees with people."""

    answers: int
    precision: float
    recall: float
    misconception_precision: float


class Marked(ApiModel):
    """A marked answer, its rating and its next date."""

    text: str
    is_aloud: bool
    found: list[FoundPoint]
    missed: list[MissedPoint]
    misconceptions: list[NamedMisconception]
    coverage: float
    corrections: Corrections
    marker: Published | None
    rating: int | None
    due: datetime | None
    rating_reason: Words | None
    date_reason: Words | None


class Piece(ApiModel):
    """A piece of a text: either HTML, or a cell by its name."""

    html: str | None = None
    cell: str | None = None


class Part(ApiModel):
    """One of the five parts of an answer."""

    name: Literal["short", "mechanism", "demonstration", "misconception", "follow_up"]
    pieces: list[Piece]


class CellClaim(ApiModel):
    """A claim of a cell, and the line that asserts it."""

    id: str
    html: str


class CellChange(ApiModel):
    """An edit of a cell whose effect the learner predicts."""

    number: int
    before: str
    after: str


class Cell(ApiModel):
    """A cell: highlighted code with its recorded output, its claims and its changes."""

    name: str
    html: str
    source: str
    printed: str
    torch: str
    claims: list[CellClaim]
    changes: list[CellChange]


class ModelPoint(ApiModel):
    """A key point of the model answer, and what backs it."""

    id: str
    html: Words
    weight: int
    cells: list[str]
    sources: list[str]
    is_opinion: bool


class CitedSource(ApiModel):
    """What a cited source says."""

    id: str
    html: Words


class ProblemLink(ApiModel):
    """A problem that practises the question."""

    id: str
    title: Words


class QuestionLink(ApiModel):
    """Another question about the same thing."""

    id: str
    words: Words


class ModelAnswer(ApiModel):
    """The model answer in one language, with its cells."""

    parts: list[Part]
    points: list[ModelPoint]
    cells: list[Cell]
    sources: list[CitedSource]
    see: list[QuestionLink]
    problems: list[ProblemLink]
    code: list[LibraryLines]


class Outcome(ApiModel):
    """What follows an answer: its marking, if there is one, and the model answer."""

    marked: Marked | None
    model: ModelAnswer


class Predicted(ApiModel):
    """What a change makes false, beside what was predicted."""

    fails: list[str]
    missed: list[str]
    surplus: list[str]
    is_right: bool
