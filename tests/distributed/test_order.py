"""The order of samples depends on the seed alone, and a training that shrinks keeps its bits."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from tests.distributed.training import OPTIMIZERS, Language, batch, differing, values
from torchstone.distributed import MicroBatches, World, Zero, checkpoint, run_threads

pytestmark = [pytest.mark.torch]


@given(
    samples=st.integers(1, 200),
    parts=st.integers(1, 12),
    size=st.integers(1, 5),
    seed=st.integers(),
)
def test_an_epoch_has_each_sample_once_at_most(
    samples: int, parts: int, size: int, seed: int
) -> None:
    if parts * size > samples:
        return
    order = MicroBatches(
        num_samples=samples, batch_size=parts * size, micro_batch_size=size, seed=seed % 2**31
    )
    for epoch in range(2):
        first = epoch * order.steps_per_epoch
        seen = [
            sample
            for step in range(first, first + order.steps_per_epoch)
            for part in order.of_step(step)
            for sample in part
        ]
        assert len(seen) == len(set(seen)) == order.steps_per_epoch * parts * size
        assert set(seen) <= set(range(samples))


@given(st.integers(1, 12), st.integers(0, 50))
def test_the_shares_of_all_ranks_are_the_step(size: int, step: int) -> None:
    order = MicroBatches(num_samples=100, batch_size=24, micro_batch_size=2, seed=1)
    shares = [order.share(step, rank, size) for rank in range(size)]
    assert [each for share in shares for each in share] == list(enumerate(order.of_step(step)))
    lengths = [len(share) for share in shares]
    assert max(lengths) - min(lengths) <= 1


def test_two_epochs_have_unlike_orders() -> None:
    order = MicroBatches(num_samples=50, batch_size=50, micro_batch_size=50, seed=1)
    assert order.of_step(0) != order.of_step(1)


def test_every_micro_batch_has_a_seed_of_its_own() -> None:
    order = MicroBatches(num_samples=100, batch_size=20, micro_batch_size=2, seed=1)
    seeds = {order.seed_of(step, index) for step in range(50) for index in range(10)}
    assert len(seeds) == 500


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((0, 1, 1), "num_samples is 0"),
        ((10, 20, 1), "there are only 10 in all"),
        ((10, 5, 2), "into micro-batches of 2"),
        ((10, 5, 0), "micro_batch_size is 0"),
    ],
)
def test_what_does_not_divide_is_refused(numbers: tuple[int, int, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        MicroBatches(
            num_samples=numbers[0], batch_size=numbers[1], micro_batch_size=numbers[2], seed=0
        )


def test_of_more_ranks_than_micro_batches_some_have_none() -> None:
    order = MicroBatches(num_samples=10, batch_size=4, micro_batch_size=2, seed=0)
    shares = [order.share(0, rank, 5) for rank in range(5)]
    assert [each for share in shares for each in share] == list(enumerate(order.of_step(0)))
    assert [len(share) + order.num_skipped(rank, 5) for rank, share in enumerate(shares)] == [1] * 5


ORDER = MicroBatches(num_samples=40, batch_size=12, micro_batch_size=2, seed=3)


def advance(zero: Zero, world: World, first: int, last: int) -> None:
    for step in range(first, last):
        share = ORDER.share(step, world.rank, world.world_size)
        for _ in range(ORDER.num_skipped(world.rank, world.world_size)):
            zero.skip()
        for index, samples in share[:-1]:
            with zero.no_sync():
                backward(zero, step, index, samples)
        backward(zero, step, *share[-1])
        zero.clip_grad_norm_(1.0)
        zero.step()
        zero.zero_grad()


def backward(zero: Zero, step: int, index: int, samples: list[int]) -> None:
    torch.manual_seed(ORDER.seed_of(step, index))
    tokens = torch.cat([batch(0, each)[:1] for each in samples])
    loss = zero.module(tokens, rare=(index % 3,)) * (1 + torch.rand(()))
    loss.backward()


def start(world: World, stage: int) -> Zero:
    return Zero(
        Language(),
        OPTIMIZERS["adamw"],
        stage=stage,
        comm=world.comm(),
        order="float64",
        divide_by=ORDER.num_micro_batches,
        bucket_mb=0.02,
    )


@pytest.mark.full
@pytest.mark.parametrize("stages", [(0, 1, 2), (3, 3, 3), (2, 3, 0), (1, 2, 3)])
@pytest.mark.parametrize("sizes", [(4, 2, 3), (1, 5, 4), (6, 1, 2)])
def test_a_run_that_shrinks_and_grows_ends_with_the_bits_of_one(
    tmp_path: Path, sizes: tuple[int, int, int], stages: tuple[int, int, int]
) -> None:
    def run(world: World, stage: int, last: int) -> dict[str, Tensor]:
        zero = start(world, stage)
        step = 0
        if last > 2:
            state = zero.state_dict()
            step = checkpoint.load(tmp_path, state, world)
            zero.load_state_dict(state)
        advance(zero, world, step, last)
        checkpoint.save(tmp_path, zero.state_dict(), world)
        with zero.full_parameters():
            return values(zero.module)

    def alone(world: World) -> dict[str, Tensor]:
        zero = start(world, 1)
        advance(zero, world, 0, 6)
        return values(zero.module)

    found: list[dict[str, Tensor]] = []
    for size, stage, last in zip(sizes, stages, (2, 4, 6), strict=True):
        found = run_threads(run, size, stage, last)
    wanted = run_threads(alone, 1)[0]
    for each in found:
        # Sums in float64 are exact for float32, not for a parameter that has all of these bits.
        wide = {name for name, value in each.items() if value.dtype == torch.float64}
        assert set(differing(each, wanted)) <= wide
        for name in wide:
            torch.testing.assert_close(each[name], wanted[name], rtol=1e-12, atol=0)
