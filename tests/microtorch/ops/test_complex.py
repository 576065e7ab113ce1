import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def test_the_parts_are_views_that_can_be_written():
    z = micro.tensor([1 + 2j, 3 + 4j])
    z.real.mul_(10)
    z.imag = micro.tensor([5.0, 6.0])
    assert z.tolist() == [10 + 5j, 30 + 6j]
    assert z._version == 2


@pytest.mark.parametrize("shape", [(3, 4, 2), (0, 2), (2,)])
def test_pairs_and_complex_numbers_share_their_memory(shape):
    x = micro.randn(shape)
    z = micro.view_as_complex(x)
    assert z.shape == shape[:-1]
    again = micro.view_as_real(z)
    assert again.data_ptr() == x.data_ptr()
    np.testing.assert_array_equal(again.numpy(), x.numpy())


def test_pairs_of_a_strided_tensor_are_found():
    x = micro.arange(16.0).reshape(4, 2, 2).transpose(0, 1)
    theirs = torch.arange(16.0).reshape(4, 2, 2).transpose(0, 1)
    ours = micro.view_as_complex(x)
    np.testing.assert_array_equal(ours.numpy(), torch.view_as_complex(theirs).numpy())
    np.testing.assert_array_equal(micro.view_as_real(ours[:, ::2]).numpy(), x.numpy()[:, ::2])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda t: t.view_as_complex(t.ones(3)), "must have a last dimension of size 2"),
        (lambda t: t.view_as_complex(t.ones(2, 2).T), "last dimension with stride 1"),
        (lambda t: t.imag(t.ones(2)), "not implemented for tensors with non-complex"),
        (lambda t: t.view_as_real(t.ones(2)), "only supported for complex"),
        (lambda t: t.polar(t.ones(2), t.ones(2).double()), "for second argument"),
    ],
)
def test_what_pytorch_refuses_is_refused_in_its_words(make, message):
    for space in (micro, torch):
        with pytest.raises(RuntimeError, match=message):
            make(space)


@pytest.mark.parametrize(
    "name", ["abs", "angle", "real", "imag", "conj", "view_as_real", "sgn", "conj_physical"]
)
def test_gradients_and_second_gradients_agree(name):
    found = []
    for space in (micro, torch):
        z = space.tensor([0.3 + 0.4j, -1 + 2j, 0j], requires_grad=True)
        y = getattr(space, name)(z * (1 + 1j))
        weight = space.ones_like(y) * (1 - 2j if y.is_complex() else 1)
        (first,) = space.autograd.grad(y, z, weight, create_graph=True)
        result = [y, first]
        if name in ("abs", "angle", "sgn"):
            result.append(space.autograd.grad(first, z, first.detach())[0][:2])
        found.append([each.detach().resolve_conj().numpy() for each in result])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-6)


def test_polar_is_made_of_lengths_and_angles():
    found = []
    for space in (micro, torch):
        length = space.tensor([1.0, 2.0, 0.0], requires_grad=True)
        angle = space.tensor([0.5, -2.0, 1.0], requires_grad=True)
        z = space.polar(length, angle)
        grads = space.autograd.grad(z, [length, angle], space.ones_like(z) * (1 - 1j))
        found.append([each.detach().numpy() for each in (z, *grads)])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours[:2], theirs[:2], rtol=1e-5)


def test_conjugating_real_numbers_gives_the_tensor_itself():
    x = micro.ones(2)
    assert x.conj() is x
    assert x.resolve_conj() is x
    assert not micro.tensor([1j]).conj().is_conj()
