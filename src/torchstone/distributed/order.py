"""``MicroBatches``: which samples are in which micro-batch; ``advance``: one step over them.

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
    """The micro-batches of a training, by step and index.

    A step has the same micro-batches with the same samples for every number of ranks. So a training
    that goes on with another number sees no sample twice and leaves out none. What a dropout draws
    must come of the index, too: seed by ``seed_of``.

    Args:
        num_samples: How many samples there are.
        batch_size: How many samples a step has.
        micro_batch_size: How many samples are computed at a time.
        seed: Of the order, which is another one in each epoch.

    Raises:
        Refusal: A number is not positive, the batch has more samples than there are, or it does
            not divide into micro-batches.
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
        """The number of micro-batches in a step: what the sum of their gradients is divided by."""
        return self.batch_size // self.micro_batch_size

    @property
    def steps_per_epoch(self) -> int:
        """The number of steps in an epoch; what is left of the samples waits for the next one."""
        return self.num_samples // self.batch_size

    def of_step(self, step: int) -> list[list[int]]:
        """Return the samples of each micro-batch of a step, by index."""
        epoch, place = divmod(step, self.steps_per_epoch)
        generator = torch.Generator().manual_seed(self._mixed(epoch))
        order = torch.randperm(self.num_samples, generator=generator)
        batch = order[place * self.batch_size : (place + 1) * self.batch_size]
        return [each.tolist() for each in batch.split(self.micro_batch_size)]

    def share(self, step: int, rank: int, world_size: int) -> list[tuple[int, list[int]]]:
        """Return the micro-batches of a rank in a step, with their indices.

        A rank has neighbours in the order of the indices; ranks differ by one micro-batch at most.
        Where there are more ranks than micro-batches, some have none.
        """
        count = self.num_micro_batches
        first, last = (count * each // world_size for each in (rank, rank + 1))
        return list(enumerate(self.of_step(step)))[first:last]

    def num_skipped(self, rank: int, world_size: int) -> int:
        """Return how many micro-batches a rank has less than others: what ``Zero.skip`` is for."""
        most = -(-self.num_micro_batches // world_size)
        first, last = (self.num_micro_batches * each // world_size for each in (rank, rank + 1))
        return most - (last - first)

    def seed_of(self, step: int, index: int) -> int:
        """Return the seed of what is left to chance in a micro-batch."""
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
    """Take one step; return its loss, the mean over all micro-batches.

    Where ``zero`` adds in float64 and divides by the number of micro-batches, the step has the same
    bits on any number of ranks.

    Args:
        world: The ranks.
        zero: The training; its ``divide_by`` is the number of micro-batches.
        order: Which samples are in which micro-batch.
        loss_of: Computes the mean loss of some samples. What is left to chance in it comes from the
            generator of torch, which is seeded by step and micro-batch.
        step: The number of the step, from 0 on.
        max_norm: Gradients are scaled to this norm at most.
    """
    losses = torch.zeros(order.num_micro_batches, dtype=torch.float64)
    share = order.share(step, world.rank, world.world_size)
    for _ in range(order.num_skipped(world.rank, world.world_size)):
        # Of a rank without micro-batches the others need what it has of the parameters, and zeros.
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
    # Of each micro-batch one rank has the loss, and the others zero.
    world.comm().all_reduce(losses).wait()
    return math.fsum(losses.tolist()) / order.num_micro_batches
