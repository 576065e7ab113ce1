"""Normal numbers are PyTorch's to the last bit, in single precision."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("count", [1, 15, 16, 17, 160_003])
@pytest.mark.parametrize(("mean", "std"), [(0.0, 1.0), (0.3, 0.7)])
def test_single_normal_numbers_are_pytorchs(count, mean, std):
    torch.manual_seed(7)
    micro.manual_seed(7)
    wanted, got = torch.empty(count).normal_(mean, std), micro.empty(count).normal_(mean, std)
    np.testing.assert_array_equal(got.array, wanted.numpy())
    assert micro.rand(1).item() == torch.rand(1).item()


def test_double_normal_numbers_are_pytorchs_but_for_rounding():
    torch.manual_seed(7)
    micro.manual_seed(7)
    wanted, got = torch.randn(10_001, dtype=torch.float64), micro.randn(10_001, dtype=micro.float64)
    np.testing.assert_array_max_ulp(got.array, wanted.numpy(), 2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-0.57, 0.57), (0.1, 0.7), (-3.0, 5.3)])
def test_uniform_numbers_between_bounds_are_rounded_once(dtype, low, high):
    torch.manual_seed(7)
    micro.manual_seed(7)
    wanted = torch.empty(20_000, dtype=getattr(torch, dtype)).uniform_(low, high)
    got = micro.empty(20_000, dtype=getattr(micro, dtype)).uniform_(low, high)
    np.testing.assert_array_equal(got.array, wanted.numpy())
