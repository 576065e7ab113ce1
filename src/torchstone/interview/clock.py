"""Clocks of an interview, which measure the time in which it is running."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol

# Interval between writes of a running clock: the maximum loss after a kill.
HEARTBEAT_S = 2.0
_VIRTUAL_START = datetime(2026, 1, 1, tzinfo=UTC)


class Clock(Protocol):
    """Interface of an interview's clock."""

    @property
    def elapsed_ms(self) -> int:
        """Return the running time of the interview in milliseconds."""

    def now(self) -> str:
        """Return the current wall-clock time, ISO 8601 in UTC."""

    def pause(self) -> None:
        """Pause the clock."""

    def resume(self) -> None:
        """Resume the clock."""


class VirtualClock:
    """Clock that is advanced explicitly, for scripted interviews."""

    def __init__(self) -> None:
        self._elapsed_ms = 0
        self._wall_ms = 0
        self._is_running = True

    @property
    def elapsed_ms(self) -> int:
        """Return the running time of the interview in milliseconds."""
        return self._elapsed_ms

    def now(self) -> str:
        """Return a time relative to a fixed date, so that runs are reproducible byte for byte."""
        return stamp(_VIRTUAL_START + timedelta(milliseconds=self._wall_ms))

    def pause(self) -> None:
        """Pause the clock."""
        self._is_running = False

    def resume(self) -> None:
        """Resume the clock."""
        self._is_running = True

    def advance(self, seconds: float) -> None:
        """Advance the time; while the clock is paused, only the wall-clock time."""
        passed = round(1000 * seconds)
        self._wall_ms += passed
        if self._is_running:
            self._elapsed_ms += passed


class RunningClock:
    """Clock over a monotonic clock, unaffected by wall-clock changes and system sleep.

    Args:
        before_ms: Reading at the end of the previous span.
        monotonic: Monotonic clock in seconds that does not advance during system sleep.
    """

    def __init__(self, before_ms: int, monotonic: MonotonicClock) -> None:
        self._before_ms = before_ms
        self._monotonic = monotonic
        self._since: float | None = monotonic()

    @property
    def elapsed_ms(self) -> int:
        """Return the running time of the interview in milliseconds."""
        if self._since is None:
            return self._before_ms
        return self._before_ms + round(1000 * (self._monotonic() - self._since))

    def now(self) -> str:
        """Return the current wall-clock time, ISO 8601 in UTC."""
        return stamp(datetime.now(UTC))

    def pause(self) -> None:
        """Pause the clock."""
        self._before_ms = self.elapsed_ms
        self._since = None

    def resume(self) -> None:
        """Resume the clock."""
        if self._since is None:
            self._since = self._monotonic()


class MonotonicClock(Protocol):
    """Clock that never decreases, such as ``time.monotonic``."""

    def __call__(self) -> float:
        """Return seconds since an arbitrary reference time."""


def stamp(moment: datetime) -> str:
    """Format a time with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
