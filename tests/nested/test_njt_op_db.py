"""Torch's own samples of jagged tensors: quantized ones give what their values give."""

from __future__ import annotations

import pytest

from benchmarks.nested_oracle import outcomes

pytestmark = [pytest.mark.torch]


def test_a_tenth_of_torchs_operators_equal_the_dequantized_computation() -> None:
    found = [*outcomes(slice(3, None, 10))]
    assert [(each.name, each.wrong) for each in found if each.wrong] == []
    assert sum(each.right for each in found) >= 150
    assert sum(each.with_gradients for each in found) >= 100


@pytest.mark.full
def test_every_operator_of_torch_equals_the_dequantized_computation() -> None:
    found = [*outcomes()]
    assert [(each.name, each.wrong) for each in found if each.wrong] == []
    assert sum(each.right > 0 for each in found) >= 205
    assert sum(each.right for each in found) >= 2390
