"""Server-sent events: the verdict of a submission, case by case.

An event's id is the host that counted it and its number, so a reader that was cut off asks to go on
after the last id it has; the number of another host means nothing, and the stream begins anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator

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


class EventStream(StreamingResponse):
    """Answer with events until the last one, or until the reader is gone."""

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
    # The reader gets the head of the answer at once, and knows that it is connected.
    yield ": follow\n\n"
    async with contextlib.aclosing(events), contextlib.aclosing(_until(closing, events)) as coming:
        try:
            async for told in coming:
                yield _frame(tell(home, told), told.place)
        except TorchstoneError as error:
            yield _frame(_fault(error), None)


async def _until(
    closing: asyncio.Event, events: AsyncGenerator[FollowedEvent, None]
) -> AsyncGenerator[FollowedEvent, None]:
    """Pass events on until the server is about to end; the reader will ask the next one."""
    ending = asyncio.ensure_future(closing.wait())
    try:
        while True:
            coming = asyncio.ensure_future(anext(events, None))
            try:
                await asyncio.wait({coming, ending}, return_when=asyncio.FIRST_COMPLETED)
                told = coming.result() if coming.done() else None
            finally:
                # The events cannot be closed while somebody waits for the next one.
                coming.cancel()
                await asyncio.wait({coming})
            if told is None:
                return
            yield told
    finally:
        ending.cancel()


def tell(home: Home, told: FollowedEvent) -> ApiModel:
    """Write an event as the page reads it."""
    event = told.event
    if isinstance(event, Done) and told.judged is None:
        event = CancelledEvent()
    fields: dict[str, object] = plain(event)
    if isinstance(event, MisconceptionFound):
        fields["misconception"] = misconception_model(event.misconception, told.misconception)
    if told.judged is not None:
        fields["report"] = report_model(told.judged)
    if isinstance(event, Done):
        after = told.aftermath
        fields["aftermath"] = aftermath_model(home, after) if after else None
    return EVENTS[type(event)].model_validate(fields)


def _fault(error: TorchstoneError) -> ErrorEvent:
    message, hint = (
        Words(**{lang: say(lang) for lang in LANGS}) for say in (error.message, error.hint)
    )
    return ErrorEvent(type="error", code=error.code, message=message, hint=hint)


def _frame(event: ApiModel, place: StreamPosition | None) -> str:
    head = f"id: {place.host}:{place.number}\n" if place else ""
    # JSON holds no line break, so one data line holds the event.
    return (
        f"{head}data: {json.dumps(as_json(event), ensure_ascii=False, separators=(',', ':'))}\n\n"
    )


def parse_place(last_event_id: str | None) -> StreamPosition | None:
    """Read the id of the last event that a reader has; anything else is as good as none."""
    host, separator, number = (last_event_id or "").rpartition(":")
    if not separator or not host.isalnum() or not (number.isascii() and number.isdecimal()):
        return None
    # More digits than any submission has events would only be slow to read.
    return StreamPosition(host=host, number=int(number)) if len(number) < 10 else None
