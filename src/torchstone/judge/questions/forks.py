"""Run a function in a fork, with a deadline and a report of the processes and files that remain."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import select
import shutil
import signal
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NoReturn

import msgspec

from torchstone.judge.questions.facts import Failure, Run

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_HEAD = struct.Struct("<Q")
# Seconds in which orphaned processes may end by themselves.
_GRACE_SECONDS = 2.0
_PAUSE_SECONDS = 0.02
_LIBC = ctypes.CDLL(None)


def adopt_orphans() -> None:
    """Make orphaned descendants children of this process."""
    _LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_with_parent() -> None:
    """Make the kernel kill this process when its parent ends."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def forked(job: Callable[[], Run], deadline_s: float) -> Run:
    """Run a job in a fork, in its own empty folder; return its run.

    The run has the CPU seconds of the fork, and the processes and files that it left. A fork that
    ends without an answer, or exceeds the deadline, gives a run with a failure.
    """
    with tempfile.TemporaryDirectory(prefix="torchstone-cell-") as folder:
        reading, writing = os.pipe()
        process = os.fork()
        if process == 0:
            _answer(job, writing, Path(folder))
        os.close(writing)
        with os.fdopen(reading, "rb", buffering=0) as pipe:
            data = _receive(pipe.fileno(), process, time.monotonic() + deadline_s)
        if data is None:
            _kill_group(process)
        os.waitpid(process, 0)
        left = (*_end_orphans(), *_files_in(Path(folder)))
    if data is None:
        words = f"no end after {deadline_s:.0f} s"
        return Run(failure=Failure(cell="", line=0, error=words), is_over=True, left=left)
    if not data:
        return Run(failure=Failure(cell="", line=0, error="the process died"), left=left)
    return msgspec.structs.replace(msgspec.json.decode(data, type=Run), left=left)


def _answer(job: Callable[[], Run], writing: int, folder: Path) -> NoReturn:
    """Run the job in the fork, send its run, and end."""
    try:
        end_with_parent()
        os.setsid()
        os.chdir(folder)
        os.environ["TMPDIR"] = str(folder)
        tempfile.tempdir = None
        run = msgspec.structs.replace(job(), cpu_s=used_cpu())
        data = msgspec.json.encode(run)
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(_HEAD.pack(len(data)) + data)
    finally:
        # Not sys.exit: the fork must not run the parent's exit handlers and finally blocks.
        os._exit(0)


def used_cpu() -> float:
    """Return the CPU seconds of this process and of the children that it has waited for."""
    own, below = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + below.ru_utime + below.ru_stime


def _receive(pipe: int, process: int, deadline: float) -> bytes | None:
    """Return the answer; empty if the process died without one, None at the deadline."""
    data = b""
    while time.monotonic() < deadline:
        ready, _, _ = select.select([pipe], [], [], 0.2)
        if ready:
            piece = os.read(pipe, 1 << 16)
            data += piece
            if not piece:
                return b""
            if len(data) >= _HEAD.size and len(data) - _HEAD.size >= _HEAD.unpack_from(data)[0]:
                return data[_HEAD.size :]
        elif _has_ended(process):
            # A process that it left may keep the pipe open.
            return b""
    return None


def _has_ended(process: int) -> bool:
    return os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def _kill_group(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def _end_orphans() -> tuple[str, ...]:
    """Wait for orphaned processes; kill those that do not end, and return their names."""
    until = time.monotonic() + _GRACE_SECONDS
    while (living := list(_orphans())) and time.monotonic() < until:
        time.sleep(_PAUSE_SECONDS)
    names = tuple(f"process {_name(pid)}" for pid in living)
    while living:
        for pid in living:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        living = list(_orphans())
    return names


def _orphans() -> Iterator[int]:
    """Yield the living children; reap those that have ended."""
    text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    for pid in map(int, text.split()):
        if os.waitpid(pid, os.WNOHANG) == (0, 0):
            yield pid


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return str(pid)


def _files_in(folder: Path) -> tuple[str, ...]:
    found = tuple(f"file {path.relative_to(folder)}" for path in sorted(folder.iterdir()))
    if found:
        for path in folder.iterdir():
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
    return found
