"""The adaptive softmax gives PyTorch's numbers, and refuses what PyTorch refuses."""

from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.nn.modules.test_state import outcome

pytestmark = pytest.mark.torch


def made(t: Any) -> Any:
    """Make one of ten classes in three clusters."""
    t.manual_seed(0)
    return t.nn.AdaptiveLogSoftmaxWithLoss(8, 10, [2, 5], div_value=2.0, head_bias=True)


def test_losses_probabilities_and_gradients_agree() -> None:
    found = []
    for t in (micro, torch):
        net, x = made(t), t.arange(24.0).reshape(3, 8) / 24
        output, loss = net(x, t.tensor([0, 4, 9]))
        loss.backward()
        tensors = [output, loss, net.log_prob(x), net.predict(x), net(x[0], t.tensor(7))[0]]
        tensors += [each.grad for each in net.parameters()]
        found.append([each.detach().numpy() for each in tensors])
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-6)
    assert np.allclose(np.exp(found[0][2]).sum(axis=1), 1)


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.nn.AdaptiveLogSoftmaxWithLoss(8, 10, [5, 2]),
        lambda t: t.nn.AdaptiveLogSoftmaxWithLoss(8, 10, []),
        lambda t: made(t)(t.ones(2, 8), t.tensor([0, 10])),
        lambda t: made(t)(t.ones(3, 8), t.tensor([0, 4])),
        lambda t: made(t)(t.ones(8), t.tensor([0])),
    ],
    ids=["falling", "none", "range", "batch", "dims"],
)
def test_what_pytorch_refuses_is_refused(call: Any) -> None:
    ours, theirs = outcome(lambda: call(micro)), outcome(lambda: call(torch))
    assert ours == theirs
    assert isinstance(ours, tuple)
