"""Bound: on which side of the ridge an operator is, and how near it comes to the roof.

intensity = flops / bytes; ridge = peak / bandwidth of the card, for the type and the unit that the
operator uses; roof time = max(flops / peak, bytes / bandwidth); efficiency = roof time / time. An
operator whose intensity is 1.25 times the ridge or more is bound by computation, 0.8 times or less
by memory, between them by both. Below a tenth of the roof it is bound by neither, but by latency.
Bytes are the least that must move: through a cache, an efficiency may exceed 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from torchstone.doctor.events import NONE, Bools, Events, Floats, Ints
from torchstone.doctor.roofline.charge import Charges
from torchstone.doctor.roofline.peaks import Peaks
from torchstone.doctor.roofline.work import ON_TENSOR_CORES, Work

COMPUTE_SIDE, MEMORY_SIDE, LATENCY = 1.25, 0.8, 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Operator:
    """Hold the calls of one operator with the same shapes, together.

    Attributes:
        name: Its name.
        work: The work of one call.
        rows: The calls.
        dtype: The type of its computation; ``tf32`` where kernels round float32.
        units: How many kernels they launched.
        time: Microseconds of all calls.
        ridge: Operations for a byte at the ridge; nothing where the card's peaks are unknown.
        roof: Microseconds of all calls on the roof; nothing where it is unknown.
    """

    name: str
    work: Work
    rows: Ints
    dtype: str
    units: int
    time: float
    ridge: float | None
    roof: float | None

    @property
    def flops(self) -> int:
        """Return the operations of all calls."""
        return self.work.flops * len(self.rows)

    @property
    def num_bytes(self) -> int:
        """Return the bytes that all calls move at least."""
        return self.work.num_bytes * len(self.rows)

    @property
    def intensity(self) -> float:
        """Return the operations for each byte."""
        return self.flops / self.num_bytes if self.num_bytes else 0.0

    @property
    def efficiency(self) -> float | None:
        """Return the share of the roof that is reached; nothing where the roof is unknown."""
        return self.roof / self.time if self.roof is not None and self.time > 0 else None

    @property
    def bound(self) -> str:
        """Return what limits it: ``compute``, ``memory``, ``mixed``, ``latency``, ``unknown``."""
        if self.ridge is None or self.efficiency is None:
            return "unknown"
        if self.efficiency < LATENCY:
            return "latency"
        return side(self.intensity, self.ridge)


def side(intensity: float, ridge: float) -> str:
    """Return on which side of the ridge an intensity lies."""
    if intensity >= COMPUTE_SIDE * ridge:
        return "compute"
    return "memory" if intensity <= MEMORY_SIDE * ridge else "mixed"


@dataclass(frozen=True, kw_only=True)
class Roofline:
    """Hold the operators of a window that work was charged to.

    Attributes:
        events: The events.
        charges: What was charged to what in the whole trace.
        peaks: The peaks of the card or of the processor, if known.
        begin: Of the window, in microseconds.
        end: Of the window, in microseconds.
        units: The positions in ``charges`` of what begins in the window.
    """

    events: Events
    charges: Charges
    peaks: Peaks | None
    begin: float
    end: float
    units: Ints = field(init=False)

    def __post_init__(self) -> None:
        """Find what begins in the window."""
        begins = self.events.t0[self.charges.units]
        inside = np.flatnonzero((begins >= self.begin) & (begins < self.end))
        object.__setattr__(self, "units", inside)

    @cached_property
    def time(self) -> float:
        """Return the microseconds of all kernels, or of all operators without the overhead."""
        counted = self.units[~self.charges.is_overhead[self.units]]
        return float(self.charges.time[counted].sum())

    @cached_property
    def modelled(self) -> float | None:
        """Return the share of the time whose work is known; nothing where there is no time."""
        charged = self.units[self.charges.owner[self.units] != NONE]
        return float(self.charges.time[charged].sum()) / self.time if self.time > 0 else None

    @cached_property
    def rows(self) -> Ints:
        """Return the operators that something was charged to, in order of time."""
        owners = self.charges.owner[self.units]
        return np.unique(owners[owners != NONE])

    @cached_property
    def row_time(self) -> Floats:
        """Return the microseconds that were charged to each of ``rows``."""
        return self._charged(self.charges.time)

    @cached_property
    def row_units(self) -> Ints:
        """Return how many kernels were charged to each of ``rows``."""
        return np.bincount(self._places()[0], minlength=len(self.rows))

    @cached_property
    def is_tensor(self) -> Bools:
        """Return whether each of ``rows`` spends half of its time on tensor cores or more."""
        return self._charged(self.charges.time * self.charges.is_tensor) >= 0.5 * self.row_time

    @cached_property
    def works(self) -> Ints:
        """Return for each of ``rows`` the number of its work."""
        return self.charges.work_of[self.rows]

    @cached_property
    def families(self) -> Ints:
        """Return for each of ``rows`` its family."""
        listed = np.array([each.family for each in self.charges.works], dtype=np.int64)
        return listed[self.works] if len(self.rows) else np.zeros(0, dtype=np.int64)

    @cached_property
    def operators(self) -> list[Operator]:
        """Return calls with the same name, shapes and unit together, the longest first."""
        if not len(self.rows):
            return []
        keys = self.works * 2 + self.is_tensor
        order = np.argsort(keys, kind="stable")
        begins = np.flatnonzero(np.diff(keys[order], prepend=-1))
        found = [self._operator(same) for same in np.split(order, begins[1:])]
        return sorted(found, key=lambda each: (-each.time, each.name, str(each.work.shape)))

    def _places(self) -> tuple[Ints, Ints]:
        """Return for the charged units the position in ``rows``, and the units."""
        units = self.units[self.charges.owner[self.units] != NONE]
        return np.searchsorted(self.rows, self.charges.owner[units]), units

    def _charged(self, values: Floats) -> Floats:
        at, units = self._places()
        found = np.zeros(len(self.rows))
        np.add.at(found, at, values[units])
        return found

    def _operator(self, same: Ints) -> Operator:
        first = int(same[0])
        work = self.charges.works[int(self.works[first])]
        time = float(self.row_time[same].sum())
        is_tf32 = work.dtype == "float32" and bool(self.is_tensor[first])
        peak = (
            None if self.peaks is None else self.peaks.of(work.family, work.dtype, is_tf32=is_tf32)
        )
        ridge = roof = None
        if self.peaks is not None and peak is not None:
            ridge = peak / self.peaks.bandwidth
            # A mask spares operations, and no bytes.
            computing = work.flops * work.dense / peak
            roof = len(same) * max(computing, work.num_bytes / self.peaks.bandwidth) * 1e6
        return Operator(
            name=self.events.names[int(self.events.name[self.rows[first]])],
            work=work,
            rows=self.rows[same],
            dtype="tf32" if is_tf32 and _multiplies(work) else work.dtype,
            units=int(self.row_units[same].sum()),
            time=time,
            ridge=ridge,
            roof=roof,
        )


def _multiplies(work: Work) -> bool:
    return work.family in ON_TENSOR_CORES
