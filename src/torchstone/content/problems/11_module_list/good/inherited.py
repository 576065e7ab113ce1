# style: a base class reads and writes the registry; the list adds methods, repr and dir to it
import operator
from collections.abc import Iterable, Iterator, Sequence
from typing import Self

from torch import nn


class Numbered(nn.Module):
    @property
    def items(self) -> list[nn.Module | None]:
        return list(self._modules.values())

    @items.setter
    def items(self, items: Sequence[nn.Module | None]) -> None:
        wrong = [item for item in items if not (item is None or isinstance(item, nn.Module))]
        if wrong:
            raise TypeError(f"{wrong[0]!r} is not a module")
        # Keys that stay keep their place; the others are added or removed at the end.
        for position in range(len(items), len(self._modules)):
            del self._modules[str(position)]
        for position, item in enumerate(items):
            self._modules[str(position)] = item

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[nn.Module | None]:
        return iter(self.items)

    def __reversed__(self) -> Iterator[nn.Module | None]:
        return reversed(self.items)

    def __contains__(self, module: object) -> bool:
        return module in self.items

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.isdigit()]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.items!r})"


class MyModuleList(Numbered):
    def __init__(self, modules: Iterable[nn.Module | None] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.items = list(modules)

    def __getitem__(self, idx: int | slice) -> "nn.Module | MyModuleList | None":
        return MyModuleList(self.items[idx]) if isinstance(idx, slice) else self.items[idx]

    def __setitem__(self, idx: int, module: nn.Module | None) -> None:
        items = self.items
        items[operator.index(idx)] = module
        self.items = items

    def __delitem__(self, idx: int | slice) -> None:
        items = self.items
        del items[idx]
        self.items = items

    def append(self, module: nn.Module | None) -> Self:
        self.items = [*self.items, module]
        return self

    def extend(self, modules: Iterable[nn.Module | None]) -> Self:
        self.items = self.items + list(modules)
        return self

    __iadd__ = extend

    def insert(self, index: int, module: nn.Module | None) -> None:
        items = self.items
        items[index:index] = [module]
        if not hasattr(index, "__index__"):
            raise TypeError("an index is an integer")
        self.items = items

    def pop(self, index: int = -1) -> nn.Module | None:
        items = self.items
        item = items.pop(index)
        self.items = items
        return item

    def __add__(self, other: Iterable[nn.Module | None]) -> "MyModuleList":
        return MyModuleList(self.items + list(other))
