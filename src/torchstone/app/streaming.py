"""Submit and follow a verdict from an event loop, as the page does: accepted first, then followed.

Submitting and following are two calls, so that a reader who was cut off goes on following.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from torchstone.app.home import Home
from torchstone.app.judging import (
    JsonObject,
    Tried,
    judged_from,
    require_host,
    tried_from,
    words_of,
)
from torchstone.app.reviewing import Aftermath, conclude
from torchstone.bank import Problem
from torchstone.core.errors import StoreError
from torchstone.judge.client import Client, HostLeft
from torchstone.judge.line import ask

# How often a host that left in the middle is started again for one reader.
PATIENCE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a reader stands in the events of a submission: the last one seen, and who counted."""

    host: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """One event of a submission, with what the bank and the schedule add to it.

    Args:
        event: The judge's event; a report in it is as ``Judged.as_json`` gives it, and a
            misconception has the words of the bank beside its name.
        place: Where it stands; None for an event that is not counted.
        aftermath: What the recorded verdict leads to; only with the last event.
    """

    event: JsonObject
    place: Place | None = None
    aftermath: Aftermath | None = None


async def accept(home: Home, name: str, source: str, *, kind: str, client_key: str) -> str:
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
    request = {
        "op": "submit",
        "problem": problem.id,
        "source": source,
        "kind": kind,
        "client_key": client_key,
    }
    for patience in range(PATIENCE, 0, -1):
        try:
            # The host goes on judging when we hang up after the first event.
            async with contextlib.aclosing(ask(client, request)) as events:
                return str((await anext(events))["job"])
        except HostLeft:
            if patience == 1:
                raise
    raise AssertionError("accept: the last try returns or raises")


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
    request = {
        "op": "scratch",
        "problem": problem.id,
        "source": source,
        "expression": expression,
    }
    async with contextlib.aclosing(ask(client, request)) as events:
        return tried_from(problem, expression, await anext(events))


def _require_judge(home: Home, client: Client) -> None:
    require_host(home, client)
    home.require_isolation(client)


async def follow(
    home: Home, submission: str, *, seen: Place | None = None
) -> AsyncGenerator[Told, None]:
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
            yield Told(event={"type": "starting"})
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
    home: Home, subject: _Subject, seen: Place | None
) -> AsyncGenerator[Told, None]:
    request: JsonObject = {"op": "attach", "job": subject.id}
    if seen is not None:
        request |= {"host": seen.host, "begin": seen.number + 1}
    async with contextlib.aclosing(ask(home.client(), request)) as events:
        async for event in events:
            yield await _tell(home, subject, event)


async def _tell(home: Home, subject: _Subject, event: JsonObject) -> Told:
    place = None
    if "number" in event:
        place = Place(host=event["host"], number=event["number"])
    told = {name: event[name] for name in event.keys() - {"host", "number", "job", "receipt"}}
    aftermath = None
    if told.get("report"):
        judged = judged_from(subject.problem, told["report"], submission=subject.id)
        told["report"] = judged.as_json()
        if told["type"] == "done" and subject.counts:
            # The verdict is recorded; what follows from it is found at the next look, too.
            with contextlib.suppress(StoreError):
                aftermath = await asyncio.to_thread(conclude, home, judged)
    if told.get("misconception"):
        words = words_of(subject.problem, told["misconception"]["name"])
        told["misconception"] |= {"text": {"en": words.en, "zh": words.zh} if words else None}
    return Told(event=told, place=place, aftermath=aftermath)


async def cancel(home: Home, submission: str) -> bool:
    """Cancel a submission; False when it is over already."""
    async with contextlib.aclosing(
        ask(home.client(), {"op": "cancel", "job": submission})
    ) as events:
        return bool((await anext(events))["type"] == "cancelled")
