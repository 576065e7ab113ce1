"""Roofline bounds: on which side of the ridge an operator is, and its efficiency.

intensity = flops / bytes; ridge = peak / bandwidth of the device, for the dtype and the unit that
the operator uses; roof time = max(flops / peak, bytes / bandwidth); efficiency = roof time / time.
An operator whose intensity is at least 1.25 times the ridge is compute-bound, at most 0.8 times
memory-bound, and between them mixed. With an efficiency below 0.1 it is latency-bound. Bytes are
the compulsory traffic: with caches, an efficiency may exceed 1.
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
    """Calls of one operator with equal shapes.

    Attributes:
        name: Its name.
        work: Work of one call.
        rows: Rows of the calls.
        dtype: Dtype of the computation; ``tf32`` where kernels round float32.
        units: Number of launched kernels.
        time: Total time in microseconds.
        ridge: Operations per byte at the ridge; None if the peaks are unknown.
        roof: Total roof time in microseconds; None if unknown.
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
        """Return the compulsory bytes of all calls."""
        return self.work.num_bytes * len(self.rows)

    @property
    def intensity(self) -> float:
        """Return the operations per byte."""
        return self.flops / self.num_bytes if self.num_bytes else 0.0

    @property
    def efficiency(self) -> float | None:
        """Return the share of the roof that is reached; None if the roof is unknown."""
        return self.roof / self.time if self.roof is not None and self.time > 0 else None

    @property
    def bound(self) -> str:
        """Return the bound: ``compute``, ``memory``, ``mixed``, ``latency`` or ``unknown``."""
        if self.ridge is None or self.efficiency is None:
            return "unknown"
        if self.efficiency < LATENCY:
            return "latency"
        return side(self.intensity, self.ridge)


def side(intensity: float, ridge: float) -> str:
    """Return the side of the ridge on which an intensity lies."""
    if intensity >= COMPUTE_SIDE * ridge:
        return "compute"
    return "memory" if intensity <= MEMORY_SIDE * ridge else "mixed"


@dataclass(frozen=True, kw_only=True)
class Roofline:
    """Operators of a window with attributed time.

    Attributes:
        events: Events of the rank.
        charges: Attribution in the whole trace.
        peaks: Peaks of the device or the processor, if known.
        begin: Start of the window, in microseconds.
        end: End of the window, in microseconds.
        units: Positions in ``charges`` of the units that start in the window.
    """

    events: Events
    charges: Charges
    peaks: Peaks | None
    begin: float
    end: float
    units: Ints = field(init=False)

    def __post_init__(self) -> None:
        """Find the units that start in the window."""
        begins = self.events.t0[self.charges.units]
        inside = np.flatnonzero((begins >= self.begin) & (begins < self.end))
        object.__setattr__(self, "units", inside)

    @cached_property
    def time(self) -> float:
        """Return the total time of kernels, or of operators without overhead, in microseconds."""
        counted = self.units[~self.charges.is_overhead[self.units]]
        return float(self.charges.time[counted].sum())

    @cached_property
    def modelled(self) -> float | None:
        """Return the share of the time whose work is known; None if there is no time."""
        charged = self.units[self.charges.owner[self.units] != NONE]
        return float(self.charges.time[charged].sum()) / self.time if self.time > 0 else None

    @cached_property
    def rows(self) -> Ints:
        """Return the operators with attributed time, in order of time."""
        owners = self.charges.owner[self.units]
        return np.unique(owners[owners != NONE])

    @cached_property
    def row_time(self) -> Floats:
        """Return the microseconds attributed to each of ``rows``."""
        return self._charged(self.charges.time)

    @cached_property
    def row_units(self) -> Ints:
        """Return the number of kernels attributed to each of ``rows``."""
        return np.bincount(self._places()[0], minlength=len(self.rows))

    @cached_property
    def is_tensor(self) -> Bools:
        """Return whether each of ``rows`` spends at least half of its time on tensor cores."""
        return self._charged(self.charges.time * self.charges.is_tensor) >= 0.5 * self.row_time

    @cached_property
    def works(self) -> Ints:
        """Return for each of ``rows`` the index of its work."""
        return self.charges.work_of[self.rows]

    @cached_property
    def families(self) -> Ints:
        """Return the family of each of ``rows``."""
        listed = np.array([each.family for each in self.charges.works], dtype=np.int64)
        return listed[self.works] if len(self.rows) else np.zeros(0, dtype=np.int64)

    @cached_property
    def operators(self) -> list[Operator]:
        """Return calls grouped by name, shapes and unit, longest first."""
        if not len(self.rows):
            return []
        keys = self.works * 2 + self.is_tensor
        order = np.argsort(keys, kind="stable")
        begins = np.flatnonzero(np.diff(keys[order], prepend=-1))
        found = [self._operator(same) for same in np.split(order, begins[1:])]
        return sorted(found, key=lambda each: (-each.time, each.name, str(each.work.shape)))

    def _places(self) -> tuple[Ints, Ints]:
        """Return the positions in ``rows`` of the attributed units, and the units."""
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
            # A mask saves operations, but no bytes.
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
