"""Calibration: it takes the time that it is given, and finds peaks that make sense."""

from __future__ import annotations

import pytest

from torchstone.doctor.roofline.calibrate import calibrate
from torchstone.doctor.roofline.work import Family

pytestmark = pytest.mark.pure


def test_peaks_are_measured_for_the_types_that_numpy_multiplies() -> None:
    found = calibrate(0.0)
    assert found.is_measured
    assert 1e8 < found.bandwidth < 1e13
    # Whatever the machine, half the bits are not slower by much.
    assert found.flops["float32"] > 0.5 * found.flops["float64"] > 1e7
    assert found.of(Family.PRODUCT, "bfloat16") is None
