"""Loops of small operators, at the thresholds of TS-L003."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules import small_operators

pytestmark = pytest.mark.pure


def made(repeats: int, operator_us: float = 10.0, *, modules: int = 1, names: int = 1) -> Made:
    run = Made()
    for step in run.each_step():
        function = run.frame("train.py(10): step", step, step + 9000)
        for at in range(repeats):
            begin = step + 1 + at * 100
            module = run.frame(
                f"nn.Module: Linear_{at % modules}", begin, begin + 50, parent=function
            )
            run.frame("torch/linear.py(1): forward", begin + 1, begin + 49, parent=module)
            run.operator(f"aten::linear{at % names}", begin + 2, begin + 2 + operator_us)
    return run


def test_a_loop_over_one_module_is_found_with_the_python_in_it() -> None:
    found = small_operators.find(made(80).case())
    assert found is not None
    assert found.evidence["repeats"] == 80
    assert found.evidence["operator_us"] == pytest.approx(10.0)
    assert found.share == pytest.approx(0.79, abs=0.02)
    assert found.margin <= 1.45


def test_layers_of_their_own_are_no_loop() -> None:
    assert small_operators.find(made(80, modules=80).case()) is None


def test_without_frames_nothing_is_told() -> None:
    run = Made()
    for step in run.each_step():
        for at in range(80):
            run.operator("aten::linear", step + at * 100, step + at * 100 + 10)
    assert small_operators.find(run.case()) is None


@pytest.mark.parametrize(
    ("repeats", "operator_us", "is_found"),
    [(64, 19.5, True), (63, 19.5, False), (64, 20.5, False)],
)
def test_repeats_and_size_decide(repeats: int, operator_us: float, is_found: bool) -> None:
    assert (small_operators.find(made(repeats, operator_us).case()) is not None) == is_found
