"""Routes of the x-ray and of the map: scenes of a program as they come, and a call played."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import StreamingResponse

from torchstone.app import architecture
from torchstone.app.home import Home
from torchstone.app.problems.catalog import title_of
from torchstone.app.programs import xray
from torchstone.app.programs.xray_runs import MAX_SOURCE_CHARS, Queued, XrayRuns
from torchstone.bank.architecture import load_architecture
from torchstone.bank.concepts import load_concepts
from torchstone.bank.xray_examples import load_examples
from torchstone.core.errors import TorchstoneError
from torchstone.core.i18n import Lang
from torchstone.web import xray_schemas as shape
from torchstone.web.faults import lang_of
from torchstone.web.reports import model_of
from torchstone.web.schemas import ApiModel, Words
from torchstone.web.stream import frame, until

EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events; the data of each is one JSON object.",
        "model": shape.XrayEvent,
        "content": {"text/event-stream": {}},
    }
}
# The name of the page's program, in what is said of it.
FILE = "scene.py"
# What a scene shows -> the layer of the map that does it.
LAYERS = {
    "dispatch": "dispatcher",
    "graph": "autograd",
    "storage": "aten",
    "memory": "aten",
    "compile": "compile",
}
MOST_RELATED = 4

Events = AsyncGenerator[Queued | xray.Scene, None]


def add_xray(router: APIRouter, home: Home, closing: asyncio.Event) -> None:
    """Add the routes."""
    runs = XrayRuns()

    @router.get("/xray/choices", operation_id="xray_choices")
    async def choices() -> shape.XrayChoices:
        # Whoever asks for the choices is about to run something.
        runs.prepare()
        return await asyncio.to_thread(_choices, home)

    @router.post("/xray/examine", response_model=None, responses=EVENTS)
    async def examine(question: shape.XrayQuestion, request: Request) -> StreamingResponse:
        asked = xray.Examination(
            name=FILE,
            text=question.text,
            scenes=question.scenes,
            function=question.function,
            under=question.under,
        )
        return StreamingResponse(
            _frames(runs.examine(asked), lang_of(request.scope), closing),
            media_type="text/event-stream",
            headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"},
        )

    @router.get("/explain/map", operation_id="architecture_map")
    async def show_map() -> shape.ArchitectureMap:
        runs.prepare()
        return await asyncio.to_thread(_map)

    @router.post("/explain/play", operation_id="play_call")
    async def play(question: shape.PlayQuestion) -> shape.PlayedCall:
        asked = architecture.expression_program(question.expression)
        async with contextlib.aclosing(runs.examine(asked)) as events:
            scenes = [event async for event in events if not isinstance(event, Queued)]
        return model_of(shape.PlayedCall, architecture.play_scene(scenes[0]))


def _choices(home: Home) -> shape.XrayChoices:
    return shape.XrayChoices(
        most_chars=MAX_SOURCE_CHARS,
        isolation=xray.level(),
        examples=[model_of(shape.XrayExample, each) for each in load_examples()],
        related=_related(home),
    )


def _related(home: Home) -> dict[str, shape.RelatedParts]:
    """Return for each scene the topics and the problems of the components of its layer."""
    concepts = {each.id: each.name for each in load_concepts()}
    titles = {each.id: Words(**title_of(each)) for each in home.bank}
    # The bank of this home may be another one.
    known = concepts.keys() & home.questions.folders
    related = {}
    for scene, layer in LAYERS.items():
        parts = [each for each in load_architecture().component if each.layer == layer]
        topics = _distinct(each.question for each in parts if each.question in known)
        problems = _distinct(each.problem for each in parts if each.problem in titles)
        related[scene] = shape.RelatedParts(
            topics=[
                shape.Related(id=topic, title=model_of(Words, concepts[topic]))
                for topic in topics[:MOST_RELATED]
            ],
            problems=[shape.Related(id=number, title=titles[number]) for number in problems],
        )
    return related


def _distinct(names: Iterable[str | None]) -> list[str]:
    return [name for name in dict.fromkeys(names) if name]


def _map() -> shape.ArchitectureMap:
    found = architecture.show_map()
    edges = [{**each, "source": each["from"], "target": each["to"]} for each in found["edges"]]
    return shape.ArchitectureMap.model_validate({**found, "edges": edges})


async def _frames(events: Events, lang: Lang, closing: asyncio.Event) -> AsyncIterator[str]:
    # Send the header of the response at once, so that the reader knows that it is connected.
    yield ": follow\n\n"
    async with contextlib.aclosing(events), contextlib.aclosing(until(closing, events)) as coming:
        try:
            async for event in coming:
                yield await asyncio.to_thread(partial(_frame_of, event))
        except TorchstoneError as error:
            yield frame(_refusal(error, lang), None)
            return
    if not closing.is_set():
        yield frame(shape.XrayEnd(type="end"), None)


def _frame_of(event: Queued | xray.Scene) -> str:
    told: ApiModel
    if isinstance(event, Queued):
        told = shape.XrayQueued(type="queued", ahead=event.ahead)
    else:
        told = shape.XrayScene(type="scene", scene=event)
    return frame(told, None)


def _refusal(error: TorchstoneError, lang: Lang) -> shape.XrayRefusal:
    line = error.values.get("line")
    return shape.XrayRefusal(
        type="error",
        code=error.code,
        message=error.message(lang),
        hint=error.hint(lang),
        line=line if isinstance(line, int) else None,
    )
