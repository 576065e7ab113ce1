"""``Events``: columns of trace events, the output of all readers and the input of all analyses.

Times are microseconds since the first event of the run. A row is an event; names, lanes and shapes
are indices into lists, because most rows share them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from torchstone.doctor.read.kinds import ON_DEVICE, Kind

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

# Missing value of a column.
NONE = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """Sequence of events: a thread of a process, or a stream of a device."""

    pid: int | str
    tid: int | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """Operator inputs as stored in the trace: JSON texts, decoded on demand."""

    dims: bytes
    types: bytes
    strides: bytes
    values: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Allocator memory of one device over time.

    Attributes:
        at: Time of each allocator event, in microseconds.
        changed: Bytes allocated, or freed if negative.
        allocated: Bytes in use after the event; relative to the first event if the file has no
            totals.
        reserved: Bytes reserved from the device after the event; ``NONE`` if unknown.
    """

    at: Floats
    changed: Ints
    allocated: Ints
    reserved: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """Events of one rank, sorted by start.

    Attributes:
        t0: Start.
        t1: End.
        kind: Kind of the event, a ``Kind``.
        name: Index into ``names``.
        lane: Index into ``lanes``.
        device: Index of the device on which the event runs.
        correlation: Id shared by a launch call and its kernel.
        external: Id shared by an operator and its kernels.
        sequence: Number shared by a forward operator and its backward operator.
        python: Id of a Python frame.
        parent: Id of the caller's frame.
        size: Bytes of a copy.
        shapes: Index into ``signatures``.
        stack: Index into ``stacks``, for files that store the frames of an operator as text.
        memory: Allocator memory by device; host memory under ``NONE``.
    """

    t0: Floats
    t1: Floats
    kind: npt.NDArray[np.int8]
    name: Ints
    lane: Ints
    device: Ints
    correlation: Ints
    external: Ints
    sequence: Ints
    python: Ints
    parent: Ints
    size: Ints
    shapes: Ints
    stack: Ints
    names: list[str]
    lanes: list[Lane]
    signatures: list[Shapes] = field(default_factory=list)
    stacks: list[str] = field(default_factory=list)
    memory: dict[int, Memory] = field(default_factory=dict)
    _of: dict[tuple[Kind, ...], Ints] = field(default_factory=dict, init=False, repr=False)
    _matching: dict[str, Ints] = field(default_factory=dict, init=False, repr=False)
    _named: dict[tuple[str, ...], Ints] = field(default_factory=dict, init=False, repr=False)

    def __len__(self) -> int:
        """Return the number of events."""
        return len(self.t0)

    def of(self, *kinds: Kind) -> Ints:
        """Return the rows of given kinds, sorted by time, as a read-only array."""
        if kinds not in self._of:
            rows = np.flatnonzero(np.isin(self.kind, kinds))
            rows.setflags(write=False)
            self._of[kinds] = rows
        return self._of[kinds]

    def on_device(self) -> Ints:
        """Return the rows of device events."""
        return self.of(*ON_DEVICE)

    def named(self, *words: str) -> Ints:
        """Return the indices of the names that contain one of the given words."""
        if words not in self._named:
            found = [n for n, name in enumerate(self.names) if any(word in name for word in words)]
            self._named[words] = _fixed(found)
        return self._named[words]

    def matching(self, pattern: str) -> Ints:
        """Return the indices of the names that match a regular expression."""
        if pattern not in self._matching:
            search = re.compile(pattern).search
            found = [n for n, name in enumerate(self.names) if search(name)]
            self._matching[pattern] = _fixed(found)
        return self._matching[pattern]


def _fixed(numbers: list[int]) -> Ints:
    """Return a read-only array, because it is cached."""
    found = np.array(numbers, dtype=np.int64)
    found.setflags(write=False)
    return found
