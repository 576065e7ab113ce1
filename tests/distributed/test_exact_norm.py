"""Sums of squares have no order: every division gives the same bits, and the right ones."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from torchstone.distributed import World, run_threads
from torchstone.distributed.exact_norm import sum_of_squares

pytestmark = [pytest.mark.torch]

numbers = st.floats(width=32, allow_nan=False, allow_infinity=False).filter(
    lambda x: x == 0 or 1e-18 < abs(x) < 1e18
)


def sum_over(parts: list[torch.Tensor], num_elements: int) -> list[float]:
    def run(world: World) -> float:
        return sum_of_squares([parts[world.rank]], num_elements, world.comm())

    return [float(each) for each in run_threads(run, len(parts))]


@given(st.lists(numbers, min_size=1, max_size=60), st.integers(1, 5), st.randoms())
def test_every_division_and_order_gives_the_same_bits(
    values: list[float], num_parts: int, random: object
) -> None:
    whole = torch.tensor(values, dtype=torch.float32)
    wanted = sum_over([whole], len(values))[0]
    mixed = whole[torch.randperm(len(values))]
    assert sum_over(list(mixed.tensor_split(num_parts)), len(values)) == [wanted] * num_parts


@given(st.lists(numbers, min_size=1, max_size=60))
def test_the_sum_is_exact_to_float64(values: list[float]) -> None:
    whole = torch.tensor(values, dtype=torch.float32)
    exact = sum(Fraction(float(each)) ** 2 for each in whole)
    found = sum_over([whole], len(values))[0]
    assert abs(Fraction(found) - exact) <= exact * Fraction(1, 2**50)


def test_many_elements_of_unlike_sizes_are_exact() -> None:
    values = torch.randn(40_000) * 10.0 ** torch.randint(-8, 8, (40_000,))
    exact = math.fsum(float(each) ** 2 for each in values)
    for parts in (1, 3):
        found = sum_over(list(values.tensor_split(parts)), values.numel())
        assert found == [pytest.approx(exact, rel=1e-14)] * parts
    assert sum_over([values], values.numel())[0] == found[0]


@pytest.mark.parametrize("bad", [float("nan"), float("inf")])
def test_what_is_not_finite_is_told(bad: float) -> None:
    found = sum_over([torch.ones(3), torch.tensor([1.0, bad])], 5)
    assert all(math.isnan(each) if math.isnan(bad) else each == bad for each in found)


def test_of_nothing_it_is_zero() -> None:
    assert sum_over([torch.zeros(4), torch.empty(0)], 4) == [0.0, 0.0]
