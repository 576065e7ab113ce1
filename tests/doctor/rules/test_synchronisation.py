"""S001: the queue runs empty behind a call that waits for the device."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules.synchronisation import find

pytestmark = pytest.mark.pure

CALL = "cudaStreamSynchronize"


def run(gap: float, steps: int = 4, name: str = CALL) -> Made:
    """A kernel, a call that waits for it, and a kernel that is launched after a gap."""
    made = Made()
    for step, begin in enumerate(made.each_step()):
        middle = begin + 5000
        made.kernel("first", begin, begin, middle)
        if step < steps:
            made.operator("aten::item", begin + 20, middle + 10)
            made.span(name, "cuda_runtime", begin + 30, middle + 10)
        made.operator("aten::mul", middle + 10, middle + gap)
        ready = middle + gap
        made.kernel("second", ready - 5, ready, begin + 10_000, returned=ready)
    return made


def test_the_gaps_behind_calls_are_told() -> None:
    found = find(run(2000).case())
    assert found is not None
    assert found.share == found.recoverable == pytest.approx(0.2)
    assert found.margin == pytest.approx(4.0)
    assert found.evidence == pytest.approx({"gap_ms": 2.0, "per_step": 1.0})


@pytest.mark.parametrize(("gap", "is_found"), [(499, False), (501, True)])
def test_the_border_of_the_share(gap: float, is_found: bool) -> None:
    assert (find(run(gap).case()) is not None) == is_found


@pytest.mark.parametrize(("steps", "is_found"), [(3, False), (4, True)])
def test_the_border_is_one_call_a_step(steps: int, is_found: bool) -> None:
    assert (find(run(4000, steps).case()) is not None) == is_found


def test_a_call_that_only_launches_lets_nothing_run_empty() -> None:
    assert find(run(2000, name="cudaLaunchKernel").case()) is None


def test_a_call_behind_which_the_queue_is_full_costs_nothing() -> None:
    made = Made()
    for begin in made.each_step():
        made.kernel("first", begin, begin, begin + 5000)
        made.kernel("second", begin + 10, begin + 5000, begin + 10_000)
        # It waits for an event of the first.
        made.span("cudaEventSynchronize", "cuda_runtime", begin + 30, begin + 5000)
        made.operator("aten::mul", begin + 6000, begin + 6010)
    assert find(made.case()) is None


def test_what_is_loaded_behind_a_call_would_stay() -> None:
    made = run(2000)
    for begin in made.each_step():
        name = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__"
        made.span(name, "user_annotation", begin + 5010, begin + 6990)
    assert find(made.case()) is None


def test_what_ends_the_last_step_is_the_programs_own() -> None:
    made = Made(1)
    made.operator("aten::mul", 0, 10).kernel("gemm", 0, 5, 5000)
    made.span("cudaDeviceSynchronize", "cuda_runtime", 20, 5010)
    assert find(made.case()) is None
