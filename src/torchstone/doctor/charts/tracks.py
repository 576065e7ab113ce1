"""Tracks: the rows of a timeline, from device accounts to calls of threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from torchstone.doctor.case import Case
from torchstone.doctor.charts.account import Account, Classes, class_of
from torchstone.doctor.events import NONE, Floats, Ints
from torchstone.doctor.read.kinds import ON_DEVICE, Kind

# Further lanes and more deeply nested calls are only in the flame graph.
MOST_LANES, MOST_DEPTH = 12, 8
_TRIFLE_US = 0.05
_CLASS_OF_KIND = np.array([class_of(kind) for kind in range(max(Kind) + 1)], dtype=np.int8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """Row of the timeline.

    Attributes:
        group: ``account``, ``device`` or ``thread``.
        pid: Process or device.
        tid: Thread or stream.
        is_main: Whether it belongs to the thread that runs the steps.
        depth: Nesting depth of the calls in this row.
        t0: Start of each span, sorted, in microseconds.
        t1: End of each span.
        classes: Index into ``CLASSES``.
        rows: Row of the event; in an account, the index of the gap; or ``NONE``.
        reach: Running maximum of the ends of spans.
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
        """Compute how far earlier spans extend over later ones."""
        reach = np.maximum.accumulate(self.t1) if len(self.t1) else self.t1
        object.__setattr__(self, "reach", reach)


def tracks_of(case: Case, accounts: list[Account]) -> list[Track]:
    """Return the rows of the timeline of a case, from top to bottom."""
    found = [_of_account(each) for each in accounts]
    for lane in _lanes(case):
        found += _of_lane(case, lane)
    return found


def num_left_out(case: Case) -> int:
    """Return the number of lanes without a row."""
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
    """Return the lanes to draw: devices, then the main thread, then other threads by total time."""
    events = case.events
    num = len(events.lanes)
    took = np.bincount(events.lane, events.t1 - events.t0, minlength=num)
    on_device = np.bincount(events.lane[events.on_device()], minlength=num) > 0
    lanes: list[int] = np.unique(events.lane).tolist()
    lanes.sort(key=lambda lane: (not on_device[lane], lane != case.main, -took[lane], lane))
    return lanes[:MOST_LANES]


def _of_lane(case: Case, lane: int) -> Iterator[Track]:
    events = case.events
    # Frames are in the flame graph: here they would displace the rows that explain gaps.
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
    """Return the nesting depth of calls, sorted by start."""
    # Number of calls that started earlier, minus those that have ended. Epoch times leave no digits
    # for nanoseconds: a call that starts slightly before another one ends counts as its successor.
    ends = np.maximum(t1 - _TRIFLE_US, np.nextafter(t0, np.inf))
    ended = np.searchsorted(np.sort(ends), t0, side="right")
    depth: Ints = np.maximum(np.arange(len(t0)) - ended, 0)
    return depth
