"""Sets of time: sorted, disjoint intervals with set operations and measures."""

from __future__ import annotations

import numpy as np

from torchstone.doctor.events import Floats


class Intervals:
    """Set of moments.

    Args:
        begins: Starts of intervals, in any order.
        ends: Ends of the intervals.

    >>> Intervals(np.array([5.0, 0.0, 1.0]), np.array([6.0, 2.0, 3.0])).pairs().tolist()
    [[0.0, 3.0], [5.0, 6.0]]
    """

    __slots__ = ("_measure", "begins", "ends")

    def __init__(self, begins: Floats, ends: Floats) -> None:
        order = np.argsort(begins, kind="stable")
        begins, ends = begins[order], ends[order]
        if len(begins):
            reach = np.maximum.accumulate(ends)
            is_new = np.concatenate(([True], begins[1:] > reach[:-1]))
            last = np.concatenate((np.flatnonzero(is_new)[1:] - 1, [len(begins) - 1]))
            begins, ends = begins[is_new], reach[last]
        self.begins, self.ends = begins, ends
        self._measure = np.concatenate(([0.0], np.cumsum(ends - begins)))

    @classmethod
    def nothing(cls) -> Intervals:
        """Return the empty set."""
        return cls(np.zeros(0), np.zeros(0))

    @property
    def length(self) -> float:
        """Return the total length."""
        return float(self._measure[-1])

    def pairs(self) -> Floats:
        """Return starts and ends, (n, 2)."""
        return np.stack([self.begins, self.ends], axis=1)

    def before(self, times: Floats) -> Floats:
        """Return the length of the set before each moment."""
        if not len(self.begins):
            return np.zeros(len(times))
        at = np.searchsorted(self.begins, times, side="right")
        inside = np.minimum(times, self.ends[at - 1]) - self.begins[at - 1]
        return np.where(at > 0, self._measure[at - 1] + inside, 0.0)

    def within(self, begins: Floats, ends: Floats) -> Floats:
        """Return the length of the set within each interval."""
        return np.maximum(self.before(ends) - self.before(begins), 0.0)

    def __or__(self, other: Intervals) -> Intervals:
        """Return the union of two sets."""
        return Intervals(
            np.concatenate((self.begins, other.begins)), np.concatenate((self.ends, other.ends))
        )

    def clipped(self, begin: float, end: float) -> Intervals:
        """Return the part between two moments."""
        begins, ends = np.maximum(self.begins, begin), np.minimum(self.ends, end)
        is_inside = ends > begins
        return Intervals(begins[is_inside], ends[is_inside])

    def gaps(self, begin: float, end: float) -> Intervals:
        """Return the complement between two moments."""
        inside = self.clipped(begin, end)
        begins = np.concatenate(([begin], inside.ends))
        ends = np.concatenate((inside.begins, [end]))
        is_open = ends > begins
        return Intervals(begins[is_open], ends[is_open])

    def shared(self, other: Intervals) -> Intervals:
        """Return the intersection of two sets."""
        begin = min(self.begins[0], other.begins[0]) if len(self) and len(other) else 0.0
        end = max(self.ends[-1], other.ends[-1]) if len(self) and len(other) else 0.0
        without = self.gaps(begin, end) | other.gaps(begin, end)
        return without.gaps(begin, end)

    def __len__(self) -> int:
        """Return the number of intervals."""
        return len(self.begins)
