"""Order of facts: a clock that never goes back, whatever the clock of the machine does.

``created_at`` and its like say what the clock of the machine showed. ``ordered_at`` decides which
of two facts is the later one. It is the same moment, but never earlier than that of a fact that
this database has stored before. A fact from another machine keeps its own moment, so that a merge
interleaves both histories.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, func, select

from torchstone.store.schema import activities, inputs, reviews, submissions

TICK = timedelta(microseconds=1)
_COLUMNS = (
    submissions.c.ordered_at,
    activities.c.ordered_at,
    reviews.c.ordered_at,
    reviews.c.undone_at,
    inputs.c.ordered_at,
)
# One statement, because each takes 0.2 ms of every submission.
_LAST_MOMENTS = select(
    *(select(func.max(column)).scalar_subquery().label(None) for column in _COLUMNS)
)


def next_moment(connection: Connection, now: datetime) -> datetime:
    """Return the current time, or a moment just after the last fact if the clock is behind it.

    The caller holds the write lock.
    """
    known = connection.execute(_LAST_MOMENTS).one()
    last = max((moment for moment in known if moment is not None), default=now)
    # Two facts of the same moment are ordered by their numbers.
    return now if last <= now else last + TICK


def order_arriving(arriving: Iterable[dict[str, Any]], *, moment: str) -> None:
    """Give imported facts their ``ordered_at``: their moments, in the order of the document."""
    last: datetime | None = None
    for values in arriving:
        last = values[moment] if last is None else max(values[moment], last + TICK)
        values["ordered_at"] = last
