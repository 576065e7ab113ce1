"""Ask the judge host from an event loop: what ``Client.ask`` does, without a thread for each."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator
from typing import Any

from torchstone.judge.client import FINAL, Client, HostLeft, HostRefused
from torchstone.judge.order import Event

# An event is one line; the report of a large job stays far below.
EVENT_CAP = 16 << 20


async def ask(client: Client, request: dict[str, Any]) -> AsyncGenerator[Event, None]:
    """Send one request to the host of a client and yield the events; closing it hangs up.

    Raises:
        TorchstoneError: The host answered with an error, cannot be reached, or left.
    """
    # Reaching it may mean to start it, which takes seconds.
    sock = await asyncio.to_thread(client.connect)
    reader, writer = await asyncio.open_unix_connection(sock=sock, limit=EVENT_CAP)
    try:
        writer.write(json.dumps(request).encode() + b"\n")
        last = ""
        with contextlib.suppress(ConnectionResetError, BrokenPipeError):
            await writer.drain()
            # Half a line is what a host that died leaves behind.
            while (line := await reader.readline()).endswith(b"\n"):
                event = json.loads(line)
                last = event["type"]
                if last == "error":
                    raise HostRefused(event["error"], event["exit_code"])
                yield event
        if last not in FINAL:
            raise HostLeft("judge.host_left")
    finally:
        writer.close()
