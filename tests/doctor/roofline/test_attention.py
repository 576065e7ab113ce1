"""Attention in one kernel: both layouts, causal masks, grouped heads."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import shapes
from torchstone.doctor.roofline.shapes import work_of

pytestmark = pytest.mark.pure

HALF = "c10::BFloat16"


def test_both_layouts_count_the_same() -> None:
    first = work_of("aten::_scaled_dot_product_flash_attention", shapes([[2, 4, 16, 8]] * 3, HALF))
    last = work_of("aten::_flash_attention_forward", shapes([[2, 16, 4, 8]] * 3, HALF))
    assert first is not None
    assert last is not None
    assert first.flops == last.flops == 4 * 2 * 4 * 16 * 16 * 8
    # The scores are in no memory.
    assert first.num_bytes == last.num_bytes == 4 * 2 * (2 * 4 * 16 * 8)


def test_a_causal_mask_leaves_about_half() -> None:
    values = ["", "", "", "0.", "True"]
    dims = [[1, 1, 16, 8]] * 3 + [[], []]
    types = [HALF] * 3 + ["Scalar"] * 2
    found = work_of("aten::_scaled_dot_product_flash_attention", shapes(dims, types, values))
    assert found is not None
    assert found.dense == pytest.approx(17 / 32)
    assert found.flops == 4 * 16 * 16 * 8


def test_backward_has_five_products_where_forward_has_two() -> None:
    found = work_of("aten::_flash_attention_backward", shapes([[2, 16, 4, 8]] * 5, HALF))
    assert found is not None
    assert found.flops == 2.5 * 4 * 2 * 4 * 16 * 16 * 8


def test_sequences_of_several_lengths_are_unknown() -> None:
    assert work_of("aten::_flash_attention_forward", shapes([[40, 4, 8]] * 3, HALF)) is None
