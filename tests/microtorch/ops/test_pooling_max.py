"""Pooling by the maximum: ties, NaN and infinities, layouts, and sizes that do not divide."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch

NAN, INF = float("nan"), float("inf")
# Windows that tile, that leave a rest, that overlap, that reach outside.
WINDOWS = [
    {"kernel_size": 2},
    {"kernel_size": (3, 2)},
    {"kernel_size": 2, "ceil_mode": True},
    {"kernel_size": 3, "stride": 2, "padding": 1},
    {"kernel_size": 2, "dilation": 2, "stride": 1},
    {"kernel_size": 1},
]


def assert_agree(x, window):
    theirs = x.clone().requires_grad_()
    mine = micro.from_numpy(x.numpy()).requires_grad_()
    wanted, got = F.max_pool2d(theirs, **window), ours.max_pool2d(mine, **window)
    np.testing.assert_array_equal(got.array, wanted.detach().numpy())
    grad = torch.randn_like(wanted)
    wanted.backward(grad)
    got.backward(micro.from_numpy(grad.numpy()))
    np.testing.assert_allclose(mine.grad.array, theirs.grad.numpy(), rtol=1e-6)
    _, place = F.max_pool2d(x, **window, return_indices=True)
    _, number = ours.max_pool2d(mine, **window, return_indices=True)
    np.testing.assert_array_equal(number.array, place.numpy())


@pytest.mark.parametrize("window", WINDOWS)
def test_of_equal_maxima_the_first_gets_the_gradient(window):
    torch.manual_seed(0)
    assert_agree(torch.randint(0, 3, (2, 3, 7, 8)).float(), window)


@pytest.mark.parametrize("window", WINDOWS)
def test_of_several_nan_the_last_gets_the_gradient(window):
    torch.manual_seed(1)
    x = torch.randn(1, 2, 7, 8)
    x[torch.rand_like(x) < 0.3] = NAN
    assert_agree(x, window)


@pytest.mark.parametrize("window", WINDOWS)
def test_infinities_pass_in_channels_last_as_well(window):
    torch.manual_seed(2)
    x = torch.randn(2, 4, 7, 8)
    x[torch.rand_like(x) < 0.5] = -INF
    assert_agree(x.contiguous(memory_format=torch.channels_last), window)


def test_an_infinite_gradient_goes_to_the_maximum_alone():
    x = micro.tensor([[[[1.0, 2.0], [0.0, 2.0]]]]).requires_grad_()
    ours.max_pool2d(x, 2).backward(micro.tensor([[[[INF]]]]))
    assert x.grad.tolist() == [[[[0.0, INF], [0.0, 0.0]]]]


def test_the_result_of_windows_of_one_does_not_share_the_memory():
    x = micro.ones(1, 1, 2, 2)
    y = ours.max_pool2d(x, 1)
    y.array[...] = 5
    assert x.array.max() == 1


def test_whole_numbers_are_pooled_too():
    x = torch.arange(-8, 8).reshape(1, 4, 4)
    got = ours.max_pool2d(micro.from_numpy(x.numpy()), 2)
    assert got.dtype is micro.int64
    assert got.tolist() == F.max_pool2d(x, 2).tolist()


def test_an_empty_batch_is_pooled_but_no_empty_channel():
    assert ours.max_pool2d(micro.ones(0, 2, 4, 4), 2).shape == (0, 2, 2, 2)
    with pytest.raises(RuntimeError, match="optional 0 dim batch size"):
        ours.max_pool2d(micro.ones(2, 0, 4, 4), 2)


def test_unpooling_refuses_places_that_are_not_there():
    with pytest.raises(RuntimeError, match="invalid max index"):
        ours.max_unpool2d(micro.ones(1, 1, 1, 1), micro.tensor([[[[9]]]]), 2)


def test_unpooling_puts_maxima_back():
    x = micro.tensor([[[[1.0, 4.0], [3.0, 2.0]]]])
    value, index = ours.max_pool2d(x, 2, return_indices=True)
    assert ours.max_unpool2d(value, index, 2).tolist() == [[[[0.0, 4.0], [0.0, 0.0]]]]


def test_the_maxima_may_be_written_in_place_before_the_backward_pass() -> None:
    x = micro.linspace(-1, 1, 16).sin().view(1, 1, 4, 4).requires_grad_()
    micro.nn.functional.relu(micro.nn.functional.max_pool2d(x, 2), inplace=True).sum().backward()
    y = torch.linspace(-1, 1, 16).sin().view(1, 1, 4, 4).requires_grad_()
    torch.nn.functional.relu(torch.nn.functional.max_pool2d(y, 2), inplace=True).sum().backward()
    assert x.grad.tolist() == y.grad.tolist()


def test_the_package_has_a_pool_that_always_says_where_its_maxima_are():
    x = np.random.default_rng(0).normal(size=(1, 2, 7))
    for found, wanted in zip(
        micro.adaptive_max_pool1d(micro.tensor(x), 3),
        torch.adaptive_max_pool1d(torch.tensor(x), 3),
        strict=True,
    ):
        np.testing.assert_array_equal(found.numpy(), wanted.numpy())
