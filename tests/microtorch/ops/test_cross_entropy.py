"""Cross entropy: far scores, ignored targets, and the way of rows against the general one."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch


def both(*shape, scale=1.0, seed=0):
    array = np.random.default_rng(seed).standard_normal(shape) * scale
    return micro.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)


def targets(*shape, classes=5, seed=0):
    array = np.random.default_rng(seed).integers(0, classes, shape)
    return micro.tensor(array), torch.tensor(array)


def assert_same(got, wanted):
    np.testing.assert_allclose(got.numpy(force=True), wanted.detach().numpy(), rtol=1e-7)


@pytest.mark.parametrize("scale", [1.0, 1e3])
@pytest.mark.parametrize("ignore_index", [-100, 2])
def test_rows_agree_in_value_gradient_and_second_gradient(scale, ignore_index):
    x, y = both(7, 5, scale=scale)
    t, u = targets(7)
    a = ours.cross_entropy(x, t, ignore_index=ignore_index)
    b = F.cross_entropy(y, u, ignore_index=ignore_index)
    assert_same(a, b)
    (grad,) = micro.autograd.grad(a, x, create_graph=True)
    (wanted,) = torch.autograd.grad(b, y, create_graph=True)
    np.testing.assert_allclose(grad.numpy(force=True), wanted.detach().numpy(), atol=1e-15)
    grad.square().sum().backward()
    wanted.square().sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), atol=1e-15)


def test_when_all_targets_are_ignored_the_mean_is_no_number():
    x, y = both(3, 5)
    loss = ours.cross_entropy(x, micro.tensor([-100] * 3))
    wanted = F.cross_entropy(y, torch.tensor([-100] * 3))
    assert np.isnan(loss.item())
    assert np.isnan(wanted.item())
    loss.backward()
    wanted.backward()
    np.testing.assert_array_equal(x.grad.numpy(), y.grad.numpy())


def test_an_infinite_gradient_of_an_ignored_row_is_zero():
    x, y = both(3, 5)
    ours.nll_loss(x, micro.tensor([1, -100, 2]), reduction="none").backward(
        micro.tensor([1.0, math.inf, 1.0], dtype=x.dtype)
    )
    loss = F.nll_loss(y, torch.tensor([1, -100, 2]), reduction="none")
    loss.backward(torch.tensor([1.0, math.inf, 1.0], dtype=y.dtype))
    np.testing.assert_array_equal(x.grad.numpy(), y.grad.numpy())


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_images_weights_and_smoothing_agree(reduction):
    x, y = both(2, 5, 3, 4)
    t, u = targets(2, 3, 4)
    weight = np.arange(1.0, 6.0)
    options = {"label_smoothing": 0.1, "ignore_index": 1, "reduction": reduction}
    a = ours.cross_entropy(x, t, micro.tensor(weight), **options)
    b = F.cross_entropy(y, u, torch.tensor(weight), **options)
    assert_same(a, b)
    a.sum().backward()
    b.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), y.grad.numpy(), atol=1e-14)


def test_scores_that_do_not_lie_in_order_give_the_same():
    x, _ = both(5, 8)
    t, _ = targets(4)
    view = x.detach().transpose(0, 1)[::2]
    assert_same(ours.cross_entropy(view, t), torch.tensor(
        F.cross_entropy(torch.tensor(view.numpy().copy()), torch.tensor(t.numpy())).item()
    ))  # fmt: skip


def test_half_precision_adds_up_in_single():
    x = micro.zeros(2, 4096, dtype=micro.float16)
    assert abs(ours.cross_entropy(x, micro.tensor([0, 1])).item() - np.log(4096)) < 0.01


@pytest.mark.parametrize("function", ["cross_entropy", "nll_loss"])
def test_a_class_that_is_not_there_is_refused(function):
    with pytest.raises(IndexError, match="Target 5 is out of bounds"):
        getattr(ours, function)(micro.zeros(2, 5), micro.tensor([0, 5]))
    with pytest.raises(
        ValueError, match=r"input batch_size \(2\) to match target batch_size \(3\)"
    ):
        getattr(ours, function)(micro.zeros(2, 5), micro.tensor([0, 1, 2]))


def test_scores_that_are_whole_numbers_are_refused():
    for t in (micro, torch):
        with pytest.raises(NotImplementedError, match="not implemented for 'Long'"):
            t.nn.functional.cross_entropy(t.ones(2, 3).long(), t.tensor([1, 2]))


def test_an_unknown_reduction_is_refused():
    with pytest.raises(ValueError, match="most is not a valid value for reduction"):
        ours.cross_entropy(micro.zeros(2, 5), micro.tensor([0, 1]), reduction="most")
