"""Fourier transforms: types, laws, refusals."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("norm", [None, "ortho", "forward"])
@pytest.mark.parametrize("length", [1, 6, 7])
def test_there_and_back_is_where_it_began(length, norm):
    x = micro.tensor(np.random.default_rng(0).standard_normal((2, length)))
    fft = micro.fft
    for there, back in (("fft", "ifft"), ("rfft", "irfft"), ("ihfft", "hfft")):
        spectrum = getattr(fft, there)(x, norm=norm)
        found = getattr(fft, back)(spectrum, length, norm=norm)
        np.testing.assert_allclose(found.numpy(), x.numpy(), atol=1e-12)


def test_single_precision_stays_single():
    x = micro.ones(4)
    assert micro.fft.fft(x).dtype is micro.complex64
    assert micro.fft.irfft(micro.fft.rfft(x)).dtype is micro.float32
    assert micro.fft.fft(micro.ones(4, dtype=micro.int64)).dtype is micro.complex64


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("n", [3, 4, 9])
def test_the_gradient_of_a_cut_or_padded_transform_agrees(name, n):
    array = np.random.default_rng(0).standard_normal((5, 3))
    x, x_torch = micro.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)
    ours = getattr(micro.fft, name)(x, n, 0)
    theirs = getattr(torch.fft, name)(x_torch, n, 0)
    ours.abs().sum().backward()
    theirs.abs().sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), x_torch.grad.numpy(), atol=1e-10)


@pytest.mark.parametrize("n", [4, 5])
def test_complex_input_gets_pytorchs_conjugate_gradient(n):
    rng = np.random.default_rng(0)
    array = rng.standard_normal((3, 3)) + 1j * rng.standard_normal((3, 3))
    x, x_torch = micro.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)
    (micro.fft.irfft2(x, (4, n)) ** 2).sum().backward()
    (torch.fft.irfft2(x_torch, (4, n)) ** 2).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), x_torch.grad.numpy(), atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: t.fft.fft(t.ones(3), 0), "Invalid number of data points"),
        (lambda t: t.fft.fft(t.ones(3), norm="x"), "Invalid normalization mode"),
        (lambda t: t.fft.rfft(t.ones(3, dtype=t.complex64)), "expects a real input"),
        (lambda t: t.fft.fftn(t.ones(3, 3), dim=(0, 0)), "must be unique"),
        (lambda t: t.fft.fftn(t.ones(3, 3), s=(1, 2), dim=(0,)), "must have the same length"),
        (lambda t: t.fft.fftn(t.ones(3), s=(1, 2)), "only has 1 dimensions"),
        (lambda t: t.fft.fft(t.ones(3).half()), "Unsupported dtype Half"),
    ],
)
def test_what_can_not_be_transformed_is_refused_as_in_pytorch(call, message):
    for framework in (torch, micro):
        with pytest.raises(RuntimeError, match=message):
            call(framework)


@pytest.mark.parametrize("n", [4, 5])
def test_frequencies_are_those_of_the_transform(n):
    assert micro.fft.fftfreq(n, 0.5).tolist() == torch.fft.fftfreq(n, 0.5).tolist()
    assert micro.fft.rfftfreq(n).tolist() == torch.fft.rfftfreq(n).tolist()
    x = micro.arange(n)
    assert micro.fft.ifftshift(micro.fft.fftshift(x)).tolist() == x.tolist()
