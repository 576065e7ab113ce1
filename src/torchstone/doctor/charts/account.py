"""Time accounting as spans: device activity at each moment, or the cause of idle time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from torchstone.doctor.accounting import IDLE, Gaps, busy_devices
from torchstone.doctor.case import Case
from torchstone.doctor.events import NONE, Bools, Events, Floats, Ints
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.read.kinds import COPIES, EXPLAINING, Kind

# Classes of moments and events; a span stores the index of its class.
CLASSES = (
    *("compute", "communication", "copy_h2d", "copy_d2h", "copy_d2d"),
    *IDLE,
    *("mark", "other"),
)
BUSY, FIRST_IDLE = CLASSES[:5], 5
_OF_DEVICE = (Kind.KERNEL, Kind.COMMUNICATION, *COPIES)

Classes = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """Spans of one device, sorted by time; together they cover the window.

    Attributes:
        device: Index of the device; ``NONE`` without a device.
        t0: Start of each span, in microseconds.
        t1: End of each span.
        classes: Index into ``CLASSES``; a gap with several causes has the class of the largest.
        gap: Index into ``gaps``, or ``NONE``.
        gaps: Idle gaps of the device; None without a device.
    """

    device: int
    t0: Floats
    t1: Floats
    classes: Classes
    gap: Ints
    gaps: Gaps | None


def class_of(kind: int) -> int:
    """Return the class of an event kind."""
    if kind in _OF_DEVICE:
        return _OF_DEVICE.index(Kind(kind))
    if kind in EXPLAINING:
        return FIRST_IDLE + EXPLAINING.index(Kind(kind))
    if kind == Kind.COLLECTIVE:
        return CLASSES.index("communication")
    is_mark = kind in (Kind.STEP, Kind.OPTIMIZER, Kind.ANNOTATION)
    return CLASSES.index("mark" if is_mark else "other")


def accounts_of(case: Case) -> list[Account]:
    """Return the account of each device of a case, or of the host if there is none."""
    if not case.accounting.has_device:
        return [_of_host(case)]
    devices = busy_devices(case.events, case.window)
    return [
        _of_device(case, rows, gaps)
        for rows, gaps in zip(devices, case.accounting.gaps, strict=True)
    ]


def _of_device(case: Case, rows: Ints, gaps: Gaps) -> Account:
    events, parts, covered = case.events, [], Intervals.nothing()
    for number, kind in enumerate(_OF_DEVICE):
        of_kind = rows[events.kind[rows] == kind]
        new, covered = _uncovered(case, events, of_kind, covered)
        parts.append(_part(new, np.full(len(new), number), np.full(len(new), NONE)))
    idle = Intervals(gaps.begin, gaps.end)
    charged = FIRST_IDLE + (gaps.charged.argmax(1) if len(gaps.begin) else np.zeros(0, dtype=int))
    parts.append(_part(idle, charged, np.arange(len(gaps.begin))))
    device = int(events.device[rows[0]])
    return _joined(device, parts, gaps)


def _of_host(case: Case) -> Account:
    """Account for a run without a device, with the priorities of ``accounting``."""
    events, window = case.events, case.window
    rows = np.flatnonzero((events.t1 > window.begin) & (events.t0 < window.end))
    kinds, is_main = events.kind[rows], events.lane[rows] == case.main
    is_operator = kinds == Kind.OPERATOR
    is_exchange: Bools = np.isin(events.name[rows], events.named("c10d::"))
    found = (
        ("loader", is_main & (kinds == Kind.LOADER)),
        ("gc", is_main & (kinds == Kind.GC)),
        ("io", is_main & (kinds == Kind.IO)),
        ("compute", is_main & is_operator & ~is_exchange),
        ("communication", (kinds == Kind.COLLECTIVE) | (is_operator & is_exchange)),
        ("compute", is_operator & ~is_exchange),
    )
    parts, covered = [], Intervals.nothing()
    for name, is_of in found:
        new, covered = _uncovered(case, events, rows[is_of], covered)
        parts.append(_part(new, np.full(len(new), CLASSES.index(name)), np.full(len(new), NONE)))
    rest = covered.gaps(window.begin, window.end)
    parts.append(_part(rest, np.full(len(rest), CLASSES.index("python")), np.full(len(rest), NONE)))
    return _joined(NONE, parts, None)


def _uncovered(
    case: Case, events: Events, rows: Ints, covered: Intervals
) -> tuple[Intervals, Intervals]:
    """Return the intervals of given events not yet covered, and the new coverage."""
    window = case.window
    times = Intervals(events.t0[rows], events.t1[rows]).clipped(window.begin, window.end)
    if not len(covered):
        return times, times
    return times.shared(covered.gaps(window.begin, window.end)), covered | times


def _part(times: Intervals, classes: Ints, gap: Ints) -> tuple[Intervals, Ints, Ints]:
    return times, classes, gap


def _joined(device: int, parts: list[tuple[Intervals, Ints, Ints]], gaps: Gaps | None) -> Account:
    t0 = np.concatenate([times.begins for times, _, _ in parts])
    order = np.argsort(t0, kind="stable")
    return Account(
        device=device,
        t0=t0[order],
        t1=np.concatenate([times.ends for times, _, _ in parts])[order],
        classes=np.concatenate([classes for _, classes, _ in parts])[order].astype(np.int8),
        gap=np.concatenate([gap for _, _, gap in parts])[order].astype(np.int64),
        gaps=gaps,
    )
