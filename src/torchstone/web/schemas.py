"""Response and request schemas of problems: the contract of the page's types.

Each schema is created from the record of ``app`` with the same name; a field that is not listed
here is not sent. The schemas of progress are in ``progress_schemas.py``, those of the judge's
report in ``verdict_schemas.py``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from torchstone.app.problems.drafts import MAX_NOTES_BYTES
from torchstone.core.verdict import Verdict
from torchstone.study import Status as MasteryStatus


def _require_unicode(text: str) -> str:
    # JSON can contain a lone surrogate, which UTF-8 cannot encode.
    if any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError("half a character")
    return text


Text = Annotated[str, AfterValidator(_require_unicode)]
ProblemId = Annotated[str, StringConstraints(pattern=r"^[0-9]{2}(op)?$")]


class ApiModel(BaseModel):
    """A JSON object: immutable, created from a record, without additional fields."""

    model_config = ConfigDict(from_attributes=True, frozen=True, extra="ignore")


class Words(ApiModel):
    """A text in both languages."""

    en: str
    zh: str


class Fault(ApiModel):
    """The JSON object of an error."""

    ok: Literal[False]
    code: str
    message: str
    hint: str
    status: int


class Numbered(ApiModel):
    """A chapter or a part, with its number."""

    number: int
    name: Words


class Concept(ApiModel):
    """A concept of the curriculum that a problem practises."""

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
    is_marked: bool
    best_time_ms: float | None


class Marking(ApiModel):
    """Whether a problem is marked."""

    marked: bool


class PathStep(ApiModel):
    """A problem of a path, and why it is there."""

    problem: str
    why: Words
    is_proven: bool


class LearningPath(ApiModel):
    """A path with the learner's progress."""

    id: str
    title: Words
    lead: Words
    steps: list[PathStep]
    num_proven: int
    is_chosen: bool


class PathChoice(ApiModel):
    """The path that the learner follows; None for none."""

    path: str | None = Field(max_length=40)


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
    paths: list[LearningPath]


class ProblemRef(ApiModel):
    """A reference to another problem."""

    id: str
    title: Words
    status: MasteryStatus


class Limits(ApiModel):
    """The limits of a submission, in seconds, MiB and KiB."""

    wall_s: float
    cpu_s: float
    memory_mib: int
    processes: int
    output_kib: int


class Rung(ApiModel):
    """A rung of the hints; ``html`` is null while it is closed."""

    number: int
    rung: Literal["nudge", "concept", "shape", "near"]
    html: Words | None


class Ladder(ApiModel):
    """The hints of a problem.

    Args:
        next_rung: The rung that can be opened next; null if all are open.
        price: The effect of opening it on the next review.
        is_dear: Whether the effect is so large that the page asks for confirmation.
    """

    rungs: list[Rung]
    next_rung: int | None
    price: Words | None
    is_dear: bool


class LastVerdict(ApiModel):
    """The last judged submission of a problem, or its last run of the samples."""

    id: str
    verdict: Verdict
    created_at: datetime


class Proof(ApiModel):
    """The last accepted submission, with its number of passed cases."""

    id: str
    num_passed: int
    num_planned: int


class ProblemRecord(ApiModel):
    """What the learner has reached with a problem.

    Args:
        last: The last judged submission; a run of the samples never is.
        run: The last run of the samples, if it is later than ``last``.
    """

    last: LastVerdict | None
    run: LastVerdict | None
    proof: Proof | None


class BankProof(ApiModel):
    """What the bank proved of a problem: programs that were judged as they must be."""

    date: str
    right: int
    wrong: int
    cheats: int


class ProblemPage(ApiModel):
    """The public parts of a problem, without hints.

    Args:
        bank_proof: What is recorded in the folder of the problem; null where nothing is.
    """

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
    worked_s: int
    is_settled: bool
    is_due: bool
    is_marked: bool
    num_submissions: int
    record: ProblemRecord
    bank_proof: BankProof | None
    ladder: Ladder


class Draft(ApiModel):
    """The current draft; a save sends its ``version`` back."""

    text: str
    version: str
    saved_at: datetime | None
    exists: bool


class Conflict(Fault):
    """A save began from another version than the current one."""

    other: Draft


class Save(ApiModel):
    """A draft to save.

    Args:
        base: The version from which the edit began.
        put_aside: Keep the current file under a dated name, and replace it.
    """

    text: str
    base: str = Field(max_length=100)
    put_aside: bool = False


class LibraryLines(ApiModel):
    """Lines of the library that a chapter explains, or that do what is asked."""

    name: str
    file: str
    line: int
    html: str


class Editorial(ApiModel):
    """The explanation of a problem, as safe HTML in the requested language."""

    html: str
    code: list[LibraryLines]


class ReviewNote(ApiModel):
    """A review, and its next date."""

    rating: int | None
    reason: Words | None
    due: datetime
    date_reason: Words


class ModelSolution(ApiModel):
    """A right answer of the bank; ``html`` is the highlighted text."""

    name: str
    source: str
    html: str


class Solutions(ApiModel):
    """The right answers of a problem."""

    solutions: list[ModelSolution]
    gave_up: bool
    review: ReviewNote | None


class Rise(ApiModel):
    """Request a hint; ``rung`` is its number, so that two equal requests open one."""

    rung: int | None = Field(default=None, ge=1, le=4)


class GiveUp(ApiModel):
    """Request the solutions."""

    give_up: bool = False


class DiffLine(ApiModel):
    """A line of a comparison."""

    mark: Literal[" ", "-", "+"]
    old_line: int | None
    new_line: int | None
    text: str


class Hunk(ApiModel):
    """Neighbouring changes, with some lines around; ``file`` is that of a package."""

    lines: list[DiffLine]
    file: str | None


class Comparison(ApiModel):
    """The differences between two texts.

    Args:
        is_coarse: Whether the comparison stopped at its limit; the rest is shown as replaced.
    """

    num_removed: int
    num_added: int
    is_coarse: bool
    hunks: list[Hunk]


class Texts(ApiModel):
    """Two texts to compare; each may be as long as the longest draft."""

    first: Text = Field(max_length=MAX_NOTES_BYTES)
    second: Text = Field(max_length=MAX_NOTES_BYTES)
