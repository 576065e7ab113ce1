"""W001: a run that is not warm."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules.warm_up import find

pytestmark = pytest.mark.pure


def cold(num: int, took: float, steps: int = 4) -> Made:
    """Calls of some time for which the device waits in the first step."""
    made = Made(steps)
    for number in range(num):
        made.span("cudaMalloc", "cuda_runtime", number * took, (number + 1) * took)
    whole = num * took
    made.operator("aten::mm", whole, whole + 5)
    return made.kernel("gemm", whole, whole + 5, steps * 10_000)


def long_first(first: float) -> Made:
    """Four steps, of which the first takes longer than the 10 ms of each other one."""
    made = Made(0)
    begins = [0.0, *(first + 10_000 * step for step in range(4))]
    for step, (begin, end) in enumerate(pairwise(begins)):
        made.span(f"ProfilerStep#{step}", "user_annotation", begin, end)
        made.kernel("gemm", begin, begin, end)
    return made


def test_calls_that_load_libraries_are_told() -> None:
    found = find(cold(2, 8000).case())
    assert found is not None
    assert found.share == pytest.approx(0.4)
    assert found.margin == pytest.approx(0.4 / 0.3)
    assert found.evidence["cold"] == pytest.approx(0.4)
    # They touch.
    assert found.evidence["calls"] == 1


@pytest.mark.parametrize(("took", "is_found"), [(5_990, False), (6_010, True)])
def test_the_border_is_three_tenths_of_the_window(took: float, is_found: bool) -> None:
    assert (find(cold(1, took, steps=2).case()) is not None) == is_found


@pytest.mark.parametrize(("took", "is_found"), [(4_999, False), (5_001, True)])
def test_the_border_of_a_call(took: float, is_found: bool) -> None:
    # Two calls have half of the window, if they count.
    assert (find(cold(2, took, steps=2).case()) is not None) == is_found


@pytest.mark.parametrize(("first", "is_found"), [(19_900, False), (20_100, True)])
def test_a_first_step_of_twice_the_median_is_not_warm(first: float, is_found: bool) -> None:
    found = find(long_first(first).case())
    assert (found is not None) == is_found
    if found is not None:
        assert found.evidence["first_step"] == pytest.approx(2.01)
        assert found.share == pytest.approx(10_100 / 50_100)


def test_a_processor_may_have_been_taken_by_another_program() -> None:
    made = Made(0)
    for step, (begin, end) in enumerate([(0, 30_000), (30_000, 40_000), (40_000, 50_000)]):
        made.span(f"ProfilerStep#{step}", "user_annotation", begin, end)
        made.operator("aten::mm", begin, end)
    assert find(made.case()) is None


def test_what_the_first_steps_compile_is_warming_up() -> None:
    made = Made().computes(wait=9000)
    for begin in made.each_step():
        made.frame("torch/_dynamo/convert_frame.py(600): _compile", begin, begin + 8000)
    found = find(made.case())
    assert found is not None
    # Of four steps, only the first two.
    assert found.evidence["cold"] == pytest.approx(0.4)


def test_long_calls_beside_a_busy_device_cost_nothing() -> None:
    made = Made().computes()
    assert find(made.span("cudaMalloc", "cuda_runtime", 100, 39_000).case()) is None
