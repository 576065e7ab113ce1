"""Flame graphs: the calls of a thread, aggregated by call path."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

import numpy as np

from torchstone.doctor.case import Case
from torchstone.doctor.charts.account import class_of
from torchstone.doctor.charts.tracks import depth_of
from torchstone.doctor.events import NONE, Events, Floats, Ints
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.read.kinds import ON_DEVICE, Kind

# A smaller share of the total is too narrow to be visible.
LEAST_SHARE = 0.0005
MOST_NODES = 4000
_MOST_DEPTH = 120
_NUMBERED = re.compile(r"#\d+$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Calls with the same path.

    Attributes:
        parent: Index of the caller's node, or ``NONE``.
        name: The name of the call.
        kind: Index of its class.
        time: Total time of all calls, in microseconds.
        own: Self time: without the time of children that are drawn.
        evidence: Time that belongs to a finding.
        calls: Number of calls.
    """

    parent: int
    name: str
    kind: int
    time: float
    own: float
    evidence: float
    calls: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Flame:
    """Flame graph of a thread between two moments.

    Attributes:
        lane: The thread.
        time: Microseconds between the two moments.
        nodes: Nodes, parents before children, longest first.
    """

    lane: int
    time: float
    nodes: list[Node]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """Calls of a thread, each with the index of its path.

    Attributes:
        rows: Events of the calls.
        path: Path index of each call.
        parents: Parent of each path, or ``NONE``.
        names: Name index of each path.
    """

    rows: Ints
    path: Ints
    parents: Ints
    names: Ints


def threads_of(case: Case) -> list[int]:
    """Return the host lanes with calls: the main thread first, then by total time."""
    events = case.events
    rows = np.flatnonzero(~np.isin(events.kind, ON_DEVICE))
    took = np.bincount(events.lane[rows], events.t1[rows] - events.t0[rows])
    lanes = np.flatnonzero(took > 0).tolist()
    return sorted(lanes, key=lambda lane: (lane != case.main, -took[lane], lane))


def calls_of(events: Events, lane: int) -> Calls:
    """Return the calls of a thread with their paths."""
    # A step starts in one call and ends in another, and is not a caller.
    others = (*ON_DEVICE, Kind.STEP, Kind.OTHER)
    rows = np.flatnonzero((events.lane == lane) & ~np.isin(events.kind, others))
    t0 = events.t0[rows]
    depths = np.minimum(depth_of(t0, events.t1[rows]), _MOST_DEPTH)
    same = _same_names(events, np.unique(events.name[rows]))
    path = np.full(len(rows), NONE, dtype=np.int64)
    parents: list[Ints] = []
    names: list[Ints] = []
    num_paths, above = 0, np.zeros(0, dtype=np.int64)
    for depth in range(int(depths.max(initial=-1)) + 1):
        here = np.flatnonzero(depths == depth)
        around = np.full(len(here), NONE, dtype=np.int64)
        if len(above):
            at = np.searchsorted(t0[above], t0[here], side="right") - 1
            around = np.where(at >= 0, path[above[np.maximum(at, 0)]], NONE)
        named = same[events.name[rows[here]]]
        keys, numbers = np.unique(np.stack([around, named], axis=1), axis=0, return_inverse=True)
        path[here] = num_paths + numbers.ravel()
        parents.append(keys[:, 0])
        names.append(keys[:, 1])
        num_paths += len(keys)
        above = here
    empty = [np.zeros(0, dtype=np.int64)]
    return Calls(
        rows=rows,
        path=path,
        parents=np.concatenate(parents or empty),
        names=np.concatenate(names or empty),
    )


def _same_names(events: Events, names: Ints) -> Ints:
    """Return for each name the first one that differs from it only in a trailing number."""
    same = np.arange(len(events.names))
    seen: dict[str, int] = {}
    for name in names.tolist():
        same[name] = seen.setdefault(_NUMBERED.sub("", events.names[name]), name)
    return same


def flame_of(
    case: Case,
    calls: Calls,
    lane: int,
    *,
    begin: float,
    end: float,
    evidence: Intervals | None = None,
) -> Flame:
    """Return the flame graph of a thread between two moments.

    Args:
        case: The case.
        calls: Calls of the thread.
        lane: The thread.
        begin: Start in microseconds.
        end: End in microseconds.
        evidence: Intervals that a finding is about.
    """
    events, num = case.events, len(calls.parents)
    t0 = np.maximum(events.t0[calls.rows], begin)
    t1 = np.minimum(events.t1[calls.rows], end)
    took = np.maximum(t1 - t0, 0.0)
    is_in = took > 0
    time: Floats = np.bincount(calls.path, took, minlength=num).astype(np.float64)
    about: Floats = np.zeros(num)
    if evidence is not None:
        inside = evidence.within(t0[is_in], t1[is_in])
        about = np.bincount(calls.path[is_in], inside, minlength=num).astype(np.float64)
    count = np.bincount(calls.path[is_in], minlength=num)
    kinds = np.zeros(num, dtype=np.int64)
    kinds[calls.path] = events.kind[calls.rows]
    shown, parents = _shown(calls.parents, time, LEAST_SHARE * (end - begin))
    return Flame(
        lane=lane,
        time=end - begin,
        nodes=_nodes(events, replace(calls, parents=parents), shown, kinds, (time, about, count)),
    )


def _shown(parents: Ints, time: Floats, least: float) -> tuple[Ints, Ints]:
    """Return the visible paths, and for each path its nearest visible ancestor.

    A range may start in a short call and end after it, so that it is wider than its caller.
    """
    wide = np.flatnonzero(time > least)
    if len(wide) > MOST_NODES:
        wide = np.sort(wide[np.argsort(-time[wide], kind="stable")[:MOST_NODES]])
    is_shown = np.zeros(len(parents), dtype=bool)
    is_shown[wide] = True
    nearest = parents.copy()
    while True:
        is_hidden = nearest != NONE
        is_hidden[is_hidden] = ~is_shown[nearest[is_hidden]]
        if not is_hidden.any():
            return wide, nearest
        nearest[is_hidden] = parents[nearest[is_hidden]]


def _nodes(
    events: Events, calls: Calls, shown: Ints, kinds: Ints, sums: tuple[Floats, Floats, Ints]
) -> list[Node]:
    time, about, count = sums
    within = np.zeros(len(time))
    inner = shown[calls.parents[shown] != NONE]
    np.add.at(within, calls.parents[inner], time[inner])
    order = sorted(
        shown.tolist(), key=lambda path: (-time[path], events.names[int(calls.names[path])])
    )
    # Parents precede children of the same duration.
    children: dict[int, list[int]] = {}
    for path in order:
        children.setdefault(int(calls.parents[path]), []).append(path)
    nodes: list[Node] = []
    waiting = [(path, NONE) for path in reversed(children.get(NONE, []))]
    while waiting:
        path, parent = waiting.pop()
        waiting += [(each, len(nodes)) for each in reversed(children.get(path, []))]
        nodes.append(
            Node(
                parent=parent,
                name=_NUMBERED.sub("", events.names[int(calls.names[path])]),
                kind=class_of(int(kinds[path])),
                time=float(time[path]),
                own=max(0.0, float(time[path] - within[path])),
                evidence=float(about[path]),
                calls=int(count[path]),
            )
        )
    return nodes
