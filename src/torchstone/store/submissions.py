"""Submissions: recorded before judging, claimed by one host, judged at most once.

::

    queued ──claim──▶ running ──record_verdict──▶ done
                      ▲    │ mark_interrupted / interrupt_host / recover
                claim │    ▼
                   interrupted ──second time, alone──▶ done (IE)

A host that ends interrupts all submissions that it runs. This counts against a submission only if
it was the only one; another one may have ended the host. An interrupted submission runs again, and
the host runs no other at the same time.

A submission that is not done can be cancelled. Every transition is one conditional update, so
exactly one of two racing processes succeeds.
"""

import re
import secrets
from abc import ABC
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Any, get_args

from sqlalchemy import ColumnElement, Connection, Row, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from torchstone.core.errors import BadInput, NotFound
from torchstone.core.verdict import State, Verdict
from torchstone.store.damage import host_hash, result_hash, source_hash
from torchstone.store.order import next_moment
from torchstone.store.records import (
    JsonObject,
    Recovery,
    Submission,
    SubmissionKind,
    SubmissionSummary,
)
from torchstone.store.schema import KEY_LENGTH, submissions
from torchstone.store.section import Section
from torchstone.store.submission_rows import (
    SUMMARY_COLUMNS,
    read_summaries,
    require_row,
    shared_fields,
    to_submission,
)
from torchstone.store.validation import encode_json, storable_name, storable_text

# A job that ended two hosts while no other ran does not run on a third one.
MAX_INTERRUPTIONS = 2
ID_BYTES = 6

# Create the report of a submission with too many interruptions, from its problem and their number.
GiveUp = Callable[[str, int], JsonObject]

_WAITING = (State.QUEUED, State.INTERRUPTED)
_UNFINISHED = (State.QUEUED, State.RUNNING, State.INTERRUPTED)
_ID_PREFIX = re.compile(rf"[0-9a-f]{{1,{2 * ID_BYTES}}}")
_table = submissions.c


class Submissions(Section, ABC):
    """The section of the store with the submissions."""

    def add_submission(
        self, problem_id: str, source: str, *, kind: SubmissionKind = "submit", client_key: str
    ) -> str:
        """Store a submission as queued; it is on the disk when this returns.

        Args:
            problem_id: The problem, e.g. ``"01"``.
            source: The text of the learner's file.
            kind: ``"submit"`` counts as an attempt, ``"run"`` does not.
            client_key: A key that the client draws once for each submission. If the client loses
                the answer and sends the same key again, nothing is stored and the first id is
                returned.

        Returns:
            The public id, 12 hexadecimal digits.

        Raises:
            BadInput: Another submission has the client key.
            ValueError: The kind is unknown, or a name or the source cannot be stored.
            StoreError: The database cannot be written.
        """
        if kind not in get_args(SubmissionKind):
            raise ValueError(f"add_submission: kind is {kind!r}; expected 'submit' or 'run'.")
        fields = {
            "client_key": storable_name(
                client_key, what="add_submission: client_key", max_length=KEY_LENGTH
            ),
            "problem_id": storable_name(problem_id, what="add_submission: problem_id"),
            "kind": kind,
            "source": storable_text(source, what="add_submission: source"),
        }
        try:
            return self._add_once(fields)
        except IntegrityError:
            # Another process has just used the key or the drawn id: try again.
            return self._add_once(fields)

    def _add_once(self, fields: dict[str, str]) -> str:
        with self._writing() as connection:
            query = select(submissions).where(_table.client_key == fields["client_key"])
            known = connection.execute(query).one_or_none()
            if known is None:
                drawn, now = secrets.token_hex(ID_BYTES), self._clock()
                queued = {"id": drawn, "state": State.QUEUED, "created_at": now}
                queued |= {
                    "ordered_at": next_moment(connection, now),
                    "source_hash": source_hash(fields | queued),
                }
                connection.execute(insert(submissions).values(**fields, **queued))
                return drawn
        if any(known._mapping[name] != value for name, value in fields.items()):
            raise BadInput("store.client_key_reused", id=known.id)
        return str(known.id)

    def claim(self, submission_id: str, host_id: str) -> bool:
        """Claim a waiting submission for one host; False if it is claimed already or over.

        Raises:
            NotFound: The submission does not exist.
        """
        host = storable_name(host_id, what="claim: host_id", max_length=KEY_LENGTH)
        values: dict[str, object] = {"state": State.RUNNING, "host_id": host}
        values["host_hash"] = host_hash(values | {"id": submission_id})
        return self._move(submission_id, allowed=_WAITING, values=values)

    def release(self, submission_id: str, host_id: str) -> bool:
        """Queue a running submission again for the host that claimed it; this is no interruption.

        The host calls this when the store could not record the verdict.

        Raises:
            NotFound: The submission does not exist.
        """
        values = {"state": State.QUEUED, "host_id": None, "host_hash": None}
        return self._move(
            submission_id, _table.host_id == host_id, allowed=(State.RUNNING,), values=values
        )

    def record_verdict(
        self, submission_id: str, report: Mapping[str, object], receipt: Mapping[str, object]
    ) -> bool:
        """Record the verdict of a running submission; it is on the disk when this returns True.

        Returns:
            False if the submission has a verdict, was cancelled or is not running; nothing is
            changed then.

        Raises:
            NotFound: The submission does not exist.
            ValueError: The report has no known verdict, or is not plain finite JSON.
        """
        values = self._verdict_values(report) | {
            "receipt": encode_json(receipt, what="record_verdict: receipt")
        }
        values["result_hash"] = result_hash(values | {"id": submission_id})
        return self._move(submission_id, allowed=(State.RUNNING,), values=values)

    def _verdict_values(self, report: Mapping[str, object]) -> dict[str, object]:
        return {
            "state": State.DONE,
            "verdict": Verdict(str(report.get("verdict"))),
            "time_ms": measured_time(report),
            "report": encode_json(report, what="record_verdict: report"),
            "finished_at": self._clock(),
        }

    def mark_interrupted(self, submission_id: str, give_up: GiveUp) -> State:
        """Count an interruption of a running submission that ended the judging by itself.

        Returns:
            The new state: INTERRUPTED, which can be claimed again, or DONE with verdict IE after
            the second interruption. The state of a submission that was not running does not change.

        Raises:
            NotFound: The submission does not exist.
        """
        with self._writing() as connection:
            row = require_row(connection, submission_id)
            if row.state != State.RUNNING:
                return State(row.state)
            return self._interrupt(connection, row, give_up, counts=True)

    def interrupt_host(self, host_id: str, give_up: GiveUp) -> None:
        """Interrupt all submissions that a host runs; the host calls this when it stops.

        Args:
            host_id: The host that stops.
            give_up: Creates the report of a submission with too many interruptions.
        """
        with self._writing() as connection:
            self._interrupt_all(connection, _table.host_id == host_id, give_up)

    def recover(self, host_id: str, give_up: GiveUp) -> Recovery:
        """Recover the submissions of dead hosts; a host calls this when it starts.

        A submission that runs under another host id was interrupted. If that host ran no other, the
        interruption counts: after the second one it becomes IE. A data folder has one host, and
        each start draws a new id.

        Args:
            host_id: The host that starts.
            give_up: Creates the report of a submission with too many interruptions.

        Returns:
            All ids to judge, oldest first, and the ids that became IE.
        """
        with self._writing() as connection:
            moved = self._interrupt_all(connection, _table.host_id != host_id, give_up)
            waiting = select(_table.id).where(_table.state.in_(_WAITING))
            queued = connection.scalars(waiting.order_by(_table.number)).all()
        failed = tuple(moved_id for moved_id, state in moved.items() if state is State.DONE)
        return Recovery(queued=tuple(queued), failed=failed)

    def _interrupt_all(
        self, connection: Connection, condition: ColumnElement[bool], give_up: GiveUp
    ) -> dict[str, State]:
        query = select(submissions).where(_table.state == State.RUNNING, condition)
        rows = connection.execute(query.order_by(_table.number)).all()
        num_running = Counter(row.host_id for row in rows)
        return {
            row.id: self._interrupt(connection, row, give_up, counts=num_running[row.host_id] == 1)
            for row in rows
        }

    def _interrupt(
        self, connection: Connection, row: Row[Any], give_up: GiveUp, *, counts: bool
    ) -> State:
        interruptions = row.interruptions + counts
        values: dict[str, object] = {"state": State.INTERRUPTED}
        if counts and interruptions >= MAX_INTERRUPTIONS:
            values = self._verdict_values(give_up(row.problem_id, interruptions))
            values["result_hash"] = result_hash(values | {"id": row.id})
        values |= {"interruptions": interruptions, "host_id": None, "host_hash": None}
        connection.execute(update(submissions).where(_table.id == row.id).values(**values))
        return State(str(values["state"]))

    def cancel(self, submission_id: str) -> bool:
        """Cancel a submission without a verdict; False if it is over.

        Raises:
            NotFound: The submission does not exist.
        """
        values = {"state": State.CANCELLED, "finished_at": self._clock()}
        return self._move(submission_id, allowed=_UNFINISHED, values=values)

    def _move(
        self,
        submission_id: str,
        *conditions: ColumnElement[bool],
        allowed: tuple[State, ...],
        values: Mapping[str, object],
    ) -> bool:
        with self._writing() as connection:
            is_allowed = (_table.id == submission_id, _table.state.in_(allowed), *conditions)
            move = update(submissions).where(*is_allowed)
            if connection.execute(move.values(**values)).rowcount == 1:
                return True
            require_row(connection, submission_id)
            return False

    def get_summary(self, submission_id: str) -> SubmissionSummary:
        """Read one submission without its texts, whether or not these are damaged.

        Raises:
            NotFound: The submission does not exist.
        """
        with self._reading() as connection:
            return SubmissionSummary(**shared_fields(require_row(connection, submission_id)))

    def get_submission(self, submission_id: str) -> Submission:
        """Read one submission by its full id.

        Raises:
            NotFound: The submission does not exist.
            StoreError: Its row is damaged.
        """
        with self._reading() as connection:
            return to_submission(require_row(connection, submission_id))

    def find_submission(self, prefix: str) -> Submission:
        """Read one submission by a prefix of its id.

        Raises:
            NotFound: No id has this prefix.
            BadInput: Several ids have this prefix.
            StoreError: Its row is damaged.
        """
        if not _ID_PREFIX.fullmatch(prefix):
            raise NotFound("store.submission_unknown", id=prefix)
        # A range uses the index of the ids; "g" follows the last hexadecimal digit.
        in_range = select(submissions).where(_table.id >= prefix, _table.id < prefix + "g")
        with self._reading() as connection:
            rows = connection.execute(in_range.order_by(_table.id).limit(2)).all()
        if not rows:
            raise NotFound("store.submission_unknown", id=prefix)
        if len(rows) > 1:
            raise BadInput("store.submission_ambiguous", id=prefix)
        return to_submission(rows[0])

    def submissions_of(
        self,
        problem_id: str,
        *,
        kind: SubmissionKind | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[SubmissionSummary]:
        """List the submissions of a problem, newest first.

        Args:
            problem_id: The problem.
            kind: The kind to list; both by default.
            limit: The maximal number.
            before: The id of the last submission of the previous page.

        Raises:
            NotFound: ``before`` is not a submission.
        """
        query = select(*SUMMARY_COLUMNS).where(_table.problem_id == problem_id)
        if kind is not None:
            query = query.where(_table.kind == kind)
        with self._reading() as connection:
            if before is not None:
                last = require_row(connection, before)
                is_older = (_table.ordered_at == last.ordered_at) & (_table.number < last.number)
                query = query.where(is_older | (_table.ordered_at < last.ordered_at))
            return read_summaries(connection, query.limit(limit))

    def count_submissions(
        self, problem_ids: Collection[str], *, kind: SubmissionKind | None = None
    ) -> int:
        """Count the submissions of several problems, in any state; both kinds by default."""
        query = select(func.count()).where(_table.problem_id.in_(problem_ids))
        if kind is not None:
            query = query.where(_table.kind == kind)
        with self._reading() as connection:
            return connection.scalar(query) or 0

    def recent_submissions(
        self, problem_ids: Collection[str], *, kind: SubmissionKind, limit: int
    ) -> list[SubmissionSummary]:
        """List the last submissions of one kind over several problems, newest first."""
        query = select(*SUMMARY_COLUMNS).where(
            _table.problem_id.in_(problem_ids), _table.kind == kind
        )
        with self._reading() as connection:
            return read_summaries(connection, query.limit(limit))

    def last_judged(
        self,
        problem_id: str,
        *,
        kind: SubmissionKind | None = None,
        verdict: Verdict | None = None,
    ) -> SubmissionSummary | None:
        """Read the last judged submission of a problem, of a kind and with a verdict if given."""
        query = select(*SUMMARY_COLUMNS).where(
            _table.problem_id == problem_id, _table.state == State.DONE
        )
        if kind is not None:
            query = query.where(_table.kind == kind)
        if verdict is not None:
            query = query.where(_table.verdict == verdict)
        with self._reading() as connection:
            return next(iter(read_summaries(connection, query.limit(1))), None)

    def latest_verdicts(self) -> dict[str, SubmissionSummary]:
        """Read the newest judged submission of every problem, by problem id; runs are excluded."""
        age = func.row_number().over(
            partition_by=_table.problem_id,
            order_by=(_table.ordered_at.desc(), _table.number.desc()),
        )
        judged = select(*SUMMARY_COLUMNS, age.label("age")).where(
            _table.kind == "submit", _table.state == State.DONE
        )
        ranked = judged.subquery()
        with self._reading() as connection:
            rows = connection.execute(select(ranked).where(ranked.c.age == 1)).all()
        return {row.problem_id: SubmissionSummary(**shared_fields(row)) for row in rows}


def measured_time(report: Mapping[str, object]) -> float | None:
    """Read the judged time from a report; None if there is none."""
    time_ms = report.get("time_ms")
    return float(time_ms) if isinstance(time_ms, int | float) else None
