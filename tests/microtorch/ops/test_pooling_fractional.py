"""Fractional pooling: its windows lie at random, but where torch's lie."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch


def test_given_samples_decide_where_the_windows_lie():
    torch.manual_seed(0)
    x, samples = torch.randn(2, 3, 9, 11), torch.rand(2, 3, 2)
    wanted, place = F.fractional_max_pool2d(
        x, (2, 3), (4, 5), return_indices=True, _random_samples=samples
    )
    got, number = ours.fractional_max_pool2d(
        micro.from_numpy(x.numpy()), (2, 3), (4, 5), return_indices=True,
        _random_samples=micro.from_numpy(samples.numpy()),
    )  # fmt: skip
    np.testing.assert_array_equal(got.array, wanted.numpy())
    np.testing.assert_array_equal(number.array, place.numpy())


def test_the_same_seed_gives_the_same_windows():
    x = torch.randn(1, 2, 8, 8, 8)
    torch.manual_seed(3)
    wanted = F.fractional_max_pool3d(x, 2, output_ratio=(0.5, 0.6, 0.4))
    micro.manual_seed(3)
    got = ours.fractional_max_pool3d(micro.from_numpy(x.numpy()), 2, output_ratio=(0.5, 0.6, 0.4))
    np.testing.assert_array_equal(got.array, wanted.numpy())


def test_a_size_or_a_ratio_has_to_be_given():
    with pytest.raises(ValueError, match="either an output_size or an output_ratio"):
        ours.fractional_max_pool2d(micro.ones(1, 1, 4, 4), 2)
    with pytest.raises(RuntimeError, match="too large relative to input"):
        ours.fractional_max_pool2d(micro.ones(1, 1, 4, 4), 3, 3)
