"""F.pad for each sample, then stack; one function for each kind of field."""

import collections.abc as abc

import torch
import torch.nn.functional as F

DTYPES = {bool: torch.bool, int: torch.long, float: torch.double}


def pad_collate(batch, *, padding_value=0, pad_to_multiple_of=1, batch_first=True):
    if len(batch) == 0:
        raise ValueError("empty batch")
    if pad_to_multiple_of < 1:
        raise ValueError("pad_to_multiple_of")
    return _field(list(batch), padding_value, pad_to_multiple_of, 0 if batch_first else 1)


def _field(items, value, multiple, dim):
    kinds = {isinstance(each, torch.Tensor) for each in items}
    if len(kinds) == 2:
        raise ValueError("tensors beside other things")
    head = items[0]
    if kinds == {True}:
        return _tensors(items, value, multiple, dim)
    if isinstance(head, (bool, int, float)):
        return torch.tensor(items, dtype=DTYPES[type(head)])
    if isinstance(head, (str, bytes)):
        return items[:]
    if isinstance(head, abc.Mapping):
        return _mapping(items, value, multiple, dim)
    if isinstance(head, abc.Sequence):
        if len({len(each) for each in items}) > 1:
            raise ValueError("number of fields")
        parts = [_field(list(each), value, multiple, dim) for each in zip(*items, strict=True)]
        return head._make(parts) if hasattr(head, "_make") else parts
    raise TypeError(type(head))


def _mapping(items, *options):
    if len({frozenset(each) for each in items}) > 1:
        raise ValueError("keys")
    return {key: _field([each[key] for each in items], *options) for key in items[0]}


def _tensors(items, value, multiple, dim):
    if len({(each.dim(), each.shape[1:]) for each in items}) > 1:
        raise ValueError("shapes")
    if items[0].dim() == 0:
        return torch.stack(items)
    dtype = torch.empty(0, dtype=items[0].dtype)
    for each in items:
        dtype = torch.empty(0, dtype=torch.result_type(dtype, each))
    lengths = torch.tensor([each.size(0) for each in items])
    total = int(lengths.max())
    total += -total % multiple
    zeros = [0, 0] * (items[0].dim() - 1)
    rows = [
        F.pad(each.to(dtype.dtype), [*zeros, 0, total - each.size(0)], value=value)
        for each in items
    ]
    steps = torch.arange(total).unsqueeze(0)
    return {
        "mask": steps.lt(lengths.unsqueeze(1)),
        "data": torch.stack(rows, dim=dim),
        "lengths": lengths,
    }
