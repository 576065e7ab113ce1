"""Columns of events: what all readers make, and all that is computed begins with.

Times are microseconds from the first event of the run on. A row is an event; a name, a lane or a
set of shapes is a number into a list, for most rows share theirs.
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

# Of a column that says nothing about an event.
NONE = -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Lane:
    """Hold where events follow each other: a thread of a process, or a stream of a device."""

    pid: int | str
    tid: int | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shapes:
    """Hold the inputs of an operator as the trace has them: JSON texts, decoded when needed."""

    dims: bytes
    types: bytes
    strides: bytes
    values: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Hold the allocator's bytes over time, for one device.

    Attributes:
        at: When, in microseconds.
        changed: Bytes allocated, or freed if negative.
        allocated: Bytes in use after it; from the first event on where the file has no totals.
        reserved: Bytes taken from the device after it; ``NONE`` where the file does not say.
    """

    at: Floats
    changed: Ints
    allocated: Ints
    reserved: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """Hold the events of one rank, sorted by their begin.

    Attributes:
        t0: The begin.
        t1: The end.
        kind: What it is, a ``Kind``.
        name: Its number in ``names``.
        lane: Its number in ``lanes``.
        device: The number of the device it runs on.
        correlation: What a launch and its kernel share.
        external: What an operator and its kernels share.
        sequence: What an operator and its backward share.
        python: The number of a Python frame.
        parent: The number of the frame that called it.
        size: The bytes of a copy.
        shapes: Its number in ``signatures``.
        stack: Its number in ``stacks``, for files that have the frames of an operator as a text.
        memory: Of each device, the bytes of its allocator; of the host at ``NONE``.
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
        """Return the rows of some kinds, in order of time; they cannot be written to."""
        if kinds not in self._of:
            rows = np.flatnonzero(np.isin(self.kind, kinds))
            rows.setflags(write=False)
            self._of[kinds] = rows
        return self._of[kinds]

    def on_device(self) -> Ints:
        """Return the rows of what runs on a device."""
        return self.of(*ON_DEVICE)

    def named(self, *words: str) -> Ints:
        """Return the numbers of the names that contain one of some words."""
        if words not in self._named:
            found = [n for n, name in enumerate(self.names) if any(word in name for word in words)]
            self._named[words] = _fixed(found)
        return self._named[words]

    def matching(self, pattern: str) -> Ints:
        """Return the numbers of the names in which a regular expression is found."""
        if pattern not in self._matching:
            search = re.compile(pattern).search
            found = [n for n, name in enumerate(self.names) if search(name)]
            self._matching[pattern] = _fixed(found)
        return self._matching[pattern]


def _fixed(numbers: list[int]) -> Ints:
    """Return numbers as an array that cannot be written to, for it is kept."""
    found = np.array(numbers, dtype=np.int64)
    found.setflags(write=False)
    return found
