"""Padding in all modes, with sizes that are cut, and gradients of what is taken twice."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
@pytest.mark.parametrize("pad", [(1, 2), (2, 0, 1, 3), (-1, 2, 0, -2)])
def test_values_and_gradients_agree(mode, pad):
    array = np.random.default_rng(0).standard_normal((2, 3, 4, 5))[:, :, ::1]
    array = array if len(pad) > 2 else array[0]
    x, y = micro.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)
    a, b = ours.pad(x, pad, mode), F.pad(y, pad, mode)
    np.testing.assert_array_equal(a.numpy(force=True), b.detach().numpy())
    a.square().sum().backward()
    b.square().sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), atol=1e-12)


def test_strided_input_and_whole_numbers_are_padded():
    x = micro.tensor(np.arange(12).reshape(3, 4)).transpose(0, 1)[::2]
    wanted = np.pad(np.arange(12).reshape(3, 4).T[::2], ((0, 0), (1, 2)), constant_values=7)
    np.testing.assert_array_equal(ours.pad(x, (1, 2), value=7).numpy(), wanted)


@pytest.mark.parametrize(
    ("pad", "mode", "error", "match"),
    [
        ((1,), "constant", RuntimeError, "must be even"),
        ((1, 1, 1, 1, 1, 1), "constant", RuntimeError, "no more than twice"),
        ((-3, -3), "constant", RuntimeError, "resulted in a negative output size"),
        ((5, 0), "reflect", RuntimeError, "should be less than the corresponding input dimension"),
        ((6, 0), "circular", RuntimeError, "wrapping around more than once"),
        ((1, 1), "mirror", NotImplementedError, "Unrecognised padding mode mirror"),
    ],
)
def test_what_does_not_fit_is_refused(pad, mode, error, match):
    with pytest.raises(error, match=match):
        ours.pad(micro.zeros(3, 5), pad, mode)
