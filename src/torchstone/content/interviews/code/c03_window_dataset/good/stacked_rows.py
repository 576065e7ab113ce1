import math

import torch
from torch.utils.data import Dataset


class WindowDataset(Dataset):
    def __init__(self, series, length, stride, transform=None):
        for name, value in (("length", length), ("stride", stride)):
            if value <= 0:
                raise ValueError(f"{name} must be at least 1, got {value}")
        super().__init__()
        self._series, self._length, self._stride, self._transform = (
            series,
            length,
            stride,
            transform,
        )
        self._count = math.ceil(series.size(0) / stride)

    def __len__(self):
        return self._count

    def __getitem__(self, index):
        if index < 0:
            index += self._count
        if index < 0 or index >= self._count:
            raise IndexError(index)
        begin = index * self._stride
        window = self._series[begin : begin + self._length].clone()
        return self._transform(window) if self._transform else window


def collate(batch):
    sizes = [window.shape[0] for window in batch]
    longest = max(sizes)
    rows, masks = [], []
    for window, size in zip(batch, sizes, strict=True):
        padding = torch.zeros((longest - size, *window.shape[1:]), dtype=window.dtype)
        rows.append(torch.cat([window, padding]))
        masks.append(torch.tensor([True] * size + [False] * (longest - size), dtype=torch.bool))
    return torch.stack(rows), torch.tensor(sizes, dtype=torch.long), torch.stack(masks)
