"""A raw value of torch.multiprocessing; the buffer gives its last place to the new item."""

from random import Random

import torch.multiprocessing as mp
from torch.utils.data import IterableDataset, get_worker_info


class StreamDataset(IterableDataset):
    def __init__(self, source, *, shuffle_buffer=0, seed=0, rank=0, world_size=1):
        super().__init__()
        if not callable(source):
            raise TypeError("source is not callable")
        if shuffle_buffer < 0 or world_size < 1 or not 0 <= rank < world_size:
            raise ValueError("a size or the rank is out of range")
        self.source, self.size, self.seed = source, shuffle_buffer, seed
        self.rank, self.world_size = rank, world_size
        self._epoch = mp.RawValue("l", 0)

    def set_epoch(self, epoch):
        self._epoch.value = epoch

    def __iter__(self):
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info else (0, 1)
        shard, shards = self.rank * workers + worker, self.world_size * workers
        key = ((self.seed * 1_000_003 + self._epoch.value) << 40) + (shard << 20) + shards
        return self._items(shard, shards, Random(key))

    def _items(self, shard, shards, rng):
        buffer, wanted = [], max(self.size, 1)
        for index, item in enumerate(self.source()):
            if index % shards == shard:
                if len(buffer) == wanted - 1:
                    place = rng.randrange(wanted)
                    if place < len(buffer):
                        buffer[place], item = item, buffer[place]
                    yield item
                else:
                    buffer.append(item)
        rng.shuffle(buffer)
        yield from buffer
