from bisect import bisect_right
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import Dataset


class WindowDataset(Dataset):
    """The whole windows of several series, one series after the other."""

    def __init__(
        self,
        series: list[Tensor],
        length: int,
        stride: int,
        transform: Callable[[Tensor], Any] | None = None,
    ) -> None:
        if length < 1 or stride < 1:
            raise ValueError(f"WindowDataset: length {length} and stride {stride} must be >= 1.")
        self.series, self.length, self.stride = series, length, stride
        self.transform = transform
        # A range of starts is empty where a series is too short.
        counts = [len(range(0, len(each) - length + 1, stride)) for each in series]
        self.ends = list(accumulate(counts))

    def __len__(self) -> int:
        return self.ends[-1] if self.ends else 0

    def __getitem__(self, index: int) -> tuple[int, Any]:
        count = len(self)
        if not -count <= index < count:
            raise IndexError(f"WindowDataset: index {index} is out of range for {count} windows.")
        index %= count
        # The first series that ends behind the index; those without windows end where they begin.
        number = bisect_right(self.ends, index)
        begin = self.ends[number - 1] if number else 0
        start = (index - begin) * self.stride
        window = self.series[number][start : start + self.length]
        return number, window if self.transform is None else self.transform(window)


def collate(batch: list[tuple[int, Tensor]]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return numbers, windows padded on the left, mask of the padding, and positions."""
    numbers = torch.tensor([number for number, _ in batch])
    lengths = torch.tensor([len(window) for _, window in batch])
    longest = int(lengths.max())
    first = batch[0][1]
    padded = first.new_zeros(len(batch), longest, *first.shape[1:])
    for row, (_, window) in zip(padded, batch, strict=True):
        # Not row[-len(window):], which is the whole row for an empty window.
        row[longest - len(window) :] = window
    positions = torch.arange(longest) - (longest - lengths)[:, None]
    return numbers, padded, positions < 0, positions.clamp(min=0)
