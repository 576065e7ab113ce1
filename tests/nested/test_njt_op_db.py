"""Torch's own samples of jagged tensors: quantized ones give what their values give."""

from __future__ import annotations

import pytest

from benchmarks.nested_oracle import outcomes

pytestmark = [pytest.mark.torch, pytest.mark.full]


def test_every_operator_of_torch_equals_the_dequantized_computation() -> None:
    found = [*outcomes()]
    assert [(each.name, each.wrong) for each in found if each.wrong] == []
    assert sum(each.right > 0 for each in found) >= 205
    assert sum(each.right for each in found) >= 2390
