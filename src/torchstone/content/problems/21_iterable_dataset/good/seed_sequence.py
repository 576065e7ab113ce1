"""A generator of NumPy, a dict as buffer, and the epoch in a map that is shared."""

import mmap
import struct

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


class StreamDataset(IterableDataset):
    def __init__(self, source, *, shuffle_buffer=0, seed=0, rank=0, world_size=1):
        if not callable(source):
            raise TypeError("source is not callable")
        if shuffle_buffer < 0 or world_size < 1 or not 0 <= rank < world_size:
            raise ValueError("a size or the rank is out of range")
        self.source, self.size, self.seed = source, shuffle_buffer, seed
        self.rank, self.world_size = rank, world_size
        self.cell = mmap.mmap(-1, 8)

    def set_epoch(self, epoch):
        self.cell[:8] = struct.pack("q", epoch)

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        shard, total = self.rank * workers + worker, self.world_size * workers
        (epoch,) = struct.unpack("q", self.cell[:8])
        rng = np.random.default_rng(np.random.SeedSequence([self.seed, epoch, shard, total]))
        return self.run(shard, total, rng)

    def run(self, shard, total, rng):
        held = {}
        for index, item in enumerate(self.source()):
            if index % total != shard:
                continue
            if self.size <= 1:
                yield item
            elif len(held) < self.size:
                held[len(held)] = item
            else:
                place = int(rng.integers(self.size))
                yield held[place]
                held[place] = item
        for place in rng.permutation(len(held)):
            yield held[int(place)]
