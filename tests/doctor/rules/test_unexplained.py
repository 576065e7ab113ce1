"""U001: too much of the window has no explanation."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules.unexplained import find

pytestmark = pytest.mark.pure


def run(late: float) -> Made:
    """Kernels that begin some time after the host has launched them."""
    made = Made()
    for begin in made.each_step():
        made.operator("aten::mm", begin, begin + 10)
        made.kernel("gemm", begin, begin + late, begin + 10_000)
    return made


def test_a_device_that_begins_late_is_not_explained() -> None:
    found = find(run(5005).case())
    assert found is not None
    assert found.share == found.evidence["unexplained"] == pytest.approx(0.5)
    assert found.margin == pytest.approx(2.5)
    assert found.evidence["launches_found"] == 1.0


@pytest.mark.parametrize(("late", "is_found"), [(2004, False), (2006, True)])
def test_the_border_is_a_fifth_of_the_window(late: float, is_found: bool) -> None:
    assert (find(run(late).case()) is not None) == is_found


def test_without_operators_and_frames_python_is_not_known_either() -> None:
    blind = Made().computes(wait=5000)
    found = find(blind.case())
    assert found is not None
    # The call that launches is known.
    assert found.share == pytest.approx(0.4995)
    blind.frame("train.py(7): loop", 0, 40_000)
    assert find(blind.case()) is None


def test_a_gap_that_the_host_explains_is_explained() -> None:
    made = Made().computes(wait=5000)
    for begin in made.each_step():
        made.operator("aten::mm", begin, begin + 4000)
    assert find(made.case()) is None


def test_a_kernel_whose_launch_is_lost_says_nothing_about_the_host() -> None:
    made = Made().computes(wait=10, until=5000)
    for begin in made.each_step():
        made.span("gemm", "kernel", begin + 8000, begin + 10_000, tid=7)
    found = find(made.operator("aten::mm", 10, 20).case())
    assert found is not None
    assert found.share == pytest.approx(0.3)
    assert found.evidence["launches_found"] == 0.5
