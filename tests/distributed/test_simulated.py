"""The training that a simulation compares: the same samples and network on every side."""

from __future__ import annotations

import pytest
import torch

from torchstone.distributed import run_threads
from torchstone.distributed.simulated import (
    Network,
    Trained,
    batch,
    train_alone,
    train_data_parallel,
    train_zero,
    values_of,
)

pytestmark = [pytest.mark.torch]


def test_ranks_and_steps_see_other_samples() -> None:
    seen = [batch(step, rank) for step in range(2) for rank in range(3)]
    assert all(not torch.equal(one, other) for one in seen for other in seen if one is not other)
    assert torch.equal(batch(1, 2), batch(1, 2))


def test_the_network_learns_and_the_sum_in_one_process_has_the_order_of_the_ranks() -> None:
    before, after = values_of(Network()), train_alone(2, 2)
    assert all(not torch.equal(before[name], after[name]) for name in before)
    ranks: list[Trained] = run_threads(train_data_parallel, 2, 2)
    assert all(torch.equal(ranks[1].parameters[name], after[name]) for name in after)
    assert ranks[0].losses != ranks[1].losses


def test_what_is_noted_is_of_the_steps_alone() -> None:
    for rank in run_threads(train_zero(3), 2, 2):
        assert [len(each) for each in (rank.ends, rank.clock_s, rank.ledger_s)] == [3, 3, 3]
        assert rank.ends[0] == 0
        assert rank.ends[-1] == len(rank.entries)
        assert {entry.op for entry in rank.entries} >= {"all_gather", "reduce_scatter"}
        assert set(rank.memory) == {"parameters", "gradients", "optimizer", "buffers"}
