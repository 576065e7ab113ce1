"""Peaks of a machine are kept for what was recorded on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from torchstone.doctor.refusal import Refusal
from torchstone.doctor.roofline.kept_peaks import KeptPeaks, read_peaks, write_peaks

pytestmark = pytest.mark.pure

KEPT = KeptPeaks(name="CPU", host="here", threads=2, flops={"float32": 1e11}, bandwidth=2e10)


def test_peaks_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "peaks.json"
    assert read_peaks(path) is None
    write_peaks(KEPT, path)
    assert read_peaks(path) == KEPT
    assert [each.name for each in path.parent.iterdir()] == ["peaks.json"]


def test_only_what_was_recorded_on_the_machine_has_them() -> None:
    peaks = KEPT.of_host("here")
    assert peaks is not None
    assert peaks.is_measured
    assert (peaks.ridge, peaks.name) == (5.0, "CPU")
    assert KEPT.of_host("elsewhere") is None
    assert KEPT.of_host("") is None


@pytest.mark.parametrize(
    "change", [{"bandwidth": 0.0}, {"flops": {"float32": -1.0}}, {"flops": 3}, {"name": None}]
)
def test_a_damaged_file_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    path = tmp_path / "peaks.json"
    write_peaks(KEPT, path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(Refusal) as caught:
        read_peaks(path)
    assert caught.value.code == "peaks_damaged"


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Refusal) as caught:
        write_peaks(KEPT, tmp_path / "file" / "peaks.json")
    assert caught.value.code == "out_unwritable"
