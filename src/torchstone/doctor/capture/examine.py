"""Record a program and diagnose the recording."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from torchstone.core.i18n import Lang
from torchstone.doctor.capture.passes import Captured, OnProgress, capture
from torchstone.doctor.capture.plan import Plan
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.report import diagnose
from torchstone.doctor.roofline.kept_peaks import KeptPeaks

READING = "reading"


def examine(
    plan: Plan,
    lang: Lang,
    on_progress: OnProgress,
    *,
    out: Path | None = None,
    peaks: KeptPeaks | None = None,
) -> dict[str, Any]:
    """Run a program twice and return the report of its steps.

    Args:
        plan: The program and the options of the run.
        lang: The language of messages.
        on_progress: Called with the pass, the number of observed steps, and the elapsed seconds.
        out: Folder for the traces and the report; by default they are not kept.
        peaks: Peak performance of the processor, from a calibration.

    Raises:
        Refusal: The program or its traces cannot be used, or the folder is not writable.
    """
    if out is not None:
        return _examine(plan, lang, on_progress, _made(out), peaks, is_kept=True)
    with tempfile.TemporaryDirectory(prefix="torchstone-doctor-") as folder:
        return _examine(plan, lang, on_progress, Path(folder), peaks, is_kept=False)


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise Refusal(
            "out_unwritable", folder=str(folder), reason=error.strerror or str(error)
        ) from error


def _examine(
    plan: Plan,
    lang: Lang,
    on_progress: OnProgress,
    folder: Path,
    peaks: KeptPeaks | None,
    *,
    is_kept: bool,
) -> dict[str, Any]:
    captured = capture(plan, folder, on_progress)
    on_progress(READING, captured.num_timed, 0.0)
    report = diagnose(captured.traces, lang, recordings=captured.recordings, peaks=peaks)
    if not is_kept:
        # Only the traces are removed; files of the program stay.
        report["source"]["files"] = [plan.script]
    report["run"] = _told(plan, captured)
    if is_kept:
        path = folder / "report.json"
        path.write_text(json.dumps(report, ensure_ascii=False), encoding="utf-8")
    return report


def _told(plan: Plan, captured: Captured) -> dict[str, Any]:
    first = captured.recordings[0]
    step_ms = None if first.step_us is None else first.step_us / 1e3
    dilated = None if step_ms is None or first.dilation is None else step_ms * first.dilation
    return {
        "script": plan.script,
        "arguments": list(plan.words),
        "ranks": plan.num_ranks,
        "unwatched_step_ms": step_ms,
        "watched_step_ms": dilated,
        "num_timed": captured.num_timed,
        "timing_s": captured.timed_s,
        "recording_s": captured.recorded_s,
    }
