"""Start of the judge host while the page is open, and the reason of a failed start."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
from dataclasses import dataclass

from torchstone.app.home import Home
from torchstone.app.judging.machine import HostStatus, read_host
from torchstone.app.judging.submission import require_host
from torchstone.core.errors import TorchstoneError

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Warm:
    """The status of the judge host, and the reason if it does not start."""

    host: HostStatus
    failure: TorchstoneError | None


# A failed start is repeated, but less often than the page asks.
RETRY_SECONDS = 10.0


class JudgeStatus:
    """Starts the judge host in the background, at most one start at a time."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._task: asyncio.Task[None] | None = None
        self._failure: TorchstoneError | None = None
        self._retry_at = 0.0

    def begin(self) -> None:
        """Start the host, unless a start is running or has just failed."""
        loop = asyncio.get_running_loop()
        if (self._task is None or self._task.done()) and loop.time() >= self._retry_at:
            self._task = loop.create_task(self._start())
            self._task.add_done_callback(self._note)

    async def _start(self) -> None:
        """Start the host in a thread of its own.

        A server that is told to end waits for the threads of its loop, but not for this one: a host
        takes seconds to start.
        """
        loop = asyncio.get_running_loop()
        started: asyncio.Future[None] = loop.create_future()

        def settle(error: Exception | None) -> None:
            if started.done():
                return
            if error is None:
                started.set_result(None)
            else:
                started.set_exception(error)

        def start() -> None:
            failure: Exception | None = None
            try:
                client = self._home.client()
                require_host(self._home, client)
                client.status(start=True, wait=True)
            except Exception as error:  # noqa: BLE001 - carried to the loop
                failure = error
            # The loop is closed if the server has ended meanwhile.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(settle, failure)

        threading.Thread(target=start, name="start of the judge host", daemon=True).start()
        await started

    def _note(self, task: asyncio.Task[None]) -> None:
        """Store the reason of a failed start."""
        if task.cancelled():
            return
        error = task.exception()
        if error is not None and not isinstance(error, TorchstoneError):
            # An error of the server: traceback in the terminal, type on the page.
            logger.error("the judge could not be started", exc_info=error)
            error = TorchstoneError("web.fault", type=type(error).__name__)
        self._failure = error
        if error is not None:
            self._retry_at = task.get_loop().time() + RETRY_SECONDS

    async def look(self) -> Warm:
        """Return the status of the host; restart it if it has ended."""
        try:
            host = await asyncio.to_thread(read_host, self._home)
        except TorchstoneError as error:
            return Warm(host=HostStatus(runs=True), failure=error)
        if not host.ready:
            self.begin()
        return Warm(host=host, failure=None if host.ready else self._failure)
