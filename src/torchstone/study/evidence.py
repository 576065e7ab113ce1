"""Evidence of a review, collected from the stored facts of one problem."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from torchstone.study.rating import Evidence

if TYPE_CHECKING:
    # For the type only; an import of the store would import SQLAlchemy.
    from torchstone.store import Activity

_ONE_MINUTE = timedelta(minutes=1)


def gather_evidence(
    activity: "Activity", *, planned_minutes: float, now: datetime | None = None
) -> Evidence:
    """Collect the evidence for ``rate`` from the activity since the last review.

    Args:
        activity: The result of ``Store.activity`` since the last review of the problem.
        planned_minutes: The planned time of the problem.
        now: The end of the counted time while the problem is not accepted; by default the time of
            such a problem is unknown.
    """
    minutes = None
    if activity.accepted_at is None and now is not None:
        begin = activity.started_at or now
        # The clock may have been set back since.
        minutes = max(0.0, (now - begin) / _ONE_MINUTE)
    elif activity.started_at is not None and activity.accepted_at is not None:
        spent = (activity.accepted_at - activity.started_at) / _ONE_MINUTE
        # The clock was set back in between, so the time is unknown.
        minutes = spent if spent >= 0 else None
    return Evidence(
        accepted=activity.accepted_at is not None,
        tries=activity.tries,
        highest_rung=max((hint.rung for hint in activity.hints), default=0),
        solution_seen=activity.solution_seen_at is not None,
        minutes=minutes,
        planned_minutes=planned_minutes,
    )
