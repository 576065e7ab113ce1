"""Measured times of the model solutions and of the learner's submissions.

The time of a program is the sum over its cases, without build and waiting times. The cost of a CUDA
program is the sum over the kernels counted by the judge, in cycles of ``cudasim``'s cost model: it
ranks programs and is not a time. Only costs of the current model version are compared. Memory saved
for backward is known if the problem limits it; because cases differ in size, it is also given as a
multiple of the arguments. Each judgement draws its own cases, so a program of the bank is judged
several times and the median counts.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import platform
import statistics
import threading
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

import msgspec

from torchstone.app.home import Home
from torchstone.app.judging.submission import OnEvent, judge_text
from torchstone.app.problems.files import staged
from torchstone.app.problems.problem_state import find_state, local_now
from torchstone.bank import Problem, Words
from torchstone.bank.schema import Kind
from torchstone.bank.variant import Variant
from torchstone.core import paths
from torchstone.core.errors import BadInput
from torchstone.core.verdict import Verdict
from torchstone.cudasim.cost import MODEL_VERSION
from torchstone.judge.assignment import hash_of
from torchstone.judge.messages import CountedKernel, Report, read_report
from torchstone.judge.receipt import judge_hash

RUNS = 3
MOST_OWN = 20
_FORMAT = 2
_measuring = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Measurements of a program by the judge.

    Args:
        ms: Time of the cases.
        cycles: Cost in the model of ``cudasim``; None if no kernel was counted.
        saved_bytes: Memory saved for backward; None if the problem does not limit it.
        saved_ratio: The same, as a multiple of the arguments' bytes.
    """

    ms: float
    cycles: float | None = None
    saved_bytes: float | None = None
    saved_ratio: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramTime:
    """The medians of a program of the bank over several judgements; None if they are not known.

    Args:
        cycles: The cost of its kernels; also None if the judge counts none.
        saved_bytes: What it saves for backward; also None if the problem does not limit it.
        saved_ratio: The same, as a multiple of the arguments' bytes.
        words: The misconception of a slow program; None for a right answer.
    """

    name: str
    ms: float | None
    cycles: float | None = None
    saved_bytes: float | None = None
    saved_ratio: float | None = None
    words: Words | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTime:
    """The measurements of an accepted submission of the learner.

    Args:
        is_cost_outdated: Whether another version of the cost model computed its cost, which is
            left out.
    """

    submission: str
    ms: float
    created_at: datetime
    is_cost_outdated: bool = False
    cycles: float | None = None
    saved_bytes: float | None = None
    saved_ratio: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """The measurements of a problem's programs.

    Args:
        solutions: The model solution, then the other right answers.
        own: The accepted submissions, newest first.
        slow: CUDA programs of the bank with right values that are refused for their cost.
        num_runs: How many judgements a median of a program of the bank is taken over.
    """

    problem: str
    solutions: tuple[ProgramTime, ...]
    own: tuple[OwnTime, ...]
    slow: tuple[ProgramTime, ...] = ()
    num_runs: int = RUNS


def read_times(home: Home, name: str) -> Times:
    """Return the known measurements, without measuring.

    Raises:
        BadInput: The problem is neither accepted nor given up, or is due for a review.
    """
    problem = home.problem(name)
    own = _own_times(home, problem)
    return Times(
        problem=problem.id,
        solutions=tuple(_time_of_program(problem, each) for each in _solutions(problem)),
        own=own,
        slow=tuple(_time_of_program(problem, each) for each in _slow(problem)),
    )


def measure_times(home: Home, name: str, on_event: OnEvent) -> Times:
    """Judge the programs of the bank that are not measured; keep the result in the user's cache.

    If another thread measures already, return what is known so far.

    Raises:
        BadInput: The problem is neither accepted nor given up, or is due for a review.
        JudgeUnavailable: There is no judge.
    """
    problem = home.problem(name)
    # Checked before any judging: the times are available only for a settled problem.
    _own_times(home, problem)
    if _measuring.acquire(blocking=False):
        try:
            for program in (*_solutions(problem), *_slow(problem)):
                if _read(_place(problem, program.source)) is None:
                    _measure(home, problem, program, on_event)
        finally:
            _measuring.release()
    return read_times(home, name)


def time_of(report: Report) -> float:
    """Return the sum of the times of the cases, in milliseconds."""
    return round(sum(case.ms for case in report.cases), 2)


def measured_of(report: Report) -> Measured:
    """Return the judge's measurements.

    A kernel without a line of the submission belongs to the launcher of the problem; its cost does
    not count. Neither does a cost of another version of the model.
    """
    costs = [] if _is_cost_outdated(report) else [each.cycles for each in _own_kernels(report)]
    saved = report.saved
    has_size = saved is not None and saved.argument_bytes > 0
    return Measured(
        ms=time_of(report),
        cycles=round(sum(costs), 1) if costs else None,
        saved_bytes=saved.num_bytes if saved else None,
        saved_ratio=saved.num_bytes / saved.argument_bytes if saved and has_size else None,
    )


def _own_kernels(report: Report) -> list[CountedKernel]:
    counters = report.native.counters if report.native else ()
    return [each for each in counters if each.lines]


def _is_cost_outdated(report: Report) -> bool:
    return any(each.cost_model != MODEL_VERSION for each in _own_kernels(report))


def _solutions(problem: Problem) -> tuple[Variant, ...]:
    return (problem.solution, *problem.good)


def _slow(problem: Problem) -> tuple[Variant, ...]:
    """Return the programs rejected only for their cost, if the judge counts it."""
    if problem.spec.entry.kind is not Kind.CUDA:
        return ()
    return tuple(each for each in problem.wrong if each.verdict is Verdict.SLOW)


def _time_of_program(problem: Problem, program: Variant) -> ProgramTime:
    found = _read(_place(problem, program.source))
    return ProgramTime(
        name=program.name,
        words=program.words if program.verdict is Verdict.SLOW else None,
        **(asdict(found) if found else {"ms": None}),
    )


def _own_times(home: Home, problem: Problem) -> tuple[OwnTime, ...]:
    with home.open_store() as store:
        if not find_state(store, problem, local_now()).is_settled:
            raise BadInput("app.still_closed", problem=problem.id)
        lines = store.submissions_of(problem.id, kind="submit", limit=200)
        accepted = [line for line in lines if line.verdict is Verdict.AC][:MOST_OWN]
        found = [store.find_submission(line.id) for line in accepted]
    own = ((each, _report_of(each.report)) for each in found)
    return tuple(
        OwnTime(
            submission=each.id,
            created_at=each.created_at,
            is_cost_outdated=_is_cost_outdated(report),
            **asdict(measured_of(report)),
        )
        for each, report in own
        if report is not None
    )


def _report_of(stored: object) -> Report | None:
    """Read a report; an imported file may contain anything, and then there is no time."""
    try:
        return read_report(stored)
    except ValueError:
        return None


def _measure(home: Home, problem: Problem, program: Variant, on_event: OnEvent) -> None:
    found: list[Measured] = []
    for _ in range(RUNS):
        judged = judge_text(home, problem, program.source, on_event, explain=False)
        # A fault of the machine: no result is stored.
        if judged.verdict is not program.verdict:
            return
        found.append(measured_of(judged.report))
    place = _place(problem, program.source)
    paths.private_dir(place.parent)
    with staged(place, msgspec.json.encode(_median(found))):
        pass


def _median(found: list[Measured]) -> Measured:
    """Return the median of each measurement; None if a judgement lacks it."""

    def median(values: list[float | None]) -> float | None:
        known = [each for each in values if each is not None]
        return statistics.median(known) if len(known) == len(values) else None

    return Measured(
        ms=statistics.median([each.ms for each in found]),
        cycles=median([each.cycles for each in found]),
        saved_bytes=median([each.saved_bytes for each in found]),
        saved_ratio=median([each.saved_ratio for each in found]),
    )


def _place(problem: Problem, source: str) -> Path:
    """Return the cache file of a time; its name includes everything that the time depends on."""
    facts = [
        _FORMAT, MODEL_VERSION, RUNS, hash_of(problem), judge_hash(),
        importlib.metadata.version("torch"),
        platform.python_version(), platform.machine(), platform.node(), source,
    ]  # fmt: skip
    key = hashlib.sha256(json.dumps(facts).encode()).hexdigest()
    return paths.cache_dir() / "times" / f"{key}.json"


def _read(place: Path) -> Measured | None:
    try:
        return msgspec.json.decode(place.read_bytes(), type=Measured)
    # Not measured, or not a file of this program.
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
