"""Debugging left on, at the thresholds of TS-O003."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules import debugging, launch

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(("stack_us", "is_found"), [(501.0, True), (499.0, False)])
def test_stacks_of_anomaly_mode_are_found(stack_us: float, is_found: bool) -> None:
    run = Made()
    for step in run.each_step():
        run.operator("aten::mm", step, step + 100)
        run.frame("torch/fx/traceback.py(497): format_stack", step + 200, step + 200 + stack_us)
    assert (debugging.find(run.case()) is not None) == is_found


def test_the_search_for_nan_behind_a_backward_is_found() -> None:
    run = Made()
    for step in run.each_step():
        run.operator("autograd::engine::evaluate_function: MmBackward0", step, step + 5000)
        run.operator("aten::isnan", step + 1000, step + 2000)
    found = debugging.find(run.case())
    assert found is not None
    assert found.evidence["anomaly"] == pytest.approx(0.1)
    alone = Made().operator("aten::isnan", 0, 9000).case()
    assert debugging.find(alone) is None


@pytest.mark.parametrize(("num_blocking", "is_found"), [(9, True), (8, False)])
def test_launches_that_return_after_their_kernel_are_found(
    num_blocking: int, is_found: bool
) -> None:
    run = Made()
    for step in run.each_step():
        for at in range(10):
            begin = step + at * 1000
            returned = begin + 400 if at < num_blocking else begin + 5
            run.kernel("gemm", begin, begin + 10, begin + 300, returned=returned)
    case = run.case()
    assert debugging.blocking_launches(case) == pytest.approx(num_blocking / 10)
    found = debugging.find(case)
    assert (found is not None) == is_found
    # The queue is empty because launches block, not because the host is slow.
    assert not is_found or launch.find(case) is None
