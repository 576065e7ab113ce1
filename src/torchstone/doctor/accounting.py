"""Time accounting of a window: each microsecond is attributed once, so the shares sum to one.

Device activity has priority: computation, then communication not overlapped by computation, then
copies overlapped by neither. The remaining time is idle. An idle gap is attributed to the activity
of the launching thread, up to the end of the call that launches the kernel after the gap; the rest
of the gap, where the host is not late, is unexplained. Simultaneous activities of the thread are
resolved by the order of ``EXPLAINING``. Where the launching thread has no such activity because it
has not started the backward pass, the activity of the main thread is used.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torchstone.doctor.correlate import Launches
from torchstone.doctor.events import NONE, Events, Floats, Ints
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.read.kinds import COPIES, EXPLAINING, Kind
from torchstone.doctor.window import Window

IDLE = ("loader", "sync", "alloc", "gc", "io", "launch", "operator", "python", "unexplained")
_DOING = tuple(kind for kind in EXPLAINING if kind != Kind.PYTHON)
# Devices with a smaller share of the busiest device's work are excluded from the accounting.
_LEAST_SHARE = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Gaps:
    """Idle gaps of a device.

    Attributes:
        begin: Start of each gap, in microseconds.
        end: End of each gap, in microseconds.
        host_end: End of the part of the gap in which the host is late.
        kernel: Row of the event that ends the gap; ``NONE`` at the end of the window.
        lane: Thread that launched this event.
        charged: Microseconds attributed to each of ``IDLE``, (n, 9).
    """

    begin: Floats
    end: Floats
    host_end: Floats
    kernel: Ints
    lane: Ints
    charged: Floats

    @property
    def host(self) -> Intervals:
        """Return the intervals in which the host is late."""
        is_some = self.host_end > self.begin
        return Intervals(self.begin[is_some], self.host_end[is_some])


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounting:
    """Time shares of a window; they sum to 1.

    Attributes:
        shares: Share by name: ``compute``, ``communication``, the copies, and ``idle.*``.
        gaps: Idle gaps of each device.
        has_device: Whether a device is used; otherwise operators count as computation.
    """

    shares: dict[str, float]
    gaps: list[Gaps]
    has_device: bool

    @property
    def idle(self) -> float:
        """Return the idle share of the device."""
        return sum(share for name, share in self.shares.items() if name.startswith("idle."))


def account(events: Events, launches: Launches, window: Window) -> Accounting:
    """Compute the time accounting of a window."""
    devices = busy_devices(events, window)
    if not devices:
        return _account_host(events, window)
    shares = dict.fromkeys(_names(), 0.0)
    gaps = []
    threads = _Threads(events)
    for rows in devices:
        found, of_device = _account_device(events, launches, window, rows, threads)
        gaps.append(of_device)
        for name, share in found.items():
            shares[name] += share / len(devices)
    return Accounting(shares=shares, gaps=gaps, has_device=True)


def busy_devices(events: Events, window: Window) -> list[Ints]:
    """Return the rows in the window for each device in use."""
    rows = events.on_device()
    rows = rows[(events.t1[rows] > window.begin) & (events.t0[rows] < window.end)]
    found = [rows[events.device[rows] == device] for device in np.unique(events.device[rows])]
    work = [float((events.t1[each] - events.t0[each]).sum()) for each in found]
    return [
        each
        for each, time in zip(found, work, strict=True)
        if len(each) and time >= _LEAST_SHARE * max(work)
    ]


def _names() -> list[str]:
    copies = ["copy_h2d", "copy_d2h", "copy_d2d"]
    return ["compute", "communication", *copies, *(f"idle.{name}" for name in IDLE)]


def _account_device(
    events: Events, launches: Launches, window: Window, rows: Ints, threads: _Threads
) -> tuple[dict[str, float], Gaps]:
    covered = Intervals.nothing()
    shares: dict[str, float] = {}
    names = ("compute", "communication", "copy_h2d", "copy_d2h", "copy_d2d")
    for name, kind in zip(names, (Kind.KERNEL, Kind.COMMUNICATION, *COPIES), strict=True):
        before = covered.length
        covered |= _covered(events, rows[events.kind[rows] == kind], window)
        shares[name] = (covered.length - before) / window.duration
    gaps = _find_gaps(events, launches, window, rows, covered, threads)
    for name, charged in zip(IDLE, gaps.charged.sum(0).tolist(), strict=True):
        shares[f"idle.{name}"] = charged / window.duration
    return shares, gaps


def _covered(events: Events, rows: Ints, window: Window) -> Intervals:
    return Intervals(events.t0[rows], events.t1[rows]).clipped(window.begin, window.end)


def _find_gaps(
    events: Events,
    launches: Launches,
    window: Window,
    rows: Ints,
    covered: Intervals,
    threads: _Threads,
) -> Gaps:
    """Find the idle gaps of a device, and attribute the time of each."""
    gaps = covered.gaps(window.begin, window.end)
    begins = events.t0[rows]
    # A gap is ended by an event that starts at its end; among several, the choice is arbitrary.
    at = np.searchsorted(begins, gaps.ends, side="left")
    has_kernel = (at < len(rows)) & (gaps.ends < window.end)
    kernel = np.where(has_kernel, rows[np.minimum(at, len(rows) - 1)], NONE)
    call = np.where(has_kernel, launches.call_of[kernel], NONE)
    host_end = np.where(call == NONE, gaps.ends, np.minimum(gaps.ends, events.t1[call]))
    # A kernel without a launch call gives no evidence about the host, unless all calls are missing.
    is_blind = has_kernel & (call == NONE) & (launches.found > 0)
    host_end = np.where(is_blind, gaps.begins, np.maximum(host_end, gaps.begins))
    lane = np.where(call == NONE, threads.main, events.lane[call])
    charged = np.zeros((len(gaps), len(IDLE)))
    for thread in np.unique(lane):
        on = np.flatnonzero(lane == thread)
        charged[on, :-1] = threads.charge(int(thread), gaps.begins[on], host_end[on])
    charged[:, -1] = gaps.ends - gaps.begins - charged[:, :-1].sum(1)
    return Gaps(
        begin=gaps.begins,
        end=gaps.ends,
        host_end=host_end,
        kernel=kernel,
        lane=lane,
        charged=np.maximum(charged, 0.0),
    )


class _Threads:
    """Host threads, and the intervals of their activities."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._done: dict[int, list[Intervals]] = {}
        rows = events.of(Kind.STEP)
        if not len(rows):
            rows = events.of(Kind.LAUNCH)
        if not len(rows):
            rows = events.of(Kind.OPERATOR)
        self.main = int(np.bincount(events.lane[rows]).argmax()) if len(rows) else NONE

    def charge(self, thread: int, begins: Floats, ends: Floats) -> Floats:
        """Return the time in each interval attributed to each of ``EXPLAINING``, (n, 8)."""
        reached = [np.zeros(len(begins))]
        for done in self._of(thread):
            reached.append(done.within(begins, ends))
        # The remaining time between operators is Python, whether or not frames were recorded.
        python = ends - begins - reached[-1]
        charged = np.diff(np.stack(reached, axis=1), axis=1)
        charged = charged.reshape(len(begins), -1, len(_DOING)).sum(1)
        return np.concatenate((charged, python[:, None]), axis=1)

    def _of(self, thread: int) -> list[Intervals]:
        """Return for each kind a thread's intervals of it and of the kinds with higher priority."""
        if thread not in self._done:
            events, so_far = self._events, Intervals.nothing()
            self._done[thread] = []
            for each in dict.fromkeys((thread, self.main)):
                rows = np.flatnonzero(events.lane == each)
                for kind in _DOING:
                    of_kind = rows[events.kind[rows] == kind]
                    so_far |= Intervals(events.t0[of_kind], events.t1[of_kind])
                    self._done[thread].append(so_far)
        return self._done[thread]


def _account_host(events: Events, window: Window) -> Accounting:
    """Account for a run without a device: operators compute, and the rest is idle time.

    Activities of the main thread have priority over those of other threads. Communication counts
    only where no thread computes.
    """
    rows = np.flatnonzero((events.t1 > window.begin) & (events.t0 < window.end))
    kinds, lanes = events.kind[rows], events.lane[rows]
    is_main = lanes == _Threads(events).main
    is_operator = kinds == Kind.OPERATOR
    is_exchange = np.isin(events.name[rows], events.named("c10d::"))
    found = (
        ("idle.loader", is_main & (kinds == Kind.LOADER)),
        ("idle.gc", is_main & (kinds == Kind.GC)),
        ("idle.io", is_main & (kinds == Kind.IO)),
        ("compute", is_main & is_operator & ~is_exchange),
        ("communication", (kinds == Kind.COLLECTIVE) | (is_operator & is_exchange)),
        ("compute", is_operator & ~is_exchange),
    )
    shares = dict.fromkeys(_names(), 0.0)
    covered = Intervals.nothing()
    for name, is_of in found:
        before = covered.length
        covered |= _covered(events, rows[is_of], window)
        shares[name] += (covered.length - before) / window.duration
    shares["idle.python"] = max(0.0, 1.0 - covered.length / window.duration)
    return Accounting(shares=shares, gaps=[], has_device=False)
