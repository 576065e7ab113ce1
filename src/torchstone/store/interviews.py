"""Interviews: their events, which are only ever added, the heartbeat of a clock, and drafts."""

import json
import secrets
from abc import ABC
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from torchstone.core.errors import StoreError
from torchstone.store.damage import fact_hash, has_its_hash, is_intact
from torchstone.store.schema import interview_drafts, interview_events, interviews
from torchstone.store.section import Section
from torchstone.store.validation import encode_json, storable_name, storable_text

_ID_BYTES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """The process that holds an interview, and a number that says when it began."""

    pid: int
    began: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredEvent:
    """One event of an interview, as it lies in the database."""

    number: int
    at: str
    kind: str
    elapsed_ms: int
    body: dict[str, Any]
    previous_hash: str
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredInterview:
    """One interview.

    Args:
        last_seen: The last heartbeat of the process that held it.
        elapsed_ms: What its clock read then.
        holder: The process that holds it; None if it was left in order.
    """

    id: str
    created_at: datetime
    header: dict[str, Any]
    last_seen: datetime
    elapsed_ms: int
    holder: Holder | None


class Interviews(Section, ABC):
    """The section of the store with the interviews."""

    def begin_interview(self, header: dict[str, Any], holder: Holder) -> str:
        """Create an interview without events; return its id."""
        name = secrets.token_hex(_ID_BYTES)
        now = self._clock()
        fact = {"id": name, "created_at": now, "header": encode_json(header, what="header")}
        with self._writing() as connection:
            connection.execute(
                insert(interviews).values(
                    **fact,
                    fact_hash=fact_hash("interviews", fact),
                    last_seen=now,
                    elapsed_ms=0,
                    holder_pid=holder.pid,
                    holder_began=holder.began,
                )
            )
        return name

    def hold_interview(
        self, name: str, holder: Holder, *, is_alive: Callable[[Holder], bool]
    ) -> bool:
        """Become the one process that may add events; False while another one is alive."""
        with self._writing() as connection:
            row = connection.execute(select(interviews).where(interviews.c.id == name)).one()
            held = _holder(row)
            if held not in (None, holder) and is_alive(held):
                return False
            connection.execute(
                update(interviews)
                .where(interviews.c.id == name)
                .values(holder_pid=holder.pid, holder_began=holder.began)
            )
        return True

    def leave_interview(self, name: str, holder: Holder) -> None:
        """Let another process hold it at once."""
        mine = (
            interviews.c.id == name,
            interviews.c.holder_pid == holder.pid,
            interviews.c.holder_began == holder.began,
        )
        with self._writing() as connection:
            connection.execute(
                update(interviews).where(*mine).values(holder_pid=None, holder_began=None)
            )

    def beat_interview(self, name: str, elapsed_ms: int) -> None:
        """Write down what the clock of an interview reads now."""
        with self._writing() as connection:
            self._note_clock(connection, name, elapsed_ms)

    def add_interview_event(self, name: str, event: StoredEvent) -> bool:
        """Add an event; False if there is one of its number already.

        When it returns, the event is on the disk. The clock's reading is written with it.
        """
        fact = {
            "interview": name,
            "place": event.number,
            "at": event.at,
            "kind": event.kind,
            "elapsed_ms": event.elapsed_ms,
            "body": encode_json(event.body, what="event"),
            "previous_hash": event.previous_hash,
            "hash": event.hash,
        }
        fact["fact_hash"] = fact_hash("interview_events", fact)
        try:
            with self._writing() as connection:
                connection.execute(insert(interview_events).values(**fact))
                self._note_clock(connection, name, event.elapsed_ms)
        except IntegrityError:
            return False
        return True

    def interview_events_of(self, name: str) -> tuple[StoredEvent, ...]:
        """Read the events of an interview in order.

        Raises:
            StoreError: One of them is damaged; without it the others would tell another story.
        """
        query = select(interview_events).where(interview_events.c.interview == name)
        with self._reading() as connection:
            rows = connection.execute(query.order_by(interview_events.c.place)).all()
        for row in rows:
            if not has_its_hash("interview_events", row):
                raise StoreError("store.interview_damaged", id=name, number=row.place)
        return tuple(
            StoredEvent(
                number=row.place,
                at=row.at,
                kind=row.kind,
                elapsed_ms=row.elapsed_ms,
                body=json.loads(row.body),
                previous_hash=row.previous_hash,
                hash=row.hash,
            )
            for row in rows
        )

    def interviews(self) -> tuple[StoredInterview, ...]:
        """Read all intact interviews, the newest first."""
        query = select(interviews).order_by(interviews.c.created_at.desc(), interviews.c.number)
        with self._reading() as connection:
            rows = connection.execute(query).all()
        return tuple(
            StoredInterview(
                id=row.id,
                created_at=row.created_at,
                header=json.loads(row.header),
                last_seen=row.last_seen,
                elapsed_ms=row.elapsed_ms,
                holder=_holder(row),
            )
            for row in rows
            if is_intact("interviews", row)
        )

    def save_interview_draft(self, name: str, item: str, text: str) -> None:
        """Keep the text of an answer while it is written."""
        same = (interview_drafts.c.interview == name, interview_drafts.c.item == item)
        fact = {
            "interview": name,
            "item": storable_name(item, what="item"),
            "text": storable_text(text, what="draft"),
            "saved_at": self._clock(),
        }
        fact["fact_hash"] = fact_hash("interview_drafts", fact)
        with self._writing() as connection:
            connection.execute(delete(interview_drafts).where(*same))
            connection.execute(insert(interview_drafts).values(**fact))

    def interview_draft(self, name: str, item: str) -> str:
        """Read the text of an answer that was being written; nothing if there is none intact."""
        query = select(interview_drafts).where(
            interview_drafts.c.interview == name, interview_drafts.c.item == item
        )
        with self._reading() as connection:
            row = connection.execute(query).one_or_none()
        return row.text if row is not None and is_intact("interview_drafts", row) else ""

    def delete_interview(self, name: str) -> bool:
        """Remove an interview with its events and drafts; False if there is none."""
        with self._writing() as connection:
            found = connection.execute(delete(interviews).where(interviews.c.id == name))
            for table in (interview_events, interview_drafts):
                connection.execute(delete(table).where(table.c.interview == name))
        return found.rowcount > 0

    def _note_clock(self, connection: Connection, name: str, elapsed_ms: int) -> None:
        connection.execute(
            update(interviews)
            .where(interviews.c.id == name)
            .values(last_seen=self._clock(), elapsed_ms=elapsed_ms)
        )


def _holder(row: Row[Any]) -> Holder | None:
    if row.holder_pid is None:
        return None
    return Holder(pid=row.holder_pid, began=row.holder_began)
