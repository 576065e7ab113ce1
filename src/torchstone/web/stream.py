"""Server-sent events: the verdict of a submission, case by case.

The id of an event is the host that counted it and its number. A reader that reconnects sends the
last id and gets the events after it. If the id has another host, the stream starts from the
beginning.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TypeVar

from starlette.responses import StreamingResponse

from torchstone.app.home import Home
from torchstone.app.judging.streaming import FollowedEvent, follow
from torchstone.core.errors import TorchstoneError
from torchstone.core.i18n import LANGS
from torchstone.judge.events import CancelledEvent, Done, MisconceptionFound
from torchstone.judge.host.protocol import StreamPosition
from torchstone.judge.messages import plain
from torchstone.web.reports import (
    aftermath_model,
    as_json,
    misconception_model,
    report_model,
)
from torchstone.web.schemas import ApiModel, Words
from torchstone.web.verdict_schemas import EVENTS, ErrorEvent

Event = TypeVar("Event")


class EventStream(StreamingResponse):
    """Stream events until the last one, or until the reader disconnects."""

    media_type = "text/event-stream"

    def __init__(
        self, home: Home, submission: str, last_event_id: str | None, closing: asyncio.Event
    ) -> None:
        events = follow(home, submission, seen=parse_place(last_event_id))
        super().__init__(
            _lines(home, events, closing),
            headers={"X-Accel-Buffering": "no", "Cache-Control": "no-store"},
        )


async def _lines(
    home: Home, events: AsyncGenerator[FollowedEvent, None], closing: asyncio.Event
) -> AsyncIterator[str]:
    # Send the header of the response at once, so that the reader knows that it is connected.
    yield ": follow\n\n"
    async with contextlib.aclosing(events), contextlib.aclosing(until(closing, events)) as coming:
        try:
            async for followed in coming:
                yield frame(event_model(home, followed), followed.place)
        except TorchstoneError as error:
            yield frame(_fault(error), None)


async def until(
    closing: asyncio.Event, events: AsyncGenerator[Event, None]
) -> AsyncGenerator[Event, None]:
    """Pass events on until the server ends; the reader then reconnects to the next server."""
    ending = asyncio.ensure_future(closing.wait())
    try:
        while True:
            coming = asyncio.ensure_future(anext(events, None))
            try:
                await asyncio.wait({coming, ending}, return_when=asyncio.FIRST_COMPLETED)
                followed = coming.result() if coming.done() else None
            finally:
                # A generator cannot be closed while another task waits for its next event.
                coming.cancel()
                await asyncio.wait({coming})
            if followed is None:
                return
            yield followed
    finally:
        ending.cancel()


def event_model(home: Home, followed: FollowedEvent) -> ApiModel:
    """Create the schema of an event."""
    event = followed.event
    if isinstance(event, Done) and followed.judged is None:
        event = CancelledEvent()
    fields: dict[str, object] = plain(event)
    if isinstance(event, MisconceptionFound):
        fields["misconception"] = misconception_model(followed.misconception)
    if followed.judged is not None:
        fields["report"] = report_model(followed.judged)
    if isinstance(event, Done):
        after = followed.aftermath
        fields["aftermath"] = aftermath_model(home, after) if after else None
    return EVENTS[type(event)].model_validate(fields)


def _fault(error: TorchstoneError) -> ErrorEvent:
    message, hint = (
        Words(**{lang: say(lang) for lang in LANGS}) for say in (error.message, error.hint)
    )
    return ErrorEvent(type="error", code=error.code, message=message, hint=hint)


def frame(event: ApiModel, place: StreamPosition | None) -> str:
    """Return an event as the reader gets it, with its id."""
    head = f"id: {place.host}:{place.number}\n" if place else ""
    # JSON contains no line break, so one data line holds the event.
    return (
        f"{head}data: {json.dumps(as_json(event), ensure_ascii=False, separators=(',', ':'))}\n\n"
    )


def parse_place(last_event_id: str | None) -> StreamPosition | None:
    """Parse the id of the reader's last event; None if it is not valid."""
    host, separator, number = (last_event_id or "").rpartition(":")
    # A host numbers its runs: "0123456789ab-2".
    is_name = host.isascii() and host.replace("-", "").isalnum()
    if not separator or not is_name or not (number.isascii() and number.isdecimal()):
        return None
    # No submission has so many events, and parsing more digits would be slow.
    return StreamPosition(host=host, number=int(number)) if len(number) < 10 else None
