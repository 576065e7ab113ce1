"""Orders to the judge and their outcomes: plain data without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from torchstone.bank.schema import Deny, Extension, Kind, Limits, Package, Subtask
from torchstone.core.verdict import Aspect, Verdict
from torchstone.judge.messages import CaseResult, Forbidden, Raised, Star
from torchstone.judge.pool.replies import FoundWrong, NativeFound


@dataclass(frozen=True, slots=True, kw_only=True)
class Native:
    """Hold what a problem in CUDA adds to a submission when it is built.

    Attributes:
        contract: The header that declares what a submission defines.
        launcher: The translation unit that calls it.
        calls: The functions ``cuda...`` that a submission may call.
    """

    contract: str
    launcher: str
    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverKernel:
    """Hold the kernel over which a submission in Python registers an operator.

    Attributes:
        native: What it is built with.
        kernel: Its source.
        entries: What it defines.
        namespace: Of the operators.
    """

    native: Native
    kernel: str
    entries: tuple[str, ...]
    namespace: str


Recipe = Native | Extension | Package | OverKernel


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """Hold what the judge must know of a problem; it never sees more.

    Attributes:
        problem_id: The number, ``"01"``.
        folder: Where ``cases.py`` and ``oracle.py`` lie, on the host.
        kind: What the submission defines.
        names: The names that it must define.
        limits: What it may use.
        deny: What it may not use.
        probe: Source of the problem's probe, or nothing.
        content_hash: Changes when any file of the problem changes.
        recipe: How a submission is built, where it is.
        subtasks: Its parts that earn points of their own.
    """

    problem_id: str
    folder: Path
    kind: Kind
    names: tuple[str, ...]
    limits: Limits
    deny: Deny
    probe: str
    content_hash: str
    recipe: Recipe | None = None
    subtasks: tuple[Subtask, ...] = ()

    @property
    def native(self) -> Native | None:
        """Return what a submission in CUDA is built with; nothing where it is another."""
        return self.recipe if isinstance(self.recipe, Native) else None

    @property
    def unit(self) -> Native | None:
        """Return what is built in CUDA, be it the submission or the kernel that it calls."""
        return self.recipe.native if isinstance(self.recipe, OverKernel) else self.native


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Ask for one verdict.

    Attributes:
        assignment: The problem.
        source: The submitted text.
        seed: Decides every case; drawn from ``secrets`` by the caller, or recorded in a receipt.
        groups: Only these groups; ``None`` means all.
        first_only: Stop at the first wrong case; the verdict is known then.
        explain: Look for the misconception and the smallest failing case after a wrong answer.
    """

    assignment: Assignment
    source: str
    seed: int
    groups: tuple[str, ...] | None = None
    explain: bool = True
    first_only: bool = False


@dataclass(slots=True, kw_only=True)
class Outcome:
    """Hold why a submission ended before it answered, or could not be judged at all.

    Attributes:
        is_idle: It did nothing for too long; a stall of the machine may look the same.
    """

    code: Verdict
    detail: Mapping[str, str]
    aspect: Aspect | None = None
    at_load: bool = False
    is_idle: bool = False
    error: Raised | None = None
    forbidden: Forbidden | None = None


@dataclass(slots=True, kw_only=True)
class Findings:
    """Gather what is known while a job is judged."""

    plan: list[tuple[str, int]] = field(default_factory=list)
    cases: list[CaseResult] = field(default_factory=list)
    details: dict[int, tuple[FoundWrong, ...]] = field(default_factory=dict)
    native: dict[int, NativeFound] = field(default_factory=dict)
    stars: list[Star] = field(default_factory=list)
    outcome: Outcome | None = None
    stdout: str = ""
    max_rss_kib: int | None = None
    cpu_s: float | None = None


class JudgeFault(Exception):
    """Raised when the judge itself failed; the verdict is IE, never WA."""


class MachineBusy(JudgeFault):
    """Raised when a process got too little of a processor to be judged."""


class Cancelled(Exception):
    """Raised when the job was cancelled."""
