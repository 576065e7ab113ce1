# style: collections.abc.MutableSequence adds the rest to five methods
import operator
from collections.abc import Iterable, MutableSequence
from typing import Self

from torch import nn


class MyModuleList(nn.Module, MutableSequence):
    def __init__(self, modules: Iterable[nn.Module | None] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _key(self, idx: int) -> str:
        idx = operator.index(idx)
        idx += len(self) if idx < 0 else 0
        if str(idx) not in self._modules:
            raise IndexError(idx)
        return str(idx)

    def __len__(self) -> int:
        return len(self._modules)

    def __getitem__(self, idx: int | slice) -> "nn.Module | MyModuleList | None":
        if isinstance(idx, slice):
            return MyModuleList([*self._modules.values()][idx])
        return self._modules[self._key(idx)]

    def __setitem__(self, idx: int, module: nn.Module | None) -> None:
        key = self._key(idx)
        self.add_module(key, module)

    def __delitem__(self, idx: int | slice) -> None:
        keys = [str(i) for i in range(len(self))][idx] if isinstance(idx, slice) else None
        for key in [self._key(idx)] if keys is None else keys:
            del self._modules[key]
        left = list(self._modules.values())
        self._modules.clear()
        self._modules.update((str(i), module) for i, module in enumerate(left))

    def insert(self, index: int, module: nn.Module | None) -> None:
        if not isinstance(module, nn.Module) and module is not None:
            raise TypeError(module)
        modules = list(self._modules.values())
        modules.insert(index, module)
        self._modules.update((str(i), module) for i, module in enumerate(modules))

    def append(self, module: nn.Module | None) -> Self:
        self.insert(len(self), module)
        return self

    def extend(self, values: Iterable[nn.Module | None]) -> Self:
        values = [*values]
        length = len(self)
        try:
            for module in values:
                self.append(module)
        except TypeError:
            del self[length:]
            raise
        return self

    def __add__(self, other: Iterable[nn.Module | None]) -> "MyModuleList":
        return MyModuleList(self[:]).extend(other)
