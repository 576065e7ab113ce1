"""K004: large operators far below the bandwidth, and those that have a reason."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import Op, addition, case_of
from torchstone.doctor.roofline.peaks import Peaks
from torchstone.doctor.rules.poor_access import find

pytestmark = pytest.mark.pure


def test_a_sum_at_a_fifth_of_the_bandwidth_is_found_with_what_it_could_win() -> None:
    found = find(case_of([addition(1 << 24, 0.2)]))
    assert found is not None
    assert found.evidence["reached_gbps"] == pytest.approx(670, rel=1e-3)
    assert found.recoverable == pytest.approx(found.share * (1 - 0.2 / 0.7), rel=0.01)


@pytest.mark.parametrize(("efficiency", "is_found"), [(0.39, True), (0.41, False)])
def test_the_border_of_the_efficiency(efficiency: float, is_found: bool) -> None:
    assert (find(case_of([addition(1 << 24, efficiency)])) is not None) == is_found


@pytest.mark.parametrize(("size", "is_found"), [(833_333, False), (833_334, True)])
def test_the_border_of_the_size_is_ten_megabytes(size: int, is_found: bool) -> None:
    assert (find(case_of([addition(size, 0.2)])) is not None) == is_found


def test_norms_read_their_input_twice_and_are_no_case() -> None:
    norm = Op(name="aten::native_layer_norm", dims=[[1 << 14, 1 << 10]], us=500)
    assert find(case_of([norm])) is None


def test_on_a_processor_exponentials_are_no_case() -> None:
    peaks = Peaks(name="CPU", flops={"float32": 1e11}, bandwidth=2e10, is_measured=True)
    dear = Op(name="aten::exp", dims=[[1 << 22]], us=2e4)
    light = Op(name="aten::neg", dims=[[1 << 22]], us=2e4)
    assert find(case_of([dear], has_device=False, peaks=peaks)) is None
    assert find(case_of([light], has_device=False, peaks=peaks)) is not None
