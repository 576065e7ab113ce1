"""Tracks: the rows of a timeline, from the account of each device down to the calls of threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from torchstone.doctor.case import Case
from torchstone.doctor.charts.account import Account, Classes, class_of
from torchstone.doctor.events import NONE, Floats, Ints
from torchstone.doctor.read.kinds import ON_DEVICE, Kind

# More lanes, and calls that are nested deeper, are in the flame graph.
MOST_LANES, MOST_DEPTH = 12, 8
_TRIFLE_US = 0.05
_CLASS_OF_KIND = np.array([class_of(kind) for kind in range(max(Kind) + 1)], dtype=np.int8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """Hold a row of the timeline.

    Attributes:
        group: ``account``, ``device`` or ``thread``.
        pid: The process, or the device.
        tid: The thread, or the stream.
        is_main: It is of the thread that the steps are on.
        depth: How many calls are around those of this row.
        t0: The begin of each span, in order, in microseconds.
        t1: Its end.
        classes: Its number in ``CLASSES``.
        rows: The row of its event; of a span of an account, the number of its gap; or ``NONE``.
        reach: The last end of this span and those before it.
    """

    group: str
    pid: str
    tid: str
    is_main: bool = False
    depth: int = 0
    t0: Floats
    t1: Floats
    classes: Classes
    rows: Ints
    reach: Floats = field(init=False)

    def __post_init__(self) -> None:
        """Find until when a span may reach into what follows."""
        reach = np.maximum.accumulate(self.t1) if len(self.t1) else self.t1
        object.__setattr__(self, "reach", reach)


def tracks_of(case: Case, accounts: list[Account]) -> list[Track]:
    """Return the rows of the timeline of a case, from top to bottom."""
    found = [_of_account(each) for each in accounts]
    for lane in _lanes(case):
        found += _of_lane(case, lane)
    return found


def num_left_out(case: Case) -> int:
    """Return how many lanes have no row."""
    return max(0, len(np.unique(case.events.lane)) - MOST_LANES)


def _of_account(account: Account) -> Track:
    return Track(
        group="account",
        pid="" if account.device == NONE else str(account.device),
        tid="",
        t0=account.t0,
        t1=account.t1,
        classes=account.classes,
        rows=account.gap,
    )


def _lanes(case: Case) -> list[int]:
    """Return the lanes to draw: devices first, then the main thread, then others by their work."""
    events = case.events
    num = len(events.lanes)
    took = np.bincount(events.lane, events.t1 - events.t0, minlength=num)
    on_device = np.bincount(events.lane[events.on_device()], minlength=num) > 0
    lanes: list[int] = np.unique(events.lane).tolist()
    lanes.sort(key=lambda lane: (not on_device[lane], lane != case.main, -took[lane], lane))
    return lanes[:MOST_LANES]


def _of_lane(case: Case, lane: int) -> Iterator[Track]:
    events = case.events
    # Frames are in the flame graph: here they would push all that explains gaps out of sight.
    rows = np.flatnonzero((events.lane == lane) & (events.kind != Kind.PYTHON))
    depths = np.minimum(depth_of(events.t0[rows], events.t1[rows]), MOST_DEPTH)
    is_device = bool(len(rows)) and int(events.kind[rows[0]]) in ON_DEVICE
    for depth in range(int(depths.max(initial=-1)) + 1):
        here = rows[depths == depth]
        if depth < MOST_DEPTH and len(here):
            yield Track(
                group="device" if is_device else "thread",
                pid=str(events.lanes[lane].pid),
                tid=str(events.lanes[lane].tid),
                is_main=lane == case.main,
                depth=depth,
                t0=events.t0[here],
                t1=events.t1[here],
                classes=_CLASS_OF_KIND[events.kind[here]],
                rows=here,
            )


def depth_of(t0: Floats, t1: Floats) -> Ints:
    """Return for each of some calls how many are around it; they are in order of their begin."""
    # Those that began before it, without those that had ended by then. Times of an epoch leave no
    # digits for nanoseconds: one that begins a trifle before another ends follows it.
    ends = np.maximum(t1 - _TRIFLE_US, np.nextafter(t0, np.inf))
    ended = np.searchsorted(np.sort(ends), t0, side="right")
    depth: Ints = np.maximum(np.arange(len(t0)) - ended, 0)
    return depth
