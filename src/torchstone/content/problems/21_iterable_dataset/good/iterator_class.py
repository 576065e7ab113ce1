"""An iterator class; an over-full list out of which one is popped; a value of multiprocessing."""

import hashlib
import multiprocessing
from random import Random

from torch.utils.data import IterableDataset, get_worker_info


class Pass:
    def __init__(self, items, shard, num_shards, size, rng):
        self.items, self.skip, self.step = items, shard, num_shards
        self.size, self.rng, self.held, self.ended = size, rng, [], False

    def __iter__(self):
        return self

    def pull(self):
        for _ in range(self.skip):
            next(self.items)
        item = next(self.items)
        self.skip = self.step - 1
        return item

    def __next__(self):
        if self.size <= 1:
            return self.pull()
        while not self.ended and len(self.held) <= self.size:
            try:
                self.held.append(self.pull())
            except StopIteration:
                self.ended = True
        if not self.held:
            raise StopIteration
        return self.held.pop(self.rng.randrange(len(self.held)))


class StreamDataset(IterableDataset):
    def __init__(self, source, *, shuffle_buffer=0, seed=0, rank=0, world_size=1):
        if not callable(source):
            raise TypeError("source is not callable")
        if shuffle_buffer < 0 or world_size < 1 or not 0 <= rank < world_size:
            raise ValueError("a size or the rank is out of range")
        self.source, self.size, self.seed = source, shuffle_buffer, seed
        self.rank, self.world_size = rank, world_size
        self.epoch = multiprocessing.Value("q", 0)

    def set_epoch(self, epoch):
        with self.epoch.get_lock():
            self.epoch.value = epoch

    def __iter__(self):
        info = get_worker_info()
        num_workers = 1 if info is None else info.num_workers
        shard = self.rank * num_workers + (0 if info is None else info.id)
        num_shards = self.world_size * num_workers
        key = repr((self.seed, self.epoch.value, shard, num_shards)).encode()
        rng = Random(int.from_bytes(hashlib.sha256(key).digest()))
        return Pass(iter(self.source()), shard, num_shards, self.size, rng)
