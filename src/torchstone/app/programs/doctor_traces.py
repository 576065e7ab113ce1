"""Traces opened by a page: uploaded to the data folder, parsed by the doctor, then removed.

Each trace has its own child process, which answers queries until it is idle for a while. The files
are removed as soon as they are parsed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import secrets
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, TypeVar

import msgspec

from torchstone.app.programs.child_program import last_words, read_event
from torchstone.app.programs.doctor import ERRORS, PROGRAM, REFUSALS
from torchstone.app.programs.doctor_views import Answer, TraceOverview
from torchstone.core import paths
from torchstone.core.errors import BadInput, NotFound, TorchstoneError
from torchstone.core.i18n import Lang

# Total size of the files of one run.
MOST_BYTES = 4 << 30
MOST_FILES = 64
# Each process holds its events in memory.
MOST_OPEN = 3
IDLE_SECONDS = 900.0
PATIENCE_SECONDS = 300.0
# Disk space left free.
_LEAST_FREE = 256 << 20
# Maximum length of an answer, a line; the longest are flame graphs.
_MAX_LINE_BYTES = 1 << 26
_MOST_LETTERS = 120
_PIECE_BYTES = 1 << 20
# Marker file that the doctor waits for while it reads an incomplete file.
_WHOLE = ".whole"
_UNFIT = re.compile(r"[\x00-\x1f\x7f/\\]")

Kind = TypeVar("Kind", bound=msgspec.Struct)


class TooLargeTrace(BadInput):
    """Raised when the total size of a run's files exceeds the limit."""

    status = 413


class NoRoom(BadInput):
    """Raised when the disk is full."""

    status = 507


@dataclass(slots=True, kw_only=True)
class _Trace:
    """Run: its files until they are parsed, and its child process."""

    folder: Path
    files: list[str] = field(default_factory=list)
    num_bytes: int = 0
    process: asyncio.subprocess.Process | None = None
    written: IO[bytes] | None = None
    free: asyncio.Lock = field(default_factory=asyncio.Lock)
    reading: asyncio.Task[Any] | None = None
    overview: TraceOverview | None = None
    ending: asyncio.TimerHandle | None = None


class DoctorTraces:
    """Open traces of one event loop."""

    def __init__(self) -> None:
        self._open: dict[str, _Trace] = {}
        self._swept = False
        self._tasks: set[asyncio.Task[Any]] = set()

    async def receive(
        self,
        name: str,
        pieces: AsyncIterator[bytes],
        *,
        lang: Lang,
        columns: int,
        trace: str | None = None,
        is_last: bool = True,
    ) -> str:
        """Write a file to the data folder and return the id of its trace.

        Args:
            name: Original name of the file.
            pieces: Chunks of the file.
            lang: Language of the answers.
            columns: Number of columns of the first picture.
            trace: Trace to which the file adds a rank.
            is_last: Whether no other rank follows, so that parsing starts during the upload.

        Raises:
            BadInput: The file is too large, the disk is full, or the trace is already parsed.
            NotFound: The trace is closed.
        """
        await asyncio.to_thread(self._sweep)
        key = secrets.token_hex(8) if trace is None else trace
        if trace is None:
            await self._make_room()
            self._open[key] = _Trace(folder=await asyncio.to_thread(_new_folder, key))
        of = self._find(key)
        if of.reading is not None or len(of.files) >= MOST_FILES:
            raise BadInput(f"{ERRORS}.no_more_files", most=MOST_FILES)
        self._touch(key, of)
        try:
            # Start-up and imports overlap with the upload.
            await self._start(of)
            of.files.append(_fitting(name, of.files))
            async for _ in _written(of, of.files[-1], pieces):
                if is_last and of.reading is None:
                    of.reading = self._begin(key, of, columns, lang)
            if is_last:
                await asyncio.to_thread((of.folder / _WHOLE).touch)
                # An empty file.
                of.reading = of.reading or self._begin(key, of, columns, lang)
        except BaseException:
            await self._end(key)
            raise
        self._touch(key, of)
        return key

    async def open(self, trace: str) -> TraceOverview:
        """Return the overview of a trace when its files are parsed.

        Raises:
            BadInput: The doctor rejects the files; the trace is then closed.
            NotFound: The trace is closed, or its last file has not arrived.
            TorchstoneError: The child process ended or timed out.
        """
        of = self._find(trace)
        if of.reading is None:
            raise NotFound(f"{ERRORS}.closed", minutes=round(IDLE_SECONDS / 60))
        try:
            # A cancelled reader must not cancel the task for others.
            found: TraceOverview = await asyncio.shield(of.reading)
        except TorchstoneError:
            await self._end(trace)
            raise
        of.overview = found
        self._touch(trace, of)
        return found

    def _begin(self, trace: str, of: _Trace, columns: int, lang: Lang) -> asyncio.Task[Any]:
        question = {"ask": "open", "files": of.files, "columns": columns, "lang": lang}
        asked = question | {"is_arriving": True}

        async def read() -> Any:
            found = await self._exchange(trace, of, asked)
            await asyncio.to_thread(shutil.rmtree, of.folder, ignore_errors=True)
            return found

        return self._kept(asyncio.create_task(read()))

    async def ask(self, trace: str, kind: type[Kind], question: dict[str, Any]) -> Kind:
        """Return the answer to a query about an open trace.

        Raises:
            BadInput: The trace has no such part.
            NotFound: The trace is closed.
            TorchstoneError: The child process ended or timed out; the trace is then closed.
        """
        of = self._find(trace)
        if of.overview is None:
            raise NotFound(f"{ERRORS}.closed", minutes=round(IDLE_SECONDS / 60))
        self._touch(trace, of)
        return await self._shielded(trace, of, question, kind)

    async def close(self, trace: str) -> None:
        """End the child process of a trace and remove its files, if it is open."""
        await self._end(trace)

    async def _shielded(
        self, trace: str, of: _Trace, question: dict[str, Any], kind: type[Kind]
    ) -> Kind:
        # A cancelled reader must not leave a partial answer in the pipe.
        found = await asyncio.shield(
            self._kept(asyncio.create_task(self._exchange(trace, of, question)))
        )
        assert isinstance(found, kind), "each question has an answer of its own kind"
        return found

    async def _exchange(self, trace: str, of: _Trace, question: dict[str, Any]) -> Any:
        async with of.free:
            process = of.process
            if process is None or process.stdin is None or process.stdout is None:
                raise NotFound(f"{ERRORS}.closed", minutes=round(IDLE_SECONDS / 60))
            line = b""
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                process.stdin.write(json.dumps(question).encode() + b"\n")
                await process.stdin.drain()
            try:
                line = await asyncio.wait_for(process.stdout.readline(), PATIENCE_SECONDS)
            except TimeoutError as error:
                await self._end(trace)
                raise BadInput(f"{ERRORS}.slow", seconds=round(PATIENCE_SECONDS)) from error
            if not line:
                status, words = await process.wait(), "-"
                if of.written is not None:
                    words = last_words(of.written)
                await self._end(trace)
                raise TorchstoneError(f"{ERRORS}.died", status=status, words=words)
        return await asyncio.to_thread(read_event, line, Answer, ERRORS, REFUSALS)

    async def _start(self, of: _Trace) -> None:
        if of.process is not None:
            return
        of.written = tempfile.TemporaryFile()
        of.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", PROGRAM, "view"),
            # File names are shown without their folder.
            cwd=of.folder,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=of.written,
            limit=_MAX_LINE_BYTES,
        )

    async def _make_room(self) -> None:
        while len(self._open) >= MOST_OPEN:
            # Each use moves a trace to the end, so the first one is the least recently used.
            await self._end(next(iter(self._open)))

    def _find(self, trace: str) -> _Trace:
        found = self._open.get(trace)
        if found is None:
            raise NotFound(f"{ERRORS}.closed", minutes=round(IDLE_SECONDS / 60))
        return found

    def _touch(self, trace: str, of: _Trace) -> None:
        if self._open.pop(trace, None) is None:
            return
        self._open[trace] = of
        if of.ending is not None:
            of.ending.cancel()
        loop = asyncio.get_running_loop()
        of.ending = loop.call_later(IDLE_SECONDS, self._end_later, trace)

    def _end_later(self, trace: str) -> None:
        self._kept(asyncio.ensure_future(self._end(trace)))

    def _kept(self, task: asyncio.Task[Any]) -> asyncio.Task[Any]:
        """Hold a reference to a task until it is done; the event loop has only a weak one."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _end(self, trace: str) -> None:
        of = self._open.pop(trace, None)
        if of is None:
            return
        if of.ending is not None:
            of.ending.cancel()
        process, of.process = of.process, None
        if process is not None:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
            await process.wait()
        if of.written is not None:
            of.written.close()
        await asyncio.to_thread(shutil.rmtree, of.folder, ignore_errors=True)

    def _sweep(self) -> None:
        """Remove files left by a crashed server; a data folder has only one server."""
        if not self._swept:
            self._swept = True
            shutil.rmtree(_root(), ignore_errors=True)


def _root() -> Path:
    return paths.data_dir() / "traces"


def _new_folder(key: str) -> Path:
    folder = _root() / key
    folder.mkdir(mode=0o700, parents=True)
    return folder


def _fitting(name: str, taken: list[str]) -> str:
    """Convert a name to a valid file name on every file system, with the same extension."""
    fitting = _UNFIT.sub("", name.encode(errors="ignore").decode()).lstrip(".")[-_MOST_LETTERS:]
    fitting = fitting or "trace"
    return f"{len(taken)}.{fitting}" if fitting in taken else fitting


async def _written(of: _Trace, name: str, pieces: AsyncIterator[bytes]) -> AsyncIterator[None]:
    """Write a file, and yield after each chunk on disk."""
    try:
        free = await asyncio.to_thread(lambda: shutil.disk_usage(of.folder).free)
        # Unbuffered, so that written data is visible to the reader.
        with (of.folder / name).open("xb", buffering=0) as file:
            async for piece in _gathered(pieces):
                of.num_bytes += len(piece)
                free -= len(piece)
                if of.num_bytes > MOST_BYTES:
                    raise TooLargeTrace(f"{ERRORS}.too_large", most=MOST_BYTES >> 30)
                if free < _LEAST_FREE:
                    raise NoRoom(f"{ERRORS}.no_room", mib=_LEAST_FREE >> 20)
                await asyncio.to_thread(file.write, piece)
                yield
    except OSError as error:
        raise NoRoom(f"{ERRORS}.unwritable", reason=error.strerror or error) from error


async def _gathered(pieces: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the bytes in larger chunks, because each write uses a thread."""
    waiting = bytearray()
    async for piece in pieces:
        waiting += piece
        if len(waiting) >= _PIECE_BYTES:
            yield bytes(waiting)
            waiting.clear()
    if waiting:
        yield bytes(waiting)
