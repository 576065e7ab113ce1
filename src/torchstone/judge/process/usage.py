"""CPU time and state of processes, read from ``/proc``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
# Running or runnable (R), or waiting for a disk (D). See proc(5).
_ACTIVE = frozenset("RD")


@dataclass(frozen=True, slots=True)
class Usage:
    """The kernel's figures for a process and its children.

    Attributes:
        cpu_s: CPU seconds of all threads, and of children that have ended.
        is_active: Whether a thread runs, is runnable or waits for a disk.
    """

    cpu_s: float
    is_active: bool


@dataclass(frozen=True, slots=True)
class Meter:
    """A process, identified by PID and start time, because another process may reuse its PID."""

    pid: int
    _started: str

    @classmethod
    def of(cls, pid: int) -> Meter | None:
        """Return the meter of a process; None if ``/proc`` does not show the process."""
        stat = _stat(_PROC / str(pid))
        return None if stat is None else cls(pid, stat[19])

    @classmethod
    def of_pidfd(cls, fd: int) -> Meter | None:
        """Return the meter of the process of a pidfd; the process may be in any PID namespace."""
        for line in Path(f"/proc/self/fdinfo/{fd}").read_text().splitlines():
            name, _, pid = line.partition(":")
            if name == "Pid":
                return cls.of(int(pid))
        return None

    def read(self) -> Usage | None:
        """Read the usage of the process and its children; None if the process has ended."""
        root = _stat(_PROC / str(self.pid))
        if root is None or root[19] != self._started:
            return None
        cpu_s, is_active = 0.0, False
        for pid in descendants(self.pid):
            stat = _stat(_PROC / str(pid))
            if stat is not None:
                cpu_s += sum(int(ticks) for ticks in stat[11:15]) / _TICKS
                is_active = is_active or _has_active_thread(pid)
        return Usage(cpu_s, is_active)


def _stat(folder: Path) -> list[str] | None:
    """Return the fields of a ``stat`` file after the name; the first is the state, see proc(5)."""
    try:
        return (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None


def _threads(pid: int) -> list[Path]:
    try:
        return list((_PROC / str(pid) / "task").iterdir())
    except OSError:
        return []


def _has_active_thread(pid: int) -> bool:
    stats = (_stat(thread) for thread in _threads(pid))
    return any(stat is not None and stat[0] in _ACTIVE for stat in stats)


def state(pid: int) -> str | None:
    """Return the state letter of a process, see proc(5); None if the process does not exist."""
    stat = _stat(_PROC / str(pid))
    return None if stat is None else stat[0]


def num_threads(pid: int) -> int:
    """Return the number of threads of a process; 0 if it does not exist."""
    return len(_threads(pid))


def descendants(root: int) -> Iterator[int]:
    """Yield the PIDs of a process and of all its descendants."""
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        yield pid
        for thread in _threads(pid):
            try:
                waiting += map(int, (thread / "children").read_text().split())
            # The process has ended, or this kernel does not list children.
            except OSError:
                continue
