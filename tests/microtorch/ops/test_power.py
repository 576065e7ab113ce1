import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("exponent", [-2, -1, -0.5, 0, 0.5, 1, 2, 3, 2.5])
def test_powers_and_their_two_derivatives_agree_at_zero_too(exponent):
    values = np.array([0.0, 0.5, 2.0])
    found = []
    for space in (micro, torch):
        x = space.tensor(values, requires_grad=True)
        y = x**exponent
        (first,) = space.autograd.grad(y.sum(), x, create_graph=True)
        rest = [first.detach().numpy()]
        if first.requires_grad:
            rest.append(space.autograd.grad(first.sum(), x)[0].numpy())
        found.append(np.stack([y.detach().numpy(), *rest]))
    np.testing.assert_allclose(found[0][:2], found[1][:2])


def test_whole_bases_to_negative_powers_are_zero_but_for_one():
    base, exponent = [1, -1, -1, 2, 0], [-3, -3, -2, -1, -1]
    ours = (micro.tensor(base) ** micro.tensor(exponent)).tolist()
    assert ours == (torch.tensor(base) ** torch.tensor(exponent)).tolist()


@pytest.mark.parametrize("shape", [(), (1,), (3, 1)])
def test_powers_of_minus_infinity_and_minus_zero_to_a_half_are_no_square_roots(shape):
    base = torch.tensor([-np.inf, -0.0, 4.0, -1.0])
    exponent = torch.full(shape, 0.5)
    found = micro.pow(micro.tensor(base.numpy()), micro.tensor(exponent.numpy()))
    np.testing.assert_array_equal(found.numpy(), torch.pow(base, exponent).numpy())
    assert not np.signbit(found.numpy()[..., 1]).any()
    # A Python number has the square root, as in PyTorch.
    wanted = torch.pow(base, 0.5).numpy()
    np.testing.assert_array_equal(micro.pow(micro.tensor(base.numpy()), 0.5).numpy(), wanted)


def test_frexp_and_ldexp_undo_each_other():
    x = micro.tensor([0.0, 1.0, -10.5, 1e-40], requires_grad=True)
    mantissa, exponent = micro.frexp(x)
    assert exponent.dtype is micro.int32
    assert micro.ldexp(mantissa, exponent).tolist() == x.tolist()
    assert "mantissa" in type(micro.frexp(x))._fields
