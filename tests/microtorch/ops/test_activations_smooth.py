"""Curved activation functions: second gradients, halves and draws."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch


def both(*shape):
    array = np.random.default_rng(0).standard_normal(shape) * 2
    return micro.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("gelu", {}), ("gelu", {"approximate": "tanh"}), ("silu", {}), ("mish", {}), ("selu", {}),
        ("softplus", {"beta": 3.0, "threshold": 1.0}), ("logsigmoid", {}), ("glu", {"dim": 0}),
    ],
)  # fmt: skip
def test_second_gradients_agree(name, options):
    x, y = both(6, 5)
    (grad,) = micro.autograd.grad(
        getattr(ours, name)(x, **options).sin().sum(), x, create_graph=True
    )
    (wanted,) = torch.autograd.grad(
        getattr(F, name)(y, **options).sin().sum(), y, create_graph=True
    )
    grad.square().sum().backward()
    wanted.square().sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), atol=1e-12)


def test_softplus_agrees_in_half_precision_and_where_it_is_no_number():
    values = [-100.0, 12.0, 20.0, float("inf"), float("nan")]
    x, y = micro.tensor(values).half(), torch.tensor(values).half()
    np.testing.assert_array_equal(ours.softplus(x).numpy(), F.softplus(y).numpy())
    x, y = x.float().requires_grad_(), y.float().requires_grad_()
    ours.softplus(x).sum().backward()
    F.softplus(y).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), atol=1e-7)


def test_the_second_gradient_of_elu_is_zero_at_the_kink():
    for space, t in ((F, torch), (ours, micro)):
        x = t.tensor([-1.0, 0.0, 1.0], requires_grad=True)
        (grad,) = t.autograd.grad(space.elu(x).sum(), x, create_graph=True)
        (second,) = t.autograd.grad(grad.sum(), x)
        assert second.tolist() == pytest.approx([np.exp(-1), 0, 0])


def test_gelu_of_more_than_one_block_agrees():
    array = np.random.default_rng(0).standard_normal((7, 9001)).astype(np.float32)
    got = ours.gelu(micro.tensor(array).transpose(0, 1))
    np.testing.assert_allclose(got.numpy(), F.gelu(torch.tensor(array).T).numpy(), atol=1e-6)


def test_what_makes_no_sense_is_refused():
    with pytest.raises(RuntimeError, match="Halving dimension must be even, but dimension 1"):
        ours.glu(micro.zeros(2, 3))
    with pytest.raises(RuntimeError, match="approximate argument must be either none or tanh"):
        ours.gelu(micro.zeros(2), approximate="erf")
    with pytest.raises(RuntimeError, match="alpha cannot be 0 for CELU"):
        ours.celu(micro.zeros(2), alpha=0.0)


def test_a_hard_draw_is_one_class_with_the_gradient_of_the_soft_one():
    x, _ = both(4, 3)
    micro.manual_seed(0)
    hard = ours.gumbel_softmax(x, tau=0.5, hard=True)
    hard.sin().sum().backward()
    assert sorted(hard.tolist()[0]) == [0.0, 0.0, 1.0]
    assert x.grad.numpy().any()
    assert np.abs(x.grad.numpy().sum(1)).max() < 1e-12


def test_a_soft_draw_is_that_of_torch():
    x, y = both(4, 3)
    micro.manual_seed(0)
    torch.manual_seed(0)
    np.testing.assert_allclose(
        ours.gumbel_softmax(x).numpy(force=True), F.gumbel_softmax(y).detach().numpy(), rtol=1e-6
    )
