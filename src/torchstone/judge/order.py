"""Orders to the judge and their outcomes: data types without torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from torchstone.bank.schema import Deny, Extension, Kind, Limits, Package, Starter, Subtask
from torchstone.core.verdict import Aspect, Verdict
from torchstone.judge.kinds import Row, row_of
from torchstone.judge.messages import CaseResult, Forbidden, Raised, Star
from torchstone.judge.replies import FoundWrong, Graded, NativeFound, SavedFound


@dataclass(frozen=True, slots=True, kw_only=True)
class Native:
    """Sources for building a submission in CUDA.

    Attributes:
        contract: The header that declares what a submission defines.
        launcher: The translation unit that calls the submission.
        calls: The functions ``cuda...`` that a submission may call.
    """

    contract: str
    launcher: str
    calls: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OverKernel:
    """Kernel over which a Python submission registers an operator.

    Attributes:
        native: The sources for the build of the kernel.
        kernel: The source of the kernel.
        entries: The names that the kernel defines.
        namespace: The namespace of the operators.
    """

    native: Native
    kernel: str
    entries: tuple[str, ...]
    namespace: str


Recipe = Native | Extension | Package | OverKernel


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """Everything about a problem that the judge uses.

    Attributes:
        problem_id: The number, ``"01"``.
        folder: The folder of ``cases.py`` and ``oracle.py`` on the host.
        kind: The kind of the submission.
        names: The names that it must define.
        limits: The limits of time, memory and output.
        deny: The banned operators, functions and modules.
        probe: The source of the problem's probe; empty if there is none.
        content_hash: A hash that changes when a file of the problem changes.
        recipe: How a submission is built; None if it is not built.
        subtasks: The parts that earn points of their own.
        started_by: The program that starts a script.
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
    started_by: Starter = Starter.PYTHON

    @property
    def row(self) -> Row:
        """Return the row of `kinds` for the problem's submissions."""
        return row_of(self.kind, has_probe=bool(self.probe), started_by=self.started_by)

    @property
    def native(self) -> Native | None:
        """Return the recipe of a submission in CUDA; None for any other submission."""
        return self.recipe if isinstance(self.recipe, Native) else None

    @property
    def unit(self) -> Native | None:
        """Return the recipe of the CUDA code: the submission, or the kernel that it calls."""
        return self.recipe.native if isinstance(self.recipe, OverKernel) else self.native


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Request for one verdict.

    Attributes:
        assignment: The problem.
        source: The submitted text.
        seed: Determines every case. The caller draws it from ``secrets``, or reads it from a
            receipt.
        groups: The groups to judge; ``None`` means all.
        first_only: Whether to stop at the first wrong case, which determines the verdict.
        explain: Whether to search for the misconception and the smallest failing case after a wrong
            answer.
    """

    assignment: Assignment
    source: str
    seed: int
    groups: tuple[str, ...] | None = None
    explain: bool = True
    first_only: bool = False


@dataclass(slots=True, kw_only=True)
class Outcome:
    """Reason why a submission ended before its answer, or could not be loaded.

    Attributes:
        is_idle: Whether it was idle for too long; a stall of the machine may look the same.
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
    """Results of a job while it runs."""

    plan: list[tuple[str, int]] = field(default_factory=list)
    cases: list[CaseResult] = field(default_factory=list)
    details: dict[int, tuple[FoundWrong, ...]] = field(default_factory=dict)
    native: dict[int, NativeFound] = field(default_factory=dict)
    stars: list[Star] = field(default_factory=list)
    saved: list[SavedFound] = field(default_factory=list)
    outcome: Outcome | None = None
    stdout: str = ""
    max_rss_kib: int | None = None
    cpu_s: float | None = None

    def add(self, index: int, graded: Graded) -> None:
        """Add the reference process's findings in a case.

        Raises:
            JudgeFault: A finding has an exception that the submission cannot cause.
        """
        for finding in graded.findings:
            raise_fault_of_torch(finding.raised)
        if graded.findings:
            self.details[index] = graded.findings
        if graded.native is not None:
            self.native[index] = graded.native
        if graded.saved is not None:
            self.saved.append(graded.saved)
        self.stars += graded.stars

    @property
    def is_late(self) -> bool:
        """Return whether a kernel exceeded its time; no further case is judged then."""
        return any(case.code is Verdict.TLE for case in self.cases)


class JudgeFault(Exception):
    """Raised when the judge itself fails; the verdict is IE, never WA."""


# torch's message when a thread finds no pool after a fork, which no program can cause.
_NO_POOL = ("INTERNAL ASSERT FAILED", "ParallelOpenMP.cpp")


def raise_fault_of_torch(error: object) -> None:
    """Raise a fault of the judge if an exception record shows one, even inside a longer text."""
    message = error.get("message") if isinstance(error, dict) else None
    if isinstance(message, str) and all(part in message for part in _NO_POOL):
        raise JudgeFault("torch found no pool of threads after the fork of the job")


class MachineBusy(JudgeFault):
    """Raised when a process got too little processor time for a verdict."""


class Cancelled(Exception):
    """Raised when a job is cancelled."""


class Dead(Exception):
    """Raised with the outcome of a submission whose process has ended."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.code)
        self.outcome = outcome
