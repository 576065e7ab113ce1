"""Gradients exchanged one by one, at the thresholds of TS-C002."""

from __future__ import annotations

import pytest

from tests.doctor.made import OTHER, Made
from torchstone.doctor.rules import buckets, communication

pytestmark = pytest.mark.pure


def gloo(run: Made, begin: float, end: float, size: int) -> Made:
    """An all-reduce of float32, asked for by the main thread."""
    told = {"Input Dims": [[[size]]], "Input type": ["TensorList"]}
    run.operator("c10d::allreduce_", begin, begin + 1, **told)
    return run.span("gloo:all_reduce", "user_annotation", begin, end, tid=OTHER)


def made(per_step: int, size: int = 100, *, products: bool = False) -> Made:
    run = Made()
    for step in run.each_step():
        run.operator("aten::mm", step, step + 100)
        for at in range(per_step):
            begin = step + 1000 + at * 100
            gloo(run, begin, begin + 90, size)
            if products:
                run.operator("aten::mm", begin + 91, begin + 95)
    return run


def test_many_small_exchanges_are_found_and_are_not_exposed_communication_too() -> None:
    case = made(80).case()
    found = buckets.find(case)
    assert found is not None
    assert found.evidence["payload_kb"] == pytest.approx(0.4)
    assert found.evidence["buckets"] == 1
    whole = communication.find(case)
    assert whole is not None
    assert whole.recoverable == pytest.approx(whole.share / 80)


@pytest.mark.parametrize(
    ("per_step", "size", "products", "is_found"),
    [
        (50, 249_000, False, True),
        (49, 100, False, False),
        (50, 251_000, False, False),
        (50, 100, True, False),
    ],
)
def test_number_payload_and_products_decide(
    per_step: int, size: int, products: bool, is_found: bool
) -> None:
    case = made(per_step, size, products=products).case()
    assert (buckets.find(case) is not None) == is_found
