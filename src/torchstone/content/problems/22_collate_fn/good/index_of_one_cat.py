"""One cat of all samples and a row of padding; every place of the result is looked up in it."""

import math
from collections.abc import Mapping

import torch


class Collator:
    """A table of what to do with each kind of leaf."""

    def __init__(self, padding_value, multiple, batch_first):
        self.padding_value, self.multiple, self.batch_first = padding_value, multiple, batch_first
        self.table = [
            (torch.Tensor, self.tensors),
            (bool, torch.tensor),
            (int, lambda items: torch.tensor(items, dtype=torch.int64)),
            (float, lambda items: torch.tensor(items, dtype=torch.float64)),
            ((str, bytes), list),
            (Mapping, self.mappings),
            ((tuple, list), self.sequences),
        ]

    def __call__(self, items):
        if len({isinstance(each, torch.Tensor) for each in items}) > 1:
            raise ValueError("a tensor beside another thing")
        for kind, collate in self.table:
            if isinstance(items[0], kind):
                return collate(items)
        raise TypeError(f"{type(items[0])} is no field")

    def mappings(self, items):
        first = items[0]
        for each in items:
            if set(each) != set(first):
                raise ValueError("other keys")
        return type(first)((key, self([each[key] for each in items])) for key in first)

    def sequences(self, items):
        try:
            columns = list(zip(*items, strict=True))
        except ValueError:
            raise ValueError("another number of fields") from None
        kind = type(items[0])
        return (
            kind._make(map(self, columns))
            if issubclass(kind, tuple) and kind is not tuple
            else (kind(map(self, columns)))
        )

    def tensors(self, items):
        first = items[0]
        if first.ndim == 0:
            if any(each.ndim for each in items):
                raise ValueError("ranks")
            return torch.stack(list(items))
        if any(each.ndim == 0 or each.shape[1:] != first.shape[1:] for each in items):
            raise ValueError("shapes")
        lengths = torch.tensor([each.shape[0] for each in items])
        total = math.ceil(max(each.shape[0] for each in items) / self.multiple) * self.multiple
        mask = torch.arange(total)[None] < lengths[:, None]
        dtype = first.dtype
        for each in items:
            dtype = torch.promote_types(dtype, each.dtype)
        padding = torch.full((1, *first.shape[1:]), self.padding_value, dtype=dtype)
        flat = torch.cat([padding, *(each.to(dtype) for each in items)])
        starts = lengths.cumsum(0) - lengths + 1
        places = (starts[:, None] + torch.arange(total)) * mask
        if not self.batch_first:
            places = places.t()
        data = flat.index_select(0, places.reshape(-1)).reshape(*places.shape, *first.shape[1:])
        return {"data": data, "lengths": lengths, "mask": mask}


def pad_collate(batch, *, padding_value=0, pad_to_multiple_of=1, batch_first=True):
    if not batch or pad_to_multiple_of <= 0:
        raise ValueError("nothing to collate, or a multiple below 1")
    return Collator(padding_value, pad_to_multiple_of, batch_first)(batch)
