"""Optimisers that look beyond one element are refused, and groups know what they are parts of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from tests.distributed.training import differing, gradients, values
from torchstone.distributed import World, Zero, run_threads

pytestmark = [pytest.mark.torch]


@pytest.mark.parametrize("stage", [0, 1, 3])
@pytest.mark.parametrize("kind", ["Adafactor", "LBFGS", "SparseAdam"])
def test_an_optimiser_that_needs_whole_parameters_is_refused(stage: int, kind: str) -> None:
    make: Callable[[Any], Optimizer] = getattr(torch.optim, kind)
    with pytest.raises(ValueError, match=f"{kind} does not treat each element alike"):
        run_threads(lambda world: Zero(nn.Linear(3, 2), make, stage=stage, comm=world.comm()), 2)


def test_what_is_no_optimiser_is_refused() -> None:
    make: Any = list
    with pytest.raises(TypeError, match=r"made list; make a torch\.optim\.Optimizer"):
        run_threads(lambda world: Zero(nn.Linear(3, 2), make, stage=1, comm=world.comm()), 2)


@pytest.mark.parametrize("kind", ["RMSprop", "Adagrad", "NAdam", "RAdam", "Adamax", "Adadelta"])
def test_others_have_the_bits_of_one_process(kind: str) -> None:
    make: Callable[[Any], Optimizer] = getattr(torch.optim, kind)
    plain = train_alone(3, make)
    for stage in (1, 3):
        for found in run_threads(train, 3, make, stage):
            assert differing(found, values(plain)) == []


def grouped(parameters: Any) -> Optimizer:
    """Let matrices decay and vectors not, as is usual."""
    parameters = list(parameters)
    shapes = [getattr(each, "whole_shape", each.shape) for each in parameters]
    pairs = list(zip(parameters, shapes, strict=True))
    return torch.optim.AdamW(
        [
            {"params": [each for each, shape in pairs if len(shape) > 1], "weight_decay": 0.5},
            {"params": [each for each, shape in pairs if len(shape) < 2], "weight_decay": 0.0},
        ],
        lr=0.1,
    )


@pytest.mark.parametrize("size", [1, 4, 16])
@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_groups_by_the_shape_of_the_whole_work_where_a_rank_has_nothing(
    size: int, stage: int
) -> None:
    plain = train_alone(size, grouped)
    for found in run_threads(train, size, grouped, stage):
        assert differing(found, values(plain)) == []


def train(world: World, make: Callable[[Any], Optimizer], stage: int) -> dict[str, Tensor]:
    module = net()
    zero = Zero(module, make, stage=stage, comm=world.comm())
    for step in range(3):
        module(samples(step, world.rank)).square().mean().backward()
        zero.step()
        zero.zero_grad()
    with zero.full_parameters():
        return values(module)


def train_alone(size: int, make: Callable[[Any], Optimizer]) -> nn.Module:
    module = net()
    optimizer = make(module.parameters())
    for step in range(3):
        totals: dict[str, Tensor] = {}
        for rank in range(size):
            module.zero_grad()
            module(samples(step, rank)).square().mean().backward()
            for name, grad in gradients(module):
                totals[name] = totals[name] + grad if name in totals else grad
        for name, parameter in module.named_parameters():
            parameter.grad = totals[name] / size
        optimizer.step()
    return module


def net() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))


def samples(step: int, rank: int) -> Tensor:
    return torch.randn(2, 4, generator=torch.Generator().manual_seed(100 * step + rank))
