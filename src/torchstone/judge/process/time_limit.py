"""CPU time and idle time limits, corrected for the load of the machine.

On a busy machine the wall clock does not measure a submission, because a runnable process waits for
a processor. So the host divides the time that it waits for a process. It reads the CPU time of the
process, its threads and its children from ``/proc``, which a submission cannot forge. Idle time is
time in which no thread runs, is runnable or waits for a disk: a sleep, a deadlock, a blocked read.
The rest is a stall of the machine, limited only by `PATIENCE`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from torchstone.bank.schema import Limits
from torchstone.judge.process.channel import Ended, How
from torchstone.judge.process.usage import Meter, Usage

# Seconds between readings of a process's usage while the host waits.
SLICE_SECONDS = 0.25
# Idle seconds charged for one slice at most; in a longer slice the host itself did not run.
MOST_IDLE_SECONDS = 2 * SLICE_SECONDS
# Wall-clock limit as a multiple of the larger of the CPU and idle limits.
PATIENCE = 20.0


@dataclass(slots=True)
class Allowance:
    """Remaining time of all processes of one submission together.

    Attributes:
        cpu_s: CPU seconds of all processes.
        idle_s: Seconds in which the process that the host waits for is neither running nor
            runnable.
        wall_s: Seconds by the wall clock; after them the machine is too busy to judge.
        num_still: Number of idle readings, less twice the number of active ones: gloo threads wake
            up often, and may be waiting for a processor then.
        from_now: Whether CPU time counts from the first reading, not from the process's start.
    """

    cpu_s: float
    idle_s: float
    wall_s: float
    from_now: bool = False
    spent_idle_s: float = 0.0
    num_still: int = 0
    _spent_wall_s: float = 0.0
    _unread_s: float = 0.0
    _cpu_s: dict[Meter, float] = field(default_factory=dict)
    _cpu_before_s: dict[Meter, float] = field(default_factory=dict)

    @classmethod
    def of(cls, limits: Limits, *, at_most: float = float("inf")) -> Allowance:
        """Return the time of a submission, with at most ``at_most`` seconds of each kind."""
        cpu_s, idle_s = min(limits.cpu_s, at_most), min(limits.wall_s, at_most)
        return cls(cpu_s, idle_s, PATIENCE * max(cpu_s, idle_s))

    @classmethod
    def of_judge(cls, seconds: float) -> Allowance:
        """Return the time for one step of a process of the judge."""
        return cls(seconds, seconds, PATIENCE * seconds, from_now=True)

    @property
    def spent_cpu_s(self) -> float:
        """Return the CPU seconds used at the last reading."""
        return sum(self._cpu_s.values()) - sum(self._cpu_before_s.values())

    def watch(self, meter: Meter | None) -> Watch:
        """Start to wait for a process; without a meter all time is idle time."""
        return Watch(self, meter)

    def charge(self, meter: Meter | None, seconds: float) -> None:
        """Charge the last seconds of waiting for a process.

        Raises:
            Ended: One kind of time is used up.
        """
        self._unread_s = 0.0
        self._spent_wall_s += seconds
        usage = None if meter is None else self._read(meter)
        for other in self._cpu_s.keys() - {meter}:
            self._read(other)
        is_still = usage is not None and not usage.is_active
        self.num_still = max(0, self.num_still + (1 if is_still else -2))
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

    def settle(self, meter: Meter | None, cpu_s: float) -> None:
        """Record the CPU seconds of a process that has ended, which the last reading missed."""
        if meter is not None:
            self._cpu_s[meter] = cpu_s

    def _read(self, meter: Meter) -> Usage | None:
        usage = meter.read()
        if usage is not None:
            self._cpu_s[meter] = usage.cpu_s
            if self.from_now:
                self._cpu_before_s.setdefault(meter, usage.cpu_s)
        return usage

    def _leave(self, seconds: float) -> None:
        """Account for a wait that was too short for a reading."""
        self._spent_wall_s += seconds
        self._unread_s += seconds


class Watch:
    """One wait for one process, charged every `SLICE_SECONDS`; called while no bytes arrive."""

    def __init__(self, allowance: Allowance, meter: Meter | None) -> None:
        self._allowance = allowance
        self._meter = meter
        self._charged_at = time.monotonic()
        # Many short waits take as many readings as one long wait.
        self._due = self._charged_at + max(self._slice() - allowance._unread_s, 0.0)

    def __call__(self) -> float:
        """Charge the elapsed time when it is due; return the seconds until the next charge.

        Raises:
            Ended: One kind of time is used up.
        """
        now = time.monotonic()
        if now >= self._due:
            seconds, self._charged_at = now - self._charged_at, now
            self._due = now + SLICE_SECONDS
            self._allowance.charge(self._meter, seconds)
            self._due = now + self._slice()
        return self._due - now

    def finish(self) -> None:
        """End the wait, and charge the rest of it to the wall clock only."""
        self._allowance._leave(time.monotonic() - self._charged_at)

    def _slice(self) -> float:
        left = self._allowance.idle_s - self._allowance.spent_idle_s
        return min(SLICE_SECONDS, max(left, 0.001))
