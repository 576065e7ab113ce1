"""Convolutions: padding of all kinds, sizes that are asked for, what is refused."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def agree(make, *inputs, **options):
    """Compare what a layer gives, and its gradients, with the same weights."""
    found = []
    for t in (micro, torch):
        t.manual_seed(0)
        layer = make(t.nn)
        given = [t.tensor(each, requires_grad=True) for each in inputs]
        result = layer(*given, **options)
        (result * result).sum().backward()
        grads = [each.grad for each in (*given, *layer.parameters())]
        found.append([np.asarray(each.detach()) for each in (result, *grads)])
    for mine, other in zip(*found, strict=True):
        np.testing.assert_allclose(mine, other, rtol=2e-3, atol=2e-4)


def picture(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("mode", ["zeros", "reflect", "replicate", "circular"])
@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel")
@pytest.mark.parametrize("padding", ["same", "valid", 1, (2, 1)])
def test_every_padding_agrees(mode, padding):
    def make(nn):
        return nn.Conv2d(2, 4, (3, 2), padding=padding, padding_mode=mode, groups=2)

    agree(make, picture(2, 2, 6, 5))


@pytest.mark.parametrize("size", [(9, 9), (10, 10), (2, 3, 10, 9)])
def test_a_transposed_convolution_gives_the_size_that_is_asked_for(size):
    def make(nn):
        return nn.ConvTranspose2d(2, 3, 3, stride=2, dilation=1)

    agree(make, picture(2, 2, 4, 4), output_size=list(size))


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.nn.Conv2d(3, 4, 3, groups=2),
        lambda t: t.nn.Conv2d(4, 3, 3, groups=2),
        lambda t: t.nn.Conv2d(4, 4, 3, groups=0),
        lambda t: t.nn.Conv2d(4, 4, 3, padding="same", stride=2),
        lambda t: t.nn.Conv2d(4, 4, 3, padding="full"),
        lambda t: t.nn.Conv2d(4, 4, 3, padding_mode="mirror"),
        lambda t: t.nn.ConvTranspose1d(4, 4, 3, padding_mode="reflect"),
        lambda t: t.nn.ConvTranspose1d(1, 1, 3, stride=2)(t.ones(1, 1, 4), output_size=[20]),
        lambda t: t.nn.ConvTranspose1d(1, 1, 3)(t.ones(1, 1, 4), output_size=[1, 2]),
    ],
)
def test_what_pytorch_refuses_is_refused(call):
    for t in (torch, micro):
        with pytest.raises(ValueError):  # noqa: PT011 - the class is what is compared
            call(t)
