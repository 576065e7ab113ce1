"""Turn what the store knows of one problem into the evidence of a review."""

from datetime import timedelta
from typing import TYPE_CHECKING

from torchstone.study.rating import Evidence

if TYPE_CHECKING:
    # Only the shape is needed; importing the store would import SQLAlchemy.
    from torchstone.store import Activity

_ONE_MINUTE = timedelta(minutes=1)


def gather_evidence(activity: "Activity", *, planned_minutes: float) -> Evidence:
    """Gather the evidence for ``rate`` from the activity since the last review.

    Args:
        activity: What ``Store.activity`` tells, asked since the last review of the problem.
        planned_minutes: What the problem is planned for.
    """
    minutes = None
    if activity.started_at is not None and activity.accepted_at is not None:
        minutes = (activity.accepted_at - activity.started_at) / _ONE_MINUTE
    return Evidence(
        accepted=activity.accepted_at is not None,
        tries=activity.tries,
        highest_rung=max((hint.rung for hint in activity.hints), default=0),
        solution_seen=activity.solution_seen_at is not None,
        minutes=minutes,
        planned_minutes=planned_minutes,
    )
