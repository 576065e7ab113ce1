"""Client of the judge host of a data folder, which starts the host if necessary.

A program calls the methods that block a thread. The page calls the methods that end in ``_async``
from its event loop. Both kinds send the same requests and read the answers in the same way.
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
from collections.abc import AsyncGenerator, Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from torchstone.core import paths
from torchstone.core.errors import BadInput, JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.events import Accepted, CancelledEvent, Evaluated, Event
from torchstone.judge.host.lock import is_held, read_address
from torchstone.judge.host.protocol import (
    AskStatus,
    Attach,
    Cancel,
    Evaluate,
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
STOP_SECONDS = 60.0
LOG_NAME = "host.log"
# Maximum number of attempts of a request whose host ends before it answers; a new host is started.
NUM_TRIES = 3
# Environment of the host. It allocates and frees frames of large cases all the time; memory
# returned to the kernel costs a page fault per 4 KiB at its next use. Threads hold the frames, so
# one arena is enough.
KEEP_MEMORY = {
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_MMAP_THRESHOLD_": str(32 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(16 << 20),
}

T = TypeVar("T")
Events: TypeAlias = Generator[Event, None, None]
Lines: TypeAlias = Generator[Line, None, None]
Expected: TypeAlias = type[T] | tuple[type[T], ...]
ENDINGS = (CancelledEvent, Over)


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Client of the host of one data folder.

    Attributes:
        data: The data folder. A host that starts creates it if it does not exist.
        bank_root: The bank of a host that this client starts; default: the installed bank.
        at_most: The strongest isolation level of such a host (for tests).
        workers: The number of jobs that such a host runs at once; default: the host decides.
        idle_s: Seconds without work after which such a host ends; default: the host decides.
    """

    data: Path = field(default_factory=paths.data_dir)
    bank_root: Path | None = None
    at_most: Isolation = Isolation.FULL
    workers: int | None = None
    idle_s: float | None = None

    def submit(self, problem: str, source: str, *, kind: JobKind = "submit") -> Events:
        """Submit a program and record it; ``Accepted`` comes when the submission is stored."""
        # The key identifies the submission, so a repeated request is harmless.
        request = Submit(
            problem=problem, source=source, kind=kind, client_key=secrets.token_hex(12)
        )
        return _events(self._ask_again(request))

    async def submit_async(
        self, problem: str, source: str, *, kind: JobKind, client_key: str
    ) -> str:
        """Submit a program, record it and return the id; the host judges without a connection."""
        request = Submit(problem=problem, source=source, kind=kind, client_key=client_key)
        return (await self._first_async(request, Accepted)).job

    def judge(self, problem: str, source: str, **options: Any) -> Events:
        """Judge a program without a record; the options are fields of ``host.protocol.Judge``."""
        return _events(self._ask_again(Judge(problem=problem, source=source, **options)))

    def follow(self, job: str, *, seen: StreamPosition | None = None) -> Lines:
        """Yield the events of a recorded submission, all of them or those after ``seen``."""
        return self.ask(_attach(job, seen))

    def follow_async(
        self, job: str, *, seen: StreamPosition | None = None
    ) -> AsyncGenerator[Line, None]:
        """Yield the events of a recorded submission, all of them or those after ``seen``."""
        return self.ask_async(_attach(job, seen))

    def evaluate(self, problem: str, source: str, expression: str) -> Evaluated:
        """Evaluate an expression with the names that a file defines."""
        request = Evaluate(problem=problem, source=source, expression=expression)
        return self._first(request, Evaluated)

    async def evaluate_async(self, problem: str, source: str, expression: str) -> Evaluated:
        """Evaluate an expression with the names that a file defines."""
        request = Evaluate(problem=problem, source=source, expression=expression)
        return await self._first_async(request, Evaluated)

    def cancel(self, submission: str) -> bool:
        """Cancel a submission; return False if it already has a verdict."""
        return isinstance(self._first(Cancel(job=submission), ENDINGS), CancelledEvent)

    async def cancel_async(self, submission: str) -> bool:
        """Cancel a submission; return False if it already has a verdict."""
        ending = await self._first_async(Cancel(job=submission), ENDINGS)
        return isinstance(ending, CancelledEvent)

    def status(self, *, start: bool = False, wait: bool = False) -> Status | None:
        """Return the status of the host; ``None`` if no host runs and ``start`` is false."""
        patience = None if wait else ANSWER_SECONDS

        def read() -> Status | None:
            if not start and not self._is_served():
                return None
            return self._first_once(AskStatus(wait=wait), Status, patience=patience)

        return _with_tries(read)

    def stop(self) -> None:
        """Stop the host and wait until it has ended; do nothing if no host runs.

        Raises:
            JudgeUnavailable: It has not ended in time.
        """
        # A host that is ending no longer listens, but holds the lock until its last process has
        # ended.
        if not is_held(self.data):
            return
        before: Status | None = None
        # A host that ends before it answers needs no request to stop.
        with contextlib.suppress(HostLeft):
            before = self.status()
            if before is not None:
                list(self.ask(Stop()))
        deadline = time.monotonic() + STOP_SECONDS
        while is_held(self.data) and not self._is_another(before):
            if time.monotonic() > deadline:
                raise JudgeUnavailable("judge.host_stays", seconds=STOP_SECONDS)
            time.sleep(0.02)

    def ask(self, request: Request, *, patience: float | None = None) -> Lines:
        """Send one request and yield the host's messages; closing the iterator disconnects.

        Args:
            request: The request.
            patience: Maximum seconds to wait for each message; default: no limit.

        Raises:
            TorchstoneError: The host sent an error, sent nothing in time, or is unreachable.
        """
        yield from converse(self.connect(), request, patience=patience)

    async def ask_async(self, request: Request) -> AsyncGenerator[Line, None]:
        """Send one request and yield the host's messages; closing the generator disconnects.

        Raises:
            TorchstoneError: The host sent an error, is unreachable, or ended.
        """
        # `connect` may start a host, which takes seconds.
        sock = await asyncio.to_thread(self.connect)
        async with contextlib.aclosing(converse_async(sock, request)) as lines:
            async for line in lines:
                yield line

    def _ask_again(self, request: Request) -> Lines:
        """Send a request, and repeat it if the host ends; its messages then start again."""
        for _ in range(NUM_TRIES - 1):
            with contextlib.suppress(HostLeft):
                yield from self.ask(request)
                return
        yield from self.ask(request)

    def _first(self, request: Request, expected: Expected[T]) -> T:
        return _with_tries(lambda: self._first_once(request, expected))

    def _first_once(
        self, request: Request, expected: Expected[T], *, patience: float | None = None
    ) -> T:
        with contextlib.closing(self.ask(request, patience=patience)) as lines:
            return _as(next(lines), expected)

    async def _first_async(self, request: Request, expected: Expected[T]) -> T:
        for _ in range(NUM_TRIES - 1):
            with contextlib.suppress(HostLeft):
                return await self._first_once_async(request, expected)
        return await self._first_once_async(request, expected)

    async def _first_once_async(self, request: Request, expected: Expected[T]) -> T:
        async with contextlib.aclosing(self.ask_async(request)) as lines:
            return _as(await anext(lines), expected)

    def _is_served(self) -> bool:
        try:
            self._dial().close()
        except OSError:
            return False
        return True

    def _is_another(self, before: Status | None) -> bool:
        """Return whether another host has started since ``before``."""
        now = self.status()
        return now is not None and (before is None or now.pid != before.pid)

    def _dial(self) -> socket.socket:
        try:
            return _connect_to(paths.socket_path(self.data))
        except OSError:
            # A host with another runtime folder has another socket path, which its lock file
            # contains.
            address = read_address(self.data)
            if address is None:
                raise
            return _connect_to(address)

    def connect(self) -> socket.socket:
        """Connect to the host; start it if none runs.

        Raises:
            JudgeUnavailable: The host does not start, or is unreachable.
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
                        "judge.host_failed", reason=self._end_of_log()
                    ) from error
                if status == 0 and not is_held(self.data):
                    process = self._start()  # another host held the lock, and has ended since
                elif status == 0:
                    self._require_reach()
                if time.monotonic() > deadline:
                    raise JudgeUnavailable("judge.host_silent", seconds=START_SECONDS) from error
                time.sleep(0.01)

    def _require_reach(self) -> None:
        """Raise if the host listens where this process cannot reach it, as in another container."""
        address = read_address(self.data)
        if address is None:
            return  # it does not listen yet, or no longer
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
        # A thread waits for the host, so that it does not remain a zombie process.
        threading.Thread(target=process.wait, name="host-reaper", daemon=True).start()
        return process

    def _end_of_log(self) -> str:
        with contextlib.suppress(OSError):
            return (self.data / LOG_NAME).read_text(errors="replace")[-1500:].strip()
        return ""


def _with_tries(act: Callable[[], T]) -> T:
    """Call a function, and repeat the call if the host ends before it answers."""
    for _ in range(NUM_TRIES - 1):
        with contextlib.suppress(HostLeft):
            return act()
    return act()


def _connect_to(path: Path) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    try:
        sock.connect(str(path))
    except OSError:
        sock.close()
        raise
    return sock


def _events(lines: Lines) -> Events:
    """Yield the events of a job; closing the iterator disconnects."""
    for line in lines:
        assert isinstance(line.message, Event), f"not an event of a job: {line.message}"
        yield line.message


def _as(line: Line, expected: Expected[T]) -> T:
    assert isinstance(line.message, expected), f"the host answered {line.message}"
    return line.message


def _attach(job: str, seen: StreamPosition | None) -> Attach:
    if seen is None:
        return Attach(job=job)
    return Attach(job=job, host=seen.host, begin=seen.number + 1)
