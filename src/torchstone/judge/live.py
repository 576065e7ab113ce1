"""Keep the events of a recorded submission while it is judged, for whoever follows it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from torchstone.judge.order import Event


@dataclass(slots=True)
class LiveJob:
    """Hold a recorded submission while it is judged.

    So that any number of clients can follow it. Each event says its number and which host counted,
    so that a client can go on where it was cut off, and notices that another host began anew.
    """

    submission: str
    host_id: str
    events: list[Event] = field(default_factory=list)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None
    is_over: bool = False

    def publish(self, event: Event) -> None:
        """Append an event and wake everybody who follows."""
        place = {"host": self.host_id, "number": len(self.events)}
        self.events.append(event | {"job": self.submission} | place)
        self.is_over = event["type"] in ("done", "cancelled", "error")
        self.changed.set()
        self.changed = asyncio.Event()

    async def follow(self, begin: int = 0) -> AsyncIterator[list[Event]]:
        """Yield the events from number ``begin`` on as they come, what is there together."""
        position = begin
        while True:
            changed = self.changed
            while position < len(self.events):
                events = self.events[position:]
                position += len(events)
                yield events
            if self.is_over:
                return
            await changed.wait()
