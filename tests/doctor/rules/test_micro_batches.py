"""Exchange in each micro-batch, at the thresholds of TS-C004."""

from __future__ import annotations

import pytest

from tests.doctor.made import OTHER, Made
from torchstone.doctor.rules import micro_batches

pytestmark = pytest.mark.pure


def gloo(run: Made, begin: float, end: float, size: int) -> Made:
    """An all-reduce of float32, asked for by the main thread."""
    told = {"Input Dims": [[[size]]], "Input type": ["TensorList"]}
    run.operator("c10d::allreduce_", begin, begin + 1, **told)
    return run.span("gloo:all_reduce", "user_annotation", begin, end, tid=OTHER)


def made(micro_batches: int, *, last_only: bool = False, exchange_us: float = 900.0) -> Made:
    run = Made()
    for step in run.each_step():
        for at in range(micro_batches):
            begin = step + at * 2000
            run.span("DistributedDataParallel.forward", "user_annotation", begin, begin + 100)
            run.operator("aten::mm", begin, begin + 100)
            if not last_only or at == micro_batches - 1:
                gloo(run, begin + 200, begin + 200 + exchange_us, 1000)
        run.span("Optimizer.step#SGD.step", "user_annotation", step + 9000, step + 9100)
    return run


def test_an_exchange_after_each_micro_batch_is_found() -> None:
    found = micro_batches.find(made(3).case())
    assert found is not None
    assert found.evidence["micro_batches"] == 3
    assert found.recoverable == pytest.approx(found.share * 2 / 3)


@pytest.mark.parametrize(
    ("num", "last_only", "exchange_us", "is_found"),
    [
        (2, False, 260.0, True),
        (2, False, 240.0, False),
        (1, False, 900.0, False),
        (3, True, 900.0, False),
    ],
)
def test_number_and_share_decide(
    num: int, last_only: bool, exchange_us: float, is_found: bool
) -> None:
    case = made(num, last_only=last_only, exchange_us=exchange_us).case()
    assert (micro_batches.find(case) is not None) == is_found
