"""Report of a submission with all its parts, and the receipt; ``events`` contain them.

The host sends a report as JSON, the store keeps it as JSON, and the terminal and the page read it.
A field that a later version added has a default here, so stored reports of earlier versions load.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

from torchstone.core.isolation import Isolation
from torchstone.core.verdict import Aspect, Verdict
from torchstone.judge.hazard import Hazard
from torchstone.judge.part import Part as Part
from torchstone.judge.part import Words as Words

# JSON has no infinity.
Infinite: TypeAlias = Literal["inf"]
Ratio: TypeAlias = float | Infinite | None


class CaseResult(Part, frozen=True, kw_only=True):
    """The result of one case; ``ratio`` is the error divided by the tolerance."""

    index: int
    group: str
    code: Verdict
    aspect: Aspect | None
    ratio: Ratio
    ms: float


class Raised(Part, frozen=True, kw_only=True):
    """An exception that the submission raised; ``file`` is its file in a package."""

    type: str
    message: str
    line: int | None = None
    text: str | None = None
    file: str | None = None

    def __str__(self) -> str:
        """Return the line that Python prints, without a colon if there is no message."""
        return f"{self.type}: {self.message}" if self.message else self.type


class TensorPreview(Part, frozen=True, kw_only=True, tag_field="kind", tag="tensor"):
    """The part of a tensor that the report shows.

    Args:
        values: The elements in row-major order; a number that JSON lacks is a string.
        window: Start and end of each dimension; null if all elements are shown.
        marks: The positions of wrong elements in ``values``.
    """

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    values: tuple[bool | int | float | str, ...]
    window: tuple[tuple[int, int], ...] | None
    marks: tuple[int, ...]


class ValuePreview(Part, frozen=True, kw_only=True, tag_field="kind", tag="value"):
    """A value other than a tensor, as Python prints it."""

    text: str


Preview: TypeAlias = TensorPreview | ValuePreview


class Forbidden(Part, frozen=True, kw_only=True):
    """The banned operator or function that the submission called, and the line of the call."""

    operator: str
    line: int | None
    text: str | None
    file: str | None = None


class Worst(Part, frozen=True, kw_only=True):
    """The element with the largest error."""

    index: tuple[int, ...]
    ulp: float | Infinite
    relative: float | Infinite


class SmallestRow(Part, frozen=True, kw_only=True):
    """One compared value: an output, or the gradient of an input."""

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
    # The parameters that the problem drew for the case; they differ between problems.
    regime: dict[str, Any]
    inputs: tuple[SmallestInput, ...]
    rows: tuple[SmallestRow, ...]


class Unexplained(Part, frozen=True, kw_only=True):
    """The number of cases with a fault that the known mistakes do not explain, and their groups."""

    cases: int
    groups: tuple[str, ...]


class Misconception(Part, frozen=True, kw_only=True):
    """The known mistake with the same output as the submission, and the number of such cases.

    Args:
        alternatives: Other known mistakes with exactly the same output on these cases.
        also: A second known mistake, which explains other cases.
        unexplained: The cases in which something else is wrong.
    """

    name: str
    cases: int
    alternatives: tuple[str, ...] = ()
    also: str | None = None
    unexplained: Unexplained | None = None


class Symptom(Part, frozen=True, kw_only=True):
    """A statement about the error that is true of all wrong cases it was tested on.

    Args:
        name: The kind of statement.
        cases: The number of these cases.
    """

    name: str
    words: Words
    cases: int


class Star(Part, frozen=True, kw_only=True):
    """An extra goal of a kernel; it is earned if the count ``came`` is at most ``most``."""

    name: str
    words: Words
    came: float | None
    most: float
    earned: bool


class CountedLine(Part, frozen=True, kw_only=True):
    """The memory counters of one line of a kernel; null if the line has no such access.

    Args:
        requests: Instructions of a warp.
        lanes: Active lanes of one request, of 32.
        sectors: Sectors of 32 bytes that one request moves.
        useful: The share of these bytes that the lanes use.
        conflicts: Additional passes of shared memory because of bank conflicts.
        ways: Passes of shared memory as a multiple of those without conflicts.
        contention: Lanes of an atomic operation that wait for each other.
        flops: Floating-point operations.
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
    ways: float | None = None


class CountedKernel(Part, frozen=True, kw_only=True):
    """The launch of a kernel and the counters of its lines.

    Args:
        cycles: The result of the cost model: it ranks kernels and is not a time.
        cost_model: The version of that model; 0 in reports from before it was recorded. Compare
            costs of one version only.
    """

    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    barriers: int
    cycles: float
    lines: tuple[CountedLine, ...]
    cost_model: int = 0


class KernelOnCard(Part, frozen=True, kw_only=True):
    """The resources of a multiprocessor that a kernel needs, from NVIDIA's compiler."""

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
    """The report of NVIDIA's compiler on a submission."""

    arch: str
    kernels: tuple[KernelOnCard, ...]
    error: CardError | None = None


class Detected(Part, frozen=True, kw_only=True):
    """One finding of the detectors, as ``cudasim.report.as_json`` writes it in both languages."""

    en: dict[str, Any]
    zh: dict[str, Any]


class NativeReport(Part, frozen=True, kw_only=True):
    """The part of a report that only a submission in C++ or CUDA has.

    Args:
        drawn: The findings of the detectors, as text with the lines of the source.
        hazards: Figures of the first findings.
        counters: The counters of each kernel, line by line.
        nvcc: Null if NVIDIA's compiler is not installed.
    """

    stars: tuple[Star, ...]
    # The findings in `drawn`, as data.
    found: tuple[Detected, ...]
    drawn: Words | None
    counters: tuple[CountedKernel, ...]
    # The counters, as text with the lines of the source.
    profile: Words | None
    nvcc: Card | None
    hazards: tuple[Hazard, ...] = ()


class SavedBytes(Part, frozen=True, kw_only=True):
    """The sum over the cases in which the problem limits what is saved for backward.

    Args:
        num_bytes: The bytes that were saved.
        argument_bytes: The bytes of the arguments in these cases. Cases differ in size from one
            judgement to the next, so compare quotients.
    """

    num_bytes: int
    argument_bytes: int


class SubtaskResult(Part, frozen=True, kw_only=True):
    """The points of a part of a problem, and whether the submission earned them."""

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
    symptoms: tuple[Symptom, ...] = ()
    saved: SavedBytes | None = None
    smallest: Smallest | None
    receipt: str | None


class Receipt(Part, frozen=True, kw_only=True):
    """The submission, the judge, the seed and the result of a job; see ``judge.receipt``."""

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
    """Parse a report that this version or an earlier one stored as JSON.

    Raises:
        ValueError: It is not a valid report.
    """
    return msgspec.convert(stored, Report)


def plain(message: msgspec.Struct) -> dict[str, Any]:
    """Convert a message to plain JSON data, for a socket, a database or a terminal."""
    found: dict[str, Any] = msgspec.to_builtins(message)
    return found


def words_of(said: Mapping[str, str]) -> Words:
    """Convert a mapping from language to text."""
    return Words(en=said["en"], zh=said["zh"])


def spell(number: float) -> float | Infinite:
    """Return a number in a form that JSON can represent."""
    return number if math.isfinite(number) else "inf"
