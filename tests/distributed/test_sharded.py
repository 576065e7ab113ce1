"""What stage 3 frees is there again when it is needed."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from tests.distributed.models import Branches
from tests.distributed.training import (
    OPTIMIZERS,
    Language,
    batch,
    differing,
    gradients,
    values,
)
from torchstone.distributed import World, Zero, run_threads

pytestmark = [pytest.mark.torch]


def test_an_array_of_a_gathered_parameter_is_no_trap() -> None:
    def run(world: World) -> dict[str, Tensor]:
        module = Language()
        zero = Zero(module, OPTIMIZERS["sgd"], stage=3, comm=world.comm())
        for step in range(3):
            with zero.full_parameters():
                # NumPy forbids to free the memory of an array.
                arrays = [each.detach().numpy() for each in module.parameters()]
            module(batch(step, 0)).backward()
            zero.step()
            zero.zero_grad()
            assert all(each.size for each in arrays)
        assert module.embedding.weight.numel() == 0
        with zero.full_parameters():
            return values(module)

    plain = Language()
    optimizer = OPTIMIZERS["sgd"](plain.parameters())
    for step in range(3):
        plain(batch(step, 0)).backward()
        optimizer.step()
        optimizer.zero_grad()
    for found in run_threads(run, 2):
        assert differing(found, values(plain)) == []


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_another_forward_pass_may_come_before_the_backward_pass(stage: int) -> None:
    def run(world: World) -> dict[str, Tensor]:
        module = Language()
        zero = Zero(module, OPTIMIZERS["adam"], stage=stage, comm=world.comm())
        for step in range(3):
            loss = module(batch(step, 0))
            with torch.no_grad():
                module(batch(step, 1))
            loss.backward()
            zero.step()
            zero.zero_grad()
        with zero.full_parameters():
            return values(module)

    wanted = run_threads(run, 1)[0]
    for found in run_threads(run, 2):
        assert differing(found, wanted) == []


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_two_passes_may_be_open_at_once(stage: int) -> None:
    def run(world: World) -> dict[str, Tensor]:
        module = Language()
        zero = Zero(module, OPTIMIZERS["sgd"], stage=stage, comm=world.comm())
        losses = [module(batch(0, number)) for number in range(2)]
        for loss in losses:
            loss.backward()
        zero.step()
        with zero.full_parameters():
            return values(module)

    plain = Language()
    optimizer = OPTIMIZERS["sgd"](plain.parameters())
    for number in range(2):
        plain(batch(0, number)).backward()
    optimizer.step()
    for found in run_threads(run, 2):
        assert differing(found, values(plain)) == []


# The layers that a rank uses in a step: in one order or another, and some of them again.
ONCE = [[(0, 1), (3, 0, 2), (2,)], [(2, 0), (1,), (3, 1)], [(3, 2, 1), (2, 3), (0,)]]
AGAIN = [
    [(0, 1, 0), (3, 2, 3, 2), (1,)],
    [(2,), (1, 0, 1, 0, 1), (3, 1)],
    [(0, 3, 0), (2,), (2, 1)],
]


@pytest.mark.parametrize("prefetch", [0, 1, 3])
@pytest.mark.parametrize("size", [3])
@pytest.mark.parametrize("chosen", [pytest.param([*ONCE, *AGAIN], marks=pytest.mark.full), AGAIN])
def test_ranks_may_use_other_units_in_another_order_and_again(
    chosen: list[list[tuple[int, ...]]], size: int, prefetch: int
) -> None:
    def run(world: World) -> dict[str, Tensor]:
        module = Branches()
        make = OPTIMIZERS["sgd"]
        zero = Zero(module, make, stage=3, comm=world.comm(), prefetch=prefetch)
        for step, row in enumerate(chosen):
            module(samples(step, world.rank), row[world.rank]).square().sum().backward()
            zero.step()
            zero.zero_grad()
        with zero.full_parameters():
            return values(module)

    plain = Branches()
    optimizer = OPTIMIZERS["sgd"](plain.parameters())
    for step, row in enumerate(chosen):
        totals: dict[str, Tensor] = {}
        for rank in range(size):
            plain.zero_grad()
            plain(samples(step, rank), row[rank]).square().sum().backward()
            for name, grad in gradients(plain):
                totals[name] = totals[name] + grad if name in totals else grad
        for name, parameter in plain.named_parameters():
            parameter.grad = totals[name] / size if name in totals else None
        optimizer.step()
    for found in run_threads(run, size):
        assert differing(found, values(plain)) == []


class Tied(nn.Module):
    """An output that reads the table of the embedding, and has no module of its own."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embedding = nn.Embedding(9, 6)
        self.middle = nn.Linear(6, 6)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return a loss."""
        x = torch.tanh(self.middle(self.embedding(tokens)))
        return nn.functional.linear(x, self.embedding.weight).square().mean()


def test_a_table_may_be_read_outside_of_its_embedding() -> None:
    def run(world: World) -> dict[str, Tensor]:
        zero = Zero(Tied(), OPTIMIZERS["adam"], stage=3, comm=world.comm())
        for step in range(3):
            zero.module(torch.tensor([step, 4])).backward()
            zero.step()
            zero.zero_grad()
        with zero.full_parameters():
            return values(zero.module)

    plain = Tied()
    optimizer = OPTIMIZERS["adam"](plain.parameters())
    for step in range(3):
        plain(torch.tensor([step, 4])).backward()
        optimizer.step()
        optimizer.zero_grad()
    for found in run_threads(run, 2):
        assert differing(found, values(plain)) == []


def test_a_unit_that_is_used_again_is_gathered_once_from_the_second_pass_on() -> None:
    def run(world: World) -> list[int]:
        zero = Zero(Branches(), OPTIMIZERS["sgd"], stage=3, comm=world.comm(), prefetch=0)
        sent, entries = [], world.comm().ledger.entries
        for step in range(3):
            first = len(entries)
            zero.module(samples(step, 0), (0, 1, 2, 3, 0, 1)).sum().backward()
            gathers = [each for each in entries[first:] if each.label.startswith("gather")]
            sent.append(len(gathers))
        return sent

    # Forward 4, of which the last one stays, and backward 3. The first pass has 2 more.
    assert run_threads(run, 2)[0] == [9, 7, 7]


def samples(step: int, rank: int) -> Tensor:
    """Return the batch of a rank."""
    return torch.randn(2, 3, generator=torch.Generator().manual_seed(10 * step + rank))
