"""K005: kernels of some microseconds with next to no work."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import addition, case_of
from torchstone.doctor.rules.small_kernels import find

pytestmark = pytest.mark.pure


def tiny(us: float) -> list:  # type: ignore[type-arg]
    """Twenty sums of 1,000 numbers each."""
    one = addition(1000, 1.0)
    return [type(one)(name=one.name, dims=one.dims, us=us, types=one.types)] * 20


def test_small_kernels_are_counted() -> None:
    found = find(case_of(tiny(5.0)))
    assert found is not None
    assert found.evidence["kernels_per_step"] == 20
    assert found.evidence["kernel_us"] == pytest.approx(5.0)
    assert found.share == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(("us", "is_found"), [(9.9, True), (10.1, False)])
def test_the_border_of_the_kernel(us: float, is_found: bool) -> None:
    assert (find(case_of(tiny(us))) is not None) == is_found


@pytest.mark.parametrize(("efficiency", "is_found"), [(0.09, True), (0.11, False)])
def test_the_border_of_the_roof(efficiency: float, is_found: bool) -> None:
    assert (find(case_of([addition(200_000, efficiency)] * 9)) is not None) == is_found


def test_a_tenth_of_the_window_is_needed() -> None:
    assert find(case_of([*tiny(5.0), addition(1 << 26, 0.9), addition(1 << 28, 0.9)])) is None
