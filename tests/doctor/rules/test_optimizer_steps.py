"""Updates of parameters one by one, at the thresholds of TS-L002."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules import optimizer_steps

pytestmark = pytest.mark.pure


NAMES = ("aten::mul_", "aten::lerp_", "aten::addcmul_", "aten::addcdiv_")


def made(parameters: int, per_parameter: int, update_us: float = 4000.0) -> Made:
    run = Made()
    for step in run.each_step():
        run.operator("aten::mm", step, step + 4000)
        run.span(
            "Optimizer.step#AdamW.step", "user_annotation", step + 5000, step + 5000 + update_us
        )
        for at in range(parameters):
            for number, name in enumerate(NAMES[:per_parameter]):
                begin = step + 5001 + 4 * at + number
                run.operator(name, begin, begin + 0.5)
    return run


def test_many_small_updates_are_found() -> None:
    found = optimizer_steps.find(made(20, 4).case())
    assert found is not None
    assert found.evidence["parameters"] == 20
    assert found.evidence["per_parameter"] == 4
    assert found.share == pytest.approx(0.4)
    assert found.recoverable == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("parameters", "per_parameter", "update_us", "is_found"),
    [(8, 3, 501.0, True), (7, 3, 501.0, False), (8, 2, 501.0, False), (8, 3, 499.0, False)],
)
def test_each_threshold_decides(
    parameters: int, per_parameter: int, update_us: float, is_found: bool
) -> None:
    case = made(parameters, per_parameter, update_us).case()
    assert (optimizer_steps.find(case) is not None) == is_found
