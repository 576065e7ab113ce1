"""The performance doctor in a child process: diagnose traces, list its rules."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from torchstone.app.programs.child_program import follow
from torchstone.core.errors import TorchstoneError
from torchstone.core.i18n import Lang
from torchstone.core.paths import data_dir

PROGRAM = "torchstone.doctor"
ERRORS, REFUSALS = "app.doctor", "doctor.refusal"


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """What was read: the files, their format and its version, the card, and how many ranks."""

    files: list[str]
    format: str
    schema: str
    device: str
    ranks: int


class Quality(msgspec.Struct, frozen=True, kw_only=True):
    """What the recording is worth.

    Attributes:
        steps: The number of its steps.
        dilation: How much slower they were than unwatched ones; None where nothing says it.
        launches_found: The share of the work of the device whose launch was found.
        modelled: The share of its time for which operations and bytes are known.
        notes: What else is to be known about it.
    """

    steps: int
    dilation: float | None
    launches_found: float
    modelled: float | None
    notes: list[str]


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """The time that is accounted for, in microseconds, and its median step."""

    start_us: float
    duration_us: float
    steps: int
    step_ms: float
    how: str


class Accounting(msgspec.Struct, frozen=True, kw_only=True):
    """Where the time of the window goes, in shares that add up to 1."""

    compute: float
    communication: float
    copy_h2d: float
    copy_d2h: float
    copy_d2d: float
    idle: dict[str, float]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A sentence for who pays, and one for who edits."""

    manager: str
    engineer: str


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """A line of code, and its share of what the finding is about."""

    file: str
    line: int
    function: str
    share: float


class Fix(msgspec.Struct, frozen=True, kw_only=True):
    """A cure that a machine can apply, and what it would change."""

    name: str
    applicable: bool
    diff: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A disease with its proof and its cure.

    Attributes:
        code: The rule.
        bottleneck: What is too slow.
        title: The disease in a few words.
        severity: ``none``, ``low``, ``medium`` or ``high``.
        share: The share of the window that it takes.
        recoverable_ms: What a cure could win of a step.
        confidence: How sure it is, between 0 and 1.
        evidence: The numbers of its formula.
        places: The lines of code, the one to edit first.
        explanation: The formula with this run's numbers.
        prescription: What to do.
        fix: What a machine can do.
        predicted_step_ms: Between which times a step would then be.
        proof: What measuring the cure has shown.
    """

    code: str
    bottleneck: str
    title: str
    severity: str
    share: float
    recoverable_ms: float
    confidence: float
    evidence: dict[str, float]
    places: list[Place]
    explanation: str
    prescription: str
    fix: Fix | None
    predicted_step_ms: tuple[float, float]
    proof: dict[str, Any] | None


class Diagnosis(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="end"):
    """The report of a run; the finding that wins most comes first."""

    ok: bool
    source: Source
    quality: Quality
    window: Window
    accounting: Accounting
    verdict: str
    bottleneck: str
    also: list[str]
    summary: Summary
    findings: list[Finding]
    roofline: dict[str, Any]


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """How a program was recorded.

    Attributes:
        script: The program.
        arguments: Its arguments.
        ranks: How many processes trained together.
        unwatched_step_ms: The median step of the first pass; None where it has no steps.
        watched_step_ms: The same under the profiler.
        num_timed: How many unwatched steps were measured.
        timing_s: How long the first pass took.
        recording_s: How long the second one took.
    """

    script: str
    arguments: list[str]
    ranks: int
    unwatched_step_ms: float | None
    watched_step_ms: float | None
    num_timed: int
    timing_s: float
    recording_s: float


class Examination(Diagnosis, frozen=True, kw_only=True, tag_field="event", tag="end"):
    """The report of a program that the doctor has run itself."""

    run: Run


class Progressed(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="progress"):
    """What the doctor does with a program: ``timing``, ``recording`` or ``reading``."""

    phase: str
    steps: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What is run; the program has a default for each missing option.

    Attributes:
        script: A file, or the name of a module.
        words: The arguments of the program.
        is_module: Whether ``script`` is a module.
        steps: How many steps are recorded.
        limit: The seconds that a pass may take.
        nproc: How many processes train together.
        out: Where traces and report are kept.
    """

    script: str
    words: Sequence[str] = ()
    is_module: bool = False
    steps: int | None = None
    limit: float | None = None
    nproc: int | None = None
    out: str | None = None


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """The manual page of a rule."""

    code: str
    title: str
    about: str
    prescription: str
    thresholds: dict[str, float]


class Manual(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="end"):
    """The manual: all rules, or one."""

    ok: bool
    rules: list[Page]


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of two runs that are compared."""

    file: str
    verdict: str
    step_ms: float


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """What an account takes of a step, before and after."""

    before_ms: float
    after_ms: float
    difference_ms: float


class Comparison(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="end"):
    """Two runs: which findings went, came and stayed, and what took the place of the first."""

    ok: bool
    before: Side
    after: Side
    ratio: float
    accounts: dict[str, Account]
    vanished: list[str]
    new: list[str]
    stayed: list[str]
    took_its_place: str | None
    summary: str


class Calibration(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="end"):
    """What the processor reaches: operations a second by type, bytes a second, and their ridge."""

    ok: bool
    name: str
    threads: int
    flops: dict[str, float]
    bandwidth: float
    ridge: float
    file: str


def diagnose(files: Sequence[str], lang: Lang, *, chart: str | None = None) -> Diagnosis:
    """Diagnose the run that files have recorded, one for each rank.

    Args:
        files: Their paths.
        lang: The language of the sentences.
        chart: The path of a page or a drawing to write, which ends in .html or .svg.

    Raises:
        BadInput: A file is missing, no trace, too large, or nothing happens in it; or the chart
            cannot be written.
        TorchstoneError: The program ended without a result, or printed an invalid line.
    """
    drawn = [] if chart is None else [f"--chart={chart}"]
    words = ["diagnose", f"--lang={lang}", *drawn, *_with_peaks(), "--", *files]
    found: Diagnosis
    (found,) = _run(words, Diagnosis)
    return found


def run(plan: RunPlan, lang: Lang) -> Generator[Progressed | Examination, None, None]:
    """Run a program twice and yield what happens; closing the iterator ends the program.

    Raises:
        BadInput: The program cannot be started, fails, takes too long, or does not use torch.
        TorchstoneError: As for ``diagnose``.
    """
    options = {"steps": plan.steps, "limit": plan.limit, "nproc": plan.nproc, "out": plan.out}
    words = ["run", f"--lang={lang}", *_with_peaks(), *["--module"] * plan.is_module]
    words += [f"--{name}={value}" for name, value in options.items() if value is not None]
    return follow(
        PROGRAM,
        [*words, "--", plan.script, *plan.words],
        kinds=Progressed | Examination,
        last=Examination,
        errors=ERRORS,
        refusals=REFUSALS,
    )


def compare(before: str, after: str, lang: Lang) -> Comparison:
    """Compare two runs, each a trace or a report.

    Raises:
        BadInput: A file is neither.
        TorchstoneError: As for ``diagnose``.
    """
    words = ["compare", f"--lang={lang}", *_with_peaks(), "--", before, after]
    compared: Comparison
    (compared,) = _run(words, Comparison)
    return compared


def calibrate(lang: Lang) -> Calibration:
    """Measure what the processor of this machine reaches, and keep it for later diagnoses.

    Raises:
        BadInput: It cannot be kept.
        TorchstoneError: As for ``diagnose``.
    """
    measured: Calibration
    (measured,) = _run(["calibrate", f"--lang={lang}", f"--peaks={_peaks_file()}"], Calibration)
    return measured


def _peaks_file() -> Path:
    return data_dir() / "doctor" / "peaks.json"


def _with_peaks() -> list[str]:
    try:
        path = _peaks_file()
    except TorchstoneError:
        # A diagnosis needs no folder of data.
        return []
    return [f"--peaks={path}"] if path.is_file() else []


def rules(code: str | None, lang: Lang) -> Manual:
    """Return the manual page of a rule, or of all.

    Raises:
        BadInput: There is no such rule.
        TorchstoneError: As for ``diagnose``.
    """
    words = ["rules", f"--lang={lang}", *([] if code is None else ["--", code])]
    manual: Manual
    (manual,) = _run(words, Manual)
    return manual


def _run(words: Sequence[str], kind: type) -> Any:
    return follow(PROGRAM, words, kinds=kind, last=kind, errors=ERRORS, refusals=REFUSALS)
