"""D004: the loop prepares data itself, in a line that has most of the time."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules.preparation import find

pytestmark = pytest.mark.pure


def run(python: float, lines: int = 1, steps: tuple[int, ...] = (0, 1, 2, 3)) -> Made:
    """A device that waits for Python in some steps, and then for a launch of 5 µs."""
    made = Made()
    for step, begin in enumerate(made.each_step()):
        took = python if step in steps else 0.0
        made.kernel("gemm", begin + took, begin + took + 5, begin + 10_000)
        made.operator("aten::mm", begin + took, begin + took + 5)
        for line in range(lines if took else 0):
            at = begin + took * line / lines
            made.frame(f"train.py({line + 7}): prepare_{line}", at, at + took / lines)
    return made


def test_long_python_before_a_launch_is_preparation() -> None:
    found = find(run(4000).case())
    assert found is not None
    assert found.share == found.recoverable == pytest.approx(0.4)
    assert found.margin == pytest.approx(0.4 / 0.15)
    assert found.evidence == pytest.approx({"python_ms": 4.0, "stretches": 4, "top_line": 1.0})


@pytest.mark.parametrize(("python", "is_found"), [(1499, False), (1501, True)])
def test_the_border_of_the_share(python: float, is_found: bool) -> None:
    assert (find(run(python).case()) is not None) == is_found


@pytest.mark.parametrize(("lines", "is_found"), [(2, True), (3, False)])
def test_one_line_has_half_of_it(lines: int, is_found: bool) -> None:
    assert (find(run(4000, lines).case()) is not None) == is_found


@pytest.mark.parametrize(("steps", "is_found"), [((1,), False), ((1, 3), True)])
def test_what_comes_once_may_be_another_program(steps: tuple[int, ...], is_found: bool) -> None:
    assert (find(run(7000, steps=steps).case()) is not None) == is_found


@pytest.mark.parametrize(("stretch", "is_found"), [(198, False), (202, True)])
def test_short_python_around_operators_is_not_preparation(stretch: float, is_found: bool) -> None:
    made = Made()
    made.frame("train.py(7): loop", 0, 40_000)
    period = 250.0
    for number in range(160):
        at = number * period + stretch
        made.operator("aten::mm", at, at + 5)
        made.kernel("gemm", at, at + 5, (number + 1) * period)
    assert (find(made.case()) is not None) == is_found


@pytest.mark.parametrize(("python", "is_found"), [(1990, False), (2010, True)])
def test_without_frames_stretches_are_longer(python: float, is_found: bool) -> None:
    assert (find(run(python, lines=0).case()) is not None) == is_found


def test_without_operators_and_frames_nothing_is_known_of_python() -> None:
    assert find(Made().computes(wait=5000).case()) is None


def test_python_beside_a_busy_device_costs_nothing() -> None:
    made = Made().computes()
    for begin in made.each_step():
        made.frame("train.py(7): prepare", begin + 100, begin + 9000)
    assert find(made.case()) is None
