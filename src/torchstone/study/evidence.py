"""Evidence of a review, collected from the stored facts of one problem."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from torchstone.study.rating import Evidence

if TYPE_CHECKING:
    # For the type only; an import of the store would import SQLAlchemy.
    from torchstone.store import Activity

_ONE_MINUTE = timedelta(minutes=1)
# A page counts in spans of a minute, and stops two minutes after the last input. If the last span
# ended earlier, the learner continued elsewhere, for example in an editor beside a terminal.
_LAST_SPAN = timedelta(minutes=4)


def gather_evidence(
    activity: "Activity", *, planned_minutes: float, now: datetime | None = None
) -> Evidence:
    """Collect the evidence for ``rate`` from the activity since the last review.

    The minutes are those that the page counted, if it counted from the start up to the acceptance.
    Otherwise they are those from the start to the acceptance.

    Args:
        activity: The result of ``Store.activity`` since the last review of the problem.
        planned_minutes: The planned time of the problem.
        now: The end of the counted time while the problem is not accepted; by default the time of
            such a problem is unknown.
    """
    minutes = None
    end = activity.accepted_at or now
    if end is not None and _counted_all(activity, end):
        minutes = activity.worked_s / 60
    elif activity.accepted_at is None and now is not None:
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


def _counted_all(activity: "Activity", end: datetime) -> bool:
    begin, until = activity.worked_from, activity.worked_until
    if begin is None or until is None or abs(end - until) > _LAST_SPAN:
        return False
    # A learner who worked elsewhere, and opened the page only to submit, needed more time than
    # counted.
    return activity.started_at is None or begin - activity.started_at <= _LAST_SPAN
