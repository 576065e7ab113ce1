"""Hashes of stored rows, which show a text that changed on the disk.

SQLite returns a text with a flipped bit without an error. So a submission has a hash of what the
learner submitted, one of the host that judges it, and one of what the judge stored. Every reader of
a whole submission checks all three. An activity, a review, a kept input, an interview, its events
and its drafts have one hash each. Every reader of them checks it, and leaves a damaged one out: one
bit must not close the progress of all problems.
"""

import hashlib
import json
import logging
from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any, Literal, TypeAlias

from sqlalchemy import Row, Table, select

from torchstone.core.errors import StoreError
from torchstone.core.verdict import State
from torchstone.store.schema import (
    activities,
    inputs,
    interview_drafts,
    interview_events,
    interviews,
    reviews,
    submissions,
    to_microseconds,
)
from torchstone.store.section import Section

FactTable: TypeAlias = Literal[
    "activities", "reviews", "inputs", "interviews", "interview_events", "interview_drafts"
]

SOURCE_FIELDS = ("id", "client_key", "problem_id", "kind", "source")
HOST_FIELDS = ("id", "host_id")
RESULT_FIELDS = ("id", "verdict", "time_ms", "report", "receipt")
FACT_FIELDS: dict[FactTable, tuple[str, ...]] = {
    "activities": ("problem_id", "kind", "rung", "happened_at"),
    "reviews": ("item", "rating", "evidence", "card", "due", "reviewed_at"),
    "inputs": ("problem_id", "name", "code", "kept_at"),
    "interviews": ("id", "created_at", "header"),
    "interview_events": (
        "interview",
        "place",
        "at",
        "kind",
        "elapsed_ms",
        "body",
        "previous_hash",
        "hash",
    ),
    "interview_drafts": ("interview", "item", "text", "saved_at"),
}
_FACT_TABLES: dict[FactTable, Table] = {
    "activities": activities,
    "reviews": reviews,
    "inputs": inputs,
    "interviews": interviews,
    "interview_events": interview_events,
    "interview_drafts": interview_drafts,
}
# What a row of a fact is about.
_ABOUT: dict[FactTable, str] = {
    "activities": "problem_id",
    "reviews": "item",
    "inputs": "problem_id",
    "interviews": "id",
    "interview_events": "interview",
    "interview_drafts": "interview",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A stored submission that is not what was stored.

    Args:
        id: The submission.
        problem_id: Its problem.
        parts: Those of ``"source"``, ``"host"`` and ``"result"`` that differ.
    """

    id: str
    problem_id: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DamagedFact:
    """A stored fact, not a submission, that is not what was stored; no reader counts it.

    Args:
        table: The table of the row.
        number: The number of the row.
        about: The problem of an activity or an input, the item of a review, or the interview.
    """

    table: FactTable
    number: int
    about: str


class Damages(Section, ABC):
    """The section of the store that looks for damage."""

    def find_damages(self) -> list[Damage]:
        """Check every submission; list the damaged ones, oldest first."""
        query = select(submissions).order_by(submissions.c.number)
        with self._reading() as connection:
            rows = connection.execute(query).all()
        return [
            Damage(id=_shown(row.id), problem_id=_shown(row.problem_id), parts=parts)
            for row in rows
            if (parts := damaged_parts(row))
        ]

    def find_damaged_facts(self) -> list[DamagedFact]:
        """Check every fact that is no submission; list the damaged ones, oldest first."""
        found = []
        with self._reading() as connection:
            for name, table in _FACT_TABLES.items():
                rows = connection.execute(select(table).order_by(table.c.number)).all()
                found += [_damaged_fact(name, row) for row in rows if not has_its_hash(name, row)]
        return found


def source_hash(values: Mapping[str, Any]) -> str:
    """Hash what the learner submitted."""
    return _hash([values[name] for name in SOURCE_FIELDS])


def host_hash(values: Mapping[str, Any]) -> str | None:
    """Hash the host that claimed a submission; None if no host has claimed it."""
    return None if values["host_id"] is None else _hash([values[name] for name in HOST_FIELDS])


def result_hash(values: Mapping[str, Any]) -> str:
    """Hash what the judge stored; without a receipt its value is None."""
    return _hash([values.get(name) for name in RESULT_FIELDS])


def fact_hash(table: FactTable, values: Mapping[str, Any]) -> str:
    """Hash a fact; of a review, without the moment at which it was undone."""
    fields = (values[name] for name in FACT_FIELDS[table])
    return _hash([to_microseconds(each) if isinstance(each, datetime) else each for each in fields])


def has_its_hash(table: FactTable, row: Row[Any]) -> bool:
    """Return whether a fact is what was stored."""
    return bool(row.fact_hash == fact_hash(table, dict(row._mapping)))


def is_intact(table: FactTable, row: Row[Any]) -> bool:
    """Return whether a fact is what was stored; log the first sight of damage."""
    intact = has_its_hash(table, row)
    if not intact:
        _log_once(table, row.number)
    return intact


@cache
def _log_once(table: FactTable, number: int) -> None:
    logging.getLogger(__name__).warning(
        "Row %d of %s is damaged in the database and does not count; see `torchstone system`.",
        number,
        table,
    )


def damaged_parts(row: Row[Any]) -> tuple[str, ...]:
    """Return the damaged parts of a row; empty if it is intact."""
    values, parts = dict(row._mapping), []
    if row.source_hash != source_hash(values):
        parts.append("source")
    if row.host_hash != host_hash(values):
        parts.append("host")
    wanted = result_hash(values) if row.state == State.DONE else None
    if row.result_hash != wanted or row.state not in set(State):
        parts.append("result")
    return tuple(parts)


def require_intact(row: Row[Any]) -> None:
    """Check the hashes of a row.

    Raises:
        StoreError: The row is damaged; its code is ``store.row_damaged``.
    """
    if parts := damaged_parts(row):
        raise row_damaged(row, parts)


def row_damaged(row: Row[Any], parts: tuple[str, ...]) -> StoreError:
    """Return the error of a damaged row."""
    return StoreError("store.row_damaged", id=_shown(row.id), parts=", ".join(parts))


def _damaged_fact(table: FactTable, row: Row[Any]) -> DamagedFact:
    about = row._mapping[_ABOUT[table]]
    return DamagedFact(table=table, number=row.number, about=_shown(about))


def _hash(values: list[object]) -> str:
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    # `sqlite` reads bytes that are no UTF-8 as lone surrogates.
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _shown(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
