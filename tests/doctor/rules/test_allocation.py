"""M001: warm steps take memory from the driver."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules.allocation import find

pytestmark = pytest.mark.pure


def run(took: float, per_step: int = 1, steps: tuple[int, ...] = (0, 1, 2, 3)) -> Made:
    """A device that waits for allocations at the begin of some steps."""
    made = Made().computes(wait=took * per_step + 100)
    for step in steps:
        for number in range(per_step):
            begin = made.each_step()[step] + number * took
            made.span("cudaMalloc", "cuda_runtime", begin, begin + took)
    return made


def test_what_warm_steps_allocate_is_told() -> None:
    found = find(run(500, 2).case())
    assert found is not None
    # The first of four steps does not count.
    assert found.share == found.recoverable == pytest.approx(0.075)
    assert found.margin == pytest.approx(3.75)
    assert found.evidence == pytest.approx({"per_step": 2.0, "call_ms": 1.0})


@pytest.mark.parametrize(("steps", "is_found"), [((1, 2), False), ((1, 2, 3), True)])
def test_the_border_is_one_call_a_step(steps: tuple[int, ...], is_found: bool) -> None:
    assert (find(run(10, steps=steps).case()) is not None) == is_found


@pytest.mark.parametrize(("took", "is_found"), [(799, False), (801, True)])
def test_the_border_of_the_share(took: float, is_found: bool) -> None:
    assert (find(run(took, steps=(2,)).case()) is not None) == is_found


def test_the_first_step_may_allocate() -> None:
    assert find(run(500, 10, steps=(0,)).case()) is None


@pytest.mark.parametrize(
    ("names", "is_found"),
    [
        (("cudaMallocAsync", "cudaFreeAsync"), False),
        (("hipMallocAsync", "cuMemFreeAsync_v2"), False),
        (("cudaMalloc", "cudaFree"), True),
    ],
)
def test_an_allocator_with_a_pool_of_the_driver_calls_it_by_right(
    names: tuple[str, str], is_found: bool
) -> None:
    made = Made().computes()
    for begin in made.each_step():
        for number, name in enumerate(names * 5):
            at = begin + 100 + number * 10
            made.span(name, "cuda_runtime", at, at + 2)
    assert (find(made.case()) is not None) == is_found


def test_a_pool_that_the_device_waits_for_is_told() -> None:
    made = Made().computes(wait=1000)
    for begin in made.each_step():
        made.span("cudaMallocAsync", "cuda_runtime", begin, begin + 900)
    found = find(made.case())
    assert found is not None
    assert found.share == pytest.approx(0.0675)
    assert found.margin == pytest.approx(3.375)


def test_one_step_is_not_warm() -> None:
    made = Made(1).computes(wait=5000)
    assert find(made.span("cudaMalloc", "cuda_runtime", 100, 4000).case()) is None
