"""Frozen records that the store returns."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from torchstone.core.verdict import State, Verdict

SubmissionKind: TypeAlias = Literal["submit", "run"]

# The report and the receipt of a job are JSON objects of the judge's public interface.
JsonObject: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionSummary:
    """One entry of a problem's history."""

    id: str
    problem_id: str
    kind: SubmissionKind
    state: State
    verdict: Verdict | None
    time_ms: float | None
    interruptions: int
    created_at: datetime
    finished_at: datetime | None

    @property
    def is_try(self) -> bool:
        """Return whether it counts as a try at the problem."""
        return self.kind == "submit" and self.verdict is not None and self.verdict.is_try


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission(SubmissionSummary):
    """One submission with all stored fields."""

    source: str
    host_id: str | None
    report: JsonObject | None
    receipt: JsonObject | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """Submissions that a starting host found: ids to judge, oldest first; ids that became IE."""

    queued: tuple[str, ...]
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HintOpened:
    """The first opening of a rung of the hints."""

    rung: int
    opened_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """The activity on a problem since a moment, up to its acceptance: evidence of a review.

    Args:
        tries: Number of tries up to the first acceptance, inclusive; see ``Verdict.is_try``.
        hints: Rungs opened before the acceptance, each once, in the order of opening.
        solution_seen_at: When the learner first viewed the solution before the acceptance.
        worked_s: The seconds that the page counted before the acceptance; those of two windows at
            the same time count once.
        worked_from: The beginning of the first span that it counted.
        worked_until: The end of the last one.
    """

    problem_id: str
    started_at: datetime | None
    tries: int
    accepted_at: datetime | None
    hints: tuple[HintOpened, ...]
    solution_seen_at: datetime | None
    worked_s: int = 0
    worked_from: datetime | None = None
    worked_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The learner's progress with one problem, over all time.

    Args:
        attempts: Number of tries; a program that cannot be loaded and a fault of the judge are
            none.
        is_submitted: Whether a submission was judged, be it a try or one that cannot be loaded.
        last_accepted_at: The moment of the last acceptance, by which it is ordered among the
            submissions; it differs from ``created_at`` if the clock was set back.
        best_id: The fastest accepted submission.
        hints: All opened rungs, each at its first opening.
    """

    problem_id: str
    started_at: datetime | None
    attempts: int
    is_submitted: bool
    first_accepted_at: datetime | None
    last_accepted_at: datetime | None = field(compare=False)
    best_id: str | None
    best_time_ms: float | None
    hints: tuple[HintOpened, ...]
    solution_seen_at: datetime | None

    @property
    def is_accepted(self) -> bool:
        """Return whether a submission of the problem was accepted."""
        return self.first_accepted_at is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewCard:
    """The review schedule of one item.

    Args:
        ordered_at: The moment by which the review is ordered among the submissions and activities;
            it differs from ``reviewed_at`` if the clock was set back.
    """

    item: str
    card: str
    due: datetime
    reviewed_at: datetime
    ordered_at: datetime = field(compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewEntry:
    """One entry of the review log; an undone entry stays in the log and has no effect."""

    item: str
    rating: int
    evidence: JsonObject
    card: str
    due: datetime
    reviewed_at: datetime
    undone_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How far the learner has read a chapter.

    Args:
        section: The number of the section that was reached last; 0 is the beginning.
        is_done: Whether the learner says that it is read.
        read_at: The last time that any of it changed.
    """

    chapter_id: str
    section: int
    is_done: bool
    read_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptInput:
    """An own input that the learner keeps under a name, and since when."""

    problem_id: str
    name: str
    code: str
    kept_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSummary:
    """The number of facts that an import added; known facts do not count."""

    submissions: int
    activities: int
    reviews: int
    inputs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """The number of damaged rows that an export left out."""

    submissions: int
    activities: int
    reviews: int
    inputs: int

    @property
    def total(self) -> int:
        """Return the number of rows of all tables."""
        return self.submissions + self.activities + self.reviews + self.inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """All progress as a JSON document, and what it lacks because it is damaged."""

    document: bytes
    left_out: LeftOut
