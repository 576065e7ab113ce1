"""L001 of a run without a device: Python holds the operators up."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rank import rank
from torchstone.doctor.rules.interpreter import find

pytestmark = pytest.mark.pure


def run(python: float, lines: int = 4, file: str = "train.py") -> Made:
    """Steps of 10 ms: Python of several functions, and an operator that takes the rest."""
    made = Made()
    for begin in made.each_step():
        for line in range(lines):
            at = begin + python * line / lines
            made.frame(f"{file}({line + 7}): keep_{line}", at, at + python / lines)
        made.operator("aten::mm", begin + python, begin + 10_000)
    return made


def test_python_of_many_lines_is_told_and_where_it_is() -> None:
    first = rank(run(4900).case())[0]
    assert (first.code, first.variant, first.bottleneck) == ("TS-L001", "processor", "host")
    assert first.share == first.recoverable == pytest.approx(0.49)
    assert first.confidence == pytest.approx(0.78)
    assert first.evidence == pytest.approx(
        {"python_ms": 4.9, "own": 0.49, "operators": 0.51, "calls": 1.0}
    )
    assert first.times is not None
    assert first.times.length == pytest.approx(4 * 4900)


@pytest.mark.parametrize(("python", "is_found"), [(1999, False), (2001, True)])
def test_the_border_of_the_share(python: float, is_found: bool) -> None:
    assert (find(run(python).case()) is not None) == is_found


def test_one_line_that_has_most_of_it_is_preparation_and_told_once() -> None:
    assert [each.code for each in rank(run(4900, lines=1).case())] == ["TS-D004"]


@pytest.mark.parametrize(
    ("dilation", "is_found"), [(None, False), (1.0, True), (1.56, False), (1.4, True)]
)
def test_pytorchs_own_python_counts_as_far_as_watching_has_not_added_it(
    dilation: float | None, is_found: bool
) -> None:
    made = run(4900, file="torch/nn/modules/module.py")
    assert (find(made.case(dilation=dilation)) is not None) == is_found


def test_a_run_with_a_device_waits_for_launches() -> None:
    made = run(4900)
    made.kernel("gemm", 4900, 4905, 40_000)
    assert find(made.case()) is None


def test_operators_that_follow_each_other_are_not_held_up() -> None:
    assert "TS-L001" not in [each.code for each in rank(run(400).case())]
