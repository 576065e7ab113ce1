"""DistributedSampler: the share of a data set that one training process reads."""

from __future__ import annotations

from collections.abc import Iterator, Sized

from torchstone.microtorch.generator import Generator
from torchstone.microtorch.ops.random import randperm
from torchstone.microtorch.utils.data.sampler import Sampler


class DistributedSampler(Sampler[int]):
    """Sampler of the samples of one of several processes, all with equally many.

    Args:
        dataset: The data set.
        num_replicas: The number of processes.
        rank: The rank of this process.
        shuffle: Use a new random order in each epoch.
        seed: The seed of that order, which must be equal in all processes.
        drop_last: Drop the last samples to make the parts equal, instead of repeating the first.
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise RuntimeError("Requires distributed package to be available")
        if not 0 <= rank < num_replicas:
            raise ValueError(
                f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]"
            )
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.shuffle, self.seed, self.drop_last, self.epoch = shuffle, seed, drop_last, 0
        count = len(dataset)
        self.num_samples = count // num_replicas if drop_last else -(-count // num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        order = list(range(count))
        if self.shuffle:
            stream = Generator().manual_seed(self.seed + self.epoch)
            order = randperm(count, generator=stream).tolist()
        places = range(self.rank, self.total_size, self.num_replicas)
        return (order[place % count] for place in places)

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch, which changes the random order."""
        self.epoch = epoch
