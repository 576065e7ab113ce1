"""Response schemas of progress: overview, reviews, search and server status."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal

from pydantic import AwareDatetime

from torchstone.core.isolation import Isolation
from torchstone.core.verdict import State, Verdict
from torchstone.study import Status as MasteryStatus
from torchstone.web.schemas import ApiModel, LearningPath, Numbered, Words


class HostState(ApiModel):
    """The status of the judge host."""

    runs: bool
    ready: bool
    isolation: Isolation | None
    capacity: int | None
    waiting: int | None


class Failure(ApiModel):
    """The reason why the judge does not start."""

    message: Words
    hint: Words


class ServerStatus(ApiModel):
    """The status of the server and its judge."""

    version: str
    torch: str | None
    num_problems: int
    host: HostState
    failure: Failure | None


class MapProblem(ApiModel):
    """A problem on the map."""

    id: str
    title: Words
    part: int
    stars: int
    chapters: list[int]
    status: MasteryStatus
    strength: float | None


class DueItem(ApiModel):
    """A problem that is due today, and the reason."""

    problem_id: str
    title: Words
    due: datetime
    strength: float
    reason: Words


class NextProblem(ApiModel):
    """The recommended next problem, and the reason."""

    problem_id: str
    title: Words
    minutes: int
    is_review: bool
    reason: Words


class SubmissionLine(ApiModel):
    """A submission in a list.

    Args:
        is_try: Whether it counts as a try at the problem, like those of a rating.
    """

    id: str
    problem_id: str
    title: Words
    kind: Literal["submit", "run"]
    state: State
    verdict: Verdict | None
    time_ms: float | None
    created_at: datetime
    is_try: bool


class DayCount(ApiModel):
    """The number of due reviews on a day."""

    date: date
    count: int


class KnownQuestions(ApiModel):
    """How many questions of a chapter the learner knows, of those in the bank."""

    chapter: int
    num_known: int
    num_questions: int


class Overview(ApiModel):
    """The learner's progress, the due reviews, and the next problem."""

    num_proven: int
    num_tried: int
    num_untouched: int
    problems: list[MapProblem]
    due: list[DueItem]
    next: NextProblem | None
    recent: list[SubmissionLine]
    forecast: list[DayCount]
    chapters: list[Numbered]
    paths: list[LearningPath]
    parts: list[Numbered]
    known: list[KnownQuestions]


class CurvePoint(ApiModel):
    """The chance to solve it unaided, some days after the review."""

    day: float
    chance: float


class ReviewItem(ApiModel):
    """A reviewed problem: its next date, and the reason of the date."""

    problem_id: str
    title: Words
    due: datetime
    reviewed_at: datetime
    strength: float
    stability_days: float
    difficulty: float | None
    rating: int
    reason: Words
    date_reason: Words
    curve: list[CurvePoint]


class QuestionItem(ApiModel):
    """A reviewed question: its next date, and the reason of the date."""

    question_id: str
    title: Words
    level: int
    minutes: float
    due: datetime
    reviewed_at: datetime
    strength: float
    rating: int
    reason: Words
    date_reason: Words


class QuestionQueue(ApiModel):
    """The questions of today, those that are due and wait, the later ones, and today's minutes."""

    today: list[QuestionItem]
    waiting: list[QuestionItem]
    later: list[QuestionItem]
    minutes: float


class ReviewList(ApiModel):
    """The reviews due today, the later ones, and their number on each of the next days."""

    due: list[ReviewItem]
    later: list[ReviewItem]
    forecast: list[DayCount]
    questions: QuestionQueue


class Undo(ApiModel):
    """Undo the review ``reviewed_at``, so that two equal requests undo one review."""

    reviewed_at: AwareDatetime | None = None


class ReviewEntry(ApiModel):
    """An entry of the review log."""

    rating: int
    reason: Words
    due: datetime
    reviewed_at: datetime
    undone_at: datetime | None
    can_undo: bool


class ReviewLog(ApiModel):
    """Every review of one problem, newest first."""

    entries: list[ReviewEntry]


class SearchHit(ApiModel):
    """A problem, a question, a term or a chapter in the results."""

    kind: Literal["problem", "question", "term", "chapter"]
    id: str
    title: Words
    snippet: Words | None
    about: Words | None
    problems: list[str]


class SearchResult(ApiModel):
    """The results of a search, best first; those of ``corrected`` if the query is misspelt."""

    query: str
    hits: list[SearchHit]
    corrected: str | None
    near: list[Words]


class Obstacle(ApiModel):
    """A missing requirement, and the remedy."""

    name: str
    message: Words
    remedy: Words


class Machine(ApiModel):
    """The capabilities of this machine: isolation, compilers, judge."""

    torchstone: str
    python: str
    platform: str
    torch: str | None
    compiler: str | None
    isolation: Isolation
    wanted: Isolation
    judges: bool
    obstacles: list[Obstacle]
    workspace: str
    data: str


class DamagedSubmission(ApiModel):
    """A stored submission that is not what was stored."""

    id: str
    problem_id: str
    parts: list[Literal["source", "host", "result"]]


class DamagedFact(ApiModel):
    """A stored fact, not a submission, that is not what was stored."""

    table: Literal[
        "activities", "reviews", "inputs", "interviews", "interview_events", "interview_drafts"
    ]
    number: int
    about: str


class DamageReport(ApiModel):
    """What has changed on the disk since it was stored."""

    submissions: list[DamagedSubmission]
    facts: list[DamagedFact]
    files: list[str]


class ImportSummary(ApiModel):
    """The number of facts that an import added."""

    submissions: int
    activities: int
    reviews: int
    inputs: int
