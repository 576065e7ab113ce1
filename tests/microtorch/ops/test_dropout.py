"""Dropout leaves out what PyTorch leaves out."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import torchstone.microtorch as micro
import torchstone.microtorch.nn.functional as ours

pytestmark = pytest.mark.torch


def values(*shape):
    return np.random.default_rng(0).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("dropout", (6, 7)),
        ("alpha_dropout", (6, 7)),
        ("dropout1d", (3, 4, 5)),
        ("dropout1d", (4, 5)),
        ("dropout2d", (2, 3, 4, 5)),
        ("dropout3d", (2, 3, 2, 2, 2)),
        ("dropout3d", (3, 2, 2, 2)),
        ("feature_alpha_dropout", (2, 3, 4)),
    ],
)
def test_the_same_seed_leaves_out_the_same_as_torch(name, shape):
    array = values(*shape)
    micro.manual_seed(5)
    torch.manual_seed(5)
    got = getattr(ours, name)(micro.tensor(array), 0.4, training=True)
    wanted = getattr(F, name)(torch.tensor(array), 0.4, training=True)
    np.testing.assert_array_equal(got.numpy(), wanted.numpy())


def test_noise_is_drawn_in_the_order_of_the_memory():
    array = values(3, 4, 5).transpose(2, 0, 1)
    micro.manual_seed(5)
    torch.manual_seed(5)
    got = ours.dropout(micro.from_numpy(array), 0.4)
    np.testing.assert_array_equal(got.numpy(), F.dropout(torch.from_numpy(array), 0.4).numpy())


@pytest.mark.parametrize("name", ["dropout", "alpha_dropout", "dropout1d"])
def test_in_place_it_writes_into_its_input(name):
    x = micro.tensor(values(3, 4))
    micro.manual_seed(2)
    wanted = getattr(ours, name)(x.clone(), 0.5, training=True)
    micro.manual_seed(2)
    result = getattr(ours, name)(x, 0.5, training=True, inplace=True)
    assert result is x
    np.testing.assert_array_equal(x.numpy(), wanted.numpy())


def test_outside_of_training_nothing_happens():
    x = micro.tensor(values(3, 4))
    assert ours.dropout(x, 0.5, training=False) is x


def test_a_probability_above_one_is_refused():
    with pytest.raises(ValueError, match="has to be between 0 and 1, but got"):
        ours.dropout(micro.ones(2), 1.5)


def test_the_packages_own_forms_name_their_arguments_as_in_pytorch():
    for t in (micro, torch):
        assert t.dropout(t.ones(2), p=1.0, train=True).tolist() == [0, 0]
        assert t.alpha_dropout(t.ones(2), 0.5, train=False).tolist() == [1, 1]


def test_an_odd_number_of_dimensions_is_warned_of_or_refused():
    with pytest.warns(UserWarning, match="Received a 2-D input to dropout2d"):
        ours.dropout2d(micro.ones(2, 2))
    with pytest.raises(RuntimeError, match="Expected 2D or 3D input, but received a 4D"):
        ours.dropout1d(micro.ones(2, 2, 2, 2))
