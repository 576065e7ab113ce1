"""Asynchronous submission: accept a submission, then stream its verdict to an event loop.

Two calls submit and follow, so that a reader can continue after a lost connection.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from torchstone.app.home import Home
from torchstone.app.judging.plain_input import refuse_reference
from torchstone.app.judging.submission import (
    ExplainedMisconception,
    Judged,
    Tried,
    explain_misconception,
    judged_from,
    note_failed_reference,
    require_host,
    tried_from,
)
from torchstone.app.review.after_verdict import Aftermath, conclude
from torchstone.bank import Problem
from torchstone.core.errors import StoreError, TorchstoneError
from torchstone.judge.events import Done, Event, MisconceptionFound, Starting, VerdictReached
from torchstone.judge.host.client import Client
from torchstone.judge.host.protocol import JobKind, Line, StreamPosition
from torchstone.judge.host.transport import HostLeft

# Maximal number of host restarts for one reader.
PATIENCE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedEvent:
    """One event of a submission, with the additions of bank and schedule.

    Args:
        event: The judge's event.
        judged: The report of the event, with the words of the bank.
        misconception: The misconception of the event; None if the bank has no words for it.
        place: The position of the event in the stream; None for an event that is not counted.
        aftermath: The consequences of the recorded verdict; only in the last event.
    """

    event: Event
    place: StreamPosition | None = None
    judged: Judged | None = None
    misconception: ExplainedMisconception | None = None
    aftermath: Aftermath | None = None


async def accept(home: Home, name: str, source: str, *, kind: JobKind, client_key: str) -> str:
    """Submit a program for the record and return its id; it is on the disk when this returns.

    Args:
        home: The learner's home.
        name: The problem.
        source: The submitted text.
        kind: ``"submit"``, which counts as an attempt, or ``"run"``: the samples only.
        client_key: A key that the client draws once for each submission; the same key means the
            same submission.
    """
    problem, client = home.problem(name), home.client()
    await asyncio.to_thread(_require_judge, home, client)
    return await client.submit_async(problem.id, source, kind=kind, client_key=client_key)


async def try_input(home: Home, name: str, source: str, expression: str) -> Tried:
    """Evaluate an expression with a solution, like ``submission.try_input``.

    Args:
        home: The learner's home.
        name: The problem whose limits and bans apply.
        source: The solution.
        expression: A Python expression that can use the names of the solution.
    """
    problem, client = home.problem(name), home.client()
    await asyncio.to_thread(_require_judge, home, client)
    found = await client.evaluate_async(problem.id, source, expression)
    # A long text takes its time to parse; other requests do not wait for it.
    why = await asyncio.to_thread(refuse_reference, problem, expression)
    expected = None
    if why is None:
        try:
            reference = problem.solution.source
            expected = await client.evaluate_async(problem.id, reference, expression)
        except TorchstoneError as error:
            # The value of the own program is here, and stays.
            why = note_failed_reference(problem, error)
    return tried_from(problem, expression, found, expected=expected, why=why)


def _require_judge(home: Home, client: Client) -> None:
    require_host(home, client)
    home.require_isolation(client)


async def follow(
    home: Home, submission: str, *, seen: StreamPosition | None = None
) -> AsyncGenerator[FollowedEvent, None]:
    """Yield the events of a submission until its verdict is recorded.

    If a host ends before the verdict, a new host starts and judges again from the beginning. An
    event of type ``starting`` separates the two.

    Args:
        home: The learner's home.
        submission: The id of the submission.
        seen: The position of the last event that the reader has; all events by default.

    Raises:
        TorchstoneError: The submission does not exist, or no judge is available.
    """
    subject = await asyncio.to_thread(_find_subject, home, submission)
    place = seen
    for patience in range(PATIENCE, -1, -1):
        try:
            async with contextlib.aclosing(_follow_once(home, subject, place)) as events:
                async for followed in events:
                    place = followed.place or place
                    yield followed
        except HostLeft:
            if patience == 0:
                raise
            yield FollowedEvent(event=Starting())
        else:
            return


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """The followed submission and its problem."""

    id: str
    problem: Problem
    kind: JobKind


def _find_subject(home: Home, submission: str) -> _Subject:
    with home.open_store() as store:
        found = store.find_submission(submission)
    problem = home.problem(found.problem_id)
    return _Subject(id=found.id, problem=problem, kind=found.kind)


async def _follow_once(
    home: Home, subject: _Subject, seen: StreamPosition | None
) -> AsyncGenerator[FollowedEvent, None]:
    lines = home.client().follow_async(subject.id, seen=seen)
    async with contextlib.aclosing(lines):
        async for line in lines:
            yield await _tell(home, subject, line)


async def _tell(home: Home, subject: _Subject, line: Line) -> FollowedEvent:
    event, judged, aftermath, misconception = line.message, None, None, None
    assert isinstance(event, Event), f"no event of a job: {event}"
    if isinstance(event, VerdictReached | Done) and event.report is not None:
        judged = judged_from(
            subject.problem, event.report, kind=subject.kind, submission=subject.id
        )
        misconception = judged.misconception
    if isinstance(event, Done) and judged is not None and subject.kind == "submit":
        # The verdict is recorded; a later call also finds its consequences.
        with contextlib.suppress(StoreError):
            aftermath = await asyncio.to_thread(conclude, home, judged)
    if isinstance(event, MisconceptionFound):
        misconception = explain_misconception(subject.problem, event.misconception)
    return FollowedEvent(
        event=event,
        place=line.place,
        judged=judged,
        misconception=misconception,
        aftermath=aftermath,
    )


async def cancel(home: Home, submission: str) -> bool:
    """Cancel a submission; False if it is over."""
    return await home.client().cancel_async(submission)
