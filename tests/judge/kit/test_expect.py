"""Tolerances follow the precision that is computed in and the one that is answered in."""

import math

import pytest
import torch

from torchstone.judge.kit import Raises, bound, ulp

pytestmark = pytest.mark.torch

EDGES = [0.0, 1.0, 1.5, -2.0, 3e-5, 6e4, 0.1]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32])
def test_a_unit_in_the_last_place_reaches_another_number(dtype: torch.dtype) -> None:
    value = torch.tensor(EDGES, dtype=dtype)
    next_one = value.double() + ulp(value, dtype)
    assert bool((next_one > value.double()).all())
    assert torch.equal(next_one.to(dtype).double(), next_one)


def test_a_unit_in_the_last_place_is_the_distance_to_the_neighbour() -> None:
    value = torch.tensor([1.0, 1.5, 3e-5, 6e4, 0.1])
    neighbour = torch.nextafter(value, torch.full_like(value, math.inf))
    assert torch.equal(ulp(value, torch.float32), neighbour.double() - value.double())


def test_near_zero_the_unit_is_the_subnormal_step() -> None:
    info = torch.finfo(torch.float16)
    got = ulp(torch.tensor([0.0, info.smallest_normal / 2]), torch.float16)
    assert got.tolist() == [info.smallest_normal * info.eps] * 2


def test_infinity_and_nan_have_a_finite_unit() -> None:
    assert bool(ulp(torch.tensor([math.inf, -math.inf, math.nan]), torch.float16).isfinite().all())


@pytest.mark.parametrize("half", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_single_and_rounded_once(half: torch.dtype) -> None:
    scale, value = torch.tensor([2.0]), torch.tensor([1.0])
    single = bound(scale, 4, torch.float32)
    assert single.dtype == torch.float64
    assert single.item() == 8 * torch.finfo(torch.float32).eps
    assert bound(scale, 4, half).item() == single.item()
    rounded = bound(scale, 4, half, value)
    assert rounded.item() == single.item() + torch.finfo(half).eps
    assert bound(scale, 4, torch.float32, value).item() == single.item()
    assert bound(scale, 4, torch.float64).item() == 8 * torch.finfo(torch.float64).eps


def test_an_exception_is_known_by_its_type_or_a_base() -> None:
    wanted = Raises(ValueError, IndexError)
    assert wanted.matches({"type": "ValueError", "bases": ["Exception"]})
    assert wanted.matches({"type": "MyError", "bases": ["IndexError", "LookupError"]})
    assert not wanted.matches({"type": "LookupError", "bases": ["Exception"]})
    assert not wanted.matches({"type": "TypeError"})
    assert not wanted.matches("ValueError")
