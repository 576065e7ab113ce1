"""Orders of the host to the reference process of a job, one type for each kind of frame.

Standard library only. ``records.as_dict`` converts an order to the dictionary that is sent;
``read_order`` reads it. A missing or unknown key is a fault of the judge and raises a
``TypeError``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from .frames import ToReference
from .wire import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """Order to open a problem.

    Attributes:
        folder: Folder of the problem's files.
        names: Names that a submission defines.
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
    """Order to make the next cases."""

    at_most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeAnswers:
    """Order to grade the answers that follow: (case index, number of answers) pairs."""

    answered: Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """Order to receive a variant's answers: its name, and the number of answers to each case."""

    name: str
    answered: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparable:
    """Order to return the cases that variants must answer; ``most`` limits the wrong variants."""

    most: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrink:
    """Order to start shrinking a failing case, with at most ``budget`` smaller cases."""

    index: int
    budget: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """Order to receive the answers to the smaller case, followed by those of the named variant."""

    num_answers: int
    num_of_variant: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TryBattery:
    """Order to judge synthetic answers.

    Attributes:
        seed: The seed of the plan.
        judged: Start from the answers that were judged, and do not run the model solution.
    """

    seed: int
    judged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Execute:
    """Order to execute the cells of an editorial."""

    cells: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Observe:
    """Order to return the values that the statements of a correct program compute.

    Attributes:
        source: The program; None if it was judged, and its answers contain the values.
    """

    source: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bare:
    """Order without parameters."""


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
    """Return the kind of a frame and its order.

    Raises:
        ValueError: The kind is unknown.
        TypeError: A key of the order is missing or unknown.
    """
    kind = ToReference(frame.kind)
    return kind, _TYPES[kind](**frame.decode())
