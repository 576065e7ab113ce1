"""Command line: diagnose traces, list rules, simulate runs; the output is JSON lines.

Usage: ``python -m torchstone.doctor diagnose trace.json.gz``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from torchstone.core.event_program import run_to_end, write_event
from torchstone.core.i18n import LANGS, Lang, detect_lang
from torchstone.core.interruption import interrupt_once
from torchstone.doctor.calibration import calibrate_machine
from torchstone.doctor.capture.examine import examine
from torchstone.doctor.capture.plan import LIMIT_SECONDS, STEPS, Plan
from torchstone.doctor.charts.answers import serve
from torchstone.doctor.charts.document import require_ending, write_chart
from torchstone.doctor.charts.view import View
from torchstone.doctor.compare import compare
from torchstone.doctor.manual import pages
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.report import diagnose
from torchstone.doctor.roofline.kept_peaks import KeptPeaks, read_peaks
from torchstone.doctor.simulate import PATIENTS, write_trace


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0 on success, 2 for a refusal."""
    given = _parse(sys.argv[1:] if arguments is None else arguments)
    return run_to_end(lambda: _run(given))


def _run(given: argparse.Namespace) -> int:
    if given.command == "view":
        return serve(_error_of)
    try:
        answer = _answer(given)
    except Refusal as refusal:
        write_event(_error_of(refusal, given.lang))
        return 2
    write_event({"event": "end", **answer})
    return 0


def _answer(given: argparse.Namespace) -> dict[str, Any]:
    if given.command == "rules":
        return {"ok": True, "rules": pages(given.code, given.lang)}
    if given.command == "simulate":
        return _simulate(given)
    if given.command == "calibrate":
        return calibrate_machine(given.peaks)
    if given.command == "run":
        return _examine(given)
    if given.command == "compare":
        return compare(given.before, given.after, given.lang, peaks=_peaks(given))
    return _diagnose(given)


def _peaks(given: argparse.Namespace) -> KeptPeaks | None:
    return None if given.peaks is None else read_peaks(given.peaks)


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    everywhere = argparse.ArgumentParser(add_help=False)
    everywhere.add_argument("--lang", choices=LANGS, default=detect_lang(), help="of sentences")
    everywhere.add_argument("--json", action="store_true", help="what is printed is JSON anyway")
    parser = argparse.ArgumentParser(prog="python -m torchstone.doctor", description=__doc__)
    commands = parser.add_subparsers(required=True, dest="command")
    measured = argparse.ArgumentParser(add_help=False)
    measured.add_argument("--peaks", type=Path, metavar="FILE", help="of this machine's processor")
    with_peaks = [everywhere, measured]
    each = commands.add_parser("diagnose", parents=with_peaks, help="name what is slow, and why")
    each.add_argument("files", nargs="+", type=Path, metavar="FILE", help="one for each rank")
    each.add_argument("--chart", type=Path, metavar="FILE", help="draw it: *.html or *.svg")
    commands.add_parser("view", parents=[everywhere], help="answer a page, a line a question")
    _add_run(commands.add_parser("run", parents=with_peaks, help="record a program; diagnose it"))
    each = commands.add_parser("compare", parents=with_peaks, help="compare two runs")
    each.add_argument("before", type=Path, metavar="A", help="a trace, or a report of one")
    each.add_argument("after", type=Path, metavar="B", help="the same, later")
    commands.add_parser("calibrate", parents=with_peaks, help="measure this machine's processor")
    each = commands.add_parser("rules", parents=[everywhere], help="list the rules, or show one")
    each.add_argument("code", nargs="?", help="the code of a rule")
    each = commands.add_parser(
        "simulate", parents=[everywhere], help="write a trace of known truth"
    )
    each.add_argument("--disease", choices=sorted(PATIENTS), required=True, help="what is planted")
    each.add_argument("--out", type=Path, required=True, metavar="FILE", help="packed if *.gz")
    each.add_argument("--megabytes", type=float, default=0.0, help="repeat it up to this size")
    return parser.parse_args(arguments)


def _add_run(each: argparse.ArgumentParser) -> None:
    each.add_argument("-m", "--module", action="store_true", help="SCRIPT is a module")
    each.add_argument("--steps", type=int, default=STEPS, help="so many are recorded")
    each.add_argument("--limit", type=float, default=LIMIT_SECONDS, help="seconds of a pass")
    each.add_argument("--nproc", type=int, default=1, help="processes that train together")
    each.add_argument("--out", type=Path, metavar="DIR", help="keep traces and report here")
    each.add_argument("script", metavar="SCRIPT")
    each.add_argument("words", nargs=argparse.REMAINDER, metavar="ARG", help="for the script")


def _examine(given: argparse.Namespace) -> dict[str, Any]:
    plan = Plan(
        script=given.script,
        words=tuple(given.words),
        is_module=given.module,
        steps=given.steps,
        limit_s=given.limit,
        num_ranks=given.nproc,
    )
    return examine(plan, given.lang, _tell_progress, out=given.out, peaks=_peaks(given))


def _tell_progress(phase: str, steps: int, seconds: float) -> None:
    write_event({"event": "progress", "phase": phase, "steps": steps, "seconds": seconds})


def _diagnose(given: argparse.Namespace) -> dict[str, Any]:
    """Return the report, and write a chart if one is requested."""
    if given.chart is None:
        return diagnose(given.files, given.lang, peaks=_peaks(given))
    # Checked before the files are read, which takes longer.
    require_ending(given.chart)
    view = View(given.files, peaks=_peaks(given))
    write_chart(given.chart, view, given.lang)
    return view.report(given.lang)


def _simulate(given: argparse.Namespace) -> dict[str, Any]:
    """Write the trace of each rank; the paths of later ranks contain the rank number."""
    patient = PATIENTS[given.disease]
    files = []
    for recording in patient.record():
        name = f"{recording.rank}.{given.out.name}" if recording.rank else given.out.name
        files.append(given.out.with_name(name))
        write_trace(recording, files[-1], patient.form, num_bytes=int(given.megabytes * 1e6))
    return {"ok": True, "code": patient.code, "line": patient.line, "files": [*map(str, files)]}


def _error_of(refusal: Refusal, lang: Lang) -> dict[str, Any]:
    return {
        "event": "error",
        "ok": False,
        "code": refusal.code,
        "message": refusal.message(lang),
        "hint": refusal.hint(lang),
        "values": {
            name: value if isinstance(value, int | float) else str(value)
            for name, value in refusal.values.items()
        },
    }


if __name__ == "__main__":
    interrupt_once()
    sys.exit(main())
