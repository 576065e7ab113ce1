"""Measure the doctor: how often it is right, how long it takes, and how much memory.

    python benchmarks/doctor.py --json [--traces DIR] [--peers PYTHON] [--megabytes 224] [--runs 5]

Traces of a simulator, whose truth is known by construction, are diagnosed. With ``--traces`` those
of a folder are, too: a TOML file of labels in it has a table for each trace with ``codes``, the
diagnoses that are right, and ``line``, a part of the right place (optional). The object has, for
each of the two,

- ``traces``, ``top1``, ``top2``: how many there are, and in how many the first finding is right, or
  one of the first two;
- ``line_exact``: of those with a planted line, in how many one of the first three places is it;
- ``false_alarms``: healthy ones whose verdict is a disease with a confidence of 0.5 or more;
- ``abstained``: sick ones for which it says that it cannot tell;
- ``wrong_sure``: wrong verdicts with a confidence of 0.8 or more.

And of one large trace, in processes of their own, in turns: ``trace_mb``, ``events``,
``diagnose_s`` (with the start of Python), ``json_ratio`` (over ``json.loads`` of the same file),
and ``rss_ratio`` (the most memory over the size of the file). The same events as an export of
Nsight Systems: ``export_mb``, ``nsys_s``, ``sqlite_ratio`` (over reading all rows of all tables)
and ``nsys_rss_ratio``.

``--peers`` names an interpreter that has Holistic Trace Analysis or TraceLens, or both; then
``peer_ratio`` says how many times as long each of them takes for the same trace, in the same turns.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.machine import cpu_model
from torchstone.doctor.read.run import read_run
from torchstone.doctor.report import Report, diagnose
from torchstone.doctor.simulate import PATIENTS, write_trace
from torchstone.doctor.simulate_nsys import LAYOUTS, write_export

ABSTAINED, HEALTHY = "TS-U001", "TS-H001"
LABELS = "labels.toml"
CPU = Path("/proc/cpuinfo")
LARGE = "loader"
READ_TABLES = """
import sqlite3, sys
file = sqlite3.connect(sys.argv[1])
tables = [name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
print(sum(1 for name in tables for _ in file.execute(f'SELECT * FROM "{name}"')))
"""
# What each peer offers for the question where the time goes.
PEERS = {
    "hta": """
import sys
from hta.trace_analysis import TraceAnalysis
analysis = TraceAnalysis(trace_files={0: sys.argv[1]}, trace_dir="")
analysis.get_temporal_breakdown(visualize=False)
analysis.get_idle_time_breakdown(ranks=[0], visualize=False)
analysis.get_gpu_kernel_breakdown(visualize=False)
""",
    "tracelens": """
import sys
from TraceLens import TreePerfAnalyzer
analysis = TreePerfAnalyzer.from_file(sys.argv[1])
analysis.get_df_gpu_timeline()
analysis.get_df_kernel_launchers()
""",
}
READ = "import json, sys; print(len(json.load(open(sys.argv[1]))['traceEvents']))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """Hold which diagnoses of a trace are right, and a part of the right place."""

    codes: list[str]
    line: str | None


def judge(found: list[tuple[Label, Report]]) -> dict[str, Any]:
    """Count how often reports are right."""
    sick = [(label, report) for label, report in found if label.codes != [HEALTHY]]
    healthy = [report for label, report in found if label.codes == [HEALTHY]]
    lined = [(label, report) for label, report in sick if label.line]
    return {
        "traces": len(found),
        "top1": sum(report["verdict"] in label.codes for label, report in found),
        "top2": sum(
            bool(set(label.codes) & {report["verdict"], *report["also"][:1]})
            for label, report in found
        ),
        "line_exact": {
            "of": len(lined),
            "found": sum(str(label.line) in " ".join(places(report)) for label, report in lined),
        },
        "false_alarms": {
            "of": len(healthy),
            "found": sum(
                report["verdict"] != HEALTHY and sure(report) >= 0.5 for report in healthy
            ),
        },
        "abstained": sum(
            report["verdict"] == ABSTAINED and ABSTAINED not in label.codes
            for label, report in sick
        ),
        "wrong_sure": sum(
            report["verdict"] not in label.codes and sure(report) >= 0.8 for label, report in found
        ),
    }


def sure(report: Report) -> float:
    """Return the confidence of the verdict."""
    return float(report["findings"][0]["confidence"])


def places(report: Report) -> list[str]:
    """Return the first three places of the verdict."""
    return [
        f"{each['file']}({each['line']}): {each['function']}"
        for each in report["findings"][0]["places"][:3]
    ]


def simulated(folder: Path) -> Iterator[tuple[Label, Report]]:
    """Diagnose the patients of the simulator."""
    for name, patient in PATIENTS.items():
        files = []
        for recording in patient.record():
            files.append(folder / f"{name}.{recording.rank}.json")
            write_trace(recording, files[-1], patient.form)
        yield Label(codes=[patient.code], line=patient.line), diagnose(files, "en")


def labelled(folder: Path) -> Iterator[tuple[Label, Report]]:
    """Diagnose the traces of a folder that have a label."""
    table = tomllib.loads((folder / LABELS).read_text(encoding="utf-8"))
    for name, label in table.items():
        yield (
            Label(codes=label["codes"], line=label.get("line")),
            diagnose([folder / name], "en"),
        )


def measure(megabytes: float, runs: int, folder: Path, peers: str | None) -> dict[str, Any]:
    """Diagnose one large trace, and read it as JSON and with the peers, in turns."""
    patient, path = PATIENTS[LARGE], folder / "large.json"
    (recording, *_) = patient.record()
    write_trace(recording, path, patient.form, num_bytes=int(megabytes * 1e6))
    size = path.stat().st_size
    doctor, reader, memory, events = [], [], [], 0
    others = {name: script for name, script in PEERS.items() if peers and has_peer(peers, script)}
    times: dict[str, list[float]] = {name: [] for name in others}
    for _ in range(runs):
        taken, most, _ = run([sys.executable, "-m", "torchstone.doctor", "diagnose", str(path)])
        doctor.append(taken)
        memory.append(most)
        taken, _, printed = run([sys.executable, "-c", READ, str(path)])
        reader.append(taken)
        events = int(printed)
        for name, script in others.items():
            times[name].append(run([str(peers), "-c", script, str(path)])[0])
    ratios = [a / b for a, b in zip(doctor, reader, strict=True)]
    return {
        "trace_mb": size / 1e6,
        "events": events,
        "diagnose_s": spread(doctor),
        "json_s": spread(reader),
        "json_ratio": spread(ratios),
        "rss_ratio": statistics.median(memory) / size,
        "peer_ratio": {
            name: spread([a / b for a, b in zip(taken, doctor, strict=True)])
            for name, taken in times.items()
        },
        **measure_export(path, runs, folder / "large.sqlite"),
    }


def has_peer(python: str, script: str) -> bool:
    """Return whether an interpreter has what a script imports."""
    imports = "\n".join(line for line in script.splitlines() if line.startswith(("import", "from")))
    return subprocess.run([python, "-c", imports], capture_output=True, check=False).returncode == 0


def measure_export(trace: Path, runs: int, path: Path) -> dict[str, Any]:
    """Diagnose a trace as an export of Nsight Systems, and read its tables, in turns."""
    (rank,) = read_run([trace]).ranks
    write_export(rank.events, path, LAYOUTS[-1], device=rank.device)
    size = path.stat().st_size
    doctor, reader, memory = [], [], []
    for _ in range(runs):
        taken, most, _ = run([sys.executable, "-m", "torchstone.doctor", "diagnose", str(path)])
        doctor.append(taken)
        memory.append(most)
        reader.append(run([sys.executable, "-c", READ_TABLES, str(path)])[0])
    return {
        "export_mb": size / 1e6,
        "nsys_s": spread(doctor),
        "sqlite_ratio": spread([a / b for a, b in zip(doctor, reader, strict=True)]),
        "nsys_rss_ratio": statistics.median(memory) / size,
    }


def run(command: list[str]) -> tuple[float, int, str]:
    """Run a program; return its seconds, its most resident bytes, and what it printed."""
    begin = time.perf_counter()
    with tempfile.TemporaryFile() as printed:
        process = subprocess.Popen(command, stdout=printed)
        _, status, usage = os.wait4(process.pid, 0)
        taken = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise RuntimeError(f"{command[1:3]} ended with status {process.returncode}")
        printed.seek(0)
        return taken, usage.ru_maxrss * 1024, printed.read().decode()


def spread(values: list[float]) -> dict[str, float]:
    """Return the median of some values, and the smallest and largest."""
    return {"median": statistics.median(values), "low": min(values), "high": max(values)}


def main() -> None:
    """Measure, and print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print one object and nothing else")
    parser.add_argument("--quick", action="store_true", help="a small trace, once")
    parser.add_argument("--traces", type=Path, metavar="DIR", help="traces and their labels")
    parser.add_argument("--peers", metavar="PYTHON", help="an interpreter that has the peers")
    parser.add_argument("--megabytes", type=float, default=224.0)
    parser.add_argument("--runs", type=int, default=5)
    given = parser.parse_args()
    size, runs = (2.0, 1) if given.quick else (given.megabytes, given.runs)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found: dict[str, Any] = {
            "machine": {
                "cpu": cpu_model(Path("/proc/cpuinfo").read_text()),
                "cores": os.cpu_count(),
            },
            "simulated": judge(list(simulated(folder))),
            "public": judge(list(labelled(given.traces))) if given.traces else None,
            **measure(size, runs, folder, given.peers),
        }
    sys.stdout.write(json.dumps(found, indent=None if given.json else 2) + "\n")


if __name__ == "__main__":
    main()
