"""Client of the judge host of a data folder, which starts the host if necessary.

A program asks in a thread that waits; the page asks from its event loop, by the methods that end in
``_async``. The requests and what is read from the answers are the same.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import AsyncGenerator, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from torchstone.core import paths
from torchstone.core.errors import BadInput, JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.events import Accepted, CancelledEvent, Event
from torchstone.judge.host.lock import is_held, read_address
from torchstone.judge.host.protocol import (
    AskStatus,
    Attach,
    Cancel,
    Evaluate,
    Evaluated,
    JobKind,
    Judge,
    Line,
    Over,
    Request,
    Status,
    Stop,
    StreamPosition,
    Submit,
)
from torchstone.judge.host.transport import ANSWER_SECONDS, HostLeft, converse, converse_async

START_SECONDS = 30.0
LOG_NAME = "host.log"
SUBMIT_TRIES = 3
# For the host: the frames of large cases come and go, and to give their memory back each time costs
# a page fault for every 4 KiB. One arena, because those who hold frames are threads.
KEEP_MEMORY = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(16 << 20),
}

T = TypeVar("T")
Events: TypeAlias = Generator[Event, None, None]
Lines: TypeAlias = Generator[Line, None, None]
Wanted: TypeAlias = type[T] | tuple[type[T], ...]
ENDINGS = (CancelledEvent, Over)


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Talk to the host of one data folder.

    Attributes:
        data: The data folder; starting a host makes it where it is missing.
        bank_root: The bank that a host started by us shall serve; default: the one that ships.
        at_most: The isolation that such a host shall not exceed (for tests).
        workers: How many jobs it shall run at once; default: it decides.
        idle_s: After how many seconds without work it shall leave; default: it decides.
    """

    data: Path = field(default_factory=paths.data_dir)
    bank_root: Path | None = None
    at_most: Isolation = Isolation.FULL
    workers: int | None = None
    idle_s: float | None = None

    def submit(self, problem: str, source: str, *, kind: JobKind = "submit") -> Events:
        """Submit for the record; the first event after ``Accepted`` comes when it is stored."""
        # The key makes asking again harmless: the same key is the same submission.
        request = Submit(
            problem=problem, source=source, kind=kind, client_key=secrets.token_hex(12)
        )
        for patience in range(SUBMIT_TRIES, 0, -1):
            try:
                yield from _events(self.ask(request))
            except HostLeft:
                if patience == 1:
                    raise
            else:
                return

    async def submit_async(
        self, problem: str, source: str, *, kind: JobKind, client_key: str
    ) -> str:
        """Submit for the record and return the id; the host goes on when we hang up."""
        request = Submit(problem=problem, source=source, kind=kind, client_key=client_key)
        for patience in range(SUBMIT_TRIES, 0, -1):
            try:
                return (await self._first_async(request, Accepted)).job
            except HostLeft:
                if patience == 1:
                    raise
        raise AssertionError("submit_async: the last try returns or raises")

    def judge(self, problem: str, source: str, **options: Any) -> Events:
        """Judge without a record; the options are the fields of ``protocol.Judge``."""
        return _events(self.ask(Judge(problem=problem, source=source, **options)))

    def follow(self, job: str, *, seen: StreamPosition | None = None) -> Lines:
        """Follow a recorded submission from its first event, or from the one after a place."""
        return self.ask(_attach(job, seen))

    def follow_async(
        self, job: str, *, seen: StreamPosition | None = None
    ) -> AsyncGenerator[Line, None]:
        """Follow a recorded submission from its first event, or from the one after a place."""
        return self.ask_async(_attach(job, seen))

    def evaluate(self, problem: str, source: str, expression: str) -> Evaluated:
        """Evaluate an expression beside a file."""
        request = Evaluate(problem=problem, source=source, expression=expression)
        return self._first(request, Evaluated)

    async def evaluate_async(self, problem: str, source: str, expression: str) -> Evaluated:
        """Evaluate an expression beside a file."""
        request = Evaluate(problem=problem, source=source, expression=expression)
        return await self._first_async(request, Evaluated)

    def cancel(self, submission: str) -> bool:
        """Cancel a submission; False when it is over already."""
        return isinstance(self._first(Cancel(job=submission), ENDINGS), CancelledEvent)

    async def cancel_async(self, submission: str) -> bool:
        """Cancel a submission; False when it is over already."""
        ending = await self._first_async(Cancel(job=submission), ENDINGS)
        return isinstance(ending, CancelledEvent)

    def status(self, *, start: bool = False, wait: bool = False) -> Status | None:
        """Ask how the host is; ``None`` when there is none and none shall be started."""
        if not start and not self._is_served():
            return None
        patience = None if wait else ANSWER_SECONDS
        return self._first(AskStatus(wait=wait), Status, patience=patience)

    def stop(self) -> None:
        """Ask the host to leave and wait until it has; nothing happens when there is none."""
        if not self._is_served():
            return
        list(self.ask(Stop()))
        deadline = time.monotonic() + START_SECONDS
        while self._is_served() and time.monotonic() < deadline:
            time.sleep(0.02)

    def ask(self, request: Request, *, patience: float | None = None) -> Lines:
        """Send one request and yield what the host says; closing the iterator hangs up.

        Args:
            request: What is asked.
            patience: How many seconds to wait for an event; as long as it takes when not given.

        Raises:
            TorchstoneError: The host answered with an error, not in time, or cannot be reached.
        """
        yield from converse(self.connect(), request, patience=patience)

    async def ask_async(self, request: Request) -> AsyncGenerator[Line, None]:
        """Send one request and yield what the host says; closing the generator hangs up.

        Raises:
            TorchstoneError: The host answered with an error, cannot be reached, or left.
        """
        # Reaching it may mean to start it, which takes seconds.
        sock = await asyncio.to_thread(self.connect)
        async with contextlib.aclosing(converse_async(sock, request)) as lines:
            async for line in lines:
                yield line

    def _first(self, request: Request, wanted: Wanted[T], *, patience: float | None = None) -> T:
        with contextlib.closing(self.ask(request, patience=patience)) as lines:
            return _as(next(lines), wanted)

    async def _first_async(self, request: Request, wanted: Wanted[T]) -> T:
        async with contextlib.aclosing(self.ask_async(request)) as lines:
            return _as(await anext(lines), wanted)

    def _is_served(self) -> bool:
        try:
            self._dial().close()
        except OSError:
            return False
        return True

    def _dial(self) -> socket.socket:
        try:
            return _connect_to(paths.socket_path(self.data))
        except OSError:
            # A host that was started with another runtime folder listens where its lock says.
            address = read_address(self.data)
            if address is None:
                raise
            return _connect_to(address)

    def connect(self) -> socket.socket:
        """Reach the host, starting it when there is none.

        Raises:
            JudgeUnavailable: It cannot be started or reached.
        """
        try:
            return self._dial()
        except OSError:
            pass
        process = self._start()
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                return self._dial()
            except OSError as error:
                status = process.poll()
                if status:
                    raise JudgeUnavailable(
                        "judge.host_failed", reason=self._last_words()
                    ) from error
                if status == 0 and not is_held(self.data):
                    process = self._start()  # it had met a host that was about to leave
                elif status == 0:
                    self._require_reach()
                if time.monotonic() > deadline:
                    raise JudgeUnavailable("judge.host_silent", seconds=START_SECONDS) from error
                time.sleep(0.01)

    def _require_reach(self) -> None:
        """Refuse to wait for a host that listens, but not for us: in another container, say."""
        address = read_address(self.data)
        if address is None:
            return  # it does not listen yet, or no more
        try:
            _connect_to(address).close()
        except OSError as error:
            if read_address(self.data) == address:
                raise JudgeUnavailable(
                    "judge.host_elsewhere", data=self.data, address=address
                ) from error

    def _start(self) -> subprocess.Popen[bytes]:
        paths.private_dir(self.data)
        command = [sys.executable, "-m", "torchstone.judge.host.server", "--data", str(self.data)]
        command += ["--at-most", self.at_most]
        if self.bank_root is not None:
            command += ["--bank", str(self.bank_root)]
        if self.workers is not None:
            command += ["--workers", str(self.workers)]
        if self.idle_s is not None:
            command += ["--idle", str(self.idle_s)]
        path = self.data / LOG_NAME
        try:
            log = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        except OSError as error:
            raise BadInput("core.folder_unusable", path=self.data, reason=error.strerror) from error
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=os.environ | KEEP_MEMORY,
                start_new_session=True,
                cwd="/",
            )
        finally:
            os.close(log)
        # Somebody must reap it, however long this process lives on.
        threading.Thread(target=process.wait, name="host-reaper", daemon=True).start()
        return process

    def _last_words(self) -> str:
        with contextlib.suppress(OSError):
            return (self.data / LOG_NAME).read_text(errors="replace")[-1500:].strip()
        return ""


def _connect_to(path: Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.connect(str(path))
    except OSError:
        sock.close()
        raise
    return sock


def _events(lines: Lines) -> Events:
    """Yield the events of a job; closing the iterator hangs up."""
    for line in lines:
        assert isinstance(line.message, Event), f"no event of a job: {line.message}"
        yield line.message


def _as(line: Line, wanted: Wanted[T]) -> T:
    assert isinstance(line.message, wanted), f"the host answered {line.message}"
    return line.message


def _attach(job: str, seen: StreamPosition | None) -> Attach:
    if seen is None:
        return Attach(job=job)
    return Attach(job=job, host=seen.host, begin=seen.number + 1)
