"""The report: the same for the same run, wherever and however it is written."""

from __future__ import annotations

import copy
import random
from pathlib import Path
from typing import Any

import pytest

from tests.doctor.simulated import load, report_of, rounded, saved, simulated
from torchstone.doctor.read import limits
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.report import diagnose
from torchstone.doctor.simulate import PATIENTS, Form, write_trace

pytestmark = pytest.mark.pure

NAMES = ["loader", "pageable", "synchronisation", "allocation", "unexplained", "healthy-memory"]
IDS = ("correlation", "External id", "Python id", "Python parent id", "Sequence number")


@pytest.fixture(params=NAMES)
def trace(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    return load(simulated(tmp_path, request.param, Form(times="int")))


def same(trace: dict[str, Any], changed: dict[str, Any], folder: Path) -> None:
    one, two = saved(folder / "one.json", trace), saved(folder / "two.json", changed)
    assert rounded(report_of(one)) == rounded(report_of(two))


@pytest.mark.parametrize("shift", [-(2**40), 12_345, 2**50])
def test_a_run_at_another_time_is_the_same(
    trace: dict[str, Any], tmp_path: Path, shift: int
) -> None:
    moved = copy.deepcopy(trace)
    for event in moved["traceEvents"]:
        event["ts"] += shift
    same(trace, moved, tmp_path)


def test_a_run_with_other_numbers_is_the_same(trace: dict[str, Any], tmp_path: Path) -> None:
    moved = copy.deepcopy(trace)
    for event in moved["traceEvents"]:
        for key in IDS:
            if event["args"].get(key):
                event["args"][key] += 1_000_003
    same(trace, moved, tmp_path)


def test_events_in_another_order_are_the_same(trace: dict[str, Any], tmp_path: Path) -> None:
    shuffled = copy.deepcopy(trace)
    random.Random(5).shuffle(shuffled["traceEvents"])
    same(trace, shuffled, tmp_path)


def test_pieces_of_another_size_are_the_same(
    trace: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = saved(tmp_path / "one.json", trace)
    whole = report_of(path)
    monkeypatch.setattr(limits, "PIECE_BYTES", 10_007)
    assert report_of(path) == whole


def test_other_events_that_say_nothing_change_nothing(
    trace: dict[str, Any], tmp_path: Path
) -> None:
    more = copy.deepcopy(trace)
    first = more["traceEvents"][0]["ts"]
    more["traceEvents"] += [
        {
            "ph": "M",
            "name": "process_name",
            "pid": 1,
            "tid": 0,
            "ts": 0,
            "args": {"name": "python"},
        },
        {"ph": "s", "cat": "ac2g", "id": 4, "pid": 1, "tid": 1, "ts": first, "name": "ac2g"},
        {"ph": "X", "cat": "Trace", "name": "x", "pid": "Spans", "tid": "P", "ts": 0, "dur": 10**9},
    ]
    same(trace, more, tmp_path)


def test_ranks_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    paths = []
    for recording in PATIENTS["communication"].record():
        paths.append(tmp_path / f"{recording.rank}.json")
        write_trace(recording, paths[-1])
    there, back = diagnose(paths, "en"), diagnose(paths[::-1], "en")
    for report in (there, back):
        report["source"].pop("files")
    assert there == back
    assert there["source"]["ranks"] == 2


def test_one_rank_of_several_says_that_it_is_alone(tmp_path: Path) -> None:
    report = report_of(simulated(tmp_path, "communication"))
    assert any("one rank alone" in note.lower() for note in report["quality"]["notes"])


def test_notes_say_what_the_file_lacks(tmp_path: Path) -> None:
    form = Form(schema="old", times="int", shapes=False)
    notes = " ".join(report_of(simulated(tmp_path, "healthy", form))["quality"]["notes"])
    assert "torch 1.8" in notes
    assert "no Python frames" in notes
    assert "no shapes" in notes


def test_a_file_that_is_cut_is_diagnosed_and_said_to_be(tmp_path: Path) -> None:
    path = simulated(tmp_path, "loader", packed=True)
    path.write_bytes(path.read_bytes()[:-300])
    report = report_of(path)
    assert any("ends in the middle" in note for note in report["quality"]["notes"])


def test_a_file_in_which_nothing_happens_is_refused(tmp_path: Path) -> None:
    for number in (0, 2000):
        with pytest.raises(Refusal):
            diagnose([tmp_path / "none.json"] * number, "en")
    event = {"ph": "X", "cat": "python_function", "name": "a.py(1): f", "ts": 1, "dur": 5}
    with pytest.raises(Refusal, match="no operator"):
        diagnose([saved(tmp_path / "a.json", {"traceEvents": [event]})], "en")


def test_predictions_and_severity_follow_what_can_be_won(tmp_path: Path) -> None:
    report = report_of(simulated(tmp_path, "loader"))
    first = report["findings"][0]
    step = report["window"]["step_ms"]
    low, high = first["predicted_step_ms"]
    assert 0 < low < high < step
    assert low == pytest.approx(step * (1 - 0.586), rel=0.01)
    assert first["severity"] == "high"
    assert report_of(simulated(tmp_path, "healthy"))["findings"][0]["severity"] == "none"
