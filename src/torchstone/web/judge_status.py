"""Warm start of the judge host while the page is open, and the reason of a failed start."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from torchstone.app.home import Home
from torchstone.app.judging.machine import HostStatus, read_host
from torchstone.app.judging.submission import require_host
from torchstone.core.errors import TorchstoneError

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Warm:
    """How the judge is, and why it does not start, if it does not."""

    host: HostStatus
    failure: TorchstoneError | None


# A host that cannot start is tried again, but not as often as the page asks.
RETRY_SECONDS = 10.0


class JudgeStatus:
    """Starts the judge host in the background, once at a time."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._task: asyncio.Task[None] | None = None
        self._failure: TorchstoneError | None = None
        self._retry_at = 0.0

    def begin(self) -> None:
        """Start the host, unless it is being started already or has just failed to."""
        loop = asyncio.get_running_loop()
        if (self._task is None or self._task.done()) and loop.time() >= self._retry_at:
            self._task = loop.create_task(self._start())
            self._task.add_done_callback(self._note)

    async def _start(self) -> None:
        client = self._home.client()
        await asyncio.to_thread(require_host, self._home, client)
        await asyncio.to_thread(client.status, start=True, wait=True)

    def _note(self, task: asyncio.Task[None]) -> None:
        """Remember why a start failed, if it did."""
        if task.cancelled():
            return
        error = task.exception()
        if error is not None and not isinstance(error, TorchstoneError):
            # A fault of ours: whole in the terminal, and by its type on the page.
            logger.error("the judge could not be started", exc_info=error)
            error = TorchstoneError("web.fault", type=type(error).__name__)
        self._failure = error
        if error is not None:
            self._retry_at = task.get_loop().time() + RETRY_SECONDS

    async def look(self) -> Warm:
        """Return the state of the host; restart it if it has ended."""
        try:
            host = await asyncio.to_thread(read_host, self._home)
        except TorchstoneError as error:
            return Warm(host=HostStatus(runs=True), failure=error)
        if not host.ready:
            self.begin()
        return Warm(host=host, failure=None if host.ready else self._failure)
