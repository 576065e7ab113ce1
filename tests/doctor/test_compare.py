"""What got better between two runs, and what took the place of what was cured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from torchstone.doctor.compare import compare
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.report import diagnose
from torchstone.doctor.simulate import PATIENTS, write_trace

pytestmark = pytest.mark.pure


def report(step_ms: float, *codes: str, compute: float = 1.0) -> dict[str, Any]:
    return {
        "verdict": codes[0],
        "findings": [{"code": code} for code in codes],
        "window": {"step_ms": step_ms},
        "accounting": {"compute": compute, "idle": {"loader": 1 - compute}},
    }


def compared(folder: Path, before: object, after: object, lang: Any = "en") -> dict[str, Any]:
    paths = folder / "before.json", folder / "after.json"
    for path, made in zip(paths, (before, after), strict=True):
        path.write_text(json.dumps(made))
    return compare(*paths, lang)


def test_what_took_the_place_of_a_cured_disease_is_told(tmp_path: Path) -> None:
    found = compared(
        tmp_path,
        report(100.0, "TS-D001", "TS-L002", compute=0.4),
        report(50.0, "TS-L002", "TS-N001", compute=0.8),
    )
    assert found["ratio"] == 2.0
    assert found["accounts"]["compute"] == pytest.approx(
        {"before_ms": 40.0, "after_ms": 40.0, "difference_ms": 0.0}
    )
    assert found["accounts"]["idle.loader"]["difference_ms"] == pytest.approx(-50.0)
    assert (found["vanished"], found["new"]) == (["TS-D001"], ["TS-N001"])
    assert (found["stayed"], found["took_its_place"]) == (["TS-L002"], "TS-L002")
    assert "2.00 times as fast" in found["summary"]
    assert "What took its place: TS-L002" in found["summary"]


def test_nothing_took_the_place_where_all_is_well_or_nothing_changed(tmp_path: Path) -> None:
    sick, healthy = report(100.0, "TS-D001"), report(50.0, "TS-H001")
    cured = compared(tmp_path, sick, healthy)
    assert (cured["vanished"], cured["new"], cured["took_its_place"]) == (["TS-D001"], [], None)
    same = compared(tmp_path, sick, sick)
    assert (same["ratio"], same["vanished"], same["took_its_place"]) == (1.0, [], None)
    assert "as long as before" in same["summary"]
    worse = compared(tmp_path, healthy, sick)
    assert (worse["ratio"], worse["new"], worse["took_its_place"]) == (0.5, ["TS-D001"], None)
    assert "用时是原来的 2.00 倍" in compared(tmp_path, healthy, sick, "zh")["summary"]


def test_a_trace_and_a_report_of_it_are_the_same(tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    patient = PATIENTS["loader"]
    write_trace(patient.record()[0], trace, patient.form)
    made = tmp_path / "report.json"
    made.write_text(json.dumps(diagnose([trace], "en")))
    found = compare(trace, made, "en")
    assert found["ratio"] == 1.0
    assert found["stayed"] == ["TS-D001"]
    assert all(account["difference_ms"] == 0 for account in found["accounts"].values())


@pytest.mark.parametrize(
    "change",
    [
        {"window": {}},
        {"window": None},
        {"window": {"step_ms": "1"}},
        {"window": {"step_ms": -1.0}},
        {"window": {"step_ms": float("nan")}},
        {"accounting": {"compute": 1.0}},
        {"accounting": []},
        {"findings": [{}]},
        {"findings": 3},
        {"verdict": None},
    ],
)
def test_a_damaged_report_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    whole = report(1.0, "TS-H001")
    with pytest.raises(Refusal) as caught:
        compared(tmp_path, whole, whole | change)
    assert caught.value.code == "report_damaged"


def test_what_is_neither_is_refused_as_a_trace_is(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as caught:
        compared(tmp_path, report(1.0, "TS-H001"), {"other": 1})
    assert caught.value.code == "no_events"
    with pytest.raises(Refusal) as caught:
        compare(tmp_path / "none", tmp_path / "none", "en")
    assert caught.value.code == "no_file"
