"""How parameters begin: PyTorch's numbers, and its refusals."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch

EXACT = {
    "uniform_": lambda init, t: init.uniform_(t, -0.3, 0.9),
    "normal_": lambda init, t: init.normal_(t, 0.5, 0.1),
    "xavier_normal_": lambda init, t: init.xavier_normal_(t),
    "kaiming_normal_": lambda init, t: init.kaiming_normal_(t),
    "trunc_normal_": lambda init, t: init.trunc_normal_(t, std=1.5),
    "constant_": lambda init, t: init.constant_(t, 0.3),
    "ones_": lambda init, t: init.ones_(t),
    "zeros_": lambda init, t: init.zeros_(t),
    "xavier_uniform_": lambda init, t: init.xavier_uniform_(t, gain=1.3),
    "kaiming_uniform_": lambda init, t: init.kaiming_uniform_(t, a=0.2),
    "kaiming_uniform_ fan_out": lambda init, t: init.kaiming_uniform_(
        t, mode="fan_out", nonlinearity="relu"
    ),
    "dirac_": lambda init, t: init.dirac_(t),
    "dirac_ groups": lambda init, t: init.dirac_(t, 2),
}
CLOSE = {
    "trunc_normal_ tail": lambda init, t: init.trunc_normal_(t, 0.0, 1.0, 1.0, 1.3),
    "orthogonal_": lambda init, t: init.orthogonal_(t, 2.0),
    "orthogonal_ tall": lambda init, t: init.orthogonal_(t.reshape(-1, 3)),
}


def both(fill, shape=(4, 6, 3)):
    """Fill the same tensor twice with one seed, and give the arrays."""
    torch.manual_seed(1)
    micro.manual_seed(1)
    ours, theirs = micro.nn.Parameter(micro.empty(*shape)), torch.nn.Parameter(torch.empty(shape))
    with torch.no_grad(), micro.no_grad():
        got, wanted = fill(micro.nn.init, ours), fill(torch.nn.init, theirs)
    return got.array, wanted.detach().numpy()


@pytest.mark.parametrize("name", EXACT)
def test_numbers_are_pytorchs_to_the_last_bit(name):
    np.testing.assert_array_equal(*both(EXACT[name]))
    assert micro.rand(1).item() == torch.rand(1).item()


@pytest.mark.parametrize("name", CLOSE)
def test_numbers_are_pytorchs_but_for_rounding(name):
    np.testing.assert_allclose(*both(CLOSE[name]), rtol=2e-5, atol=1e-6)
    assert micro.rand(1).item() == torch.rand(1).item()


def test_matrices_are_filled_too():
    np.testing.assert_array_equal(*both(lambda init, t: init.eye_(t), (3, 5)))
    got, wanted = both(lambda init, t: init.sparse_(t, 0.4, 0.5), (10, 7))
    np.testing.assert_array_equal(got == 0, wanted == 0)
    np.testing.assert_allclose(got, wanted, rtol=1e-5)


def test_no_history_is_recorded():
    parameter = micro.nn.Parameter(micro.zeros(3, 3))
    assert micro.nn.init.xavier_uniform_(parameter) is parameter
    assert parameter.is_leaf
    assert parameter._version > 0


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.nn.init.calculate_gain("swish"),
        lambda t: t.nn.init.calculate_gain("leaky_relu", True),
        lambda t: t.nn.init.xavier_uniform_(t.zeros(3)),
        lambda t: t.nn.init.kaiming_normal_(t.zeros(3, 3), mode="fan"),
        lambda t: t.nn.init.eye_(t.zeros(3)),
        lambda t: t.nn.init.dirac_(t.zeros(3, 3)),
        lambda t: t.nn.init.dirac_(t.zeros(3, 3, 3), 2),
        lambda t: t.nn.init.orthogonal_(t.zeros(3)),
        lambda t: t.nn.init.sparse_(t.zeros(3), 0.1),
    ],
)
def test_what_pytorch_refuses_is_refused_in_its_words(call):
    with pytest.raises(ValueError) as wanted:  # noqa: PT011 - the message is compared below
        call(torch)
    with pytest.raises(ValueError) as got:  # noqa: PT011
        call(micro)
    assert str(got.value) == str(wanted.value)


def test_nothing_to_fill_is_a_warning():
    with pytest.warns(UserWarning, match="zero-element tensors is a no-op"):
        micro.nn.init.kaiming_uniform_(micro.zeros(0, 3))
