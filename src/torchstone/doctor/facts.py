"""Quantities computed once from the events of a rank, independent of the window."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from torchstone.doctor.correlate import Launches, enclosing
from torchstone.doctor.events import NONE, Events, Ints
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.lines import Frames
from torchstone.doctor.operators import Operators, find_operators
from torchstone.doctor.read.kinds import Kind


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Quantities that do not depend on the window.

    Attributes:
        events: Events of the rank.
        launches: Correlation of launch calls and device events.
    """

    events: Events
    launches: Launches
    _named: dict[str, Ints] = field(default_factory=dict)

    @cached_property
    def frames(self) -> Frames:
        """Return the Python frames."""
        return Frames(self.events)

    @cached_property
    def operators(self) -> Operators:
        """Return the operators as a call tree."""
        return find_operators(self.events)

    @cached_property
    def operator_of(self) -> Ints:
        """Return for each event the innermost operator that launched it, if it is a kernel."""
        kernels = self.events.of(Kind.KERNEL)
        kernels = kernels[self.launches.call_of[kernels] != NONE]
        calls, back = np.unique(self.launches.call_of[kernels], return_inverse=True)
        found = np.full(len(self.events), NONE, dtype=np.int64)
        found[kernels] = enclosing(self.events, calls, self.events.of(Kind.OPERATOR))[back]
        return found

    def named(self, pattern: str) -> Ints:
        """Return the rows whose names match a pattern, sorted by time."""
        if pattern not in self._named:
            is_named = np.isin(self.events.name, self.events.matching(pattern))
            self._named[pattern] = np.flatnonzero(is_named)
        return self._named[pattern]

    def times_of(self, rows: Ints) -> Intervals:
        """Return the intervals of given events."""
        return Intervals(self.events.t0[rows], self.events.t1[rows])
