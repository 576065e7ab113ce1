"""Forward passes computed twice, at the thresholds of TS-M004."""

from __future__ import annotations

import pytest

from tests.doctor.made import Made
from torchstone.doctor.rules import checkpointing
from torchstone.doctor.source import Device

pytestmark = pytest.mark.pure


MB = 1 << 20
ENGINE = "autograd::engine::evaluate_function: AddmmBackward0"


def made(again_us: float, *, operator: str = "aten::linear") -> Made:
    run = Made()
    for step in run.each_step():
        run.operator(ENGINE, step + 1000, step + 9000)
        run.frame("torch/utils/checkpoint.py(1): unpack_hook", step + 1001, step + 1001 + again_us)
        run.operator(operator, step + 1002, step + 1000 + again_us)
    return run


def test_recomputation_is_found_and_not_sure_without_memory() -> None:
    found = checkpointing.find(made(3000.0).case())
    assert found is not None
    assert found.share == pytest.approx(0.3)
    assert found.margin == pytest.approx(1.2)


def test_a_card_that_is_full_needs_it() -> None:
    card = Device(name="Card", memory=100 * MB)
    assert checkpointing.find(made(3000.0).memory(5, MB, MB, 51 * MB).case(device=card)) is None
    found = checkpointing.find(made(3000.0).memory(5, MB, MB, 49 * MB).case(device=card))
    assert found is not None
    assert found.margin == pytest.approx(2.0)


@pytest.mark.parametrize(("again_us", "is_found"), [(1501.0, True), (1499.0, False)])
def test_the_share_decides(again_us: float, is_found: bool) -> None:
    assert (checkpointing.find(made(again_us).case()) is not None) == is_found
