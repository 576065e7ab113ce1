"""Ranks in any number and stage go on from what any others have saved, to the same bits."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

from tests.distributed.models import digest
from torchstone.distributed import World, Zero, checkpoint, run_threads

pytestmark = [pytest.mark.torch]

SHAPES = [(size, stage) for size in (1, 2, 3, 4) for stage in (0, 1, 2, 3)]
NUM_BATCHES = 12


def make(world: World, stage: int) -> Zero:
    torch.manual_seed(0)
    return Zero(
        nn.Sequential(nn.Linear(5, 7), nn.Linear(7, 3)),
        lambda shards: torch.optim.AdamW(shards, lr=0.1),
        stage=stage,
        comm=world.comm(),
        order="float64",
        divide_by=NUM_BATCHES,
    )


def advance(world: World, zero: Zero, step: int) -> None:
    """Take a step, whose twelve micro-batches are shared by as many ranks as there are."""
    batches = torch.randn(NUM_BATCHES, 3, 5, generator=torch.Generator().manual_seed(step))
    *first, last = batches.chunk(world.world_size)[world.rank]
    with zero.no_sync():
        for batch in first:
            zero.module(batch).square().sum().backward()
    zero.module(last).square().sum().backward()
    zero.clip_grad_norm_(1.0)
    zero.step()
    zero.zero_grad()


def write(world: World, folder: Path, stage: int) -> None:
    zero = make(world, stage)
    for step in (1, 2):
        advance(world, zero, step)
    checkpoint.save(folder, zero.state_dict(), world)


def go_on(world: World, folder: Path, stage: int) -> str:
    zero = make(world, stage)
    state = zero.state_dict()
    advance(world, zero, checkpoint.load(folder, state, world) + 5)
    zero.load_state_dict(state)
    advance(world, zero, 3)
    return digest_of(zero)


def digest_of(zero: Zero) -> str:
    with zero.full_parameters():
        return digest(zero.module.parameters())


def undisturbed(world: World) -> str:
    zero = make(world, 1)
    for step in (1, 2, 3):
        advance(world, zero, step)
    return digest_of(zero)


def require_same_bits(folder: Path, before: tuple[int, int], afters: list[tuple[int, int]]) -> None:
    run_threads(write, before[0], folder, before[1])
    wanted = run_threads(undisturbed, 1)[0]
    found = {after: set(run_threads(go_on, after[0], folder, after[1])) for after in afters}
    assert found == {after: {wanted} for after in afters}


@pytest.mark.parametrize("before", [(1, 0), (2, 1), (3, 2), (4, 3)], ids=str)
def test_some_worlds_and_stages_go_on_to_the_same_bits(
    tmp_path: Path, before: tuple[int, int]
) -> None:
    require_same_bits(tmp_path, before, [(3, 0), (4, 1), (1, 2), (2, 3)])


@pytest.mark.full
@pytest.mark.parametrize("before", SHAPES, ids=str)
def test_every_world_and_stage_goes_on_to_the_same_bits(
    tmp_path: Path, before: tuple[int, int]
) -> None:
    require_same_bits(tmp_path, before, SHAPES)
