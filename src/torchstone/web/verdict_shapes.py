"""What the server answers about a submission: its report, and the events while it is judged."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints

from torchstone.core.isolation import Isolation
from torchstone.core.verdict import Aspect, Verdict
from torchstone.web.progress_shapes import NextProblem, SubmissionLine
from torchstone.web.shapes import ReviewNote, Shape, Text, Words

Ratio = float | Literal["inf"] | None
Plan = list[tuple[str, int]]


class Hand(Shape):
    """A program to be judged.

    Args:
        kind: ``submit`` counts as an attempt; ``run`` judges the samples only.
        key: Drawn by whoever submits, once; the same key again is the same submission.
    """

    source: Text
    kind: Literal["submit", "run"] = "submit"
    key: Annotated[str, StringConstraints(pattern=r"^[0-9A-Za-z-]{8,100}$")]


class Accepted(Shape):
    """The submission is stored; its events can be followed."""

    id: str


class Cancelled(Shape):
    """Whether there was still something to cancel."""

    cancelled: bool


class CaseResult(Shape):
    """What one case came to; ``ratio`` is error over tolerance."""

    index: int
    group: str
    code: Verdict
    aspect: Aspect | None
    ratio: Ratio
    ms: float


class Raised(Shape):
    """An exception of the submission."""

    type: str
    message: str
    line: int | None = None
    text: str | None = None


class TensorPreview(Shape):
    """A tensor as it can be shown.

    Args:
        values: In row-major order of what is shown; what JSON cannot hold is spelt.
        window: Begin and end of each dimension that is shown; null when all of it is.
        marks: Places in ``values`` that are wrong.
    """

    kind: Literal["tensor"]
    dtype: str
    shape: list[int]
    stride: list[int]
    values: list[bool | int | float | str]
    window: list[tuple[int, int]] | None
    marks: list[int]


class ValuePreview(Shape):
    """Anything else, as Python writes it."""

    kind: Literal["value"]
    text: str


Preview = Annotated[TensorPreview | ValuePreview, Field(discriminator="kind")]


class Forbidden(Shape):
    """The operator or function that was banned, and the line that reached it."""

    operator: str
    line: int | None
    text: str | None


class Worst(Shape):
    """The element that is farthest off."""

    index: list[int]
    ulp: float | Literal["inf"]
    relative: float | Literal["inf"]


class SmallestRow(Shape):
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


class SmallestInput(Shape):
    """An argument of the smallest failing case."""

    name: str
    preview: Preview


class Smallest(Shape):
    """The smallest failing case."""

    group: str
    index: int
    regime: dict[str, Any]
    inputs: list[SmallestInput]
    rows: list[SmallestRow]


class Misconception(Shape):
    """The known mistake whose output the submission's equals, and on how many cases."""

    name: str
    cases: int
    html: Words


class Star(Shape):
    """What a good kernel can earn besides; ``came`` is at most ``most`` where it is earned."""

    name: str
    words: Words
    came: float | None
    most: float
    earned: bool


class CountedLine(Shape):
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


class CountedKernel(Shape):
    """A kernel, how it was launched, and what its lines move.

    Args:
        cycles: Of the cost model: a rank among kernels, no time.
    """

    kernel: str
    grid: list[int]
    block: list[int]
    barriers: int
    cycles: float
    lines: list[CountedLine]


class KernelOnCard(Shape):
    """What a kernel takes of a multiprocessor, as NVIDIA's compiler says."""

    kernel: str
    registers: int
    spill_store_bytes: int
    spill_load_bytes: int
    shared_bytes: int


class Card(Shape):
    """What NVIDIA's compiler makes of a submission."""

    arch: str
    kernels: list[KernelOnCard]


class NativeReport(Shape):
    """What only a submission in C++ or CUDA has.

    Args:
        drawn: What the detectors found, as text with the lines of the source.
        counters: What each kernel moved, line by line.
        nvcc: Null where NVIDIA's compiler is not present.
    """

    stars: list[Star]
    drawn: Words | None
    counters: list[CountedKernel]
    nvcc: Card | None


class SubtaskResult(Shape):
    """Whether a part of a problem that earns points of its own was right."""

    name: str
    title: Words
    points: int
    earned: bool


class Report(Shape):
    """The judge's report of one submission."""

    problem: str
    verdict: Verdict
    aspect: Aspect | None
    group: str | None
    isolation: Isolation
    cases: list[CaseResult]
    planned: int
    failed_groups: list[str]
    time_ms: float
    cpu_s: float | None
    max_rss_kib: int | None
    detail: Words | None
    error: Raised | None
    forbidden: Forbidden | None
    stdout: str
    subtasks: list[SubtaskResult] = Field(default_factory=list)
    native: NativeReport | None = None
    misconception: Misconception | None
    smallest: Smallest | None
    receipt: str | None


class Submission(SubmissionLine):
    """A submission with its text and its report."""

    source: str
    report: Report | None
    plan: Plan


class History(Shape):
    """Some submissions of a problem, newest first, and how many there are."""

    submissions: list[SubmissionLine]
    total: int


class Ask(Shape):
    """An expression to evaluate beside a solution."""

    source: Text
    expression: Text = Field(max_length=20_000)


class Tried(Shape):
    """What came of it."""

    expression: str
    text: str | None
    error: Raised | None
    detail: Words | None
    stdout: str


class Aftermath(Shape):
    """What a recorded verdict leads to."""

    attempt: int
    num_solutions: int
    review: ReviewNote | None
    unlocked: list[str]
    next: NextProblem | None


class Queued(Shape):
    """How many jobs are before this one."""

    type: Literal["queued"]
    ahead: int


class Started(Shape):
    """Judging begins; the groups and how many cases each has."""

    type: Literal["started"]
    plan: Plan


class Case(CaseResult):
    """A case is judged."""

    type: Literal["case"]


class VerdictReached(Shape):
    """The verdict is known; the explanation follows."""

    type: Literal["verdict"]
    report: Report


class MisconceptionFound(Shape):
    """The misconception is known, or known to be none."""

    type: Literal["misconception"]
    misconception: Misconception | None


class SmallestFound(Shape):
    """The smallest failing case is known, or known to be none."""

    type: Literal["smallest"]
    smallest: Smallest | None


class Interrupted(Shape):
    """A worker died; the job runs again."""

    type: Literal["interrupted"]
    reason: str


class Starting(Shape):
    """The judge host is being started; judging begins anew."""

    type: Literal["starting"]


class CancelledEvent(Shape):
    """The submission was cancelled."""

    type: Literal["cancelled"]


class ErrorEvent(Shape):
    """There will be no verdict, and why."""

    type: Literal["error"]
    code: str
    message: Words
    hint: Words


class Done(Shape):
    """The verdict is recorded; nothing follows."""

    type: Literal["done"]
    report: Report
    aftermath: Aftermath | None


JudgeEvent = Annotated[
    Queued
    | Started
    | Case
    | VerdictReached
    | MisconceptionFound
    | SmallestFound
    | Interrupted
    | Starting
    | CancelledEvent
    | ErrorEvent
    | Done,
    Field(discriminator="type"),
]
