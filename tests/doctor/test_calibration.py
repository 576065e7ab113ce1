"""The processor is measured, and what came is kept."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import pytest

pytest.importorskip("torch")

from torchstone.doctor import calibration
from torchstone.doctor.calibration import calibrate_machine
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.roofline.kept_peaks import read_peaks
from torchstone.doctor.roofline.peaks import Peaks

pytestmark = [pytest.mark.torch, pytest.mark.full]


def test_what_was_measured_is_kept_for_this_machine(tmp_path: Path) -> None:
    path = tmp_path / "peaks.json"
    told = calibrate_machine(path)
    json.dumps(told, allow_nan=False)
    assert {"float32", "float64", "bfloat16"} <= told["flops"].keys()
    assert min(*told["flops"].values(), told["bandwidth"]) > 1e6
    kept = read_peaks(path)
    assert kept is not None
    peaks = kept.of_host(platform.node())
    assert peaks is not None
    assert peaks.flops == told["flops"]
    assert told["ridge"] == pytest.approx(told["flops"]["float32"] / told["bandwidth"])


def test_a_measurement_that_fails_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "PRODUCTS", "torchstone.doctor.capture.nothing_here")
    monkeypatch.setattr(calibration, "calibrate", lambda name: P)
    with pytest.raises(Refusal) as caught:
        calibrate_machine(None)
    assert caught.value.code == "calibration_failed"


P = Peaks(name="CPU", flops={"float32": 1.0}, bandwidth=1.0)


def test_a_measurement_that_does_not_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "_LIMIT_SECONDS", 0.01)
    monkeypatch.setattr(calibration, "calibrate", lambda name: P)
    with pytest.raises(Refusal) as caught:
        calibrate_machine(None)
    assert caught.value.code == "calibration_slow"
