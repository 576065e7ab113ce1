from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils.data import Dataset


class WindowDataset(Dataset):
    """Windows series[k * stride : k * stride + length] for every k with k * stride < T."""

    def __init__(
        self,
        series: Tensor,
        length: int,
        stride: int,
        transform: Callable[[Tensor], Any] | None = None,
    ) -> None:
        if length < 1 or stride < 1:
            raise ValueError(f"WindowDataset: length {length} and stride {stride} must be >= 1.")
        self.series, self.length, self.stride = series, length, stride
        self.transform = transform

    def __len__(self) -> int:
        # Rounded up: a start just before the end makes a window, too.
        return -(-len(self.series) // self.stride)

    def __getitem__(self, index: int) -> Any:
        count = len(self)
        # A slice past the end is empty, not an error, and `for` would never stop.
        if not -count <= index < count:
            raise IndexError(f"WindowDataset: index {index} is out of range for {count} windows.")
        start = index % count * self.stride
        window = self.series[start : start + self.length]
        return window if self.transform is None else self.transform(window)


def collate(batch: list[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """Return the windows padded with zeros, their lengths, and the mask of what is real."""
    lengths = torch.tensor([len(window) for window in batch])
    longest = int(lengths.max())
    padded = batch[0].new_zeros(len(batch), longest, *batch[0].shape[1:])
    for row, window in zip(padded, batch, strict=True):
        row[: len(window)] = window
    # From the lengths, not from the values: a real element may be zero.
    mask = torch.arange(longest) < lengths[:, None]
    return padded, lengths, mask
