"""Rows of the submissions: reading them, and their conversion to records."""

import json
from dataclasses import fields
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from torchstone.core.errors import NotFound
from torchstone.core.verdict import State, Verdict
from torchstone.store.damage import require_intact, row_damaged
from torchstone.store.records import Submission, SubmissionSummary
from torchstone.store.schema import submissions

_table = submissions.c
_SUMMARY_NAMES = tuple(field.name for field in fields(SubmissionSummary))
SUMMARY_COLUMNS = tuple(_table[name] for name in _SUMMARY_NAMES)


def require_row(connection: Connection, submission_id: str) -> Row[Any]:
    """Read the row of one submission.

    Raises:
        NotFound: The submission does not exist.
    """
    query = select(submissions).where(_table.id == submission_id)
    row = connection.execute(query).one_or_none()
    if row is None:
        raise NotFound("store.submission_unknown", id=submission_id)
    return row


def read_summaries(connection: Connection, query: Select[Any]) -> list[SubmissionSummary]:
    """Read the rows of a query with the columns of a summary, newest first."""
    # Not by number: an import adds old submissions under new row numbers.
    newest_first = query.order_by(_table.ordered_at.desc(), _table.number.desc())
    rows = connection.execute(newest_first).all()
    return [SubmissionSummary(**shared_fields(row)) for row in rows]


def shared_fields(row: Row[Any]) -> dict[str, Any]:
    """Return the fields that a summary and a whole submission share.

    Raises:
        StoreError: The state or the verdict of the row is unknown.
    """
    shared = {name: row._mapping[name] for name in _SUMMARY_NAMES}
    try:
        verdict = None if row.verdict is None else Verdict(row.verdict)
        return shared | {"state": State(row.state), "verdict": verdict}
    except ValueError as error:
        raise row_damaged(row, ("result",)) from error


def to_submission(row: Row[Any]) -> Submission:
    """Convert a whole row.

    Raises:
        StoreError: The row is damaged.
    """
    require_intact(row)
    return Submission(
        **shared_fields(row),
        source=row.source,
        host_id=row.host_id,
        report=None if row.report is None else json.loads(row.report),
        receipt=None if row.receipt is None else json.loads(row.receipt),
    )
