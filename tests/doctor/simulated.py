"""Simulated files, and columns of events made by hand, for the tests of the doctor."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from torchstone.doctor.events import NONE, Events, Lane
from torchstone.doctor.read.kinds import Kind
from torchstone.doctor.report import Report, diagnose
from torchstone.doctor.simulate import PATIENTS, Form, write_trace

# Whole microseconds, so that no time is rounded when the run is moved.
WHOLE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """An event; lanes below 10 are threads of the host."""

    kind: Kind
    begin: float
    end: float
    lane: int = 0
    name: str = ""
    device: int = 0
    correlation: int = NONE
    external: int = NONE
    sequence: int = NONE
    python: int = NONE
    parent: int = NONE
    size: int = NONE


def made(rows: Sequence[Row]) -> Events:
    """Columns of events in order of time."""
    rows = sorted(rows, key=lambda row: (row.begin, -row.end))
    names = sorted({row.name for row in rows})
    lanes = sorted({row.lane for row in rows})

    def ints(values: list[int]) -> np.ndarray:
        return np.array(values, dtype=np.int64)

    return Events(
        t0=np.array([row.begin for row in rows], dtype=np.float64),
        t1=np.array([row.end for row in rows], dtype=np.float64),
        kind=np.array([row.kind for row in rows], dtype=np.int8),
        name=ints([names.index(row.name) for row in rows]),
        lane=ints([lanes.index(row.lane) for row in rows]),
        device=ints([row.device for row in rows]),
        correlation=ints([row.correlation for row in rows]),
        external=ints([row.external for row in rows]),
        sequence=ints([row.sequence for row in rows]),
        python=ints([row.python for row in rows]),
        parent=ints([row.parent for row in rows]),
        size=ints([row.size for row in rows]),
        shapes=ints([NONE] * len(rows)),
        stack=ints([NONE] * len(rows)),
        names=names,
        lanes=[Lane(pid=1, tid=lane) for lane in lanes],
    )


def simulated(folder: Path, name: str, form: Form | None = None, *, packed: bool = False) -> Path:
    """The trace of a patient's first rank."""
    path = folder / (f"{name}.json.gz" if packed else f"{name}.json")
    patient = PATIENTS[name]
    write_trace(patient.record(quantum_ns=WHOLE)[0], path, form or patient.form)
    return path


def load(path: Path) -> dict[str, Any]:
    """The JSON of a trace that is not packed."""
    found: dict[str, Any] = json.loads(path.read_text())
    return found


def saved(path: Path, trace: dict[str, Any]) -> Path:
    """A trace written to a file."""
    path.write_text(json.dumps(trace))
    return path


def report_of(path: Path) -> Report:
    """The report of a file, without what names the file."""
    report = diagnose([path], "en")
    report["source"].pop("files")
    return report


def rounded(report: Any) -> Any:
    """A report whose numbers have nine digits."""
    if isinstance(report, dict):
        return {key: rounded(value) for key, value in report.items()}
    if isinstance(report, list):
        return [rounded(value) for value in report]
    return float(f"{report:.9g}") if isinstance(report, float) else report
