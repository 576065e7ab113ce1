"""Define the figures of a report: what the detectors found, as numbers for the page and terminal.

A sentence belongs to each finding already; a figure has the threads, the lines and the element.
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
        line: Its line in the submission; null if it is not known.
        text: The text of this line.
        warp: The number of its warp in the block.
        lane: Its number in the warp.
    """

    line: int | None
    text: str
    block: Triple
    thread: Triple
    warp: int
    lane: int
    is_write: bool


class MissingBarrier(Part, frozen=True, kw_only=True):
    """The statement that a race lacks, and the line before which it belongs."""

    line: int
    call: str


class Hazard(Part, frozen=True, kw_only=True):
    """One finding of the detectors, for a figure.

    Args:
        finding: Its number in ``NativeReport.found``.
        kind: The kind of finding, see ``cudasim.findings``.
        array: The array in the source; empty if it is not known.
        index: The subscripts of the element; empty if they are not known.
        shape: The sizes of the array; empty if the subscripts are.
        offset: Bytes from the beginning of the array.
        count: How often the finding occurred.
        hint: What to do about it.
        size: Threads of a block in each direction; zeros if they are not known.
        at: The thread that noticed it; of a race the later access.
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
    """Return the finding that the verdict comes from: the first one of its kind."""
    kinds = _FIGURES.get(verdict, ())
    return next((each for each in hazards if each.figure in kinds), next(iter(hazards), None))
