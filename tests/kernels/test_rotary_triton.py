"""Rotary embedding in Triton's interpreter, compared with plain torch."""

import pytest
import torch
from torch import Tensor

from torchstone.kernels import rotary
from torchstone.kernels.triton import rotary as in_triton

pytestmark = pytest.mark.torch

# The interpreter cuts bfloat16 off where a GPU rounds: one more unit in the last place.
TOLERANCE = {torch.float32: 2e-5, torch.float64: 1e-11, torch.float16: 2e-3, torch.bfloat16: 2e-2}


def angles(places: int, half: int, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    turns = torch.randn(places, half, dtype=torch.float64)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    return turns.cos().to(wide), turns.sin().to(wide)


def assert_right(x: Tensor, is_interleaved: bool) -> None:
    cosines, sines = angles(x.shape[-2], x.shape[-1] // 2, x.dtype)
    for turns_back in (False, True):
        arguments = (x, cosines, sines, is_interleaved, turns_back)
        got, want = in_triton.rotary(*arguments), rotary.reference(*arguments)
        assert got.is_contiguous()
        tolerance = TOLERANCE[x.dtype]
        torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("is_interleaved", [False, True])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_it_is_what_the_reference_computes(dtype: torch.dtype, is_interleaved: bool) -> None:
    assert_right((torch.randn(2, 3, 7, 34) * 2).to(dtype), is_interleaved)


@pytest.mark.parametrize("is_interleaved", [False, True])
@pytest.mark.parametrize("shape", [(5, 2), (4, 300), (1, 33, 64), (2, 2, 2, 3, 4)])
def test_other_shapes(shape: tuple[int, ...], is_interleaved: bool) -> None:
    assert_right(torch.randn(shape), is_interleaved)


@pytest.mark.parametrize("is_interleaved", [False, True])
def test_strides(is_interleaved: bool) -> None:
    assert_right(torch.randn(2, 9, 3, 8).transpose(1, 2), is_interleaved)
    assert_right(torch.randn(8, 5, 6).transpose(0, 2), is_interleaved)
    assert_right(torch.randn(3, 1, 1, 8).expand(3, 4, 5, 8), is_interleaved)


@pytest.mark.parametrize("shape", [(0, 3, 4), (2, 0, 4), (2, 3, 0)])
def test_nothing(shape: tuple[int, ...]) -> None:
    assert_right(torch.randn(shape), False)
