"""Computation in float64, at the thresholds of TS-N001."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules import float64

pytestmark = pytest.mark.pure


def made(double_us: float, dims: list[list[int]] | None = None, other_us: float = 1000.0) -> Made:
    sizes = dims or [[8, 8], [8, 8]]
    run = Made()
    for step in run.each_step():
        run.operator(
            "aten::mm",
            step,
            step + double_us,
            **{"Input Dims": sizes, "Input type": ["float", "double"]},
        )
        run.operator(
            "aten::mm",
            *(step + 5000, step + 5000 + other_us),
            **{"Input Dims": sizes, "Input type": ["float", "float"]},
        )
    return run


def test_float64_beside_float32_is_found() -> None:
    found = float64.find(made(1000.0).case())
    assert found is not None
    assert found.evidence["of_operators"] == pytest.approx(0.5)
    assert found.recoverable == pytest.approx(0.05)


def test_a_number_is_no_tensor() -> None:
    assert float64.find(made(1000.0, [[8, 8], []]).case()) is None


def test_all_in_float64_may_be_meant() -> None:
    found = float64.find(made(4000.0, other_us=1.0).case())
    assert found is not None
    assert found.margin <= 1.3


@pytest.mark.parametrize(
    ("double_us", "other_us", "is_found"),
    [(501.0, 4499.0, True), (499.0, 4501.0, False), (499.0, 1.0, False)],
)
def test_both_shares_decide(double_us: float, other_us: float, is_found: bool) -> None:
    assert (float64.find(made(double_us, other_us=other_us).case()) is not None) == is_found
