"""Bounds: sides of the ridge, latency, and what is not known."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import addition, case_of, product
from torchstone.doctor.roofline.bound import side
from torchstone.doctor.roofline.peaks import Peaks

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("intensity", "expected"),
    [(125.0, "compute"), (124.9, "mixed"), (80.1, "mixed"), (80.0, "memory")],
)
def test_sides(intensity: float, expected: str) -> None:
    assert side(intensity, 100.0) == expected


def test_operators_have_their_side_and_their_efficiency() -> None:
    ops = [product(4096, 0.5), addition(1 << 24, 0.7), addition(1000, 0.01)]
    found = {each.name + each.bound: each for each in case_of(ops).roofline.operators}
    assert found.keys() == {"aten::mmcompute", "aten::addmemory", "aten::addlatency"}
    assert found["aten::mmcompute"].efficiency == pytest.approx(0.5, rel=1e-3)
    assert found["aten::addmemory"].efficiency == pytest.approx(0.7, rel=1e-3)
    assert found["aten::mmcompute"].flops == 4 * 2 * 4096**3


def test_tf32_has_the_peak_of_tensor_cores() -> None:
    one = product(4096, 0.5, kernel="cutlass_80_tensorop_s1688gemm")
    op = type(one)(name=one.name, dims=one.dims, us=one.us, kernel=one.kernel)
    (found,) = case_of([op]).roofline.operators
    assert found.dtype == "tf32"
    assert found.ridge == pytest.approx(494e12 / 3350e9)


def test_without_peaks_nothing_is_said_about_bounds() -> None:
    (found,) = case_of([product(1024, 0.5)], has_device=False).roofline.operators
    assert (found.bound, found.efficiency, found.ridge) == ("unknown", None, None)
    peaks = Peaks(name="CPU", flops={"float32": 1e11}, bandwidth=1e10, is_measured=True)
    ops = [addition(1 << 20, 0.5)]
    (measured,) = case_of(ops, has_device=False, peaks=peaks).roofline.operators
    assert measured.bound in ("memory", "latency")
