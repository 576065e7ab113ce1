"""Clocks of an interview: the sum of the spans in which it ran."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Protocol

# How often a running clock is written down; a kill gives away so much at most.
HEARTBEAT_S = 2.0
_VIRTUAL_START = datetime(2026, 1, 1, tzinfo=UTC)


class Clock(Protocol):
    """What an interview asks of a clock."""

    @property
    def elapsed_ms(self) -> int:
        """Return the milliseconds for which the interview ran."""

    def now(self) -> str:
        """Return the moment on the wall clock, ISO 8601 in UTC."""

    def pause(self) -> None:
        """Stop counting."""

    def resume(self) -> None:
        """Go on counting."""


class VirtualClock:
    """A clock that moves only when it is told to, for scripted interviews."""

    def __init__(self) -> None:
        self._elapsed_ms = 0
        self._wall_ms = 0
        self._is_running = True

    @property
    def elapsed_ms(self) -> int:
        """Return the milliseconds for which the interview ran."""
        return self._elapsed_ms

    def now(self) -> str:
        """Return a moment counted from a fixed day, so that two runs have the same bytes."""
        return stamp(_VIRTUAL_START + timedelta(milliseconds=self._wall_ms))

    def pause(self) -> None:
        """Stop counting."""
        self._is_running = False

    def resume(self) -> None:
        """Go on counting."""
        self._is_running = True

    def advance(self, seconds: float) -> None:
        """Let time pass; while the clock is paused, on the wall only."""
        passed = round(1000 * seconds)
        self._wall_ms += passed
        if self._is_running:
            self._elapsed_ms += passed


class RunningClock:
    """A clock over a monotonic clock: a changed wall clock and a sleeping machine do not move it.

    Args:
        before_ms: What it read when the last span ended.
        monotonic: The monotonic clock in seconds; one that stands still while the machine sleeps.
    """

    def __init__(self, before_ms: int, monotonic: MonotonicClock) -> None:
        self._before_ms = before_ms
        self._monotonic = monotonic
        self._since: float | None = monotonic()

    @property
    def elapsed_ms(self) -> int:
        """Return the milliseconds for which the interview ran."""
        if self._since is None:
            return self._before_ms
        return self._before_ms + round(1000 * (self._monotonic() - self._since))

    def now(self) -> str:
        """Return the moment on the wall clock, ISO 8601 in UTC."""
        return stamp(datetime.now(UTC))

    def pause(self) -> None:
        """Stop counting."""
        self._before_ms = self.elapsed_ms
        self._since = None

    def resume(self) -> None:
        """Go on counting."""
        if self._since is None:
            self._since = self._monotonic()


class MonotonicClock(Protocol):
    """A clock that never goes back, such as ``time.monotonic``."""

    def __call__(self) -> float:
        """Return seconds since some moment."""


def stamp(moment: datetime) -> str:
    """Return a moment as text with milliseconds."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
