"""Asynchronous submission: accept a submission, then stream its verdict to an event loop.

Submitting and following are two calls, so that a reader who was cut off goes on following.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from torchstone.app.home import Home
from torchstone.app.judging.submission import (
    Judged,
    Tried,
    judged_from,
    require_host,
    tried_from,
    words_of,
)
from torchstone.app.review.after_verdict import Aftermath, conclude
from torchstone.bank import Problem, Words
from torchstone.core.errors import StoreError
from torchstone.judge.events import Done, Event, MisconceptionFound, Starting, VerdictReached
from torchstone.judge.host.client import Client
from torchstone.judge.host.protocol import JobKind, Line, StreamPosition
from torchstone.judge.host.transport import HostLeft

# How often a host that left in the middle is started again for one reader.
PATIENCE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowedEvent:
    """One event of a submission, with what the bank and the schedule add to it.

    Args:
        event: The judge's event.
        judged: The report of the event, with what the bank says about it.
        misconception: What the bank says about the misconception of the event.
        place: Where it stands; None for an event that is not counted.
        aftermath: What the recorded verdict leads to; only with the last event.
    """

    event: Event
    place: StreamPosition | None = None
    judged: Judged | None = None
    misconception: Words | None = None
    aftermath: Aftermath | None = None


async def accept(home: Home, name: str, source: str, *, kind: JobKind, client_key: str) -> str:
    """Hand a program in for the record and return its id; it is on the disk by then.

    Args:
        home: Where the learner works.
        name: The problem.
        source: The submitted text.
        kind: ``"submit"``, which counts as an attempt, or ``"run"``: the samples only.
        client_key: Drawn by whoever submits, once: the same key again is the same submission.
    """
    problem, client = home.problem(name), home.client()
    await asyncio.to_thread(_require_judge, home, client)
    return await client.submit_async(problem.id, source, kind=kind, client_key=client_key)


async def try_input(home: Home, name: str, source: str, expression: str) -> Tried:
    """Evaluate an expression beside a solution, as ``judging.try_input`` does.

    Args:
        home: Where the learner works.
        name: Whose limits and bans hold.
        source: The solution.
        expression: Python that sees the names of the solution.
    """
    problem, client = home.problem(name), home.client()
    await asyncio.to_thread(_require_judge, home, client)
    found = await client.evaluate_async(problem.id, source, expression)
    return tried_from(problem, expression, found)


def _require_judge(home: Home, client: Client) -> None:
    require_host(home, client)
    home.require_isolation(client)


async def follow(
    home: Home, submission: str, *, seen: StreamPosition | None = None
) -> AsyncGenerator[FollowedEvent, None]:
    """Yield the events of a submission until its verdict is recorded.

    A host that dies in the middle is started again; the judging then begins anew, with an event of
    type ``starting`` between.

    Args:
        home: Where the learner works.
        submission: Its id.
        seen: The place of the last event that the reader has; all events when not given.

    Raises:
        TorchstoneError: There is no such submission, or no judge.
    """
    subject = await asyncio.to_thread(_find_subject, home, submission)
    place = seen
    for patience in range(PATIENCE, -1, -1):
        try:
            async with contextlib.aclosing(_follow_once(home, subject, place)) as events:
                async for told in events:
                    place = told.place or place
                    yield told
        except HostLeft:
            if patience == 0:
                raise
            yield FollowedEvent(event=Starting())
        else:
            return


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """The submission that is followed."""

    id: str
    problem: Problem
    counts: bool


def _find_subject(home: Home, submission: str) -> _Subject:
    with home.open_store() as store:
        found = store.find_submission(submission)
    problem = home.problem(found.problem_id)
    return _Subject(id=found.id, problem=problem, counts=found.kind == "submit")


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
        judged = judged_from(subject.problem, event.report, submission=subject.id)
        misconception = judged.misconception
    if isinstance(event, Done) and judged is not None and subject.counts:
        # The verdict is recorded; what follows from it is found at the next look, too.
        with contextlib.suppress(StoreError):
            aftermath = await asyncio.to_thread(conclude, home, judged)
    if isinstance(event, MisconceptionFound) and event.misconception is not None:
        misconception = words_of(subject.problem, event.misconception.name)
    return FollowedEvent(
        event=event,
        place=line.place,
        judged=judged,
        misconception=misconception,
        aftermath=aftermath,
    )


async def cancel(home: Home, submission: str) -> bool:
    """Cancel a submission; False when it is over already."""
    return await home.client().cancel_async(submission)
