"""Scenes for the page: programs under extractors, each in a prewarmed sandbox.

The import of torch takes seconds, so one sandbox imports it in advance while a page is open. The
next program uses this sandbox, and another one is started. Programs never share a sandbox.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import tempfile
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import IO, Any

from torchstone.app.programs.child_program import last_words
from torchstone.app.programs.xray import (
    ERRORS,
    Examination,
    Scene,
    launch,
    order_of,
    read_answer,
)
from torchstone.core.errors import BadInput, TorchstoneError
from torchstone.judge.observing.command import Launch

MAX_SOURCE_CHARS = 20_000
# Including the running one.
MOST_RUNS = 5
# Maximum idle time of a sandbox.
IDLE_SECONDS = 600.0
# Maximum length of an answer; each scene is one line.
_MAX_LINE_BYTES = 1 << 28


class Busy(BadInput):
    """Raised when too many programs are queued."""

    status = 429


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """Number of programs that run or wait before this one."""

    ahead: int


@dataclass(slots=True, kw_only=True)
class _Sandbox:
    """Sandbox that imports torch and then waits for a program."""

    process: asyncio.subprocess.Process
    launched: Launch
    written: IO[bytes]

    async def end(self) -> None:
        if self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
        # Otherwise it stays a zombie until the next child is started.
        await self.process.wait()
        self.written.close()
        await asyncio.to_thread(self.launched.close)


class XrayRuns:
    """Queue of x-ray runs for one event loop, one at a time."""

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(1)
        self._starting = asyncio.Lock()
        self._num_runs = 0
        self._spare: _Sandbox | None = None
        self._ending: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def prepare(self) -> None:
        """Start a sandbox for the next program in the background, unless one waits."""
        self._behind(self._prepare())

    async def examine(self, asked: Examination) -> AsyncGenerator[Queued | Scene, None]:
        """Run a program and yield its scenes; closing the iterator ends it.

        Raises:
            BadInput: A name is unknown, too many programs are queued, or this one is too long or
                does something that cannot be shown.
            TorchstoneError: The extractors failed.
        """
        if len(asked.text) > MAX_SOURCE_CHARS:
            raise BadInput(f"{ERRORS}.too_long", came=len(asked.text), most=MAX_SOURCE_CHARS)
        order = order_of(asked)
        if self._num_runs >= MOST_RUNS:
            raise Busy(f"{ERRORS}.busy", most=MOST_RUNS)
        self._num_runs += 1
        try:
            if self._num_runs > 1:
                yield Queued(ahead=self._num_runs - 1)
            async with self._free:
                async with contextlib.aclosing(self._follow(order, asked.name)) as scenes:
                    async for scene in scenes:
                        yield scene
        finally:
            self._num_runs -= 1

    async def _follow(self, order: dict[str, Any], file: str) -> AsyncGenerator[Scene, None]:
        sandbox = await self._take()
        try:
            assert sandbox.process.stdin is not None, "its stdin is a pipe"
            assert sandbox.process.stdout is not None, "its stdout is a pipe"
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                sandbox.process.stdin.write(json.dumps(order).encode() + b"\n")
                await sandbox.process.stdin.drain()
            while line := await sandbox.process.stdout.readline():
                # Parsing a long scene takes time, in which other requests are served.
                answer = await asyncio.to_thread(read_answer, line, file)
                if answer is None:
                    return
                yield answer
            status, words = await sandbox.process.wait(), last_words(sandbox.written)
            raise TorchstoneError(f"{ERRORS}.died", status=status, words=words)
        finally:
            await asyncio.shield(self._behind(sandbox.end()))
            # Started only now: its imports would compete with the program for the processor.
            self.prepare()

    async def _take(self) -> _Sandbox:
        async with self._starting:
            sandbox, self._spare = self._spare, None
        if sandbox is not None and sandbox.process.returncode is None:
            return sandbox
        if sandbox is not None:
            await sandbox.end()
        return await _start()

    async def _prepare(self) -> None:
        async with self._starting:
            if self._ending is not None:
                self._ending.cancel()
            loop = asyncio.get_running_loop()
            self._ending = loop.call_later(IDLE_SECONDS, self._give_up)
            if self._spare is None or self._spare.process.returncode is not None:
                self._spare = await _start()

    def _give_up(self) -> None:
        sandbox, self._spare = self._spare, None
        if sandbox is not None:
            self._behind(sandbox.end())

    def _behind(self, work: Any) -> asyncio.Task[None]:
        """Run a task and hold a reference to it; the event loop has only a weak one."""
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


async def _start() -> _Sandbox:
    launched = await asyncio.to_thread(launch)
    written = tempfile.TemporaryFile()
    try:
        process = await asyncio.create_subprocess_exec(
            *launched.argv,
            env=launched.env,
            pass_fds=launched.pass_fds,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=written,
            limit=_MAX_LINE_BYTES,
        )
    except BaseException:
        written.close()
        launched.close()
        raise
    return _Sandbox(process=process, launched=launched, written=written)
