"""Normalisation: running averages, layouts, and gradients of all that comes out."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch


def both(*shape, seed=0):
    array = np.random.default_rng(seed).standard_normal(shape) * 3 + 1
    return micro.tensor(array, requires_grad=True), torch.tensor(array, requires_grad=True)


def assert_same(got, wanted, atol=1e-10):
    np.testing.assert_allclose(got.numpy(force=True), wanted.detach().numpy(), atol=atol)


@pytest.mark.parametrize("name", ["batch_norm", "instance_norm"])
def test_running_averages_follow_as_in_torch(name):
    x, y = both(4, 3, 5)
    mine = micro.zeros(3, dtype=micro.float64), micro.ones(3, dtype=micro.float64)
    theirs = torch.zeros(3, dtype=torch.float64), torch.ones(3, dtype=torch.float64)
    is_training = {"training" if name == "batch_norm" else "use_input_stats": True}
    getattr(ours, name)(x, *mine, momentum=0.3, **is_training)
    getattr(F, name)(y, *theirs, momentum=0.3, **is_training)
    assert_same(mine[0], theirs[0])
    assert_same(mine[1], theirs[1])
    assert mine[0]._version == 0
    is_training = dict.fromkeys(is_training, False)
    assert_same(
        getattr(ours, name)(x, *mine, **is_training), getattr(F, name)(y, *theirs, **is_training)
    )


def test_mean_and_deviation_of_groups_have_gradients_too():
    x, y = both(3, 4)
    groups = y.reshape(3, 2, 2)
    wanted = groups.mean(2), (groups.var(2, unbiased=False) + 1e-5).rsqrt()
    for place in (0, 1):
        made = micro.native_group_norm(x, None, None, 3, 4, 1, 2, 1e-5)[1 + place]
        assert_same(made, wanted[place])
        x.grad = y.grad = None
        made.sin().sum().backward()
        wanted[place].sin().sum().backward()
        assert_same(x.grad, y.grad)


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
def test_second_gradients_of_all_inputs_agree(name):
    x, y = both(3, 4)
    w, v = both(4, seed=1)
    grad = micro.autograd.grad(getattr(ours, name)(x, (4,), w).sin().sum(), x, create_graph=True)[0]
    wanted = torch.autograd.grad(getattr(F, name)(y, (4,), v).sin().sum(), y, create_graph=True)[0]
    grad.square().sum().backward()
    wanted.square().sum().backward()
    assert_same(x.grad, y.grad)
    assert_same(w.grad, v.grad)


def test_transposed_input_gives_the_same():
    x, y = both(6, 5)
    assert_same(ours.layer_norm(x.transpose(0, 1)[::2], (6,)), F.layer_norm(y.T[::2], (6,)))
    assert_same(ours.group_norm(x.transpose(0, 1), 3), F.group_norm(y.T, 3))


def test_half_precision_adds_up_in_single():
    x = micro.full((1, 4096), 30.0, dtype=micro.float16)
    assert ours.rms_norm(x, (4096,)).tolist()[0][:2] == [1.0, 1.0]


def test_wrong_shapes_are_refused():
    x = micro.zeros(2, 3, 4)
    with pytest.raises(RuntimeError, match=r"expected input with shape \[\*, 3\], but got input"):
        ours.layer_norm(x, (3,))
    with pytest.raises(RuntimeError, match="running_mean should contain 3 elements not 2"):
        ours.batch_norm(x, micro.zeros(2), micro.ones(2))
    with pytest.raises(RuntimeError, match="divisible by num_groups"):
        ours.group_norm(x, 2)
    with pytest.raises(ValueError, match="more than 1 value per channel"):
        ours.batch_norm(micro.zeros(1, 3), None, None, training=True)
    with pytest.raises(ValueError, match="more than 1 spatial element"):
        ours.instance_norm(micro.zeros(2, 3, 1))


def test_half_precision_is_normalised_with_the_eps_of_single():
    x = np.linspace(-0.01, 0.02, 5).astype(np.float16)
    got = ours.rms_norm(micro.tensor(x), (5,)).numpy()
    np.testing.assert_allclose(got, F.rms_norm(torch.tensor(x), (5,)).numpy(), rtol=2e-3)


@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
def test_whole_numbers_are_not_normalised(name):
    for lib in (torch, micro):
        with pytest.raises(NotImplementedError, match="Long"):
            getattr(lib.nn.functional, name)(lib.ones(2).long(), (2,))


def test_nothing_is_differentiated_twice():
    x = micro.ones(2, 0, requires_grad=True)
    (grad,) = micro.autograd.grad(ours.layer_norm(x, (0,)).sum(), x, create_graph=True)
    assert micro.autograd.grad(grad.sum(), x)[0].shape == (2, 0)
