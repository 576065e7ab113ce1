"""What stages 2 and 3 hold while a backward pass runs, and that no rank waits for ever for less."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from tests.distributed.launch import by_torchrun
from tests.distributed.models import digest
from tests.distributed.training import OPTIMIZERS, differing, values
from torchstone.distributed import Comm, World, Zero, run_threads
from torchstone.distributed.layout import CHUNK
from torchstone.distributed.shards import Shard, has_room

pytestmark = [pytest.mark.torch]

WIDTH, DEPTH, NUM_STEPS = 32, 12, 4
# No longer than a chunk: each rank has one of a layer, and it is padded.
UNIT = WIDTH * WIDTH * 4


class Layers(nn.Module):
    """Layers of equal size, of which a rank may leave some out."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList(nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(DEPTH))

    def forward(self, x: Tensor, *, without: tuple[int, ...] = ()) -> Tensor:
        for number, layer in enumerate(self.layers):
            if number not in without:
                x = torch.tanh(layer(x))
        return x.sum()


def wrap(module: nn.Module, world: World, stage: int, **options: Any) -> tuple[Zero, list[int]]:
    """Return the wrapper, and a list that gets the bytes of gradients after each one that comes."""
    zero = Zero(
        module,
        OPTIMIZERS["sgd"],
        stage=stage,
        comm=world.comm(),
        bucket_mb=UNIT / 2**20,
        **options,
    )
    seen: list[int] = []
    for each in module.parameters():
        each.register_post_accumulate_grad_hook(lambda _: seen.append(zero.memory()["gradients"]))
    return zero, seen


def held_with(num_buckets: int, *, size: int) -> int:
    """Return the bytes of the gradients of a rank, and of some buckets that wait."""
    shard = CHUNK * 4
    return DEPTH * shard + num_buckets * size * shard


@pytest.mark.parametrize(("stage", "prefetch"), [(2, 1), (3, 0), (3, 3)])
@pytest.mark.parametrize("size", [1, 3])
def test_two_buckets_of_gradients_are_there_at_most(size: int, stage: int, prefetch: int) -> None:
    def run(world: World) -> tuple[int, int]:
        zero, seen = wrap(Layers(), world, stage, prefetch=prefetch)
        for step in range(2):
            zero.module(torch.full((2, WIDTH), float(step + world.rank))).backward()
            zero.step()
            zero.zero_grad()
        return max(seen), len(seen)

    for most, count in run_threads(run, size):
        assert count == 2 * DEPTH
        assert most <= held_with(2, size=size)


def test_small_buffers_between_large_ones_take_no_room() -> None:
    def run(world: World) -> list[bool]:
        module = nn.ParameterList(torch.ones(numel) for numel in (1 << 20, 8) * 3)
        zero = Zero(module, OPTIMIZERS["sgd"], stage=2, comm=world.comm(), bucket_mb=1e-5)
        small, *shards = zero._shards
        assert small.num_bytes < shards[0].num_bytes / 100
        assert shards[0].num_bytes == shards[2].num_bytes == shards[4].num_bytes
        return [
            has_room(shards[2], shards, 0, 2),
            has_room(shards[4], shards, 0, 4),
            has_room(shards[4], shards, 1, 4),
        ]

    assert run_threads(run, 2) == [[True, False, True]] * 2


def test_layers_that_no_rank_uses_take_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    most: list[int] = []
    zeros: dict[int, Zero] = {}
    reduce = Shard.reduce

    def watched(shard: Shard) -> None:
        most.extend(zero.memory()["gradients"] for zero in zeros.values())
        reduce(shard)

    def run(world: World) -> None:
        zeros[world.rank], _ = wrap(Layers(), world, 3)
        zeros[world.rank].module(torch.ones(2, WIDTH), without=tuple(range(1, DEPTH))).backward()

    monkeypatch.setattr(Shard, "reduce", watched)
    run_threads(run, 2)
    # The first layer has a gradient, which is the last to travel.
    assert max(most) <= held_with(3, size=2)


class Meet(torch.autograd.Function):
    """Does nothing, and meets the other ranks in the backward pass."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, comm: Comm) -> Tensor:
        ctx.comm = comm
        return x.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        ctx.comm.barrier()
        return grad.clone(), None


def left_out(rank: int, size: int) -> tuple[int, ...]:
    """Return the layers that a rank leaves out: the last one leaves out the last layer."""
    return (DEPTH - 1,) if rank == size - 1 else ()


def train_unlike(world: World, stage: int) -> dict[str, Tensor]:
    """Train where the last rank comes to the first exchange when its backward pass has ended.

    Before that it meets the others, or gathers parameters with them.
    """
    module, other = Layers(), world.comm().duplicate()
    zero, _ = wrap(module, world, stage)
    without = left_out(world.rank, world.world_size)
    for step in range(NUM_STEPS):
        x = torch.full((2, WIDTH), float(step + world.rank), requires_grad=True)
        module(Meet.apply(x, other), without=without).backward()
        zero.step()
        zero.zero_grad()
    with zero.full_parameters():
        return values(module)


def train_alone(size: int) -> dict[str, Tensor]:
    """Train the same in one process, which adds in rank order."""
    module = Layers()
    optimizer = OPTIMIZERS["sgd"](module.parameters())
    for step in range(NUM_STEPS):
        totals = [torch.zeros_like(each) for each in module.parameters()]
        for rank in range(size):
            module.zero_grad()
            x = torch.full((2, WIDTH), float(step + rank))
            module(x, without=left_out(rank, size)).backward()
            for total, each in zip(totals, module.parameters(), strict=True):
                if each.grad is not None:
                    total += each.grad
        for total, each in zip(totals, module.parameters(), strict=True):
            each.grad = total / size
        optimizer.step()
    return values(module)


@pytest.mark.parametrize("stage", [1, 2, 3])
@pytest.mark.parametrize("size", [2, 3])
def test_a_rank_with_other_branches_does_not_wait_for_ever(size: int, stage: int) -> None:
    for found in run_threads(train_unlike, size, stage):
        assert differing(found, train_alone(size)) == []


PROGRAM = """
from tests.distributed.test_zero_memory import *

torch.set_num_threads(1)
with td.init() as world:
    most, hashes = {}, {}
    for stage in (2, 3):
        zero, seen = wrap(Layers(), world, stage)
        for step in range(4):
            zero.module(torch.full((2, WIDTH), float(step + world.rank))).backward()
            zero.step()
            zero.zero_grad()
        most[stage] = min(max(seen[step * DEPTH : (step + 1) * DEPTH]) for step in range(4))
        hashes[stage] = digest(train_unlike(world, stage).values())
    record("hashes", hashes)
    record("most", most)
"""


@pytest.mark.full
def test_ranks_that_are_processes_hold_as_little_and_do_not_wait(tmp_path: Path) -> None:
    ranks = by_torchrun(PROGRAM, 3, tmp_path, until="most")
    wanted = digest(train_alone(3).values())
    assert ranks.each("hashes") == [{"2": wanted, "3": wanted}] * 3
    # Of one pass in four: another program may hold a rank up for longer than others wait for it.
    for most in ranks.each("most"):
        assert most["2"] <= held_with(2, size=3)
        # A rank of stage 3 does not wait for long: others may wait for it.
        assert most["3"] <= held_with(DEPTH // 2, size=3)
