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
        tries: Number of verdicts up to the first acceptance, inclusive; a fault of the judge does
            not count.
        hints: Rungs opened before the acceptance, each once, in the order of opening.
        solution_seen_at: When the learner first viewed the solution before the acceptance.
    """

    problem_id: str
    started_at: datetime | None
    tries: int
    accepted_at: datetime | None
    hints: tuple[HintOpened, ...]
    solution_seen_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """The learner's progress with one problem, over all time.

    Args:
        attempts: Number of judged submissions; a fault of the judge does not count.
        best_id: The fastest accepted submission.
        hints: All opened rungs, each at its first opening.
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
class ImportSummary:
    """The number of facts that an import added; known facts do not count."""

    submissions: int
    activities: int
    reviews: int
