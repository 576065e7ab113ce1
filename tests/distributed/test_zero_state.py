"""The state of an optimiser goes through a checkpoint, tensors and numbers alike."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from torchstone.distributed import Refusal, World, Zero, checkpoint, run_threads
from torchstone.kernels import AdamW

pytestmark = [pytest.mark.torch]


def train(world: World, stage: int, folder: Path, *, saves: bool) -> dict[str, Tensor]:
    """Take two steps, save or load in between, and return the parameters after another two."""
    torch.manual_seed(0)
    module = nn.Sequential(nn.Linear(40, 50), nn.Linear(50, 3))
    zero = Zero(module, lambda shards: AdamW(shards, lr=0.1), stage=stage, comm=world.comm())
    for step in range(4):
        if step == 2 and saves:
            checkpoint.save(folder, zero.state_dict(), world)
        elif step == 2:
            state = zero.state_dict()
            assert checkpoint.load(folder, state, world) == 2
            zero.load_state_dict(state)
        if saves or step >= 2:
            generator = torch.Generator().manual_seed(step)
            module(torch.randn(4, 40, generator=generator)).square().mean().backward()
            zero.step()
            zero.zero_grad()
    with zero.full_parameters():
        return {name: each.detach().clone() for name, each in module.named_parameters()}


@pytest.mark.parametrize(("stage", "other"), [(0, 3), (3, 1), (2, 0)])
def test_an_optimiser_that_counts_in_numbers_goes_on_to_the_same_bits(
    stage: int, other: int, tmp_path: Path
) -> None:
    def first(world: World) -> dict[str, Tensor]:
        return train(world, stage, tmp_path, saves=True)

    def second(world: World) -> dict[str, Tensor]:
        return train(world, other, tmp_path, saves=False)

    # Every rank has the same batch: the mean of two and of four equal gradients is exact.
    wanted, found = run_threads(first, 2)[0], run_threads(second, 4)[0]
    for name, value in wanted.items():
        assert torch.equal(value, found[name]), name


@pytest.mark.parametrize("stage", [0, 1, 3])
def test_the_state_of_another_optimiser_is_refused(stage: int, tmp_path: Path) -> None:
    def run(world: World) -> str:
        module = nn.Linear(3, 2)
        saved = Zero(module, lambda p: torch.optim.AdamW(p), stage=stage, comm=world.comm())
        checkpoint.save(tmp_path, saved.state_dict(), world)
        zero = Zero(
            nn.Linear(3, 2),
            lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
            stage=stage,
            comm=world.comm(),
        )
        state = zero.state_dict()
        checkpoint.load(tmp_path, state, world)
        before = zero.optimizer.param_groups[0].copy()
        with pytest.raises(Refusal, match="state of AdamW, but SGD") as caught:
            zero.load_state_dict(state)
        assert zero.optimizer.param_groups[0] == before
        return caught.value.code

    assert run_threads(run, 2) == ["optimizer_kind"] * 2


def _to_float64(module: nn.Module) -> None:
    module.double()


def _add_a_layer(module: nn.Module) -> None:
    module.extra = nn.Linear(1, 1)


def _replace_a_parameter(module: nn.Module) -> None:
    module.weight = nn.Parameter(torch.ones(2, 2))


def _move_a_parameter(module: nn.Module) -> None:
    module.get_parameter("weight").data = torch.ones(2, 2)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (_to_float64, "weight was moved or converted"),
        (_add_a_layer, r"extra\.weight was added"),
        (_replace_a_parameter, "weight was added, replaced"),
        (_move_a_parameter, "weight was moved or converted"),
    ],
)
@pytest.mark.parametrize("stage", [0, 1, 2])
def test_parameters_that_no_step_would_update_are_named(
    change: Callable[[nn.Module], None], named: str, stage: int
) -> None:
    def run(world: World) -> None:
        module = nn.Linear(2, 2)
        zero = Zero(module, lambda p: AdamW(p, lr=0.1), stage=stage, comm=world.comm())
        change(module)
        with pytest.raises(RuntimeError, match=named):
            zero.step()

    run_threads(run, 2)
