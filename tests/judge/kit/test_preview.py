"""A preview is data that JSON can carry, and shows the worst place of a large tensor."""

import json
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from torchstone.judge.kit import preview
from torchstone.judge.kit.preview import WHOLE_CAP, TensorPreview

pytestmark = pytest.mark.torch


def tensor(value: torch.Tensor, ratios: torch.Tensor | None = None) -> TensorPreview:
    shown = preview(value, ratios)
    assert isinstance(shown, TensorPreview)
    return shown


def test_a_small_tensor_is_shown_whole() -> None:
    shown = tensor(torch.arange(6).view(2, 3).T)
    assert shown.shape == (3, 2)
    assert shown.stride == (1, 3)
    assert shown.values == (0, 3, 1, 4, 2, 5)
    assert shown.window is None
    assert shown.marks == ()


def test_what_json_has_no_number_for_is_spelt() -> None:
    special = tensor(torch.tensor([math.nan, math.inf, -math.inf])).values
    assert special == ("nan", "inf", "-inf")
    assert tensor(torch.tensor([1 + 2j])).values == ("(1+2j)",)
    json.dumps(to_builtins(preview({"any": object()})))


def test_elements_past_their_tolerance_are_marked() -> None:
    ratios = torch.tensor([0.5, 1.0, 1.5, math.inf, math.nan])
    assert tensor(torch.zeros(5), ratios).marks == (2, 3, 4)


def test_ratios_of_another_shape_mark_nothing() -> None:
    assert tensor(torch.zeros(5), torch.full((2,), 9.0)).marks == ()


@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(0, 10**9))
def test_the_window_lies_inside_and_holds_the_worst_element(shape: list[int], at: int) -> None:
    value = torch.arange(math.prod(shape)).view(shape)
    ratios = torch.zeros(value.numel(), dtype=torch.float64)
    worst = at % value.numel()
    ratios[worst] = 9
    shown = tensor(value, ratios.view(shape))
    assert worst in shown.values
    assert [shown.values[mark] for mark in shown.marks] == [worst]
    assert len(shown.values) <= WHOLE_CAP
    for (start, stop), size in zip(shown.window or [], shape, strict=False):
        assert 0 <= start < stop <= size
