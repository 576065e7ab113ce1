"""Activation functions: what samples of well-formed calls do not show."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours
from torchstone.microtorch.ops.activations import choose, keep

pytestmark = pytest.mark.torch

CASES = [
    ("relu", ()), ("relu6", ()), ("leaky_relu", (0.1,)), ("elu", (0.7,)), ("selu", ()),
    ("celu", (0.7,)), ("silu", ()), ("mish", ()), ("softplus", (2.0, 1.0)), ("softshrink", (0.5,)),
    ("hardshrink", (0.5,)), ("hardtanh", (-0.5, 2.0)), ("hardswish", ()), ("hardsigmoid", ()),
    ("logsigmoid", ()), ("threshold", (0.1, 20.0)), ("gelu", ()), ("softsign", ()),
]  # fmt: skip
INPLACE = [name for name, _ in CASES[:7]] + ["mish", "hardtanh", "hardswish", "hardsigmoid"]


def assert_same(got, wanted):
    np.testing.assert_allclose(
        got.numpy(force=True), wanted.detach().numpy(), rtol=1e-6, atol=1e-12
    )


@pytest.mark.parametrize(("name", "args"), CASES)
def test_far_values_and_those_that_are_no_numbers_agree(name, args):
    values = [-np.inf, -1e4, -3.0, -0.5, -0.0, 0.0, 0.5, 3.0, 6.0, 1e4, np.inf, np.nan]
    assert_same(
        getattr(ours, name)(micro.tensor(values, dtype=micro.float64), *args),
        getattr(F, name)(torch.tensor(values, dtype=torch.float64), *args),
    )


@pytest.mark.parametrize(("name", "args"), CASES)
def test_gradients_agree_at_the_corners(name, args):
    values = np.array([-6.0, -3.0, -1.0, -0.5, 0.0, 0.1, 0.5, 2.0, 3.0, 6.0])
    x, y = micro.tensor(values, requires_grad=True), torch.tensor(values, requires_grad=True)
    getattr(ours, name)(x, *args).sum().backward()
    getattr(F, name)(y, *args).sum().backward()
    assert_same(x.grad, y.grad)


@pytest.mark.parametrize(("name", "args"), CASES)
def test_strided_and_empty_inputs_keep_their_shape(name, args):
    values = np.random.default_rng(0).standard_normal((4, 6))
    function = getattr(ours, name)
    assert_same(
        function(micro.tensor(values)[::2].transpose(0, 1), *args),
        getattr(F, name)(torch.tensor(values)[::2].T, *args),
    )
    assert function(micro.zeros(0, 3), *args).shape == (0, 3)


@pytest.mark.parametrize("name", INPLACE)
def test_in_place_it_writes_into_its_input_and_gives_the_same_gradient(name):
    values = np.linspace(-2, 2, 9)
    grads = []
    for inplace in (False, True):
        leaf = micro.tensor(values, requires_grad=True)
        x = leaf * 1
        result = getattr(ours, name)(x, inplace=inplace)
        assert (result is x) == inplace
        assert x._version == inplace
        result.sum().backward()
        grads.append(leaf.grad.numpy())
    np.testing.assert_array_equal(*grads)


def test_in_place_a_leaf_that_wants_a_gradient_is_refused():
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        ours.relu(micro.ones(2, requires_grad=True), inplace=True)


def test_relu_keeps_whole_numbers_and_most_others_refuse_them():
    assert ours.relu(micro.tensor([-1, 2])).dtype is micro.int64
    for name in ("elu", "silu", "gelu", "softplus", "leaky_relu"):
        with pytest.raises(NotImplementedError, match="not implemented for"):
            getattr(ours, name)(micro.tensor([-1, 2]))
        with pytest.raises(TypeError, match="must be Tensor, not list"):
            getattr(ours, name)([1.0])


@pytest.mark.parametrize("dtype", ["bool", "complex64"])
@pytest.mark.parametrize("name", ["relu", "relu6", "hardtanh", "elu", "softplus", "leaky_relu"])
def test_booleans_and_complex_numbers_are_refused_as_in_pytorch(name, dtype):
    for space, t in ((F, torch), (ours, micro)):
        with pytest.raises(RuntimeError, match=r"not (supported|implemented) for"):
            getattr(space, name)(t.zeros(2, dtype=getattr(t, dtype)))
    assert ours.silu(micro.zeros(2, dtype=micro.complex64)).tolist() == [0j, 0j]


def test_relu_holds_an_infinite_gradient_back():
    x = micro.tensor([-1.0, 1.0], requires_grad=True)
    ours.relu(x).backward(micro.tensor([np.inf, np.inf]))
    assert x.grad.tolist() == [0.0, np.inf]


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_choosing_by_bits_is_choosing(dtype):
    first = np.array([[np.nan, np.inf, 1.0, -0.0]], dtype)
    second = np.array([[2.0], [np.nan]], dtype)
    mask = np.array([[True, False, True, False], [False, True, False, True]])
    np.testing.assert_array_equal(choose(mask, first, second), np.where(mask, first, second))
    np.testing.assert_array_equal(keep(first, mask), np.where(mask, first, 0))


def test_random_slopes_are_those_that_torch_draws():
    values = np.random.default_rng(0).standard_normal(50)
    micro.manual_seed(1)
    torch.manual_seed(1)
    assert_same(
        ours.rrelu(micro.tensor(values), 0.1, 0.4, training=True),
        F.rrelu(torch.tensor(values), 0.1, 0.4, training=True),
    )


def test_a_learnt_slope_gets_its_gradient_for_each_channel():
    values = np.random.default_rng(0).standard_normal((2, 3, 4))
    slopes = np.array([0.1, 0.2, 0.3])
    x, w = micro.tensor(values), micro.tensor(slopes, requires_grad=True)
    y, v = torch.tensor(values), torch.tensor(slopes, requires_grad=True)
    ours.prelu(x, w).square().sum().backward()
    F.prelu(y, v).square().sum().backward()
    assert_same(w.grad, v.grad)
