"""Idle gaps of a device: the attribution of their time, and their causes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torchstone.doctor.accounting import IDLE, Gaps
from torchstone.doctor.case import Case
from torchstone.doctor.charts.account import Account, class_of
from torchstone.doctor.correlate import nesting
from torchstone.doctor.events import NONE, Floats, Ints
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.lines import Place
from torchstone.doctor.read.kinds import EXPLAINING, Kind

_MOST_DOINGS = 6
# Maximum number of rows in the table; all gaps are in the drawing.
MOST_LISTED = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Doing:
    """Activity of a thread in a gap: self time of calls with one name."""

    name: str
    kind: int
    time: float
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Idle gap of a device, with its cause.

    Attributes:
        number: Index of the gap on the device, in order of time.
        begin: Start in microseconds.
        end: End in microseconds.
        host_end: End of the part in which the host is late.
        charged: Microseconds by cause.
        thread: Thread that launched the event that ends the gap.
        ended_by: Name of the event that ends the gap; empty at the end of the window.
        launched_by: Name of the launch call; empty if unknown.
        launched_at: Start of this call.
        doings: Activities of the thread, longest first.
        places: Source lines executed in the gap.
    """

    number: int
    begin: float
    end: float
    host_end: float
    charged: dict[str, float]
    thread: str
    ended_by: str
    launched_by: str
    launched_at: float | None
    doings: list[Doing]
    places: list[Place]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Gap as a row of a table."""

    number: int
    begin: float
    time: float
    charged_to: str
    share: float
    ended_by: str


def gap_at(account: Account, moment: float) -> int | None:
    """Return the index of the gap at a moment; None if the device is busy."""
    if account.gaps is None or not len(account.gaps.begin):
        return None
    at = int(np.searchsorted(account.gaps.begin, moment, side="right")) - 1
    return at if at >= 0 and account.gaps.end[at] >= moment else None


def explain(case: Case, gaps: Gaps, number: int) -> Gap:
    """Return the cause of a gap."""
    events, lane = case.events, int(gaps.lane[number])
    begin, end = float(gaps.begin[number]), float(gaps.end[number])
    host_end = float(gaps.host_end[number])
    kernel = int(gaps.kernel[number])
    call = int(case.launches.call_of[kernel]) if kernel != NONE else NONE
    charged = zip(IDLE, gaps.charged[number].tolist(), strict=True)
    times = Intervals(np.array([begin]), np.array([host_end]))
    is_late = host_end > begin
    return Gap(
        number=number,
        begin=begin,
        end=end,
        host_end=host_end,
        charged={name: time for name, time in charged if time > 0},
        thread="" if lane == NONE else str(events.lanes[lane].tid),
        ended_by="" if kernel == NONE else events.names[int(events.name[kernel])],
        launched_by="" if call == NONE else events.names[int(events.name[call])],
        launched_at=None if call == NONE else float(events.t0[call]),
        doings=_doings(case, lane, begin, host_end) if is_late else [],
        places=case.frames.places(times, lane).own[:3] if is_late and case.frames else [],
    )


def _doings(case: Case, lane: int, begin: float, end: float) -> list[Doing]:
    """Return the activities of a thread and of the main thread between two moments."""
    events = case.events
    kinds = [kind for kind in EXPLAINING if kind != Kind.PYTHON]
    is_of = np.isin(events.lane, (lane, case.main)) & np.isin(events.kind, kinds)
    rows = np.flatnonzero(is_of & (events.t0 < end) & (events.t1 > begin))
    found: dict[int, tuple[float, int, int]] = {}
    for thread in np.unique(events.lane[rows]):
        on = rows[events.lane[rows] == thread]
        for row, time in zip(on.tolist(), _selves(case, on, begin, end).tolist(), strict=True):
            name = int(events.name[row])
            before, calls, _ = found.get(name, (0.0, 0, 0))
            found[name] = before + time, calls + 1, class_of(int(events.kind[row]))
    doings = [
        Doing(name=events.names[name], kind=kind, time=time, calls=calls)
        for name, (time, calls, kind) in found.items()
        if time > 0
    ]
    return sorted(doings, key=lambda each: (-each.time, each.name))[:_MOST_DOINGS]


def _selves(case: Case, rows: Ints, begin: float, end: float) -> Floats:
    t0, t1 = case.events.t0[rows], case.events.t1[rows]
    parents = nesting(t0, t1)
    took = np.minimum(t1, end) - np.maximum(t0, begin)
    has_parent = parents != NONE
    inside = np.bincount(parents[has_parent], took[has_parent], minlength=len(rows))
    return np.maximum(took - inside, 0.0)


def list_gaps(case: Case, gaps: Gaps) -> list[Listed]:
    """Return the longest gaps of a device, longest first."""
    events = case.events
    took = gaps.end - gaps.begin
    order = np.argsort(-took, kind="stable")[:MOST_LISTED]
    return [
        Listed(
            number=at,
            begin=float(gaps.begin[at]),
            time=float(took[at]),
            charged_to=IDLE[int(gaps.charged[at].argmax())],
            share=float(gaps.charged[at].max() / took[at]),
            ended_by=""
            if gaps.kernel[at] == NONE
            else events.names[int(events.name[gaps.kernel[at]])],
        )
        for at in order.tolist()
    ]
