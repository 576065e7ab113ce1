"""Correlation of kernels, their launch calls, and the enclosing operators."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torchstone.doctor.events import NONE, Events, Floats, Ints
from torchstone.doctor.read.kinds import Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Launches:
    """Launch calls of device events.

    Attributes:
        kernel: Rows of device events with a known call.
        call: Row of the call of each.
        at: Start of the call, in microseconds.
        call_of: For every event, the row of its call, or ``NONE``.
        found: Share of device events with a known call.
    """

    kernel: Ints
    call: Ints
    at: Floats
    call_of: Ints
    found: float


def find_launches(events: Events) -> Launches:
    """Match device events and runtime or driver calls by correlation id."""
    device = events.on_device()
    calls = events.of(Kind.LAUNCH, Kind.SYNC, Kind.ALLOC)
    calls = calls[events.correlation[calls] > 0]
    numbers = events.correlation[calls]
    order = np.argsort(numbers, kind="stable")
    calls, numbers = calls[order], numbers[order]
    wanted = events.correlation[device]
    # A driver call may be nested in the runtime call of the same id: the last one launches.
    at = np.searchsorted(numbers, wanted, side="right") - 1
    is_found = (at >= 0) & (wanted > 0)
    is_found[is_found] = numbers[at[is_found]] == wanted[is_found]
    call_of = np.full(len(events), NONE, dtype=np.int64)
    call_of[device[is_found]] = calls[at[is_found]]
    kernel = device[is_found]
    return Launches(
        kernel=kernel,
        call=call_of[kernel],
        at=events.t0[call_of[kernel]],
        call_of=call_of,
        found=len(kernel) / len(device) if len(device) else 1.0,
    )


def enclosing(events: Events, inner: Ints, outer: Ints) -> Ints:
    """Return for each inner row the innermost outer row that contains it on its lane.

    ``inner`` and ``outer`` are rows sorted by time; rows without a container have ``NONE``.
    """
    found = np.full(len(inner), NONE, dtype=np.int64)
    lanes = np.unique(events.lane[inner])
    for lane in lanes:
        ins = np.flatnonzero(events.lane[inner] == lane)
        outs = outer[events.lane[outer] == lane]
        if len(outs):
            found[ins] = _innermost(events, inner[ins], outs)
    return found


def _innermost(events: Events, inner: Ints, outer: Ints) -> Ints:
    """Return the innermost container on one lane, where events are nested as calls are."""
    parents = nesting(events.t0[outer], events.t1[outer])
    at = np.searchsorted(events.t0[outer], events.t0[inner], side="right") - 1
    ends = events.t1[outer]
    wanted = events.t1[inner]
    # The container is the last event that starts before it, or one of that event's ancestors.
    while True:
        is_short = at >= 0
        is_short[is_short] = ends[at[is_short]] < wanted[is_short]
        if not is_short.any():
            return np.where(at >= 0, outer[at], NONE)
        at[is_short] = parents[at[is_short]]


def nesting(t0: Floats, t1: Floats) -> Ints:
    """Return for each of the nested intervals its parent, or ``NONE``.

    The intervals are sorted by start, longer ones first.
    """
    parents = np.full(len(t0), NONE, dtype=np.int64)
    stack: list[int] = []
    ends = t1.tolist()
    for row, begin in enumerate(t0.tolist()):
        while stack and ends[stack[-1]] <= begin:
            stack.pop()
        if stack:
            parents[row] = stack[-1]
        stack.append(row)
    return parents
