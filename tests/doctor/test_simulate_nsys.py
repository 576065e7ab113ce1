"""A run gets the same report from a trace of the profiler and from an export in each layout."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.doctor.read.exports import RUNS, profiled
from torchstone.doctor.events import NONE
from torchstone.doctor.read.kinds import Kind
from torchstone.doctor.read.run import RankEvents, read_run
from torchstone.doctor.report import diagnose
from torchstone.doctor.simulate_nsys import LAYOUTS, write_export

pytestmark = pytest.mark.pure

FOUND = {
    **{"loader": "TS-D001", "launch": "TS-L001", "products": "TS-K002", "pageable": "TS-P001"},
    **{"waiting": "TS-S001", "exchange": "TS-C001", "allocation": "TS-M001"},
}


def flat(report: Any, name: str = "") -> dict[str, Any]:
    """The values of a report by their path."""
    if isinstance(report, dict):
        parts = report.items()
    elif isinstance(report, list):
        parts = ((str(at), each) for at, each in enumerate(report))
    else:
        return {name: report}
    return {
        key: value for part, each in parts for key, value in flat(each, f"{name}.{part}").items()
    }


def comparable(report: dict[str, Any]) -> tuple[dict[str, float], dict[str, Any]]:
    """The numbers of a report, and its words but for its source and sentences with numbers."""
    del report["quality"]["notes"], report["source"], report["summary"]
    told = flat(report)
    numbers = {key: float(value) for key, value in told.items() if isinstance(value, int | float)}
    said = ("explanation", "manager")
    words = {
        key: value for key, value in told.items() if key not in numbers and not key.endswith(said)
    }
    return numbers, words


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", sorted(RUNS))
def test_reports_of_a_trace_and_of_an_export_are_equal(
    tmp_path: Path, name: str, layout: str
) -> None:
    trace = profiled(tmp_path / "trace.json", name)
    (rank,) = read_run([trace]).ranks
    export = tmp_path / "export.sqlite"
    write_export(rank.events, export, layout, device=rank.device)
    wanted, came = diagnose([trace], "en"), diagnose([export], "en")
    assert FOUND[name] in (wanted["verdict"], *wanted["also"])
    assert came["source"]["format"] == "nsys"
    assert came["source"]["device"] == "Card"
    assert came["source"]["schema"].startswith(layout)
    numbers, words = comparable(came)
    wanted_numbers, wanted_words = comparable(wanted)
    assert words == wanted_words
    assert numbers == pytest.approx(wanted_numbers, rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_operators_say_comes_back(tmp_path: Path, layout: str) -> None:
    (trace,) = read_run([profiled(tmp_path / "trace.json", "pageable")]).ranks
    export = tmp_path / "export.sqlite"
    write_export(trace.events, export, layout, device=trace.device)
    (came,) = read_run([export]).ranks
    assert came.device == trace.device
    assert told(came) == told(trace)


def told(rank: RankEvents) -> list[tuple[Any, ...]]:
    """What a report may depend on, of each event."""
    events = rank.events
    shapes = [*(each.dims.replace(b" ", b"") for each in events.signatures), b""]
    columns = (events.t0.round(2), events.t1.round(2), events.kind, events.size, events.sequence)
    rows = zip(*(column.tolist() for column in columns), events.name, events.shapes, strict=True)
    return sorted(
        (*row[:3], max(0, row[3]), row[4], events.names[row[5]], shapes[row[6]]) for row in rows
    )


def test_the_layout_and_the_file_are_checked(tmp_path: Path) -> None:
    (rank,) = read_run([profiled(tmp_path / "trace.json", "launch")]).ranks
    with pytest.raises(ValueError, match="none of 2020"):
        write_export(rank.events, tmp_path / "a.sqlite", "1.0")
    with pytest.raises(ValueError, match="exists"):
        write_export(rank.events, tmp_path / "trace.json", "2020")


def test_frames_are_left_out(tmp_path: Path) -> None:
    (rank,) = read_run([profiled(tmp_path / "trace.json", "launch")]).ranks
    python = np.where(rank.events.kind == Kind.OPTIMIZER, 5, NONE)
    write_export(replace(rank.events, python=python), tmp_path / "a.sqlite", "3.25")
    (came,) = read_run([tmp_path / "a.sqlite"]).ranks
    assert not len(came.events.of(Kind.OPTIMIZER))
    assert len(came.events) == len(rank.events) - int((python == 5).sum())
