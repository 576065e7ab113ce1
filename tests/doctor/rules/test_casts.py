"""Casts between floating-point types, at the share of TS-N002."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules import casts

pytestmark = pytest.mark.pure


def made(cast_us: float, types: tuple[str, str] = ("c10::BFloat16", "float")) -> Made:
    run = Made()
    told = {"Input Dims": [[8, 8], [8, 8], []], "Input type": [*types, "Scalar"]}
    for step in run.each_step():
        run.operator("aten::_to_copy", step, step + cast_us)
        run.operator("aten::copy_", step + 10, step + cast_us - 10, **told)
    return run


def test_casts_are_found_with_what_makes_them() -> None:
    found = casts.find(made(2000.0).case())
    assert found is not None
    assert found.share == pytest.approx(0.2)
    assert found.evidence["casts"] == 1


@pytest.mark.parametrize(
    ("cast_us", "types", "is_found"),
    [
        (1001.0, ("float", "double"), True),
        (999.0, ("float", "double"), False),
        (5000.0, ("float", "float"), False),
        (5000.0, ("float", "long int"), False),
    ],
)
def test_share_and_types_decide(cast_us: float, types: tuple[str, str], is_found: bool) -> None:
    assert (casts.find(made(cast_us, types).case()) is not None) == is_found
