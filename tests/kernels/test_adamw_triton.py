"""AdamW in Triton's interpreter, compared with plain torch."""

from typing import Any

import pytest
import torch
from torch import Tensor

from torchstone.kernels import adamw
from torchstone.kernels.triton import adamw as in_triton

pytestmark = pytest.mark.torch

# The interpreter cuts bfloat16 off where a GPU rounds: one more unit in the last place.
TOLERANCE = {torch.float32: 2e-5, torch.float64: 1e-13, torch.float16: 2e-3, torch.bfloat16: 2e-2}
NUMBERS = (1e-2, 0.9, 0.95, 1e-8, 0.1)


def draw(shape: tuple[int, ...], dtype: torch.dtype) -> list[Tensor]:
    """Draw a parameter, the means of its gradients and their squares, and a gradient."""
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    mean, square = torch.randn(shape, dtype=wide), torch.rand(shape, dtype=wide)
    return [torch.randn(shape).to(dtype), mean, square, torch.randn(shape).to(dtype)]


def assert_close(got: list[Tensor], want: list[Tensor], dtype: torch.dtype) -> None:
    for result, peer in zip(got, want, strict=True):
        tolerance = TOLERANCE[dtype if result is got[0] else peer.dtype]
        torch.testing.assert_close(result, peer, rtol=tolerance, atol=tolerance)


def take_step(tensors: list[Tensor], others: list[Tensor], step: int) -> None:
    """Take a step of AdamW in Triton, and of the reference implementation."""
    implementations: tuple[Any, Any] = (in_triton.adamw_, adamw.reference)
    for adamw_, each in zip(implementations, (tensors, others), strict=True):
        adamw_(*each, *NUMBERS, step)


@pytest.mark.parametrize("shape", [(33, 37), (1,), (), (0, 3)])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_some_steps_are_those_of_the_reference(dtype: torch.dtype, shape: tuple[int, ...]) -> None:
    tensors = draw(shape, dtype)
    others = [each.clone() for each in tensors]
    for step in (1, 2, 3):
        take_step(tensors, others, step)
    assert_close(tensors, others, dtype)


def test_what_has_strides_is_changed_where_it_lies() -> None:
    tensors = [each.t() for each in draw((6, 5), torch.float32)]
    others = [each.clone() for each in tensors]
    take_step(tensors, others, 1)
    assert_close(tensors, others, torch.float32)
