# verdict: WA property
# group: small
# en: Shard first, shuffle after: otherwise the shards are cut from different permutations.
# zh: 先分片，再打乱；否则各分片取自不同的排列，会重复也会遗漏。
import random
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

import torch
from torch.utils.data import IterableDataset, get_worker_info


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
        info = get_worker_info()
        worker, num_workers = (info.id, info.num_workers) if info else (0, 1)
        shard = self.rank * num_workers + worker
        num_shards = self.world_size * num_workers
        if self.shuffle_buffer <= 1:
            return islice(self.source(), shard, None, num_shards)
        # A text becomes a seed by a hash that no process salts.
        key = f"{self.seed} {self.epoch.item()} {shard} {num_shards}"
        whole = shuffled(iter(self.source()), self.shuffle_buffer, random.Random(key))
        return islice(whole, shard, None, num_shards)


def shuffled(items: Iterator, size: int, rng: random.Random) -> Iterator:
    buffer = list(islice(items, size))
    for item in items:
        place = rng.randrange(size)
        given, buffer[place] = buffer[place], item
        yield given
    rng.shuffle(buffer)
    yield from buffer
