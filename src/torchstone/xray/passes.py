"""A pass: run a piece of work in a process of its own, with limits; its answer is JSON."""

from __future__ import annotations

import json
import os
import resource
import selectors
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from torchstone.xray.limits import (
    KEPT_OUTPUT_BYTES,
    MAX_ANSWER_BYTES,
    MAX_OUTPUT_BYTES,
    MEMORY_BYTES,
    SECONDS,
)

End: TypeAlias = Literal["done", "time", "idle", "output", "memory", "died"]
Work = Callable[[], dict[str, Any]]
_PAGE = os.sysconf("SC_PAGE_SIZE")
_CHUNK = 1 << 16
# A program that waits takes no processor time. On a busy machine one that works takes little.
_LOOK_SECONDS = 1.0
_OUT_OF_MEMORY = 77


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of a pass: seconds of the processor, and private memory beside torch's own."""

    seconds: int = SECONDS
    memory_bytes: int = MEMORY_BYTES
    output_bytes: int = MAX_OUTPUT_BYTES
    idle_seconds: float = SECONDS / 2

    def for_compilers(self) -> Limits:
        """Return the limits of a program that waits for compilers."""
        return replace(self, seconds=self.seconds * 6, idle_seconds=self.idle_seconds * 30)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a pass ended.

    Attributes:
        end: How: ``done`` with an answer, or which limit it has met.
        answer: What the work returned.
        output: The first part of what it printed.
        output_bytes: How much it printed.
        status: The exit status, negative for a signal.
    """

    end: End
    answer: dict[str, Any] = field(default_factory=dict)
    output: str = ""
    output_bytes: int = 0
    status: int = 0


def run_pass(work: Work, limits: Limits, confine: Callable[[], None] | None = None) -> Outcome:
    """Run some work in a fork of this process.

    Args:
        work: Returns what can be written as JSON.
        limits: At which the process is ended.
        confine: Gives up privileges, in the fork, before the work begins.
    """
    answer_in, answer_out = os.pipe()
    printed_in, printed_out = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        os.close(answer_in)
        os.close(printed_in)
        _work_and_exit(work, limits, confine, answer_out, printed_out)
    os.close(answer_out)
    os.close(printed_out)
    follower = _Follower(pid, answer_in, printed_in, limits)
    try:
        return follower.follow()
    finally:
        follower.end()


def _work_and_exit(
    work: Work, limits: Limits, confine: Callable[[], None] | None, answer: int, printed: int
) -> None:
    """Do the work; the process ends here, whatever happens."""
    status = 1
    try:
        os.setpgid(0, 0)
        _redirect(printed)
        _limit(limits)
        if confine is not None:
            confine()
        found = json.dumps(work(), allow_nan=False).encode()
        sys.stdout.flush()
        sys.stderr.flush()
        written = 0
        while written < len(found):
            written += os.write(answer, found[written : written + _CHUNK])
        status = 0
    except MemoryError:
        status = _OUT_OF_MEMORY
    except BaseException:  # noqa: BLE001  the fork never returns into its parent
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
    finally:
        os._exit(status)


def _redirect(printed: int) -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(printed, 1)
    os.dup2(printed, 2)


def _limit(limits: Limits) -> None:
    private = _private_bytes() + limits.memory_bytes
    for kind, most in (
        (resource.RLIMIT_CPU, limits.seconds),
        (resource.RLIMIT_DATA, private),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        # At the hard limit of time the signal is the one of memory, too: the soft one comes before.
        more = least + (kind == resource.RLIMIT_CPU and least != hard)
        resource.setrlimit(kind, (least, more))


def _private_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[5]) * _PAGE


class _Follower:
    """Read what a pass writes, until it ends or meets a limit."""

    def __init__(self, pid: int, answer: int, printed: int, limits: Limits) -> None:
        self._pid, self._limits = pid, limits
        self._answer, self._printed = answer, printed
        self._found, self._kept, self._num_printed = bytearray(), bytearray(), 0
        self._status: int | None = None

    def follow(self) -> Outcome:
        end = self._read()
        if end is not None:
            return self._outcome(end)
        status = self._status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        if status == 0 and self._found:
            return self._outcome("done", json.loads(self._found))
        if status == -signal.SIGXCPU:
            return self._outcome("time")
        if status == -signal.SIGKILL:
            return self._outcome("time" if self._has_used_its_time() else "memory")
        return self._outcome("memory" if status == _OUT_OF_MEMORY else "died")

    def _read(self) -> End | None:
        idle = _Idle(self._pid, self._limits.idle_seconds)
        with selectors.DefaultSelector() as waiting:
            for fd in (self._answer, self._printed):
                waiting.register(fd, selectors.EVENT_READ)
            while waiting.get_map():
                for key, _ in waiting.select(_LOOK_SECONDS):
                    chunk = os.read(key.fd, _CHUNK)
                    if not chunk:
                        waiting.unregister(key.fd)
                    else:
                        self._keep(key.fd, chunk)
                if self._num_printed > self._limits.output_bytes:
                    return "output"
                if len(self._found) > MAX_ANSWER_BYTES:
                    return "memory"
                if idle.is_over():
                    return "idle"
        return None

    def _keep(self, fd: int, chunk: bytes) -> None:
        if fd == self._printed:
            self._num_printed += len(chunk)
            self._kept += chunk[: KEPT_OUTPUT_BYTES - len(self._kept)]
        else:
            self._found += chunk

    def _has_used_its_time(self) -> bool:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime >= self._limits.seconds * 0.9

    def _outcome(self, end: End, answer: dict[str, Any] | None = None) -> Outcome:
        return Outcome(
            end=end,
            answer=answer or {},
            output=self._kept.decode(errors="replace"),
            output_bytes=self._num_printed,
            status=self._status or 0,
        )

    def end(self) -> None:
        os.close(self._answer)
        os.close(self._printed)
        try:
            os.killpg(self._pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            # It has ended, or has not yet made its group.
            pass
        if self._status is None:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)


class _Idle:
    """Notice a process that sleeps and does nothing, which no limit of its processor time ends."""

    def __init__(self, pid: int, seconds: float) -> None:
        self._pid, self._seconds = pid, max(seconds, 2 * _LOOK_SECONDS)
        self._used = -1
        self._since = time.monotonic()

    def is_over(self) -> bool:
        """Return whether the process has slept without work for long enough."""
        state, used = self._look()
        if state != "S" or used != self._used:
            self._used, self._since = used, time.monotonic()
        return time.monotonic() - self._since > self._seconds

    def _look(self) -> tuple[str, int]:
        try:
            with open(f"/proc/{self._pid}/stat", encoding="ascii", errors="replace") as file:
                fields = file.read().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            return "Z", self._used
        # With the children that it has waited for: compilers.
        return fields[0], sum(map(int, fields[11:15]))
