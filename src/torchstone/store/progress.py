"""Progress: started problems, opened hints, and the results of submissions.

The store keeps no counters. Activities are facts with a moment; submissions give the rest.
"""

from abc import ABC
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, insert, select, true

from torchstone.core.verdict import State, Verdict
from torchstone.store.damage import fact_hash, is_intact
from torchstone.store.order import next_moment
from torchstone.store.records import Activity, HintOpened, Progress
from torchstone.store.schema import activities, submissions
from torchstone.store.section import Section
from torchstone.store.validation import EARLIEST, aware, storable_name

NUM_RUNGS = 4
MAX_SPAN_SECONDS = 3_600
# A program that cannot be loaded meets no case, so it is no evidence of what the learner knows.
_NO_TRIES = frozenset(verdict for verdict in Verdict if not verdict.is_try)
# Choices and chapters are no work on a problem, see ``store.choices`` and ``store.chapters``.
_NO_WORK = ("mark", "unmark", "path", "read", "finish", "reopen")
_CLOCK_DRIFT = timedelta(days=1)
# The seconds of a span are whole, so that the next one of the same window begins up to one earlier.
_ROUNDING = timedelta(seconds=1)
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class ProgressSection(Section, ABC):
    """The section of the store with all activities except submissions."""

    def start_problem(self, problem_id: str) -> None:
        """Record that the learner started a problem; only the first start counts."""
        self._note(problem_id, kind="start", rung=0)

    def open_hint(self, problem_id: str, rung: int) -> None:
        """Record that the learner opened a rung of the hints.

        Raises:
            ValueError: The rung does not exist.
        """
        if not 1 <= rung <= NUM_RUNGS:
            raise ValueError(f"open_hint: rung is {rung}; expected 1 to {NUM_RUNGS}.")
        self._note(problem_id, kind="hint", rung=rung)

    def see_solution(self, problem_id: str) -> None:
        """Record that the learner viewed the solution."""
        self._note(problem_id, kind="solution", rung=0)

    def note_work(self, problem_id: str, seconds: int, *, until: datetime) -> None:
        """Record a span in which the learner worked on a problem; the same span counts once.

        Args:
            problem_id: The problem.
            seconds: The length of the span.
            until: Its end by the browser's clock, at most a day ahead of this one.

        Raises:
            ValueError: The span is empty or longer than an hour.
        """
        if not 1 <= seconds <= MAX_SPAN_SECONDS:
            raise ValueError(f"note_work: {seconds} s; expected 1 to {MAX_SPAN_SECONDS}.")
        # A browser's clock may be wrong; a moment beyond these limits could not be exported.
        moment = max(aware(until, what="note_work: until"), EARLIEST)
        moment = min(moment, self._clock() + _CLOCK_DRIFT)
        self._note(problem_id, kind="work", rung=seconds, happened_at=moment)

    def _note(
        self, problem_id: str, *, kind: str, rung: int, happened_at: datetime | None = None
    ) -> None:
        now = self._clock()
        fact = {
            "problem_id": storable_name(problem_id, what="problem_id"),
            "kind": kind,
            "rung": rung,
            "happened_at": happened_at or now,
        }
        same = [activities.c[name] == value for name, value in fact.items()]
        with self._writing() as connection:
            # A coarse clock may return the same moment twice; the store then keeps one fact.
            if connection.execute(select(activities.c.number).where(*same)).first() is None:
                fact |= {
                    "ordered_at": next_moment(connection, now),
                    "fact_hash": fact_hash("activities", fact),
                }
                connection.execute(insert(activities).values(**fact))

    def activity(self, problem_id: str, *, since: datetime | None = None) -> Activity:
        """Read the activity on a problem up to its first acceptance: the evidence of a review.

        Args:
            problem_id: The problem.
            since: The moment of the last review by which it is ordered; earlier activity belongs
                to that review. By default all of the history counts.
        """
        begin = _LONG_AGO if since is None else aware(since, what="activity: since")
        with self._reading() as connection:
            judged = _judged(connection, submissions.c.problem_id == problem_id)
            noted = _noted(connection, activities.c.problem_id == problem_id)
        judged = [row for row in _tries(judged) if row.ordered_at > begin]
        accepted = next((row for row in judged if row.verdict == Verdict.AC), None)
        before = [
            row
            for row in noted
            if row.ordered_at > begin and (not accepted or row.ordered_at <= accepted.ordered_at)
        ]
        spans = [row for row in before if row.kind == "work"]
        begins = [row.happened_at - timedelta(seconds=row.rung) for row in spans]
        return Activity(
            problem_id=problem_id,
            started_at=_first(before, "start"),
            tries=judged.index(accepted) + 1 if accepted else len(judged),
            accepted_at=accepted.created_at if accepted else None,
            hints=_hints(before),
            solution_seen_at=_first(before, "solution"),
            worked_s=_worked_seconds(spans),
            worked_from=min(begins, default=None),
            worked_until=max((row.happened_at for row in spans), default=None),
        )

    def progress(self, problem_id: str) -> Progress:
        """Read the learner's progress with one problem."""
        with self._reading() as connection:
            judged = _judged(connection, submissions.c.problem_id == problem_id)
            noted = _noted(connection, activities.c.problem_id == problem_id)
        return _progress(problem_id, judged=judged, noted=noted)

    def all_progress(self) -> dict[str, Progress]:
        """Read the progress of every touched problem, by problem id."""
        judged: dict[str, list[Row[Any]]] = defaultdict(list)
        noted: dict[str, list[Row[Any]]] = defaultdict(list)
        with self._reading() as connection:
            for row in _judged(connection, true()):
                judged[row.problem_id].append(row)
            for row in _noted(connection, true()):
                noted[row.problem_id].append(row)
        return {
            problem_id: _progress(problem_id, judged=judged[problem_id], noted=noted[problem_id])
            for problem_id in sorted(judged.keys() | noted.keys())
        }


def _judged(connection: Connection, condition: ColumnElement[bool]) -> list[Row[Any]]:
    table = submissions.c
    query = select(
        table.id,
        table.problem_id,
        table.created_at,
        table.ordered_at,
        table.verdict,
        table.time_ms,
    )
    # A fault of the judge is no evidence about the learner.
    is_attempt = (table.kind == "submit") & (table.state == State.DONE)
    query = query.where(condition, is_attempt, table.verdict != Verdict.IE)
    # Not by number: an import adds old submissions under new row numbers.
    return list(connection.execute(query.order_by(table.ordered_at, table.number)))


def _tries(judged: list[Row[Any]]) -> list[Row[Any]]:
    # The rows of a damaged database can hold any word.
    return [row for row in judged if row.verdict not in _NO_TRIES]


def _noted(connection: Connection, condition: ColumnElement[bool]) -> list[Row[Any]]:
    query = select(activities).where(condition, activities.c.kind.not_in(_NO_WORK))
    ordered = query.order_by(activities.c.ordered_at, activities.c.number)
    return [row for row in connection.execute(ordered) if is_intact("activities", row)]


def _progress(problem_id: str, *, judged: list[Row[Any]], noted: list[Row[Any]]) -> Progress:
    accepted = [row for row in judged if row.verdict == Verdict.AC]
    timed = [row for row in accepted if row.time_ms is not None]
    # An acceptance without a time is the best one if there is no other.
    best = min(timed, key=lambda row: row.time_ms, default=accepted[0] if accepted else None)
    return Progress(
        problem_id=problem_id,
        started_at=_first(noted, "start"),
        attempts=len(_tries(judged)),
        is_submitted=bool(judged),
        first_accepted_at=accepted[0].created_at if accepted else None,
        last_accepted_at=accepted[-1].ordered_at if accepted else None,
        best_id=best.id if best else None,
        best_time_ms=best.time_ms if best else None,
        hints=_hints(noted),
        solution_seen_at=_first(noted, "solution"),
    )


def _worked_seconds(spans: list[Row[Any]]) -> int:
    """Count the seconds of spans of work; those of two windows at the same time count once."""
    total, covered_until = timedelta(), _LONG_AGO
    for row in sorted(spans, key=lambda row: row.happened_at - timedelta(seconds=row.rung)):
        length, until = timedelta(seconds=row.rung), row.happened_at
        overlap = covered_until - (until - length)
        total += length if overlap < _ROUNDING else max(until - covered_until, timedelta())
        covered_until = max(covered_until, until)
    return int(total.total_seconds())


def _first(noted: Iterable[Row[Any]], kind: str) -> datetime | None:
    return next((row.happened_at for row in noted if row.kind == kind), None)


def _hints(noted: Iterable[Row[Any]]) -> tuple[HintOpened, ...]:
    opened: dict[int, datetime] = {}
    for row in noted:
        if row.kind == "hint":
            opened.setdefault(row.rung, row.happened_at)
    return tuple(HintOpened(rung=rung, opened_at=moment) for rung, moment in opened.items())
