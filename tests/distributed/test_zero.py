"""Zero: the bits of one process, the bytes of the formula, and a share of the memory."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor, nn

from tests.distributed.training import (
    OPTIMIZERS,
    Language,
    batch,
    differing,
    rare_of,
    train_alone,
    values,
)
from torchstone.distributed import Refusal, World, Zero, run_threads

pytestmark = [pytest.mark.torch]


@pytest.fixture(autouse=True)
def one_thread() -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def train(
    world: World,
    stage: int,
    optimizer: str = "adamw",
    *,
    num_steps: int = 4,
    accumulate: int = 1,
    max_norm: float | None = None,
    **options: Any,
) -> tuple[dict[str, Tensor], list[Tensor]]:
    """Train as one rank; return the parameters and the norms."""
    module = Language()
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(world.rank)
    zero = Zero(
        module, OPTIMIZERS[optimizer], stage=stage, comm=world.comm(), bucket_mb=0.02, **options
    )
    norms = []
    for step in range(num_steps):
        for part in range(accumulate - 1):
            with zero.no_sync():
                tokens = batch(step, world.rank * accumulate + part)
                module(tokens, rare=rare_of(step, world.rank)).backward()
        tokens = batch(step, (world.rank + 1) * accumulate - 1)
        module(tokens, rare=rare_of(step, world.rank)).backward()
        if max_norm is not None:
            norms.append(zero.clip_grad_norm_(max_norm))
        zero.step()
        zero.zero_grad()
    with zero.full_parameters():
        return values(module), norms


# Beside three ranks, which are in the gate.
SIZES = (1, 2, 4, 7, 16)


@pytest.mark.parametrize("optimizer", list(OPTIMIZERS))
@pytest.mark.parametrize("stage", [0, 1, 2, 3])
@pytest.mark.parametrize(
    "size", [3, *(pytest.param(each, marks=pytest.mark.full) for each in SIZES)]
)
def test_ranks_end_with_the_bits_of_one_process(size: int, stage: int, optimizer: str) -> None:
    wanted = values(train_alone(size, OPTIMIZERS[optimizer]))
    for found, _ in run_threads(train, size, stage, optimizer):
        assert differing(found, wanted) == []


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_what_no_sync_has_added_up_counts(stage: int) -> None:
    wanted = values(train_alone(3, OPTIMIZERS["sgd"], accumulate=3))

    def run(world: World) -> dict[str, Tensor]:
        return train(world, stage, "sgd", accumulate=3)[0]

    for found in run_threads(run, 3):
        assert differing(found, wanted) == []


@settings(max_examples=8)
@given(
    size=st.integers(1, 5),
    stage=st.sampled_from([0, 1, 2, 3]),
    overlap=st.booleans(),
    prefetch=st.integers(0, 3),
)
def test_neither_overlap_nor_prefetch_changes_a_bit(
    size: int, stage: int, overlap: bool, prefetch: int
) -> None:
    def run(world: World) -> dict[str, Tensor]:
        return train(world, stage, overlap=overlap, prefetch=prefetch, num_steps=2)[0]

    wanted = values(train_alone(size, OPTIMIZERS["adamw"], num_steps=2))
    for found in run_threads(run, size):
        assert differing(found, wanted) == []


def test_clipping_has_the_same_bits_for_every_division() -> None:
    # Of two parts each rank of two has one, the only rank of one both; halves are exact.
    def run(world: World, stage: int) -> tuple[dict[str, Tensor], list[Tensor]]:
        module = Language()
        zero = Zero(module, OPTIMIZERS["sgd"], stage=stage, comm=world.comm(), bucket_mb=0.01)
        norms = []
        for step in range(4):
            for part in range(2 // world.world_size):
                loss = module(batch(step, world.rank + part)) / (2 // world.world_size)
                is_last = part == 2 // world.world_size - 1
                with nullcontext() if is_last else zero.no_sync():
                    loss.backward()
            norms.append(zero.clip_grad_norm_(0.3))
            zero.step()
            zero.zero_grad()
        with zero.full_parameters():
            return values(module), norms

    wanted, wanted_norms = run_threads(run, 1, 1)[0]
    assert all(norm > 0.3 for norm in wanted_norms)
    for size in (1, 2):
        for stage in (0, 1, 2, 3):
            for found, norms in run_threads(run, size, stage):
                assert [float(norm) for norm in norms] == [float(norm) for norm in wanted_norms]
                assert differing(found, wanted) == []


def test_the_norm_is_that_of_torch() -> None:
    def run(world: World) -> tuple[Tensor, Tensor]:
        module, plain = Language(), Language()
        zero = Zero(module, OPTIMIZERS["sgd"], stage=3, comm=world.comm())
        module(batch(0, 0)).backward()
        plain(batch(0, 0)).backward()
        wanted = nn.utils.clip_grad_norm_(plain.double().parameters(), 1e9)
        return zero.clip_grad_norm_(1e9), wanted

    for found, wanted in run_threads(run, 3):
        torch.testing.assert_close(found, wanted.float())


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_bfloat16_is_updated_and_added_in_float32(stage: int) -> None:
    def run(world: World, stage: int) -> tuple[dict[str, Tensor], set[torch.dtype]]:
        module = Language(dtype=torch.bfloat16)
        zero = Zero(module, OPTIMIZERS["adamw"], stage=stage, comm=world.comm())
        for step in range(3):
            module(batch(step, 0)).backward()
            zero.step()
            zero.zero_grad()
        states = {
            value.dtype
            for state in zero.optimizer.state.values()
            for value in state.values()
            if value.numel() > 1
        }
        with zero.full_parameters():
            return values(module), states

    # All ranks have the same batch: three of a kind, divided by three, are one of it in float32.
    wanted, states = run_threads(run, 1, 1)[0]
    assert states == {torch.float32}
    for found, _ in run_threads(run, 2, stage):
        assert differing(found, wanted) == []


@pytest.mark.parametrize("stage", [0, 1, 2, 3])
def test_values_that_are_written_to_bfloat16_parameters_outlast_a_step(stage: int) -> None:
    def run(world: World) -> dict[str, Tensor]:
        module = Language(dtype=torch.bfloat16)
        zero = Zero(module, lambda p: torch.optim.SGD(p, lr=0.0), stage=stage, comm=world.comm())
        with zero.full_parameters(), torch.no_grad():
            for parameter in module.parameters():
                parameter.fill_(0.5)
        module(batch(0, 0)).backward()
        zero.step()
        with zero.full_parameters():
            return values(module)

    for found in run_threads(run, 2):
        assert all(bool((value == 0.5).all()) for value in found.values())


@pytest.mark.parametrize(("stage", "factor"), [(0, 2), (1, 2), (2, 2), (3, 3)])
@pytest.mark.parametrize("size", [2, 4])
def test_the_bytes_of_a_step_are_those_of_the_formula(size: int, stage: int, factor: int) -> None:
    def run(world: World) -> tuple[int, int]:
        torch.manual_seed(0)
        module = nn.Sequential(*(nn.Linear(64, 64, bias=False) for _ in range(8)))
        zero = Zero(module, OPTIMIZERS["sgd"], stage=stage, comm=world.comm(), bucket_mb=0.05)
        sent: list[int] = []
        for _ in range(3):
            before = world.comm().ledger.total()
            module(torch.ones(2, 64)).sum().backward()
            zero.step()
            zero.zero_grad()
            sent.append(world.comm().ledger.total() - before)
        assert sent[1] == sent[2]
        return sent[2], 8 * 64 * 64 * 4

    for sent, whole in run_threads(run, size):
        theory = factor * (size - 1) / size * whole
        # The last unit stays gathered between the passes.
        kept = (size - 1) / size * whole / 8 if stage == 3 else 0
        # Flags of used parameters: a byte each.
        assert sent == pytest.approx(theory - kept, abs=64 * size)


@pytest.mark.parametrize("size", [2, 4])
def test_each_stage_holds_its_share(size: int) -> None:
    def run(world: World, stage: int) -> dict[str, int]:
        module = nn.Sequential(*(nn.Linear(64, 64, bias=False) for _ in range(8)))
        zero = Zero(module, OPTIMIZERS["adam"], stage=stage, comm=world.comm(), bucket_mb=0.05)
        module(torch.ones(2, 64)).sum().backward()
        zero.step()
        return zero.memory()

    whole = 8 * 64 * 64 * 4
    for stage in (0, 1, 2, 3):
        for held in run_threads(run, size, stage):
            share = whole if stage == 0 else whole / size
            assert held["optimizer"] == pytest.approx(2 * share, abs=64)
            assert held["parameters"] == (share if stage == 3 else whole)
            # Stages 0 and 1 keep the buffers that gradients are sent from.
            assert held["gradients"] == share + (whole if stage < 2 else 0)
            assert held["buffers"] == 0


def test_between_uses_a_unit_of_stage_3_holds_nothing() -> None:
    seen: list[int] = []

    class Looking(nn.Linear):
        zero: Zero

        def forward(self, x: Tensor) -> Tensor:
            seen.append(self.zero.memory()["parameters"])
            return super().forward(x)

    def run(world: World) -> None:
        module = nn.Sequential(*(Looking(64, 64, bias=False) for _ in range(8)))
        zero = Zero(module, OPTIMIZERS["adam"], stage=3, comm=world.comm(), prefetch=1)
        for each in module:
            each.zero = zero
        module(torch.ones(2, 64)).sum().backward()
        assert all(each.weight.numel() == 0 for each in module)

    run_threads(run, 4)
    unit = 64 * 64 * 4
    # The shards, the unit in use and the next one.
    assert max(seen) <= 8 * unit / 4 + 2 * unit


def test_evaluation_without_gradients_frees_everything() -> None:
    def run(world: World) -> tuple[Tensor, Tensor, int, int]:
        module, plain = Language(), Language()
        zero = Zero(module, OPTIMIZERS["sgd"], stage=3, comm=world.comm())
        held = zero.memory()["parameters"]
        with torch.no_grad():
            losses = module(batch(0, 0)), plain(batch(0, 0))
        return *losses, held, zero.memory()["parameters"]

    for found, wanted, before, after in run_threads(run, 3):
        assert torch.equal(found, wanted)
        assert before == after


def test_checkpointed_layers_are_gathered_again() -> None:
    class Checkpointed(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(0)
            self.layers = nn.ModuleList(nn.Linear(16, 16) for _ in range(4))

        def forward(self, x: Tensor) -> Tensor:
            for layer in self.layers:
                x = torch.utils.checkpoint.checkpoint(layer, x.tanh(), use_reentrant=False)
            return x.sum()

    def run(world: World, stage: int) -> dict[str, Tensor]:
        module = Checkpointed()
        zero = Zero(module, OPTIMIZERS["adam"], stage=stage, comm=world.comm())
        for step in range(3):
            module(torch.full((2, 16), float(step + world.rank))).backward()
            zero.step()
            zero.zero_grad()
        with zero.full_parameters():
            return values(module)

    for one, three in zip(run_threads(run, 3, 1), run_threads(run, 3, 3), strict=True):
        assert differing(one, three) == []


def test_a_loss_that_is_not_finite_shows_in_the_norm() -> None:
    def run(world: World) -> float:
        module = nn.Linear(4, 4)
        zero = Zero(module, OPTIMIZERS["sgd"], stage=2, comm=world.comm())
        (module(torch.ones(1, 4)).sum() * (float("nan") if world.rank == 1 else 1.0)).backward()
        return float(zero.clip_grad_norm_(1.0))

    assert all(norm != norm for norm in run_threads(run, 2))


def test_unlike_modules_are_refused_by_name() -> None:
    def run(world: World) -> None:
        module = nn.Linear(4, 5 if world.rank == 2 else 4)
        Zero(module, OPTIMIZERS["sgd"], stage=1, comm=world.comm())

    with pytest.raises(Refusal, match=r"rank 2 has another model .* weight \(5, 4\)") as caught:
        run_threads(run, 3)
    assert caught.value.code == "models_differ"


@pytest.mark.parametrize("stage", [-1, 4])
def test_an_unknown_stage_is_refused(stage: int) -> None:
    with pytest.raises(ValueError, match=f"stage is {stage}; use 0, 1, 2 or 3"):
        run_threads(lambda world: Zero(nn.Linear(1, 1), OPTIMIZERS["sgd"], stage=stage), 1)


def test_a_module_without_gradients_is_refused() -> None:
    module = nn.Linear(1, 1).requires_grad_(False)
    with pytest.raises(RuntimeError, match="no parameter of the module requires a gradient"):
        run_threads(lambda world: Zero(module, OPTIMIZERS["sgd"], stage=1), 1)


def test_the_fused_step_of_sgd_keeps_the_values_but_not_the_bits() -> None:
    # Its kernel treats the elements at the end of a tensor unlike those in vectors.
    def fused(parameters: Any) -> torch.optim.Optimizer:
        return torch.optim.SGD(parameters, lr=0.1, momentum=0.9, fused=True)

    def run(world: World) -> dict[str, Tensor]:
        module = Language()
        zero = Zero(module, fused, stage=1, comm=world.comm())
        for step in range(4):
            module(batch(step, 0)).backward()
            zero.step()
            zero.zero_grad()
        return values(module)

    plain = Language()
    optimizer = fused(plain.parameters())
    for step in range(4):
        plain(batch(step, 0)).backward()
        optimizer.step()
        optimizer.zero_grad()
    found = run_threads(run, 3)[0]
    assert differing(found, values(plain)) != []
    for name, wanted in values(plain).items():
        torch.testing.assert_close(found[name], wanted)
