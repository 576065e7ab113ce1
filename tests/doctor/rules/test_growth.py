"""Memory that grows, at the thresholds of TS-M003."""

from __future__ import annotations

import numpy as np
import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules import growth

pytestmark = pytest.mark.pure


def made(slope: int, num_steps: int = 10, *, backward: bool = True, base: int = 10_000_000) -> Made:
    run = Made(num_steps)
    name = "autograd::engine::evaluate_function: AddBackward0" if backward else "aten::mm"
    for at, step in enumerate(run.each_step()):
        run.operator(name, step, step + 10)
        run.memory(step + 5, base, base)
        run.memory(step + 9000, -base + at * slope, base // 2 + at * slope)
    return run


def test_steady_growth_in_training_is_found() -> None:
    found = growth.find(made(200_000).case())
    assert found is not None
    assert found.evidence["slope_kb"] == pytest.approx(200.0)
    assert found.recoverable == 0


@pytest.mark.parametrize(
    ("slope", "num_steps", "backward", "is_found"),
    [
        (101_000, 8, True, True),
        (99_000, 8, True, False),
        (200_000, 7, True, False),
        (200_000, 10, False, False),
    ],
)
def test_slope_steps_and_training_decide(
    slope: int, num_steps: int, backward: bool, is_found: bool
) -> None:
    assert (growth.find(made(slope, num_steps, backward=backward).case()) is not None) == is_found


def test_the_slope_is_not_moved_by_one_value() -> None:
    assert growth.slope_of(np.array([0.0, 1.0, 2.0, 300.0, 4.0, 5.0])) == pytest.approx(1.0)
