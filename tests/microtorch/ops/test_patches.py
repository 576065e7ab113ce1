"""Patches as columns and back, and channels as places."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch


@pytest.mark.gate("window2")
@pytest.mark.parametrize("window", [(2, 1, 0, 1), ((2, 3), (2, 1), (1, 0), (1, 2)), (3, 1, 1, 3)])
def test_folding_agrees_and_is_differentiable_twice(window):
    torch.manual_seed(0)
    columns = F.unfold(torch.randn(2, 3, 6, 7, dtype=torch.float64), *window)
    theirs = columns.clone().requires_grad_()
    mine = micro.from_numpy(columns.numpy().copy()).requires_grad_()
    wanted, got = F.fold(theirs, (6, 7), *window), ours.fold(mine, (6, 7), *window)
    np.testing.assert_allclose(got.array, wanted.detach().numpy(), rtol=1e-9)
    (wanted**3).sum().backward()
    (got**3).sum().backward()
    np.testing.assert_allclose(mine.grad.array, theirs.grad.numpy(), rtol=1e-9, atol=1e-9)
    assert micro.autograd.gradgradcheck(lambda c: ours.fold(c, (6, 7), *window) ** 2, (mine,))


def test_one_sample_needs_no_batch():
    x = micro.arange(12.0).reshape(1, 3, 4)
    columns = ours.unfold(x, 2)
    assert columns.shape == (4, 6)
    assert ours.fold(ours.unfold(x, 1), (3, 4), 1).tolist() == x.tolist()


def test_shuffling_pixels_is_undone():
    x = micro.arange(48.0).reshape(2, 1, 4, 6)
    smaller = micro.pixel_unshuffle(x, 2)
    assert smaller.shape == (2, 4, 2, 3)
    assert micro.pixel_shuffle(smaller, 2).tolist() == x.tolist()


@pytest.mark.parametrize(
    ("name", "shape", "arguments", "message"),
    [
        ("unfold", (2, 3, 4, 5), (7,), "calculated shape of the array of sliding blocks as"),
        ("unfold", (2, 3, 4, 5), ((2, 2, 2),), "got size 3"),
        ("fold", (2, 13, 12), ((4, 5), 2), "divisible by the product of kernel_size"),
        (
            "fold",
            (2, 12, 13),
            ((4, 5), 2),
            "sliding blocks 3 \\* 4 = 12, but got input.size\\(2\\)",
        ),
        ("pixel_shuffle", (2, 3, 4, 5), (2,), "input.size\\(-3\\)=3 is not divisible by 4"),
        ("pixel_unshuffle", (2, 3, 4, 5), (2,), "input.size\\(-1\\)=5 is not divisible by 2"),
        ("channel_shuffle", (2, 3, 4, 5), (2,), "Got 3 channels and 2 groups"),
    ],
)
def test_sizes_that_do_not_fit_are_refused_in_torchs_words(name, shape, arguments, message):
    for space, ones in ((F, torch.ones), (ours, micro.ones)):
        with pytest.raises(RuntimeError, match=message):
            getattr(space, name)(ones(*shape), *arguments)


def test_what_is_folded_lies_in_order():
    assert ours.fold(micro.ones(2, 12, 9), (4, 5), 2, padding=1, stride=2).is_contiguous()
