"""Compilation in warm steps, at the share of TS-L004."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules import recompilation

pytestmark = pytest.mark.pure


NAME = "torch/_dynamo/convert_frame.py(1): _compile"


def made(steps: list[int], compile_us: float) -> Made:
    run = Made()
    for step in run.each_step():
        run.operator("aten::mm", step + 5000, step + 9000)
    for step in steps:
        run.frame(NAME, step * 10_000.0 + 1, step * 10_000.0 + 1 + compile_us)
    return run


def test_compiling_after_the_second_step_is_found() -> None:
    found = recompilation.find(made([0, 1, 2, 3], 4000.0).case())
    assert found is not None
    assert found.share == pytest.approx(0.2)
    assert found.recoverable == pytest.approx(0.4)
    assert found.evidence["per_step"] == 1


def test_the_first_two_steps_may_compile() -> None:
    case = made([0, 1], 4000.0).case()
    assert recompilation.find(case) is None
    assert recompilation.first_compilations(case).length == pytest.approx(8000.0)


@pytest.mark.parametrize(("compile_us", "is_found"), [(2001.0, True), (1999.0, False)])
def test_the_share_decides(compile_us: float, is_found: bool) -> None:
    assert (recompilation.find(made([3], compile_us).case()) is not None) == is_found
