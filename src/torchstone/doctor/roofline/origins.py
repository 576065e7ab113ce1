"""Origins of operators: the host intervals whose Python lines a finding about kernels reports.

A kernel runs long after its launch, and a backward operator is launched by ``backward()``; the line
to change is that of the forward operator, which has the same sequence number.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.correlate import enclosing
from torchstone.doctor.events import NONE, Events, Ints
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.read.kinds import Kind


def origins(events: Events, rows: Ints) -> Ints:
    """Return for each operator the one whose line is reported: itself or its forward operator."""
    operators = events.of(Kind.OPERATOR)
    is_backward = np.isin(events.name[operators], events.named("Backward", "autograd::engine"))
    backward = operators[is_backward & (events.sequence[operators] >= 0)]
    forward = operators[~is_backward & (events.sequence[operators] >= 0)]
    order = np.argsort(rows, kind="stable")
    around = np.full(len(rows), NONE, dtype=np.int64)
    around[order] = enclosing(events, rows[order], backward)
    found = rows.copy()
    is_inside = np.flatnonzero(around != NONE)
    if not len(is_inside) or not len(forward):
        return found
    # The first of several with the same number is the outermost.
    numbers, first = np.unique(events.sequence[forward], return_index=True)
    wanted = events.sequence[around[is_inside]]
    at = np.minimum(np.searchsorted(numbers, wanted), len(numbers) - 1)
    is_there = numbers[at] == wanted
    found[is_inside[is_there]] = forward[first[at[is_there]]]
    return found


def moments(events: Events, rows: Ints) -> Intervals:
    """Return the host intervals of the operators whose lines are reported."""
    found = np.unique(origins(events, rows))
    return Intervals(events.t0[found], events.t1[found])
