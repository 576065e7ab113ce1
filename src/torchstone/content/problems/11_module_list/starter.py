from collections.abc import Iterable, Iterator
from typing import Self

from torch import nn


class MyModuleList(nn.Module):
    """Hold modules in a list; item i is the child that is registered under str(i)."""

    def __init__(self, modules: Iterable[nn.Module | None] | None = None) -> None:
        """Register the modules of an iterable, in order."""
        super().__init__()
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def __iter__(self) -> Iterator[nn.Module | None]:
        raise NotImplementedError

    def __reversed__(self) -> Iterator[nn.Module | None]:
        raise NotImplementedError

    def __contains__(self, module: object) -> bool:
        """Tell whether this object is an item."""
        raise NotImplementedError

    def __getitem__(self, idx: int | slice) -> "nn.Module | MyModuleList | None":
        """Return an item, or a new list of the same modules for a slice."""
        raise NotImplementedError

    def __setitem__(self, idx: int, module: nn.Module | None) -> None:
        raise NotImplementedError

    def __delitem__(self, idx: int | slice) -> None:
        """Delete items, and number those that remain from 0."""
        raise NotImplementedError

    def append(self, module: nn.Module | None) -> Self:
        raise NotImplementedError

    def extend(self, modules: Iterable[nn.Module | None]) -> Self:
        """Append all of the items, or none if one of them is no module."""
        raise NotImplementedError

    def insert(self, index: int, module: nn.Module | None) -> None:
        """Put a module before an index; what lies behind it moves by one."""
        raise NotImplementedError

    def pop(self, index: int = -1) -> nn.Module | None:
        raise NotImplementedError

    def __add__(self, other: Iterable[nn.Module | None]) -> "MyModuleList":
        raise NotImplementedError

    def __iadd__(self, other: Iterable[nn.Module | None]) -> Self:
        raise NotImplementedError
