"""Losses: far values, warnings, and how they are reduced."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch


def both(values):
    array = np.asarray(values, np.float64)
    return micro.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)


def assert_agree(name, first, second, **options):
    (x, y), (t, u) = both(first), both(second)
    a = getattr(ours, name)(x, t.detach(), **options)
    b = getattr(F, name)(y, u.detach(), **options)
    np.testing.assert_allclose(a.numpy(force=True), b.detach().numpy(), atol=1e-12)
    a.sum().backward()
    b.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), atol=1e-12)


def test_binary_cross_entropy_is_finite_where_it_is_certain():
    assert_agree("binary_cross_entropy", [0.0, 1.0, 0.5], [1.0, 0.0, 1.0])


def test_scores_far_from_zero_neither_overflow_nor_vanish():
    assert_agree("binary_cross_entropy_with_logits", [-1e4, 1e4, 800.0], [1.0, 0.0, 1.0])
    assert_agree("soft_margin_loss", [-700.0, 700.0], [1.0, 1.0], reduction="none")


@pytest.mark.parametrize("name", ["huber_loss", "smooth_l1_loss"])
def test_gradients_agree_at_the_corner(name):
    assert_agree(name, [-1.0, 0.0, 0.5, 1.0, 2.0], [0.0] * 5, reduction="sum")


def test_a_divergence_of_zero_probabilities_is_zero():
    with micro.no_grad():
        loss = ours.kl_div(micro.tensor([-1.0]), micro.tensor([0.0]), reduction="sum")
    assert loss.item() == 0.0


@pytest.mark.parametrize(
    ("size_average", "reduce", "wanted"), [(None, False, "none"), (False, None, "sum")]
)
def test_the_old_switches_are_read_and_warned_of(size_average, reduce, wanted):
    x, t = micro.ones(3), micro.zeros(3)
    with pytest.warns(UserWarning, match=f"please use reduction='{wanted}' instead"):
        got = ours.mse_loss(x, t, size_average, reduce)
    np.testing.assert_array_equal(got.numpy(), ours.mse_loss(x, t, reduction=wanted).numpy())


def test_shapes_that_broadcast_are_warned_of():
    with pytest.warns(UserWarning, match="Using a target size"):
        ours.mse_loss(micro.ones(3, 1), micro.ones(3))


def test_what_makes_no_sense_is_refused():
    x = micro.ones(2)
    with pytest.raises(RuntimeError, match="all elements of input should be between 0 and 1"):
        ours.binary_cross_entropy(x * 2, x)
    with pytest.raises(RuntimeError, match="non-positive values for delta"):
        ours.huber_loss(x, x, delta=0.0)
    with pytest.raises(ValueError, match="var has negative entry"):
        ours.gaussian_nll_loss(x, x, -x)
    with pytest.raises(ValueError, match="best is not a valid value for reduction"):
        ours.l1_loss(x, x, reduction="best")


@pytest.mark.parametrize("name", ["binary_cross_entropy_with_logits", "huber_loss", "mse_loss"])
@pytest.mark.parametrize("types", [("float32", "float64"), ("float64", "float32")])
def test_a_loss_of_two_types_has_the_type_that_it_has_in_pytorch(name, types):
    def loss(lib):
        scores, targets = (lib.full((3,), 0.25, dtype=getattr(lib, each)) for each in types)
        return str(getattr(lib.nn.functional, name)(scores, targets).dtype)

    assert loss(micro) == loss(torch)


def test_the_gradient_of_targets_knows_no_limit_as_in_pytorch():
    def slopes(lib):
        probs, targets = lib.tensor([0.0, 0.5, 1.0]), lib.tensor([0.0, 1.0, 0.5])
        targets.requires_grad_()
        lib.nn.functional.binary_cross_entropy(probs, targets, reduction="sum").backward()
        return targets.grad.tolist()

    assert slopes(micro) == slopes(torch)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda lib, x: lib.nn.functional.binary_cross_entropy(x * float("nan"), x), RuntimeError),
        (lambda lib, x: lib.nn.functional.mse_loss(x.long(), x.long()), NotImplementedError),
        (
            lambda lib, x: lib.nn.functional.binary_cross_entropy(x.long(), x.long()),
            NotImplementedError,
        ),
    ],
)
def test_values_that_a_loss_does_not_take_are_refused_as_in_pytorch(call, error):
    for lib in (micro, torch):
        with pytest.raises(error):
            call(lib, lib.ones(2))
