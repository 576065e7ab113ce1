"""Pooling by averages and powers: what an average sees, and what it is divided by."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("include", [True, False])
@pytest.mark.parametrize("ceil", [True, False])
def test_windows_that_reach_outside_are_divided_as_torch_does(include, ceil):
    x = torch.arange(35.0).reshape(1, 1, 5, 7)
    arguments = 3, 2, 1, ceil, include
    wanted = F.avg_pool2d(x, *arguments)
    got = ours.avg_pool2d(micro.from_numpy(x.numpy()), *arguments)
    np.testing.assert_allclose(got.array, wanted.numpy(), rtol=1e-6)


def test_an_infinity_is_seen_by_its_own_windows_alone():
    x = np.zeros((1, 6, 6), np.float32)
    x[0, 0, 0] = np.inf
    assert np.isinf(ours.avg_pool2d(micro.tensor(x), 2).array).sum() == 1
    got = ours.adaptive_avg_pool2d(micro.tensor(x), 4).array
    assert np.isinf(got).sum() == 1
    assert not np.isnan(got).any()


@pytest.mark.parametrize("size", [1, 3, (None, 2), (7, 5)])
def test_adaptive_averages_agree_in_channels_last(size):
    torch.manual_seed(0)
    x = torch.randn(2, 3, 7, 5).contiguous(memory_format=torch.channels_last).requires_grad_()
    mine = micro.from_numpy(x.detach().numpy()).requires_grad_()
    wanted, got = F.adaptive_avg_pool2d(x, size), ours.adaptive_avg_pool2d(mine, size)
    np.testing.assert_allclose(got.array, wanted.detach().numpy(), rtol=1e-5, atol=1e-6)
    (wanted**2).sum().backward()
    (got**2).sum().backward()
    np.testing.assert_allclose(mine.grad.array, x.grad.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("power", [1, 2, 3.0, float("inf")])
def test_power_averages_agree(power):
    torch.manual_seed(1)
    x = torch.rand(2, 3, 7, 6) + 0.1
    wanted = F.lp_pool2d(x, power, (2, 3), stride=2, ceil_mode=True)
    got = ours.lp_pool2d(micro.from_numpy(x.numpy()), power, (2, 3), stride=2, ceil_mode=True)
    np.testing.assert_allclose(got.array, wanted.numpy(), rtol=1e-5)


def test_half_precision_adds_up_in_single_precision():
    x = micro.ones(1, 64, 64, dtype=micro.float16) * 100
    got = ours.avg_pool2d(x, 64, divisor_override=8)
    assert got.dtype is micro.float16
    assert got.item() == np.float16(64 * 64 * 100 / 8)
