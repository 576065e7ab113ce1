# verdict: WA property
# group: alias
# en: A buffer is kept for the next batch of that shape: earlier results change with it.
# zh: 缓冲区留给同形状的下一批用：以前的结果也随之改变。
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

BUFFERS = {}
NUMBERS = {bool: torch.bool, int: torch.int64, float: torch.float64}


def pad_collate(
    batch: Sequence,
    *,
    padding_value: float = 0,
    pad_to_multiple_of: int = 1,
    batch_first: bool = True,
):
    if not len(batch):
        raise ValueError("pad_collate: the batch is empty")
    if pad_to_multiple_of < 1:
        raise ValueError(f"pad_collate: pad_to_multiple_of is {pad_to_multiple_of}, less than 1")
    return collate(list(batch), padding_value, pad_to_multiple_of, batch_first)


def collate(samples: list, *options):
    first = samples[0]
    if any(isinstance(each, Tensor) for each in samples):
        return collate_tensors(samples, *options)
    if type(first) in NUMBERS:
        return torch.tensor(samples, dtype=NUMBERS[type(first)])
    if isinstance(first, (str, bytes)):
        return list(samples)
    if isinstance(first, Mapping):
        return collate_mappings(samples, *options)
    if isinstance(first, (tuple, list)):
        return collate_sequences(samples, *options)
    raise TypeError(f"pad_collate: a {type(first).__name__} cannot be collated")


def collate_mappings(samples: list[Mapping], *options) -> dict:
    first = samples[0]
    if any(each.keys() != first.keys() for each in samples):
        raise ValueError("pad_collate: samples have different keys")
    return {key: collate([each[key] for each in samples], *options) for key in first}


def collate_sequences(samples: list[Sequence], *options):
    first = samples[0]
    if any(len(each) != len(first) for each in samples):
        raise ValueError("pad_collate: samples have different numbers of fields")
    fields = [collate(list(field), *options) for field in zip(*samples, strict=True)]
    return type(first)(*fields) if hasattr(first, "_fields") else tuple(fields)


def collate_tensors(
    samples: list[Tensor], padding_value: float, pad_to_multiple_of: int, batch_first: bool
):
    if not all(isinstance(each, Tensor) for each in samples):
        raise ValueError("pad_collate: a field mixes tensors and other values")
    first = samples[0]
    if any(each.ndim != first.ndim or each.shape[1:] != first.shape[1:] for each in samples):
        raise ValueError("pad_collate: the shapes of a field differ beyond the length")
    if first.ndim == 0:
        return torch.stack(samples)
    dtype = first.dtype
    for each in samples:
        dtype = torch.promote_types(dtype, each.dtype)
    lengths = torch.tensor([len(each) for each in samples])
    longest = int(lengths.max())
    total = -(-longest // pad_to_multiple_of) * pad_to_multiple_of  # rounded up
    lead = (len(samples), total) if batch_first else (total, len(samples))
    shape = (*lead, *first.shape[1:])
    data = BUFFERS.setdefault((shape, dtype), torch.empty(shape, dtype=dtype))
    data.fill_(padding_value)
    rows = data if batch_first else data.transpose(0, 1)
    for row, each in zip(rows.unbind(0), samples, strict=True):
        row[: len(each)] = each.detach()
    mask = torch.arange(total) < lengths[:, None]
    return {"data": data, "lengths": lengths, "mask": mask}
