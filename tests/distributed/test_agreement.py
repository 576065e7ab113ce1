import pytest
import torch
from torch import nn

from torchstone.distributed import Refusal, run_threads
from torchstone.distributed.agreement import copy_from_first, require_equal_modules

pytestmark = [pytest.mark.torch]


def test_every_rank_takes_the_bits_of_rank_0_with_a_broadcast_for_each_dtype():
    def work(world):
        rank = float(world.rank)
        tensors = [
            torch.full((3, 2), rank).t(),
            torch.tensor(-0.0 if world.rank == 0 else 0.0),
            torch.tensor([world.rank == 0]),
            torch.full((0, 4), rank),
            torch.full((2,), rank if world.rank else float("nan")),
        ]
        copy_from_first(tensors, world.comm())
        return tensors, len(world.comm().ledger.entries)

    for tensors, num_entries in run_threads(work, 3):
        assert num_entries == 2
        assert tensors[0].tolist() == [[0.0] * 3] * 2
        assert torch.signbit(tensors[1])
        assert tensors[2].tolist() == [True]
        assert tensors[4].isnan().all()


def test_large_tensors_are_copied_in_parts_so_that_little_is_held_twice():
    million = 1 << 20

    def work(world):
        sizes = [3 * million, million, 100, 9 * million, 7]
        tensors = [torch.full((size,), float(world.rank)) for size in sizes]
        copy_from_first(tensors, world.comm())
        return [each.any().item() for each in tensors], world.comm().ledger.entries

    for rank, (differ, entries) in enumerate(run_threads(work, 2)):
        assert differ == [False] * 5
        if rank == 0:
            sent = [each.bytes_sent // 4 for each in entries]
            assert sent == [4 * million, 100, 9 * million, 7]


def test_what_is_equal_is_not_written():
    def work(world):
        same, other = torch.ones(3), torch.full((3,), float(world.rank))
        copy_from_first([same, other], world.comm())
        return same._version, other._version

    assert run_threads(work, 2) == [(0, 0), (0, 1)]


def test_nothing_to_copy_sends_nothing():
    def work(world):
        copy_from_first([], world.comm())
        return world.comm().ledger.entries

    assert run_threads(work, 2) == [[], []]


def test_equal_modules_cost_one_small_exchange():
    def work(world):
        require_equal_modules(nn.Linear(300, 300), world.comm())
        return world.comm().ledger.total()

    assert run_threads(work, 4) == [3 * 32] * 4


def test_the_first_rank_that_differs_is_named_with_letters_of_any_script():
    def work(world):
        module = nn.ModuleDict({"层" if world.rank >= 1 else "layer": nn.Linear(1, 1)})
        with pytest.raises(Refusal, match=r"rank 1 has .*: 层.weight \(1, 1\) float32 instead of"):
            require_equal_modules(module, world.comm())

    run_threads(work, 3)
