# verdict: WA property
# group: sample
# en: Each worker has its own copy of an iterable dataset; without get_worker_info every item
#   comes W times.
# zh: 每个 worker 都有一份副本；不看 get_worker_info，每个样本会出现 W 次。
import random
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import torch
from torch.utils.data import IterableDataset


class StreamDataset(IterableDataset):
    """Every shard of a stream, in the order of the stream or out of a bounded buffer."""

    def __init__(
        self,
        source: Callable[[], Iterable],
        *,
        shuffle_buffer: int = 0,
        seed: int = 0,
        rank: int = 0,
        world_size: int = 1,
    ):
        if not callable(source):
            raise TypeError("source must be callable: an iterator cannot start again")
        if shuffle_buffer < 0:
            raise ValueError("shuffle_buffer must not be negative")
        if world_size < 1 or not 0 <= rank < world_size:
            raise ValueError("rank must lie in [0, world_size)")
        self.source = source
        self.shuffle_buffer, self.seed = shuffle_buffer, seed
        self.rank, self.world_size = rank, world_size
        # Workers that stay keep a copy of this object; they share this memory.
        self.epoch = torch.zeros((), dtype=torch.int64).share_memory_()

    def set_epoch(self, epoch: int) -> None:
        self.epoch.fill_(epoch)

    def __iter__(self) -> Iterator:
        worker, num_workers = 0, 1
        shard = self.rank * num_workers + worker
        num_shards = self.world_size * num_workers
        own = islice(self.source(), shard, None, num_shards)
        if self.shuffle_buffer <= 1:
            return own
        # A text becomes a seed by a hash that no process salts.
        key = f"{self.seed} {self.epoch.item()} {shard} {num_shards}"
        return shuffled(own, self.shuffle_buffer, random.Random(key))


def shuffled(items: Iterator, size: int, rng: random.Random) -> Iterator:
    buffer = list(islice(items, size))
    for item in items:
        place = rng.randrange(size)
        given, buffer[place] = buffer[place], item
        yield given
    rng.shuffle(buffer)
    yield from buffer
