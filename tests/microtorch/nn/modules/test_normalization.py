"""Statistics that run along: how they are weighed, when they are used, how they are forgotten."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def batches(*shape):
    """Draw three."""
    return np.random.default_rng(0).standard_normal((3, *shape)).astype(np.float32) * 3 + 1


@pytest.mark.parametrize("momentum", [0.3, None, 0.0])
@pytest.mark.parametrize("kind", ["BatchNorm2d", "InstanceNorm2d"])
def test_statistics_follow_the_batches_as_in_pytorch(kind, momentum):
    found = []
    for t in (micro, torch):
        layer = getattr(t.nn, kind)(4, momentum=momentum, affine=True, track_running_stats=True)
        for batch in batches(2, 4, 3, 3):
            layer(t.tensor(batch))
        layer.eval()
        result = layer(t.tensor(batches(2, 4, 3, 3)[0]))
        state = layer.state_dict()
        found.append(
            {
                **{key: np.asarray(each) for key, each in state.items()},
                "result": np.asarray(result.detach()),
            }
        )
    assert list(found[0]) == list(found[1])
    for key, wanted in found[1].items():
        np.testing.assert_allclose(found[0][key], wanted, rtol=1e-4, atol=1e-5, err_msg=key)


def test_without_statistics_a_batch_is_normalized_by_itself_in_use_too():
    layer = micro.nn.BatchNorm1d(3, track_running_stats=False).eval()
    result = layer(micro.tensor(batches(50, 3)[0])).detach().array
    np.testing.assert_allclose(result.mean(0), 0, atol=1e-5)
    assert layer.state_dict().keys() == {"weight", "bias"}


def test_statistics_are_forgotten():
    layer = micro.nn.BatchNorm1d(3)
    layer(micro.tensor(batches(5, 3)[0]))
    assert layer.num_batches_tracked.item() == 1
    layer.reset_running_stats()
    assert layer.num_batches_tracked.item() == 0
    np.testing.assert_array_equal(layer.running_var.array, np.ones(3))


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.nn.BatchNorm1d(3)(t.ones(3)),
        lambda t: t.nn.BatchNorm2d(3)(t.ones(2, 3)),
        lambda t: t.nn.InstanceNorm3d(3)(t.ones(2, 3)),
        lambda t: t.nn.InstanceNorm1d(3, affine=True)(t.ones(2, 4, 5)),
        lambda t: t.nn.GroupNorm(4, 6),
        lambda t: t.nn.BatchNorm1d(3)(t.ones(1, 3)),
    ],
)
def test_what_pytorch_refuses_is_refused_in_its_words(call):
    messages = []
    for t in (torch, micro):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
            call(t)
        messages.append(str(caught.value).replace(" .", "."))
    assert messages[0] == messages[1]


def test_features_that_do_not_matter_are_a_warning():
    with pytest.warns(UserWarning, match="does not match num_features"):
        micro.nn.InstanceNorm1d(7)(micro.ones(2, 3, 4))


def test_what_was_made_of_a_layer_keeps_its_own_list_of_parameters():
    layer = micro.nn.BatchNorm1d(2)
    made = micro.nn.SyncBatchNorm.convert_sync_batchnorm(layer)
    assert made.weight is layer.weight
    made.register_buffer("more", micro.ones(1))
    assert "more" not in layer.state_dict()
