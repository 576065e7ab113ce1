"""Figures of a report: findings of the detectors as numbers for the page and the terminal.

Each finding also has a sentence; a figure has the threads, the lines and the element.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from torchstone.core.verdict import Verdict
from torchstone.judge.part import Part, Words

Figure: TypeAlias = Literal["race", "bounds", "unwritten", "barrier"]
Triple: TypeAlias = tuple[int, int, int]


class HazardParty(Part, frozen=True, kw_only=True):
    """A thread of a finding.

    Args:
        line: Its line in the submission; null if unknown.
        text: The text of this line.
        warp: The index of its warp in the block.
        lane: Its index in the warp.
    """

    line: int | None
    text: str
    block: Triple
    thread: Triple
    warp: int
    lane: int
    is_write: bool


class MissingBarrier(Part, frozen=True, kw_only=True):
    """The missing barrier of a race, and the line before which it belongs."""

    line: int
    call: str


class Hazard(Part, frozen=True, kw_only=True):
    """One finding of the detectors, for a figure.

    Args:
        finding: Its index in ``NativeReport.found``.
        kind: The kind of finding, see ``cudasim.findings``.
        array: The array in the source; empty if unknown.
        index: The subscripts of the element; empty if unknown.
        shape: The sizes of the array; empty if the subscripts are.
        offset: Bytes from the beginning of the array.
        count: Number of occurrences of the finding.
        hint: The suggested remedy.
        size: Threads of a block in each direction; zeros if unknown.
        at: The thread of the finding; for a race that of the later access.
        other: The other thread of a race, or of two barriers.
        barrier: The line of the last barrier that both threads of a race passed.
        missing: The barrier that the race lacks, if its place is known.
        arrived: The lanes that wait at the barrier, a mask for each warp.
        left: The only line above the barrier at which threads leave the kernel.
    """

    figure: Figure
    finding: int
    kind: str
    space: str
    kernel: str
    array: str
    index: tuple[int, ...]
    shape: tuple[int, ...]
    offset: int
    allocation_bytes: int
    access_bytes: int
    count: int
    hint: Words
    size: Triple
    at: HazardParty
    other: HazardParty | None
    barrier: int | None
    missing: MissingBarrier | None
    arrived: tuple[int, ...]
    left: int | None


_FIGURES: dict[Verdict, tuple[Figure, ...]] = {
    Verdict.RACE: ("race", "barrier"),
    Verdict.OOB: ("bounds",),
    Verdict.UNINIT: ("unwritten",),
}


def main_hazard(hazards: Sequence[Hazard], verdict: Verdict) -> Hazard | None:
    """Return the finding that causes the verdict: the first one of its kind."""
    kinds = _FIGURES.get(verdict, ())
    return next((each for each in hazards if each.figure in kinds), next(iter(hazards), None))
