"""Flatten each sample by pytree, collate leaf by leaf, and build the first structure again."""

import torch
from torch.utils import _pytree as pytree


def pad_collate(batch, *, padding_value=0, pad_to_multiple_of=1, batch_first=True):
    if not batch:
        raise ValueError("empty")
    if pad_to_multiple_of < 1:
        raise ValueError("multiple")
    flattened = [flatten(sample) for sample in batch]
    leaves, paths = zip(*flattened, strict=True)
    if any(sorted(map(str, each)) != sorted(map(str, paths[0])) for each in paths):
        raise ValueError("the samples differ in structure")
    done = []
    for path in paths[0]:
        column = [each[names.index(path)] for each, names in zip(leaves, paths, strict=True)]
        done.append(leaf(column, padding_value, pad_to_multiple_of, batch_first))
    _, spec = pytree.tree_flatten(batch[0])
    return pytree.tree_unflatten(done, spec)


def is_leaf(item):
    return item is None


def flatten(sample):
    pairs, _ = pytree.tree_flatten_with_path(sample, is_leaf=is_leaf)
    return [item for _, item in pairs], [path for path, _ in pairs]


def leaf(items, padding_value, multiple, batch_first):
    first = items[0]
    tensors = [isinstance(each, torch.Tensor) for each in items]
    if any(tensors):
        if not all(tensors):
            raise ValueError("mixed")
        return padded(items, padding_value, multiple, batch_first)
    if isinstance(first, (str, bytes)):
        return list(items)
    for kind, dtype in ((bool, torch.bool), (int, torch.int64), (float, torch.float64)):
        if isinstance(first, kind):
            return torch.tensor(items, dtype=dtype)
    raise TypeError(type(first).__name__)


def padded(items, padding_value, multiple, batch_first):
    if len({each.shape[1:] for each in items}) > 1 or len({each.ndim for each in items}) > 1:
        raise ValueError("shapes")
    if items[0].ndim == 0:
        return torch.stack(items)
    lengths = torch.tensor([len(each) for each in items])
    total = int((lengths.amax() + multiple - 1) // multiple * multiple)
    mask = torch.arange(total) < lengths.reshape(-1, 1)
    rows, steps = mask.nonzero(as_tuple=True)
    values = torch.cat(items)
    places = (rows, steps) if batch_first else (steps, rows)
    size = (len(items), total) if batch_first else (total, len(items))
    data = values.new_full((*size, *values.shape[1:]), padding_value)
    data.index_put_(places, values)
    return {"data": data, "lengths": lengths, "mask": mask}
