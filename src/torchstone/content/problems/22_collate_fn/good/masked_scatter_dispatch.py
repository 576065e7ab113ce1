"""masked_scatter puts all values into their places; singledispatch chooses by the first sample."""

from collections.abc import Mapping
from functools import reduce, singledispatch

import torch
from torch import Tensor


@singledispatch
def field(first, items, options):
    raise TypeError(f"cannot collate {type(first).__name__}")


def alike(items):
    """Dispatch looks at the first sample alone; a tensor may be among the others."""
    if any(isinstance(each, Tensor) for each in items):
        raise ValueError("tensor and other")
    return items


@field.register(bool)
@field.register(int)
@field.register(float)
def _(first, items, options):
    kinds = {bool: torch.bool, int: torch.int64, float: torch.float64}
    return torch.as_tensor(alike(items), dtype=kinds[type(first)])


@field.register(str)
@field.register(bytes)
def _(first, items, options):
    return [*alike(items)]


@field.register(Mapping)
def _(first, items, options):
    if any(list(each) != list(first) and sorted(each) != sorted(first) for each in alike(items)):
        raise ValueError("keys differ")
    return {key: field(first[key], [each[key] for each in items], options) for key in first}


@field.register(tuple)
@field.register(list)
def _(first, items, options):
    counts = {len(each) for each in alike(items)}
    if len(counts) != 1:
        raise ValueError(f"fields: {counts}")
    parts = (field(first[i], [each[i] for each in items], options) for i in range(len(first)))
    return (
        first._replace(**dict(zip(first._fields, parts, strict=True)))
        if hasattr(first, "_fields")
        else [*parts]
    )


@field.register(Tensor)
def _(first, items, options):
    if not all(isinstance(each, Tensor) for each in items):
        raise ValueError("tensor and other")
    if not all(each.shape[1:] == first.shape[1:] and each.ndim == first.ndim for each in items):
        raise ValueError("tails differ")
    if first.ndim == 0:
        return torch.stack(tuple(items))
    padding_value, multiple, batch_first = options
    dtype = reduce(torch.promote_types, [each.dtype for each in items])
    sizes = [each.shape[0] for each in items]
    total = (max(sizes) + multiple - 1) // multiple * multiple
    lengths = torch.tensor(sizes)
    mask = torch.arange(total).repeat(len(items), 1) < lengths.view(-1, 1)
    tail = first.shape[1:]
    data = torch.empty(len(items), total, *tail, dtype=dtype).fill_(padding_value)
    where = mask.view(*mask.shape, *[1] * len(tail)).expand_as(data)
    source = torch.cat([each.reshape(-1) for each in items]).to(dtype)
    data = data.masked_scatter(where, source)
    if not batch_first:
        data = data.transpose(0, 1).contiguous()
    return dict(data=data, lengths=lengths, mask=mask)


def pad_collate(batch, *, padding_value=0, pad_to_multiple_of=1, batch_first=True):
    if len(batch) < 1 or pad_to_multiple_of < 1:
        raise ValueError("batch and pad_to_multiple_of must not be empty or below 1")
    return field(batch[0], list(batch), (padding_value, pad_to_multiple_of, batch_first))
