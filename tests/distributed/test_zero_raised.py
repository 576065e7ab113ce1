"""A backward pass of Zero that raises: the others go on, and no step uses half of the gradients."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
import torch
from torch import Tensor

from tests.distributed.training import (
    OPTIMIZERS,
    Language,
    batch,
    differing,
    rare_of,
    train_alone,
    values,
)
from torchstone.distributed import World, Zero, run_threads

pytestmark = [pytest.mark.torch]
RANKS = 3


class Broken(Exception):
    """What the backward pass raises."""


def raise_at(module: Language, block: int) -> torch.utils.hooks.RemovableHandle:
    """Let the next backward pass raise where the gradient of a block's output comes."""

    def fail(grad: Tensor) -> Tensor:
        raise Broken

    def watch(part: Any, inputs: Any, output: Tensor) -> None:
        output.register_hook(fail)

    return module.blocks[block].register_forward_hook(watch)


def make(world: World, stage: int) -> Zero:
    return Zero(Language(), OPTIMIZERS["adamw"], stage=stage, comm=world.comm(), bucket_mb=0.02)


def train(world: World, stage: int, places: dict[int, int], adds_up: bool) -> dict[str, Tensor]:
    """Train; in step 1 some ranks raise at a block, and all begin the step again."""
    zero = make(world, stage)
    module = zero.module
    assert isinstance(module, Language)
    for step in range(4):
        tokens, rare = batch(step, world.rank), rare_of(step, world.rank)
        if step == 1:
            handle = raise_at(module, places[world.rank]) if world.rank in places else None
            try:
                with zero.no_sync() if adds_up else nullcontext():
                    module(tokens, rare=rare).backward()
                assert handle is None
            except Broken:
                assert handle is not None
                handle.remove()
            zero.zero_grad()
        module(tokens, rare=rare).backward()
        zero.step()
        zero.zero_grad()
    with zero.full_parameters():
        return values(module)


@pytest.fixture(scope="module")
def alone() -> dict[str, Tensor]:
    return values(train_alone(RANKS, OPTIMIZERS["adamw"]))


@pytest.mark.gate("*False-0", "*True-3", "*True-2")
@pytest.mark.parametrize("stage", [0, 1, 2, 3])
@pytest.mark.parametrize("adds_up", [False, True])
@pytest.mark.parametrize("places", [{0: 1}, {0: 0, 2: 2}, {0: 1, 1: 1, 2: 1}])
def test_a_step_can_begin_again_whoever_raised_where(
    stage: int, adds_up: bool, places: dict[int, int], alone: dict[str, Tensor]
) -> None:
    for found in run_threads(train, RANKS, stage, places, adds_up):
        assert differing(found, alone) == []


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
@pytest.mark.parametrize("adds_up", [False, True])
def test_a_step_without_all_gradients_is_refused(stage: int, adds_up: bool) -> None:
    def work(world: World) -> None:
        zero = make(world, stage)
        assert isinstance(zero.module, Language)
        handle = raise_at(zero.module, 0)
        loss = zero.module(batch(0, world.rank))
        with zero.no_sync() if adds_up else nullcontext(), pytest.raises(Broken):
            loss.backward()
        handle.remove()
        with pytest.raises(RuntimeError, match="the last backward pass has raised"):
            zero.step()

    run_threads(work, 2)
