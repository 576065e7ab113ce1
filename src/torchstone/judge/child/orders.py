"""Orders of the host to the reference process of a job, one type for each kind of frame.

Standard library only. ``records.as_dict`` makes the dictionary that travels, ``read_order`` reads
it; a key that is missing or unknown is a fault of the judge and raises a ``TypeError``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .frames import ToReference
from .wire import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """Open a problem.

    Attributes:
        folder: Its files.
        names: What a submission defines.
        seed: The seed of the plan.
        groups: The groups that are judged; None for all of them.
        key: The key that encrypts what a submission must not read.
    """

    folder: str
    names: Sequence[str]
    seed: int
    groups: Sequence[str] | None
    key: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Make:
    """Make the next cases."""

    at_most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeAnswers:
    """Grade the answers that follow: the number of each case, and of its answers."""

    answered: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """Take the answers of a variant: its name, and the number of answers to each case."""

    name: str
    answered: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparable:
    """Return the cases that variants must answer: at most so many wrong ones; all if None."""

    most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrink:
    """Begin to shrink a failing case, with at most ``budget`` smaller cases."""

    index: int
    budget: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """Take the answers to the smaller case, and those of the named variant behind them."""

    num_answers: int
    num_of_variant: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TryBattery:
    """Judge answers that were not computed.

    Attributes:
        seed: The seed of the plan.
        judged: Start from the answers that were judged, and do not run the model solution.
    """

    seed: int
    judged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Execute:
    """Execute the cells of an editorial."""

    cells: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observe:
    """Return what the statements of a right program compute.

    Attributes:
        source: The program; None if it was judged, and its answers say what was seen.
    """

    source: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bare:
    """An order whose kind says everything."""


ReferenceOrder: TypeAlias = (
    Open
    | Make
    | GradeAnswers
    | Comparable
    | Compare
    | Shrink
    | Tried
    | TryBattery
    | Execute
    | Observe
    | Bare
)

_TYPES: dict[ToReference, type[ReferenceOrder]] = {
    ToReference.OPEN: Open,
    ToReference.MAKE: Make,
    ToReference.GRADE: GradeAnswers,
    ToReference.NAME: Bare,
    ToReference.COMPARABLE: Comparable,
    ToReference.COMPARE: Compare,
    ToReference.SHRINK: Shrink,
    ToReference.TRIED: Tried,
    ToReference.BATTERY: TryBattery,
    ToReference.EXECUTE: Execute,
    ToReference.OBSERVE: Observe,
    ToReference.REST: Bare,
}


def read_order(frame: Frame) -> tuple[ToReference, ReferenceOrder]:
    """Read the kind of a frame, and the order in it.

    Raises:
        ValueError: There is no such kind.
        TypeError: The order has other entries.
    """
    kind = ToReference(frame.kind)
    return kind, _TYPES[kind](**frame.decode())
