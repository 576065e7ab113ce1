"""Frozen records that the store returns."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, TypeAlias

from torchstone.core.verdict import State, Verdict

SubmissionKind: TypeAlias = Literal["submit", "run"]

# A job's report and receipt are JSON objects of the judge's public interface.
JsonObject: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionSummary:
    """One line of a problem's history."""

    id: str
    problem_id: str
    kind: SubmissionKind
    state: State
    verdict: Verdict | None
    time_ms: float | None
    interruptions: int
    created_at: datetime
    finished_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission(SubmissionSummary):
    """One submission with all that is known of it."""

    source: str
    host_id: str | None
    report: JsonObject | None
    receipt: JsonObject | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """What a starting host found: ids to judge now, oldest first, and ids given up as IE."""

    queued: tuple[str, ...]
    failed: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HintOpened:
    """The first time a rung of the hints was opened."""

    rung: int
    opened_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Activity:
    """What happened on a problem from a moment on, up to its acceptance: evidence of a review.

    Args:
        tries: Verdicts up to and with the first acceptance; a fault of the judge is no try.
        hints: Rungs opened before the acceptance, each once, in the order of opening.
        solution_seen_at: When the solution was first seen before the acceptance.
    """

    problem_id: str
    started_at: datetime | None
    tries: int
    accepted_at: datetime | None
    hints: tuple[HintOpened, ...]
    solution_seen_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far one learner has come with one problem, over all time.

    Args:
        attempts: Judged submissions; a fault of the judge is no attempt.
        best_id: The fastest accepted submission.
        hints: All rungs ever opened, each at its first opening.
    """

    problem_id: str
    started_at: datetime | None
    attempts: int
    first_accepted_at: datetime | None
    best_id: str | None
    best_time_ms: float | None
    hints: tuple[HintOpened, ...]
    solution_seen_at: datetime | None

    @property
    def is_accepted(self) -> bool:
        """Return whether the problem was ever accepted."""
        return self.first_accepted_at is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewCard:
    """The review schedule of one item."""

    item: str
    card: str
    due: datetime
    reviewed_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewEntry:
    """One line of the review log; an undone one stays in it and counts no more."""

    item: str
    rating: int
    evidence: JsonObject
    card: str
    due: datetime
    reviewed_at: datetime
    undone_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSummary:
    """What an import added; what was known already is not counted."""

    submissions: int
    activities: int
    reviews: int
