# verdict: WA property
# en: Derives from nn.ModuleList and overrides each method; whatever it forgets is inherited.
# zh: 派生自 `nn.ModuleList` 并改写每个方法；漏掉的就由父类代劳。
import operator
from collections.abc import Iterable, Iterator
from typing import Self

from torch import nn


class MyModuleList(nn.ModuleList):
    def __init__(self, modules: Iterable[nn.Module | None] | None = None) -> None:
        nn.Module.__init__(self)
        if modules is not None:
            self.extend(modules)

    def _register(self, items: Iterable[nn.Module | None]) -> None:
        items = list(items)
        for item in items:
            if item is not None and not isinstance(item, nn.Module):
                raise TypeError(f"MyModuleList: {type(item).__name__} is not a module or None.")
        self._modules = {str(position): item for position, item in enumerate(items)}

    def _position(self, idx: int) -> int:
        position, length = operator.index(idx), len(self)
        if not -length <= position < length:
            raise IndexError(f"MyModuleList: index {position} is out of range for {length} items.")
        return position % length

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[nn.Module | None]:
        return iter(self._modules.values())

    def __reversed__(self) -> Iterator[nn.Module | None]:
        return reversed(list(self))

    def __contains__(self, module: object) -> bool:
        return any(item is module for item in self)

    def __getitem__(self, idx: int | slice) -> "nn.Module | MyModuleList | None":
        if isinstance(idx, slice):
            return MyModuleList(list(self)[idx])
        return self._modules[str(self._position(idx))]

    def __setitem__(self, idx: int, module: nn.Module | None) -> None:
        items = list(self)
        items[self._position(idx)] = module
        self._register(items)

    def __delitem__(self, idx: int | slice) -> None:
        items = list(self)
        del items[idx if isinstance(idx, slice) else self._position(idx)]
        self._register(items)

    def append(self, module: nn.Module | None) -> Self:
        return self.extend([module])

    def extend(self, modules: Iterable[nn.Module | None]) -> Self:
        self._register([*self, *modules])
        return self

    def insert(self, index: int, module: nn.Module | None) -> None:
        items = list(self)
        items.insert(operator.index(index), module)
        self._register(items)

    def pop(self, index: int = -1) -> nn.Module | None:
        items = list(self)
        item = items.pop(self._position(index))
        self._register(items)
        return item

    def __add__(self, other: Iterable[nn.Module | None]) -> "MyModuleList":
        return MyModuleList([*self, *other])

    def __iadd__(self, other: Iterable[nn.Module | None]) -> Self:
        return self.extend(other)
