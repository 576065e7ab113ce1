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
    """Origin of a run: files, format and version, device, and number of ranks."""

    files: list[str]
    format: str
    schema: str
    device: str
    ranks: int


class Quality(msgspec.Struct, frozen=True, kw_only=True):
    """Quality of the recording.

    Attributes:
        steps: Number of steps.
        dilation: Ratio of profiled to unprofiled step time; None if unknown.
        launches_found: Share of device work with a known launch call.
        modelled: Share of device time with known operations and bytes.
        notes: Further notes.
    """

    steps: int
    dilation: float | None
    launches_found: float
    modelled: float | None
    notes: list[str]


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """Window under diagnosis, in microseconds, with the median step time."""

    start_us: float
    duration_us: float
    steps: int
    step_ms: float
    how: str


class Accounting(msgspec.Struct, frozen=True, kw_only=True):
    """Time accounting of the window, in shares that sum to 1."""

    compute: float
    communication: float
    copy_h2d: float
    copy_d2h: float
    copy_d2d: float
    idle: dict[str, float]


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """One-sentence summaries, for managers and for developers."""

    manager: str
    engineer: str


class Place(msgspec.Struct, frozen=True, kw_only=True):
    """Source line, and its share of the finding's time."""

    file: str
    line: int
    function: str
    share: float


class Fix(msgspec.Struct, frozen=True, kw_only=True):
    """Remedy that can be applied automatically, with the changes it would make."""

    name: str
    applicable: bool
    diff: str


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """Bottleneck with evidence and remedy.

    Attributes:
        code: Code of the rule.
        bottleneck: Limiting resource.
        title: Short name of the bottleneck.
        severity: ``none``, ``low``, ``medium`` or ``high``.
        share: Share of the window that it takes.
        recoverable_ms: Upper bound of the time per step that a remedy recovers.
        confidence: Confidence between 0 and 1.
        evidence: Quantities of the rule's formula.
        places: Source lines, the one to edit first.
        explanation: Formula with the numbers of this run.
        prescription: Recommended change.
        fix: Automatic remedy.
        predicted_step_ms: Range of the predicted step time.
        proof: Measured effect of the remedy.
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
    """Report of a run; findings are sorted by recoverable time."""

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
    """Recording of a program.

    Attributes:
        script: The program.
        arguments: Arguments of the program.
        ranks: Number of processes in the run.
        unwatched_step_ms: Median step time of the first pass; None without steps.
        watched_step_ms: Median step time under the profiler.
        num_timed: Number of steps measured without the profiler.
        timing_s: Duration of the first pass.
        recording_s: Duration of the second pass.
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
    """Report of a program that the doctor has run."""

    run: Run


class Progressed(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="progress"):
    """Progress of an examination: ``timing``, ``recording`` or ``reading``."""

    phase: str
    steps: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """Program to record, and options; the doctor has a default for each missing option.

    Attributes:
        script: File, or name of a module.
        words: Arguments of the program.
        is_module: Whether ``script`` is a module.
        steps: Number of recorded steps.
        limit: Time limit of a pass, in seconds.
        nproc: Number of processes in the run.
        out: Folder for traces and report.
    """

    script: str
    words: Sequence[str] = ()
    is_module: bool = False
    steps: int | None = None
    limit: float | None = None
    nproc: int | None = None
    out: str | None = None


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Manual page of a rule."""

    code: str
    title: str
    about: str
    prescription: str
    thresholds: dict[str, float]


class Manual(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="end"):
    """Manual pages of all rules, or of one."""

    ok: bool
    rules: list[Page]


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """One of two compared runs."""

    file: str
    verdict: str
    step_ms: float


class Account(msgspec.Struct, frozen=True, kw_only=True):
    """Share of a step, before and after, in milliseconds."""

    before_ms: float
    after_ms: float
    difference_ms: float


class Comparison(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="end"):
    """Comparison of two runs: vanished, new and remaining findings, and the new first finding."""

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
    """Peak performance of the processor: operations per second by dtype, bandwidth, and ridge."""

    ok: bool
    name: str
    threads: int
    flops: dict[str, float]
    bandwidth: float
    ridge: float
    file: str


def diagnose(files: Sequence[str], lang: Lang, *, chart: str | None = None) -> Diagnosis:
    """Diagnose a run from trace files, one per rank.

    Args:
        files: Paths of the files.
        lang: Language of messages.
        chart: Output path of a page or a drawing, which ends in .html or .svg.

    Raises:
        BadInput: A file is missing, not a trace, too large, or without events; or the chart cannot
            be written.
        TorchstoneError: The program ended without a result, or printed an invalid line.
    """
    drawn = [] if chart is None else [f"--chart={chart}"]
    words = ["diagnose", f"--lang={lang}", *drawn, *_with_peaks(), "--", *files]
    found: Diagnosis
    (found,) = _run(words, Diagnosis)
    return found


def run(plan: RunPlan, lang: Lang) -> Generator[Progressed | Examination, None, None]:
    """Run a program twice and yield progress events; closing the iterator ends the program.

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
    """Compare two runs, each given as a trace or a report.

    Raises:
        BadInput: A file is neither a trace nor a report.
        TorchstoneError: As for ``diagnose``.
    """
    words = ["compare", f"--lang={lang}", *_with_peaks(), "--", before, after]
    compared: Comparison
    (compared,) = _run(words, Comparison)
    return compared


def calibrate(lang: Lang) -> Calibration:
    """Measure the peak performance of this machine's processor, and store it for later diagnoses.

    Raises:
        BadInput: The result cannot be stored.
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
        # A diagnosis does not need a data folder.
        return []
    return [f"--peaks={path}"] if path.is_file() else []


def rules(code: str | None, lang: Lang) -> Manual:
    """Return the manual page of a rule, or all pages.

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
