from collections.abc import Callable
from typing import Any

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
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def __getitem__(self, index: int) -> tuple[int, Any]:
        raise NotImplementedError


def collate(batch: list[tuple[int, Tensor]]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return numbers, windows padded on the left, mask of the padding, and positions."""
    raise NotImplementedError
