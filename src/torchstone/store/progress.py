"""Progress: started problems, opened hints, and the results of submissions.

Nothing here is a counter. Activities are facts with a moment; the rest is read from submissions.
"""

from abc import ABC
from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, insert, select, true

from torchstone.core.verdict import State, Verdict
from torchstone.store.plain import aware, storable_name
from torchstone.store.records import Activity, HintOpened, Progress
from torchstone.store.schema import activities, submissions
from torchstone.store.section import Section

NUM_RUNGS = 4
_LONG_AGO = datetime.min.replace(tzinfo=UTC)


class ProgressSection(Section, ABC):
    """The section of the store that keeps what a learner did besides submitting."""

    def start_problem(self, problem_id: str) -> None:
        """Note that the learner began to work on a problem; the first time counts."""
        self._note(problem_id, kind="start", rung=0)

    def open_hint(self, problem_id: str, rung: int) -> None:
        """Note that a rung of the hints was opened.

        Raises:
            ValueError: There is no such rung.
        """
        if not 1 <= rung <= NUM_RUNGS:
            raise ValueError(
                f"open_hint: rung {rung} came; a rung from 1 to {NUM_RUNGS} is wanted."
            )
        self._note(problem_id, kind="hint", rung=rung)

    def see_solution(self, problem_id: str) -> None:
        """Note that the learner looked at the solution."""
        self._note(problem_id, kind="solution", rung=0)

    def _note(self, problem_id: str, *, kind: str, rung: int) -> None:
        fact = {
            "problem_id": storable_name(problem_id, what="problem_id"),
            "kind": kind,
            "rung": rung,
            "happened_at": self._clock(),
        }
        same = [activities.c[name] == value for name, value in fact.items()]
        with self._writing() as connection:
            # A coarse clock may give one moment twice; it is one fact then.
            if connection.execute(select(activities.c.number).where(*same)).first() is None:
                connection.execute(insert(activities).values(**fact))

    def activity(self, problem_id: str, *, since: datetime | None = None) -> Activity:
        """Read what happened on a problem up to its first acceptance: the evidence of a review.

        Args:
            problem_id: The problem.
            since: The moment of the last review; what happened until then was its evidence. All
                of history when not given.
        """
        begin = _LONG_AGO if since is None else aware(since, what="activity: since")
        with self._reading() as connection:
            judged = _judged(connection, submissions.c.problem_id == problem_id)
            noted = _noted(connection, activities.c.problem_id == problem_id)
        judged = [row for row in judged if row.created_at > begin]
        accepted = next((row for row in judged if row.verdict == Verdict.AC), None)
        before = [
            row
            for row in noted
            if row.happened_at > begin and (not accepted or row.happened_at <= accepted.created_at)
        ]
        return Activity(
            problem_id=problem_id,
            started_at=_first(before, "start"),
            tries=judged.index(accepted) + 1 if accepted else len(judged),
            accepted_at=accepted.created_at if accepted else None,
            hints=_hints(before),
            solution_seen_at=_first(before, "solution"),
        )

    def progress(self, problem_id: str) -> Progress:
        """Read how far the learner has come with one problem."""
        with self._reading() as connection:
            judged = _judged(connection, submissions.c.problem_id == problem_id)
            noted = _noted(connection, activities.c.problem_id == problem_id)
        return _progress(problem_id, judged=judged, noted=noted)

    def all_progress(self) -> dict[str, Progress]:
        """Read the progress of every problem that was touched, by problem id."""
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
    query = select(table.id, table.problem_id, table.created_at, table.verdict, table.time_ms)
    # A fault of the judge says nothing about the learner.
    is_attempt = (table.kind == "submit") & (table.state == State.DONE)
    query = query.where(condition, is_attempt, table.verdict != Verdict.IE)
    # By moment: an import adds old submissions under new row numbers.
    return list(connection.execute(query.order_by(table.created_at, table.number)))


def _noted(connection: Connection, condition: ColumnElement[bool]) -> list[Row[Any]]:
    query = select(activities).where(condition)
    ordered = query.order_by(activities.c.happened_at, activities.c.number)
    return list(connection.execute(ordered))


def _progress(problem_id: str, *, judged: list[Row[Any]], noted: list[Row[Any]]) -> Progress:
    accepted = [row for row in judged if row.verdict == Verdict.AC]
    timed = [row for row in accepted if row.time_ms is not None]
    # An acceptance without a time is still the best there is.
    best = min(timed, key=lambda row: row.time_ms, default=accepted[0] if accepted else None)
    return Progress(
        problem_id=problem_id,
        started_at=_first(noted, "start"),
        attempts=len(judged),
        first_accepted_at=accepted[0].created_at if accepted else None,
        best_id=best.id if best else None,
        best_time_ms=best.time_ms if best else None,
        hints=_hints(noted),
        solution_seen_at=_first(noted, "solution"),
    )


def _first(noted: Iterable[Row[Any]], kind: str) -> datetime | None:
    return next((row.happened_at for row in noted if row.kind == kind), None)


def _hints(noted: Iterable[Row[Any]]) -> tuple[HintOpened, ...]:
    opened: dict[int, datetime] = {}
    for row in noted:
        if row.kind == "hint":
            opened.setdefault(row.rung, row.happened_at)
    return tuple(HintOpened(rung=rung, opened_at=moment) for rung, moment in opened.items())
