from collections.abc import Callable
from typing import Any

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
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def __getitem__(self, index: int) -> Any:
        raise NotImplementedError


def collate(batch: list[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """Return the windows padded with zeros, their lengths, and the mask of what is real."""
    raise NotImplementedError
