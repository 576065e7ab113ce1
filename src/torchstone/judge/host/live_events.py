"""Live events of a recorded submission, for all its followers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from torchstone.judge.host.protocol import LAST, Line, Message, StreamPosition


@dataclass(slots=True)
class LiveJob:
    """Hold a recorded submission while it is judged.

    So that any number of clients can follow it. Each event says its number and which host counted,
    so that a client can go on where it was cut off, and notices that another host began anew.
    """

    submission: str
    host_id: str
    lines: list[Line] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    is_over: bool = False

    def publish(self, event: Message) -> None:
        """Append an event and wake everybody who follows."""
        place = StreamPosition(host=self.host_id, number=len(self.lines))
        self.lines.append(Line(message=event, place=place))
        self.is_over = isinstance(event, LAST)
        self.changed.set()
        self.changed = asyncio.Event()

    async def follow(self, begin: int = 0) -> AsyncIterator[list[Line]]:
        """Yield the events from number ``begin`` on as they come, what is there together."""
        position = begin
        while True:
            changed = self.changed
            while position < len(self.lines):
                lines = self.lines[position:]
                position += len(lines)
                yield lines
            if self.is_over:
                return
            await changed.wait()
