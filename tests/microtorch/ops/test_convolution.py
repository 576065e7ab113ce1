"""Convolution: layouts, sizes and types that samples of well-formed calls do not show."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours
from torchstone.microtorch.ops import convolution, correlation

pytestmark = pytest.mark.torch

LAYOUTS = {
    "contiguous": lambda x: x.contiguous(),
    "channels last": lambda x: x.contiguous(memory_format=torch.channels_last),
    "transposed": lambda x: x.transpose(-1, -2).contiguous().transpose(-1, -2),
    "cut out": lambda x: torch.cat([x, x], -1)[..., : x.shape[-1]],
}
# in, out, kernel, keywords: wide and narrow runs, groups, gaps, cropping in the backward pass.
CASES = [
    (1, 4, 3, {"padding": 1}),
    (16, 8, 3, {"padding": 1}),
    (6, 4, (2, 3), {"stride": (2, 1), "padding": (0, 2), "dilation": (1, 2), "groups": 2}),
    (5, 5, 3, {"groups": 5, "padding": "same"}),
    (3, 2, 1, {"padding": 2}),
    (3, 2, 1, {}),
    (20, 3, 2, {"stride": 3}),
]


def both(*arrays):
    theirs = [torch.tensor(each).requires_grad_() for each in arrays]
    return theirs, [micro.tensor(each).requires_grad_() for each in arrays]


def assert_close(got, wanted, tolerance=1e-9):
    np.testing.assert_allclose(got.array, wanted.detach().numpy(), tolerance, tolerance)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(("channels", "out", "kernel", "keywords"), CASES)
def test_values_and_gradients_agree_in_every_layout(layout, channels, out, kernel, keywords):
    torch.manual_seed(0)
    sizes = (kernel, kernel) if isinstance(kernel, int) else kernel
    x = LAYOUTS[layout](torch.randn(3, channels, 7, 6, dtype=torch.float64)).requires_grad_()
    w = torch.randn(out, channels // keywords.get("groups", 1), *sizes, dtype=torch.float64)
    b = torch.randn(out, dtype=torch.float64)
    w.requires_grad_(), b.requires_grad_()
    mine = [micro.from_numpy(each.detach().numpy()).requires_grad_() for each in (x, w, b)]
    wanted, got = F.conv2d(x, w, b, **keywords), ours.conv2d(*mine, **keywords)
    assert_close(got, wanted)
    grad = torch.randn_like(wanted)
    wanted.backward(grad)
    got.backward(micro.from_numpy(grad.numpy()))
    for one, other in zip(mine, (x, w, b), strict=True):
        assert_close(one.grad, other.grad)


def test_many_samples_are_taken_in_parts(monkeypatch):
    rng = np.random.default_rng(0)
    arrays = rng.normal(size=(7, 4, 5, 5)), rng.normal(size=(4, 4, 3, 3))
    (x, w), (mine, weight) = both(*arrays)
    whole = ours.conv2d(mine, weight, stride=2)
    # Two samples at a time, and one is left over.
    monkeypatch.setattr(correlation, "CHUNK_BYTES", 2 * 4 * 4 * 9 * 8)
    parts = ours.conv2d(mine, weight, stride=2)
    np.testing.assert_array_equal(parts.array, whole.array)
    F.conv2d(x, w, stride=2).sum().backward()
    parts.sum().backward()
    assert_close(mine.grad, x.grad)
    assert_close(weight.grad, w.grad)


def test_channels_of_the_result_lie_last_in_memory():
    y = ours.conv2d(micro.ones(2, 3, 5, 4), micro.ones(6, 3, 3, 3), padding=1)
    assert y.shape == (2, 6, 5, 4)
    assert y.array.strides == (480, 4, 96, 24)
    # Who asks is told of another order, which is then the true one.
    assert y.stride() == (120, 20, 4, 1)
    assert y.array.strides == (480, 80, 16, 4)


def test_a_first_layer_does_not_compute_the_gradient_of_its_input(monkeypatch):
    monkeypatch.setattr(convolution, "_input_gradient", None)
    w = micro.ones(2, 1, 3, 3).requires_grad_()
    ours.conv2d(micro.ones(1, 1, 4, 4), w).sum().backward()
    assert w.grad.array.tolist() == np.full((2, 1, 3, 3), 4.0).tolist()


def test_infinities_stay_in_the_windows_that_see_them():
    x = np.zeros((1, 1, 5, 5), np.float32)
    x[0, 0, 0, 0] = np.inf
    got = ours.conv2d(micro.tensor(x), micro.ones(1, 1, 2, 2)).array
    assert np.isinf(got[0, 0, 0, 0])
    assert np.count_nonzero(got) == 1


@pytest.mark.parametrize("shape", [(0, 2, 4, 4), (2, 0, 4, 4)])
def test_nothing_gives_zeros_and_zero_gradients(shape):
    x = micro.ones(shape).requires_grad_()
    weight = micro.ones(3, shape[1], 2, 2).requires_grad_()
    got = ours.conv2d(x, weight)
    assert got.shape == (shape[0], 3, 3, 3)
    assert not got.array.any()
    got.sum().backward()
    assert x.grad.shape == shape
    assert weight.grad.shape == weight.shape
    assert not weight.grad.array.any()


def test_half_precision_adds_up_in_single_precision():
    x = micro.ones(1, 600, 4, 4, dtype=micro.float16) * 8
    got = ours.conv2d(x, micro.ones(1, 600, 1, 1, dtype=micro.float16))
    assert got.dtype is micro.float16
    assert (got.array == 4800).all()


def test_complex_gradients_agree():
    rng = np.random.default_rng(1)
    (x, w), (mine, weight) = both(
        *(rng.normal(size=s) + 1j * rng.normal(size=s) for s in [(2, 4, 6), (2, 2, 3)])
    )
    (F.conv1d(x, w, groups=2, stride=2).abs() ** 2).sum().backward()
    (ours.conv1d(mine, weight, groups=2, stride=2).abs() ** 2).sum().backward()
    assert_close(mine.grad, x.grad)
    assert_close(weight.grad, w.grad)


def test_a_transposed_convolution_undoes_the_shape_of_a_strided_one():
    rng = np.random.default_rng(2)
    (x, w), (mine, weight) = both(rng.normal(size=(2, 4, 5)), rng.normal(size=(4, 3, 4)))
    keywords = {"stride": 3, "padding": 2, "output_padding": 2, "dilation": 2}
    wanted = F.conv_transpose1d(x, w, **keywords)
    got = ours.conv_transpose1d(mine, weight, **keywords)
    assert_close(got, wanted)
    (wanted**2).sum().backward()
    (got**2).sum().backward()
    assert_close(mine.grad, x.grad)
    assert_close(weight.grad, w.grad)


@pytest.mark.parametrize(
    ("weight", "keywords", "message"),
    [
        ((6, 3, 3, 3), {}, "expected input\\[2, 4, 5, 5\\] to have 3 channels, but got 4"),
        ((6, 4, 7, 7), {}, "Kernel size: \\(7 x 7\\). Kernel size can't be greater"),
        ((6, 4, 3, 3), {"stride": (1, 2, 3)}, "stride to be a single integer value or a list of 2"),
        ((6, 4, 3, 3), {"padding": "full"}, "Invalid padding string: 'full'"),
        ((6, 4, 3, 3), {"padding": "same", "stride": 2}, "not supported for strided"),
        ((5, 2, 3, 3), {"groups": 2}, "divisible by 2 at dimension 0"),
        ((6, 4, 3, 0), {}, r"kernel size should be greater|could not create a primitive"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_in_torchs_words(weight, keywords, message):
    for run, ones in ((F.conv2d, torch.ones), (ours.conv2d, micro.ones)):
        with pytest.raises(RuntimeError, match=message):
            run(ones(2, 4, 5, 5), ones(*weight), **keywords)


@pytest.mark.parametrize("ndim", [1, 2, 3])
def test_a_gradient_lies_without_gaps(ndim):
    x, weight = micro.ones(2, 3, *(6,) * ndim, requires_grad=True), micro.ones(4, 3, *(3,) * ndim)
    y = getattr(ours, f"conv{ndim}d")(x, weight, stride=2, padding=1)
    (grad,) = micro.autograd.grad(y.sum(), x)
    assert grad.view(-1).shape == (x.numel(),)
