"""Routes of distributed training: simulations as they run."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import msgspec
from fastapi import APIRouter, Request
from starlette.responses import StreamingResponse

from torchstone.app.home import Home
from torchstone.app.problems.catalog import title_of
from torchstone.app.programs import distributed
from torchstone.app.programs.distributed_runs import (
    MOST_RANKS,
    MOST_STEPS,
    DistributedRuns,
    Drawn,
    Queued,
    RunEvent,
)
from torchstone.core.errors import TorchstoneError
from torchstone.core.i18n import Lang
from torchstone.web.distributed_schemas import (
    DistributedChoices,
    RelatedProblem,
    SimulationBegun,
    SimulationError,
    SimulationEvent,
    SimulationQuestion,
    SimulationQueued,
    SimulationResult,
    SimulationStep,
)
from torchstone.web.faults import lang_of
from torchstone.web.schemas import ApiModel, Words
from torchstone.web.stream import frame, until

EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events; the data of each is one JSON object.",
        "model": SimulationEvent,
        "content": {"text/event-stream": {}},
    }
}


# What a reader can write after looking on: those of the bank about several ranks.
PROBLEMS = ("25", "26", "27", "28", "30")


def add_distributed(router: APIRouter, home: Home, closing: asyncio.Event) -> None:
    """Add the routes."""
    runs = DistributedRuns()

    @router.get("/distributed/choices")
    async def choices() -> DistributedChoices:
        problems = await asyncio.to_thread(_problems, home)
        return DistributedChoices(most_ranks=MOST_RANKS, most_steps=MOST_STEPS, problems=problems)

    @router.post("/distributed/simulate", response_model=None, responses=EVENTS)
    async def simulate(question: SimulationQuestion, request: Request) -> StreamingResponse:
        lang = lang_of(request.scope)
        options = {
            "parallel": question.parallel,
            "link": question.link or None,
            "gflops": question.gflops,
            "slow": question.slow or None,
        }
        events = runs.simulate(options, world=question.world, steps=question.steps, lang=lang)
        return StreamingResponse(
            _frames(events, lang, closing),
            media_type="text/event-stream",
            headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"},
        )


def _problems(home: Home) -> list[RelatedProblem]:
    return [
        RelatedProblem(id=each.id, title=Words(**title_of(each)))
        for each in home.bank
        if each.id in PROBLEMS
    ]


async def _frames(
    events: AsyncGenerator[RunEvent, None], lang: Lang, closing: asyncio.Event
) -> AsyncIterator[str]:
    # Send the header of the response at once, so that the reader knows that it is connected.
    yield ": follow\n\n"
    async with contextlib.aclosing(events), contextlib.aclosing(until(closing, events)) as coming:
        try:
            async for event in coming:
                # The timeline of a long run takes seconds, in which others are served.
                yield await asyncio.to_thread(_frame_of, event)
        except TorchstoneError as error:
            told = SimulationError(
                type="error", code=error.code, message=error.message(lang), hint=error.hint(lang)
            )
            yield frame(told, None)


def _frame_of(event: RunEvent) -> str:
    return frame(_event_model(event), None)


def _event_model(event: RunEvent) -> ApiModel:
    if isinstance(event, Queued):
        return SimulationQueued(type="queued", **_fields(event))
    if isinstance(event, distributed.Begun):
        return SimulationBegun(type="begin", **_fields(event))
    if isinstance(event, distributed.Stepped):
        return SimulationStep(type="step", **_fields(event))
    assert isinstance(event, Drawn), "the last of the events"
    fields = _fields(event.result) | {"timeline": msgspec.to_builtins(event.timeline)}
    return SimulationResult(type="result", **fields)


def _fields(event: msgspec.Struct) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(event)
    return fields
