# style: items move one place at a time, by setattr and delattr
from collections.abc import Iterable, Iterator
from operator import index as as_index
from typing import Self

import torch


class MyModuleList(torch.nn.Module):
    def __init__(self, modules: Iterable[torch.nn.Module | None] | None = None) -> None:
        super().__init__()
        if modules is None:
            return
        self.extend(modules)

    def _resolve(self, idx: int) -> int:
        i = as_index(idx)
        if i < 0:
            i += len(self)
        if i < 0 or i >= len(self):
            raise IndexError("list index out of range")
        return i

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[torch.nn.Module | None]:
        i = 0
        while i < len(self):
            yield self._modules[str(i)]
            i += 1

    def __reversed__(self) -> Iterator[torch.nn.Module | None]:
        return (self[-i] for i in range(1, len(self) + 1))

    def __contains__(self, module: object) -> bool:
        for item in self:
            if item is module:
                return True
        return False

    def __getitem__(self, idx: int | slice) -> "torch.nn.Module | MyModuleList | None":
        if type(idx) is not slice:
            return self._modules[str(self._resolve(idx))]
        part = MyModuleList()
        for i in range(*idx.indices(len(self))):
            part.append(self[i])
        return part

    def __setitem__(self, idx: int, module: torch.nn.Module | None) -> None:
        i = self._resolve(idx)
        self.check(module)
        setattr(self, str(i), module)

    def __delitem__(self, idx: int | slice) -> None:
        if type(idx) is slice:
            for i in reversed(sorted(range(*idx.indices(len(self))))):
                del self[i]
            return
        for i in range(self._resolve(idx), len(self) - 1):
            setattr(self, str(i), self._modules[str(i + 1)])
        delattr(self, str(len(self) - 1))

    @staticmethod
    def check(module: object) -> None:
        if module is not None and not isinstance(module, torch.nn.Module):
            raise TypeError(f"not a module: {module!r}")

    def append(self, module: torch.nn.Module | None) -> Self:
        self.check(module)
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules: Iterable[torch.nn.Module | None]) -> Self:
        modules = list(modules)
        for module in modules:
            self.check(module)
        for module in modules:
            self.append(module)
        return self

    def insert(self, index: int, module: torch.nn.Module | None) -> None:
        i = as_index(index)
        i = max(0, i + len(self)) if i < 0 else min(i, len(self))
        self.append(module)
        for j in range(len(self) - 1, i, -1):
            setattr(self, str(j), self._modules[str(j - 1)])
        setattr(self, str(i), module)

    def pop(self, index: int = -1) -> torch.nn.Module | None:
        i = self._resolve(index)
        module = self[i]
        del self[i]
        return module

    def __add__(self, other: Iterable[torch.nn.Module | None]) -> "MyModuleList":
        return self[:].extend(other)

    def __iadd__(self, other: Iterable[torch.nn.Module | None]) -> Self:
        return self.extend(other)
