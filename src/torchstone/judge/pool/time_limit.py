"""CPU time and idle time limits, corrected for the load of the machine.

The wall clock says little on a busy machine: a process that is ready to run waits for a processor.
So the time that the host waits for a process is divided. CPU time is read from ``/proc`` by the
host, for the process with its threads and children, so no submission can forge it. Idle time is
time in which no thread runs, is ready to run or waits for a disk: a sleep, a deadlock, a blocked
read. The rest is a stall of the machine, and only `PATIENCE` bounds it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from torchstone.bank.schema import Limits
from torchstone.judge.pool.channel import Ended, How

# How often a process that is waited for is looked at.
SLICE_SECONDS = 0.25
# A longer slice means that the host itself did not run, so the rest of it is a stall.
MOST_IDLE_SECONDS = 2 * SLICE_SECONDS
# How many times its limit a process may take by the wall clock, because the machine stalls.
PATIENCE = 20.0

_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")
# Running or ready to run, or waiting for a disk. See proc(5).
_ACTIVE = frozenset("RD")


@dataclass(frozen=True, slots=True)
class Usage:
    """Hold what the kernel says of a process and its children.

    Attributes:
        cpu_s: CPU seconds of all threads, children that ended and were waited for included.
        is_active: Whether a thread runs, is ready to run or waits for a disk.
    """

    cpu_s: float
    is_active: bool


@dataclass(frozen=True, slots=True)
class Meter:
    """Name a process so that another one with the same pid is never taken for it."""

    pid: int
    _started: str

    @classmethod
    def of(cls, pid: int) -> Meter | None:
        """Return the meter of a process; None where ``/proc`` does not show it."""
        stat = _stat(_PROC / str(pid))
        return None if stat is None else cls(pid, stat[19])

    @classmethod
    def of_pidfd(cls, fd: int) -> Meter | None:
        """Return the meter of the process behind a pidfd, whatever PID namespace it is in."""
        for line in Path(f"/proc/self/fdinfo/{fd}").read_text().splitlines():
            name, _, pid = line.partition(":")
            if name == "Pid":
                return cls.of(int(pid))
        return None

    def read(self) -> Usage | None:
        """Read what the process and its children have used; None when it is gone."""
        root = _stat(_PROC / str(self.pid))
        if root is None or root[19] != self._started:
            return None
        cpu_s, is_active = 0.0, False
        for pid in _tree(self.pid):
            stat = _stat(_PROC / str(pid))
            if stat is not None:
                cpu_s += sum(int(ticks) for ticks in stat[11:15]) / _TICKS
                is_active = is_active or _has_active_thread(pid)
        return Usage(cpu_s, is_active)


def _stat(folder: Path) -> list[str] | None:
    """Return the fields of a ``stat`` behind the name: the state first, see proc(5)."""
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


def _tree(root: int) -> Iterator[int]:
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        yield pid
        for thread in _threads(pid):
            try:
                waiting += map(int, (thread / "children").read_text().split())
            # It ended meanwhile, or this kernel does not list children.
            except OSError:
                continue


@dataclass(slots=True)
class Allowance:
    """Hold the time that the processes of one submission may still use together.

    Attributes:
        cpu_s: CPU seconds of all of them.
        idle_s: Seconds in which the one that is waited for neither runs nor is ready to run.
        wall_s: Seconds by the wall clock; past them the machine is too busy to judge.
        from_now: Whether CPU time counts from the first reading on, not from the process's start.
    """

    cpu_s: float
    idle_s: float
    wall_s: float
    from_now: bool = False
    spent_idle_s: float = 0.0
    _spent_wall_s: float = 0.0
    _unread_s: float = 0.0
    _cpu_s: dict[Meter, float] = field(default_factory=dict)
    _cpu_before_s: dict[Meter, float] = field(default_factory=dict)

    @classmethod
    def of(cls, limits: Limits, *, at_most: float = float("inf")) -> Allowance:
        """Return what a submission may use, or ``at_most`` so many seconds of each kind."""
        cpu_s, idle_s = min(limits.cpu_s, at_most), min(limits.wall_s, at_most)
        return cls(cpu_s, idle_s, PATIENCE * max(cpu_s, idle_s))

    @classmethod
    def of_judge(cls, seconds: float) -> Allowance:
        """Return what a process of the judge's own may use for one step."""
        return cls(seconds, seconds, PATIENCE * seconds, from_now=True)

    @property
    def spent_cpu_s(self) -> float:
        """CPU seconds that were used when they were read last."""
        return sum(self._cpu_s.values()) - sum(self._cpu_before_s.values())

    def watch(self, meter: Meter | None) -> Watch:
        """Begin to wait for a process; without a meter all the time is idle time."""
        return Watch(self, meter)

    def charge(self, meter: Meter | None, seconds: float) -> None:
        """Charge the last seconds of waiting for a process.

        Raises:
            Ended: Nothing is left of one kind of time.
        """
        self._unread_s = 0.0
        self._spent_wall_s += seconds
        usage = None if meter is None else self._read(meter)
        for other in self._cpu_s.keys() - {meter}:
            self._read(other)
        if usage is None or not usage.is_active:
            self.spent_idle_s += min(seconds, MOST_IDLE_SECONDS)
        if self.spent_cpu_s >= self.cpu_s:
            raise Ended(How.CPU)
        if self.spent_idle_s >= self.idle_s:
            raise Ended(How.IDLE)
        if self._spent_wall_s >= self.wall_s:
            said = (
                f"{self.spent_cpu_s:.1f} s of CPU time and {self.spent_idle_s:.1f} s of idle time"
            )
            raise Ended(How.STALLED, f"the machine gave it {said} in {self._spent_wall_s:.0f} s")

    def _read(self, meter: Meter) -> Usage | None:
        usage = meter.read()
        if usage is not None:
            self._cpu_s[meter] = usage.cpu_s
            if self.from_now:
                self._cpu_before_s.setdefault(meter, usage.cpu_s)
        return usage

    def _leave(self, seconds: float) -> None:
        """Take note of a wait that was too short to look at the process."""
        self._spent_wall_s += seconds
        self._unread_s += seconds


class Watch:
    """Charge one wait for one process, every `SLICE_SECONDS`; call it whenever nothing came."""

    def __init__(self, allowance: Allowance, meter: Meter | None) -> None:
        self._allowance = allowance
        self._meter = meter
        self._charged_at = time.monotonic()
        # Many short waits are looked at as often as one long wait.
        self._due = self._charged_at + max(self._slice() - allowance._unread_s, 0.0)

    def __call__(self) -> float:
        """Charge the time that has passed when it is due; return the seconds until it is due again.

        Raises:
            Ended: Nothing is left of one kind of time.
        """
        now = time.monotonic()
        if now >= self._due:
            seconds, self._charged_at = now - self._charged_at, now
            self._due = now + SLICE_SECONDS
            self._allowance.charge(self._meter, seconds)
            self._due = now + self._slice()
        return self._due - now

    def finish(self) -> None:
        """Charge the rest to the wall clock only; the wait is over."""
        self._allowance._leave(time.monotonic() - self._charged_at)

    def _slice(self) -> float:
        left = self._allowance.idle_s - self._allowance.spent_idle_s
        return min(SLICE_SECONDS, max(left, 0.001))
