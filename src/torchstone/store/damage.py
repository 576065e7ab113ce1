"""Hashes of stored submissions, which show a text that changed on the disk.

SQLite returns a text with a flipped bit without an error. So a row has a hash of what the learner
submitted, and a hash of what the judge stored. Every reader of a whole submission checks both.
"""

import hashlib
import json
from abc import ABC
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, select

from torchstone.core.errors import StoreError
from torchstone.core.verdict import State
from torchstone.store.schema import submissions
from torchstone.store.section import Section

SOURCE_FIELDS = ("id", "client_key", "problem_id", "kind", "source")
RESULT_FIELDS = ("id", "verdict", "time_ms", "report", "receipt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """A stored submission that is not what was stored.

    Args:
        id: The submission.
        problem_id: Its problem.
        parts: ``"source"``, ``"result"`` or both.
    """

    id: str
    problem_id: str
    parts: tuple[str, ...]


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


def source_hash(values: Mapping[str, Any]) -> str:
    """Hash what the learner submitted."""
    return _hash([values[name] for name in SOURCE_FIELDS])


def result_hash(values: Mapping[str, Any]) -> str:
    """Hash what the judge stored; without a receipt its value is None."""
    return _hash([values.get(name) for name in RESULT_FIELDS])


def damaged_parts(row: Row[Any]) -> tuple[str, ...]:
    """Return the damaged parts of a row; empty if it is intact."""
    values, parts = dict(row._mapping), []
    if row.source_hash != source_hash(values):
        parts.append("source")
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


def _hash(values: list[object]) -> str:
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    # `sqlite` reads bytes that are no UTF-8 as lone surrogates.
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _shown(text: str) -> str:
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
