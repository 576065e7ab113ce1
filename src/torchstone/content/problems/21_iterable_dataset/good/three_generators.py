"""Three generators, one over the other; torch's generator; the epoch in a shared tensor."""

import hashlib

import torch
from torch.utils.data import IterableDataset, get_worker_info


def own_items(source, shard, num_shards):
    due = shard
    for item in source():
        if due == 0:
            yield item
            due = num_shards
        due -= 1


def shuffled(items, size, generator):
    held = []
    for item in items:
        if len(held) < size:
            held.append(item)
            continue
        place = int(torch.randint(size, (), generator=generator))
        yield held[place]
        held[place] = item
    for place in torch.randperm(len(held), generator=generator).tolist():
        yield held[place]


class StreamDataset(IterableDataset):
    def __init__(self, source, *, shuffle_buffer=0, seed=0, rank=0, world_size=1):
        super().__init__()
        if not callable(source):
            raise TypeError("source is not callable")
        if shuffle_buffer < 0 or world_size < 1 or not 0 <= rank < world_size:
            raise ValueError("a size or the rank is out of range")
        self.source, self.size, self.seed = source, shuffle_buffer, seed
        self.rank, self.world_size = rank, world_size
        self.epoch = torch.zeros(1, dtype=torch.long).share_memory_()

    def set_epoch(self, epoch):
        self.epoch[0] = epoch

    def __iter__(self):
        info = get_worker_info()
        workers = info.num_workers if info else 1
        shard = self.rank * workers + (info.id if info else 0)
        items = own_items(self.source, shard, self.world_size * workers)
        if self.size > 1:
            key = f"{self.seed}:{int(self.epoch)}:{shard}:{self.world_size * workers}"
            digest = hashlib.blake2b(key.encode(), digest_size=7).digest()
            generator = torch.Generator()
            generator.manual_seed(int.from_bytes(digest, "big"))
            items = shuffled(items, self.size, generator)
        yield from items
