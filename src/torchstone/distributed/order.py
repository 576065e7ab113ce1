"""``MicroBatches``: the samples of each micro-batch; ``advance``: one training step.

Neither depends on the number of ranks.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from torchstone.distributed.refusal import Refusal
from torchstone.distributed.world import World
from torchstone.distributed.zero import Zero


@dataclass(frozen=True, slots=True)
class MicroBatches:
    """Assignment of samples to micro-batches, by step and index.

    The micro-batches of a step and their samples are the same for every number of ranks. So
    training that continues on another number of ranks neither repeats nor skips a sample. Random
    numbers, such as those of dropout, must depend on the index too: seed them with ``seed_of``.

    Args:
        num_samples: The number of samples.
        batch_size: The number of samples of a step.
        micro_batch_size: The number of samples computed at a time.
        seed: The seed of the order, which differs between epochs.

    Raises:
        Refusal: A number is not positive, the batch is larger than the number of samples, or it
            does not divide into micro-batches.
    """

    num_samples: int
    batch_size: int
    micro_batch_size: int
    seed: int

    def __post_init__(self) -> None:
        for name in ("num_samples", "batch_size", "micro_batch_size"):
            if getattr(self, name) < 1:
                raise Refusal("number", name=name, came=getattr(self, name), wanted="≥ 1")
        if self.batch_size > self.num_samples:
            raise Refusal("batch_large", came=self.batch_size, wanted=self.num_samples)
        if self.batch_size % self.micro_batch_size:
            raise Refusal("batch_uneven", came=self.batch_size, wanted=self.micro_batch_size)

    @property
    def num_micro_batches(self) -> int:
        """Return the number of micro-batches of a step, the divisor of the gradient sum."""
        return self.batch_size // self.micro_batch_size

    @property
    def steps_per_epoch(self) -> int:
        """Return the number of steps of an epoch; remaining samples are dropped from it."""
        return self.num_samples // self.batch_size

    def of_step(self, step: int) -> list[list[int]]:
        """Return the sample indices of each micro-batch of a step."""
        epoch, place = divmod(step, self.steps_per_epoch)
        generator = torch.Generator().manual_seed(self._mixed(epoch))
        order = torch.randperm(self.num_samples, generator=generator)
        batch = order[place * self.batch_size : (place + 1) * self.batch_size]
        return [each.tolist() for each in batch.split(self.micro_batch_size)]

    def share(self, step: int, rank: int, world_size: int) -> list[tuple[int, list[int]]]:
        """Return the micro-batches of a rank in a step, with their indices.

        The indices of a rank are consecutive, and the numbers of micro-batches differ by one at
        most. With more ranks than micro-batches, some ranks have none.
        """
        count = self.num_micro_batches
        first, last = (count * each // world_size for each in (rank, rank + 1))
        return list(enumerate(self.of_step(step)))[first:last]

    def num_skipped(self, rank: int, world_size: int) -> int:
        """Return by how many micro-batches a rank has fewer than others, for ``Zero.skip``."""
        most = -(-self.num_micro_batches // world_size)
        first, last = (self.num_micro_batches * each // world_size for each in (rank, rank + 1))
        return most - (last - first)

    def seed_of(self, step: int, index: int) -> int:
        """Return the seed of the random numbers of a micro-batch."""
        return self._mixed(step * self.num_micro_batches + index + 1)

    def _mixed(self, number: int) -> int:
        return (self.seed * 1_000_003 + number * 7_919) % 2**63


def advance(
    world: World,
    zero: Zero,
    order: MicroBatches,
    loss_of: Callable[[list[int]], Tensor],
    step: int,
    *,
    max_norm: float,
) -> float:
    """Run one training step; return its loss, the mean over all micro-batches.

    If ``zero`` adds in float64 and divides by the number of micro-batches, the step is bit-equal on
    any number of ranks.

    Args:
        world: The ranks.
        zero: The trainer; its ``divide_by`` is the number of micro-batches.
        order: The assignment of samples to micro-batches.
        loss_of: Function that computes the mean loss of some samples. Its random numbers come from
            torch's default generator, which is seeded by step and micro-batch.
        step: The number of the step, from 0.
        max_norm: The maximum norm of the gradients; larger ones are scaled down.
    """
    losses = torch.zeros(order.num_micro_batches, dtype=torch.float64)
    share = order.share(step, world.rank, world.world_size)
    for _ in range(order.num_skipped(world.rank, world.world_size)):
        # A rank without micro-batches still contributes its shards of the parameters, and zeros.
        zero.skip(exchange=not share)

    def backward(index: int, samples: list[int]) -> None:
        torch.manual_seed(order.seed_of(step, index))
        loss = loss_of(samples)
        loss.backward()
        losses[index] = loss.detach()

    for index, samples in share[:-1]:
        with zero.no_sync():
            backward(index, samples)
    for index, samples in share[-1:]:
        backward(index, samples)
    zero.clip_grad_norm_(max_norm)
    zero.step()
    zero.zero_grad()
    # One rank has the loss of a micro-batch, and the others have zero.
    world.comm().all_reduce(losses).wait()
    return math.fsum(losses.tolist()) / order.num_micro_batches
