"""Report: verdict, time accounting, and findings with evidence, source lines and remedies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from torchstone.core.i18n import Lang, catalogue, text
from torchstone.doctor.case import Case, make_case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.lines import Place, is_own
from torchstone.doctor.rank import rank
from torchstone.doctor.read.run import RankEvents, Run, read_run
from torchstone.doctor.recording import Recording
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.roofline.kept_peaks import KeptPeaks
from torchstone.doctor.roofline.listing import roofline_of

Report = dict[str, Any]
# Expected share of the recoverable time: removing a wait often slows down the rest.
_LEAST_WON = 0.6


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A run with time accounting, before any rule is applied.

    Attributes:
        run: Contents of the files.
        case: Case of the first rank, the subject of the report.
    """

    run: Run
    case: Case

    @cached_property
    def findings(self) -> list[Finding]:
        """Return the ranked findings."""
        return [_as_recorded(each, self.run.source.format) for each in rank(self.case)]

    @property
    def source(self) -> Report:
        """Return the report's section about the files."""
        return asdict(self.run.source) | {"device": self.run.source.device.name}

    @property
    def window(self) -> Report:
        """Return the report's section about the window."""
        recording = self.case.recording
        return {
            "start_us": self.case.window.begin,
            "duration_us": self.case.window.duration,
            "steps": self.case.num_steps,
            "step_ms": self.case.step_us / 1e3,
            "how": self.case.window.how if recording is None else recording.how,
        }

    @property
    def accounting(self) -> Report:
        """Return the report's section about the time accounting."""
        return _accounting(self.case)


def open_run(
    paths: Sequence[Path],
    *,
    recordings: Sequence[Recording] = (),
    peaks: KeptPeaks | None = None,
) -> Opened:
    """Read a run from files, one per rank, and account for its time.

    Args:
        paths: The files.
        recordings: Measurements around each file, if the doctor has recorded it.
        peaks: Peak performance of the processor, from a calibration.

    Raises:
        Refusal: A file is missing, not a trace, too large, or without events.
    """
    run = read_run(paths)
    around = dict(zip(map(str, paths), recordings, strict=False))
    # The report is about the first rank; the others explain its waits.
    first, *others = (_case_of(each, around.get(each.file), peaks) for each in run.ranks)
    return Opened(run=run, case=replace(first, others=tuple(others)))


def diagnose(
    paths: Sequence[Path],
    lang: Lang,
    *,
    recordings: Sequence[Recording] = (),
    peaks: KeptPeaks | None = None,
) -> Report:
    """Diagnose a run from files, one per rank.

    Args:
        paths: The files.
        lang: The language of messages.
        recordings: As for ``open_run``.
        peaks: As for ``open_run``.

    Raises:
        Refusal: As for ``open_run``.
    """
    return report_of(open_run(paths, recordings=recordings, peaks=peaks), lang)


def _as_recorded(finding: Finding, form: str) -> Finding:
    """Return the finding with messages that explain how Nsight Systems records missing data."""
    if form != "nsys" or finding.code != "TS-U001":
        return finding
    return replace(finding, variant=f"nsys_{finding.variant}" if finding.variant else "nsys")


def _case_of(of_rank: RankEvents, recording: Recording | None, peaks: KeptPeaks | None) -> Case:
    case = make_case(
        of_rank.events,
        of_rank.device,
        rank=of_rank.rank,
        peaks=None if peaks is None else peaks.of_host(of_rank.device.host),
        recording=recording,
    )
    if case is None:
        raise Refusal("nothing_happens", file=of_rank.file)
    return case


def report_of(opened: Opened, lang: Lang) -> Report:
    """Return the report of a run."""
    run, case, findings = opened.run, opened.case, opened.findings
    first = findings[0]
    return {
        "ok": True,
        "source": opened.source,
        "quality": _quality(run, run.ranks[0], case, findings, lang),
        "window": opened.window,
        "accounting": opened.accounting,
        "verdict": first.code,
        "bottleneck": first.bottleneck,
        "also": [each.code for each in findings[1:]],
        "summary": {
            "manager": _said(first, "manager", lang),
            "engineer": _engineer(case, first, lang),
        },
        "findings": [_finding(case, each, lang) for each in findings],
        "roofline": roofline_of(case),
    }


def _quality(
    run: Run, of_rank: RankEvents, case: Case, findings: list[Finding], lang: Lang
) -> Report:
    steps, lost = case.num_steps, 1 - case.launches.found
    limits = thresholds("U001")
    dilation, modelled = case.dilation or 1.0, case.roofline.modelled
    roofline_peaks = case.roofline.peaks
    noticed = {
        **dict.fromkeys(of_rank.notes, True),
        "no_steps": case.window.how == "whole" and case.recording is None,
        "steps_of_optimizer": case.window.how == "optimizer",
        "few_steps": 0 < steps < limits["steps"],
        "no_stacks": not case.frames,
        "no_shapes": not case.events.signatures,
        "card_unknown": case.accounting.has_device and case.roofline.peaks is None,
        "little_modelled": modelled is not None and modelled < limits["modelled"],
        "peaks_measured": roofline_peaks is not None and roofline_peaks.is_measured,
        "no_device": not case.accounting.has_device,
        "launches_lost": lost > 0.05 and case.accounting.has_device,
        "diluted": dilation > limits["dilation"],
        "one_rank": findings[0].code == "TS-C001" and len(run.ranks) == 1,
        **dict.fromkeys(() if case.recording is None else case.recording.notes, True),
    }
    values = {"lost": lost, "dilation": dilation, "modelled": modelled or 0.0}
    notes = [_note(key, run.source.format, lang) for key, is_so in noticed.items() if is_so]
    return {
        "steps": steps,
        "dilation": case.dilation,
        "launches_found": case.launches.found,
        "modelled": modelled,
        "notes": [text(key, lang, **values) for key in notes],
    }


def _note(key: str, form: str, lang: Lang) -> str:
    """Return the key of a note; recorders have different options."""
    special = f"doctor.note.{form}_{key}"
    return special if special in catalogue("doctor", lang) else f"doctor.note.{key}"


def _accounting(case: Case) -> Report:
    shares = case.accounting.shares
    busy = {name: share for name, share in shares.items() if not name.startswith("idle.")}
    idle = {
        name.removeprefix("idle."): share
        for name, share in shares.items()
        if name.startswith("idle.")
    }
    return {**busy, "idle": idle}


def _finding(case: Case, finding: Finding, lang: Lang) -> Report:
    step_ms = case.step_us / 1e3
    return {
        "code": finding.code,
        "bottleneck": finding.bottleneck,
        "title": _said(finding, "title", lang),
        "severity": _severity(finding),
        "share": finding.share,
        "recoverable_ms": finding.recoverable * _mean_step_us(case) / 1e3,
        "confidence": finding.confidence,
        "evidence": finding.evidence,
        "places": [asdict(each) for each in places_of(case, finding)],
        "explanation": _said(finding, "explanation", lang),
        "prescription": _said(finding, "prescription", lang),
        "fix": None
        if finding.fix is None
        else {"name": finding.fix, "applicable": False, "diff": ""},
        "predicted_step_ms": [
            step_ms * (1 - finding.recoverable),
            step_ms * (1 - _LEAST_WON * finding.recoverable),
        ],
        "proof": None,
    }


def _mean_step_us(case: Case) -> float:
    measured = None if case.recording is None else case.recording.step_us
    return case.window.duration / max(1, case.num_steps) if measured is None else measured


def places_of(case: Case, finding: Finding) -> list[Place]:
    """Return the source lines of a finding: first the one to edit, then where the time goes."""
    if finding.times is None or not case.frames:
        return []
    found = case.places(finding.times, finding.lane)
    own, deepest = _sampled(case, finding), found.deepest
    if own:
        # The profiler attributes the same frames to different lines.
        deepest = [each for each in deepest if not is_own(each.file)]
    else:
        own = found.own
    seen: list[Place] = []
    for each in (*own[:1], *deepest, *own[1:]):
        if all((each.file, each.line) != (other.file, other.line) for other in seen):
            seen.append(each)
    return seen[:5]


def _sampled(case: Case, finding: Finding) -> list[Place]:
    """Return the source lines sampled in the times of a finding, if there are samples."""
    if finding.times is None or finding.lane not in (None, case.main):
        return []
    if case.recording is None or case.recording.lines is None:
        return []
    return case.recording.lines.places(finding.times, case.window.steps[:, 0])


def _severity(finding: Finding) -> str:
    if finding.bottleneck == "healthy":
        return "none"
    share = finding.recoverable
    return "high" if share >= 0.3 else "medium" if share >= 0.1 else "low"


def _engineer(case: Case, finding: Finding, lang: Lang) -> str:
    places = places_of(case, finding)
    where = f" {places[0].file}:{places[0].line}" if places else ""
    return f"{finding.code}{where}: {_said(finding, 'prescription', lang)}"


def _said(finding: Finding, part: str, lang: Lang) -> str:
    values = {"share": finding.share, **finding.evidence}
    special = f"doctor.rule.{finding.code}.{finding.variant}_{part}"
    if finding.variant and special in catalogue("doctor", lang):
        return text(special, lang, **values)
    return text(f"doctor.rule.{finding.code}.{part}", lang, **values)
