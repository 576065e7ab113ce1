"""Live events of a recorded submission, kept for all clients that follow it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from torchstone.judge.host.protocol import LAST, Line, Message, Refusal, StreamPosition


@dataclass(slots=True)
class LiveJob:
    """Events of a recorded submission while the host judges it.

    Any number of clients can follow it. Each event has a number and the id of the host that counted
    it, so a client can continue after a lost connection, and notices when another host judges the
    submission again from the beginning.
    """

    submission: str
    host_id: str
    lines: list[Line] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    is_over: bool = False

    @property
    def is_refused(self) -> bool:
        """Return whether the job ended with an error of the host and so has no verdict."""
        return self.is_over and isinstance(self.lines[-1].message, Refusal)

    def publish(self, event: Message) -> None:
        """Append an event and wake every client that follows."""
        place = StreamPosition(host=self.host_id, number=len(self.lines))
        self.lines.append(Line(message=event, place=place))
        self.is_over = isinstance(event, LAST)
        self.changed.set()
        self.changed = asyncio.Event()

    async def follow(self, begin: int = 0) -> AsyncIterator[list[Line]]:
        """Yield the events from number ``begin`` on; available events come in one list."""
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
