# verdict: WA property
# group: small
# en: Every worker gives all items.
# zh: 每个 worker 都给出全部样本。
from torch.utils.data import DataLoader, IterableDataset


class Squares(IterableDataset):
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        for item in self.items:
            yield item * item


def squares(items, workers):
    return DataLoader(Squares(items), batch_size=None, num_workers=workers)
