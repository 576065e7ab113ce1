"""Averages of models are PyTorch's."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore:Detected call of `lr_scheduler.step"),
]

AVERAGES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "all alike": lambda space: {},
    "fading": lambda space: {"multi_avg_fn": space.optim.swa_utils.get_ema_multi_avg_fn(0.9)},
    "fading, each": lambda space: {"avg_fn": space.optim.swa_utils.get_ema_avg_fn(0.9)},
    "with buffers": lambda space: {
        "multi_avg_fn": space.optim.swa_utils.get_ema_multi_avg_fn(0.5), "use_buffers": True
    },
}  # fmt: skip


def averaged(space: Any, average: str) -> dict[str, np.ndarray[Any, Any]]:
    space.manual_seed(4)
    net = space.nn.Sequential(space.nn.Linear(3, 4), space.nn.BatchNorm1d(4))
    optimizer = space.optim.SGD(net.parameters(), lr=0.1)
    mean = space.optim.swa_utils.AveragedModel(net, **AVERAGES[average](space))
    batches = [space.randn(8, 3) for _ in range(4)]
    for batch in batches:
        optimizer.zero_grad()
        net(batch).pow(3).mean().backward()
        optimizer.step()
        mean.update_parameters(net)
    before = {name: each.numpy().copy() for name, each in mean.state_dict().items()}
    space.optim.swa_utils.update_bn([(batch, None) for batch in batches], mean)
    after = {f"bn {name}": each.numpy() for name, each in mean.state_dict().items()}
    return {**before, **after}


@pytest.mark.parametrize("average", AVERAGES)
def test_the_means_and_then_the_statistics_are_pytorchs(average: str) -> None:
    ours, theirs = averaged(micro, average), averaged(torch, average)
    assert list(ours) == list(theirs)
    for name, wanted in theirs.items():
        np.testing.assert_allclose(ours[name], wanted, rtol=1e-4, atol=1e-5, err_msg=name)


@pytest.mark.parametrize("epochs", [0, 1, 4])
@pytest.mark.parametrize("strategy", ["cos", "linear"])
def test_the_rate_goes_to_where_pytorchs_goes(epochs: int, strategy: str) -> None:
    seen = []
    for space in (micro, torch):
        groups = [{"params": [space.zeros(2)]}, {"params": [space.zeros(3)], "lr": 0.01}]
        optimizer = space.optim.SGD(groups, lr=0.4)
        schedule = space.optim.swa_utils.SWALR(optimizer, [0.1, 0.05], epochs, strategy)
        rows = []
        for _ in range(7):
            rows.append(schedule.get_last_lr())
            schedule.step()
        seen.append(rows)
    np.testing.assert_allclose(seen[0], seen[1], rtol=1e-9)


def test_two_averages_at_once_and_a_decay_above_one_are_refused() -> None:
    swa_utils, net = micro.optim.swa_utils, micro.nn.Linear(1, 1)
    with pytest.raises(AssertionError, match="Only one"):
        swa_utils.AveragedModel(net, avg_fn=min, multi_avg_fn=min)
    with pytest.raises(ValueError, match="Invalid decay"):
        swa_utils.get_ema_avg_fn(1.5)
