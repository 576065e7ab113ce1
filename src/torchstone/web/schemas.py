"""Response and request schemas of problems: the contract of the page's types.

Each shape is read from the record of ``app`` that it is named after; a field that is not listed
here is not sent. Progress and the report of the judge have files of their own,
``progress_shapes.py`` and ``verdict_shapes.py``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from torchstone.app.problems.drafts import MAX_NOTES_BYTES
from torchstone.core.verdict import Verdict
from torchstone.study import Status as MasteryStatus


def _require_unicode(text: str) -> str:
    # JSON can spell half a character, which nothing that is written can hold.
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("half a character")
    return text


Text = Annotated[str, AfterValidator(_require_unicode)]
ProblemId = Annotated[str, StringConstraints(pattern=r"^[0-9]{2}(op)?$")]


class ApiModel(BaseModel):
    """A JSON object: immutable, read from a record, nothing beside its fields."""

    model_config = ConfigDict(from_attributes=True, frozen=True, extra="ignore")


class Words(ApiModel):
    """The same thing said in both languages."""

    en: str
    zh: str


class Fault(ApiModel):
    """The one error shape."""

    ok: Literal[False]
    code: str
    message: str
    hint: str
    status: int


class Numbered(ApiModel):
    """A chapter or a part, by its number."""

    number: int
    name: Words


class Concept(ApiModel):
    """A question of the curriculum that a problem makes one write."""

    id: str
    name: Words


class ProblemRow(ApiModel):
    """A problem in the list."""

    id: str
    slug: str
    title: Words
    part: int
    stars: int
    kind: str
    minutes: int
    chapters: list[int]
    concepts: list[Concept]
    status: MasteryStatus
    strength: float | None
    due: datetime | None
    is_due: bool
    attempts: int
    verdict: Verdict | None
    has_draft: bool
    best_time_ms: float | None


class BrokenFolder(ApiModel):
    """A problem folder that could not be loaded."""

    folder: str
    file: str
    reason: str


class ProblemList(ApiModel):
    """All problems."""

    problems: list[ProblemRow]
    broken: list[BrokenFolder]
    chapters: list[Numbered]
    parts: list[Numbered]


class ProblemRef(ApiModel):
    """A problem that another one names."""

    id: str
    title: Words
    status: MasteryStatus


class Limits(ApiModel):
    """What a submission may use; seconds, MiB and KiB."""

    wall_s: float
    cpu_s: float
    memory_mib: int
    processes: int
    threads: int
    output_kib: int


class Rung(ApiModel):
    """A rung of the hints; ``html`` is null while it is closed."""

    number: int
    rung: Literal["nudge", "concept", "shape", "near"]
    html: Words | None


class Ladder(ApiModel):
    """The hints of a problem.

    Args:
        next_rung: The one that may be opened next; null when none is closed.
        price: What opening it costs in the next review.
        is_dear: Whether it costs so much that one should be asked again.
    """

    rungs: list[Rung]
    next_rung: int | None
    price: Words | None
    is_dear: bool


class ProblemPage(ApiModel):
    """All that is shown of a problem before anything is opened."""

    id: str
    slug: str
    title: Words
    part: int
    stars: int
    minutes: int
    kind: str
    signature: str
    names: list[str]
    concepts: list[Concept]
    prerequisites: list[ProblemRef]
    previous: ProblemRef | None
    next: ProblemRef | None
    limits: Limits
    statement_html: str
    starter: str
    file_name: str
    status: MasteryStatus
    attempts: int
    is_settled: bool
    is_due: bool
    num_submissions: int
    ladder: Ladder


class Draft(ApiModel):
    """A sheet of the workspace as it is now; ``version`` goes back with a save."""

    text: str
    version: str
    saved_at: datetime | None
    exists: bool


class Conflict(Fault):
    """A save began with another version than the one that is there."""

    other: Draft


class Save(ApiModel):
    """A sheet to be saved.

    Args:
        base: The version that the text grew from.
        put_aside: Keep what is there under a dated name, and replace it.
    """

    text: str
    base: str = Field(max_length=100)
    put_aside: bool = False


class Editorial(ApiModel):
    """The explanation of a problem, as safe HTML in the language asked for."""

    html: str


class ReviewNote(ApiModel):
    """A review, and when the problem comes back."""

    rating: int | None
    reason: Words | None
    due: datetime
    date_reason: Words


class ModelSolution(ApiModel):
    """A right program of the bank; ``html`` is its text highlighted."""

    name: str
    source: str
    html: str


class Solutions(ApiModel):
    """The right programs of a problem."""

    solutions: list[ModelSolution]
    gave_up: bool
    review: ReviewNote | None


class Rise(ApiModel):
    """Ask for a hint; ``rung`` says which, so that asking twice opens one."""

    rung: int | None = Field(default=None, ge=1, le=4)


class GiveUp(ApiModel):
    """Ask for the solutions."""

    give_up: bool = False


class DiffLine(ApiModel):
    """A line of a comparison."""

    mark: Literal[" ", "-", "+"]
    old_line: int | None
    new_line: int | None
    text: str


class Hunk(ApiModel):
    """Changes that are near each other, with some lines around."""

    lines: list[DiffLine]


class Comparison(ApiModel):
    """What differs between two texts.

    Args:
        is_coarse: Too much differs to be told line by line; the middle is shown as replaced.
    """

    num_removed: int
    num_added: int
    is_coarse: bool
    hunks: list[Hunk]


class Texts(ApiModel):
    """Two texts to compare; each may be as long as the longest sheet of the workspace."""

    first: Text = Field(max_length=MAX_NOTES_BYTES)
    second: Text = Field(max_length=MAX_NOTES_BYTES)
