"""Define the report of a submission with all its parts, and the receipt; ``events`` carry them.

The host sends a report as JSON, the store keeps it as JSON, the terminal and the page read it. A
field that a later version added has a default here, so that a stored report still loads.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from torchstone.core.i18n import Lang
from torchstone.core.isolation import Isolation
from torchstone.core.verdict import Aspect, Verdict

# JSON has no infinity.
Infinite: TypeAlias = Literal["inf"]
Ratio: TypeAlias = float | Infinite | None


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a report; a field that another version stored is ignored."""


class Words(Part, frozen=True, kw_only=True):
    """The same thing said in both languages."""

    en: str
    zh: str

    def said_in(self, lang: Lang) -> str:
        """Return the words in one language."""
        return self.zh if lang == "zh" else self.en


class CaseResult(Part, frozen=True, kw_only=True):
    """What one case came to; ``ratio`` is error over tolerance."""

    index: int
    group: str
    code: Verdict
    aspect: Aspect | None
    ratio: Ratio
    ms: float


class Raised(Part, frozen=True, kw_only=True):
    """An exception of the submission."""

    type: str
    message: str
    line: int | None = None
    text: str | None = None

    def __str__(self) -> str:
        """Return what Python prints, without a colon where there is no message."""
        return f"{self.type}: {self.message}" if self.message else self.type


class TensorPreview(Part, frozen=True, kw_only=True, tag_field="kind", tag="tensor"):
    """A tensor as it can be shown.

    Args:
        values: In row-major order of what is shown; what JSON cannot hold is spelt.
        window: Begin and end of each dimension that is shown; null when all of it is.
        marks: Places in ``values`` that are wrong.
    """

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    values: tuple[bool | int | float | str, ...]
    window: tuple[tuple[int, int], ...] | None
    marks: tuple[int, ...]


class ValuePreview(Part, frozen=True, kw_only=True, tag_field="kind", tag="value"):
    """Anything else, as Python writes it."""

    text: str


Preview: TypeAlias = TensorPreview | ValuePreview


class Forbidden(Part, frozen=True, kw_only=True):
    """The operator or function that was banned, and the line that reached it."""

    operator: str
    line: int | None
    text: str | None


class Worst(Part, frozen=True, kw_only=True):
    """The element that is farthest off."""

    index: tuple[int, ...]
    ulp: float | Infinite
    relative: float | Infinite


class SmallestRow(Part, frozen=True, kw_only=True):
    """One thing that was compared: an output, or the gradient of an input."""

    code: Verdict
    aspect: Aspect | None
    key: str
    name: str
    ratio: Ratio
    detail: Words | None
    raised: Raised | None
    expected: Preview | None
    actual: Preview | None
    worst: Worst | None


class SmallestInput(Part, frozen=True, kw_only=True):
    """An argument of the smallest failing case."""

    name: str
    preview: Preview


class Smallest(Part, frozen=True, kw_only=True):
    """The smallest failing case."""

    group: str
    index: int
    # The parameters that the problem drew for the case; every problem has others.
    regime: dict[str, Any]
    inputs: tuple[SmallestInput, ...]
    rows: tuple[SmallestRow, ...]


class Misconception(Part, frozen=True, kw_only=True):
    """The known mistake whose output the submission's equals, and on how many cases."""

    name: str
    cases: int


class Star(Part, frozen=True, kw_only=True):
    """What a good kernel can earn besides; ``came`` is at most ``most`` where it is earned."""

    name: str
    words: Words
    came: float | None
    most: float
    earned: bool


class CountedLine(Part, frozen=True, kw_only=True):
    """What a line of a kernel asks of the memory system; null where it asks nothing of the kind.

    Args:
        requests: Instructions of a warp.
        lanes: Lanes that take part in one, of 32.
        sectors: Sectors of 32 bytes that one moves.
        useful: Which part of them was needed.
        conflicts: Passes of shared memory that are due to conflicts.
        contention: Lanes of an atomic operation that wait for each other.
        flops: Operations on floating point numbers.
    """

    line: int
    text: str
    requests: int
    lanes: float | None
    sectors: float | None
    useful: float | None
    conflicts: int | None
    contention: float | None
    flops: int | None


class CountedKernel(Part, frozen=True, kw_only=True):
    """A kernel, how it was launched, and what its lines move.

    Args:
        cycles: Of the cost model: a rank among kernels, no time.
    """

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    barriers: int
    cycles: float
    lines: tuple[CountedLine, ...]


class KernelOnCard(Part, frozen=True, kw_only=True):
    """What a kernel takes of a multiprocessor, as NVIDIA's compiler says."""

    kernel: str
    registers: int
    spill_store_bytes: int
    spill_load_bytes: int
    stack_bytes: int
    shared_bytes: int


class CardError(Part, frozen=True, kw_only=True):
    """The first error of NVIDIA's compiler."""

    line: int
    word: str


class Card(Part, frozen=True, kw_only=True):
    """What NVIDIA's compiler makes of a submission."""

    arch: str
    kernels: tuple[KernelOnCard, ...]
    error: CardError | None = None


class Detected(Part, frozen=True, kw_only=True):
    """One finding of the detectors, as ``cudasim.report.as_json`` writes it in both languages."""

    en: dict[str, Any]
    zh: dict[str, Any]


class NativeReport(Part, frozen=True, kw_only=True):
    """What only a submission in C++ or CUDA has.

    Args:
        drawn: What the detectors found, as text with the lines of the source.
        counters: What each kernel moved, line by line.
        nvcc: Null where NVIDIA's compiler is not present.
    """

    stars: tuple[Star, ...]
    # What is drawn, as data.
    found: tuple[Detected, ...]
    drawn: Words | None
    counters: tuple[CountedKernel, ...]
    # What is counted, as text with the lines of the source.
    profile: Words | None
    nvcc: Card | None


class SubtaskResult(Part, frozen=True, kw_only=True):
    """Whether a part of a problem that earns points of its own was right."""

    name: str
    title: Words
    points: int
    earned: bool


class Report(Part, frozen=True, kw_only=True):
    """The judge's report of one submission."""

    problem: str
    verdict: Verdict
    aspect: Aspect | None
    group: str | None
    isolation: Isolation
    cases: tuple[CaseResult, ...]
    planned: int
    failed_groups: tuple[str, ...]
    time_ms: float
    cpu_s: float | None
    max_rss_kib: int | None
    detail: Words | None
    error: Raised | None
    forbidden: Forbidden | None
    stdout: str
    subtasks: tuple[SubtaskResult, ...] = ()
    native: NativeReport | None = None
    misconception: Misconception | None
    smallest: Smallest | None
    receipt: str | None


class Receipt(Part, frozen=True, kw_only=True):
    """What was judged, by what, under which seed, and what came of it; see ``judge.receipt``."""

    version: int
    id: str
    problem: str
    content_hash: str
    judge_hash: str
    torchstone: str
    torch: str
    python: str
    machine: str
    isolation: Isolation
    observed_inside: tuple[str, ...]
    native: bool
    simulator_hash: str | None
    seed: int
    groups: tuple[str, ...] | None
    source_hash: str
    verdict: Verdict
    aspect: Aspect | None
    group: str | None
    cases: tuple[CaseResult, ...]
    time_ms: float
    replayable: bool
    created_at: str
    hash: str = ""


def read_report(stored: object) -> Report:
    """Read a report that was stored as JSON, by this version or an earlier one.

    Raises:
        ValueError: It is no report.
    """
    return msgspec.convert(stored, Report)


def plain(message: msgspec.Struct) -> dict[str, Any]:
    """Return a message as plain JSON, for a socket, a database or a terminal."""
    found: dict[str, Any] = msgspec.to_builtins(message)
    return found


def words_of(said: Mapping[str, str]) -> Words:
    """Return a sentence of both languages."""
    return Words(en=said["en"], zh=said["zh"])


def spell(number: float) -> float | Infinite:
    """Return a number as JSON can hold it."""
    return number if math.isfinite(number) else "inf"
