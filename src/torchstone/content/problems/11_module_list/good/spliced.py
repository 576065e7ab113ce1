# style: one primitive replaces a range of items; everything else is a call of it
import operator
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Self

from torch import nn


class MyModuleList(nn.Module):
    def __init__(self, modules: Iterable[nn.Module | None] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self.extend(modules)

    def _splice(self, start: int, stop: int, new: Iterable[nn.Module | None]) -> None:
        new = tuple(new)
        if any(not isinstance(module, nn.Module | None) for module in new):
            raise TypeError("every item is a module or None")
        old = tuple(self._modules.values())
        self._modules.clear()
        for module in chain(old[:start], new, old[stop:]):
            self.register_module(str(len(self._modules)), module)

    def _at(self, idx: int) -> int:
        # A range knows negative indices, and raises the right exceptions.
        return range(len(self))[operator.index(idx)]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[nn.Module | None]:
        yield from self._modules.values()

    def __reversed__(self) -> Iterator[nn.Module | None]:
        yield from reversed(self._modules.values())

    def __contains__(self, module: object) -> bool:
        return id(module) in map(id, self)

    def __getitem__(self, idx: int | slice) -> "nn.Module | MyModuleList | None":
        if isinstance(idx, slice):
            return MyModuleList(self[position] for position in range(len(self))[idx])
        return self._modules[f"{self._at(idx)}"]

    def __setitem__(self, idx: int, module: nn.Module | None) -> None:
        at = self._at(idx)
        self._splice(at, at + 1, [module])

    def __delitem__(self, idx: int | slice) -> None:
        gone = range(len(self))[idx] if isinstance(idx, slice) else [self._at(idx)]
        for at in sorted(gone, reverse=True):
            self._splice(at, at + 1, ())

    def append(self, module: nn.Module | None) -> Self:
        self._splice(len(self), len(self), (module,))
        return self

    def extend(self, modules: Iterable[nn.Module | None]) -> Self:
        self._splice(len(self), len(self), modules)
        return self

    def insert(self, index: int, module: nn.Module | None) -> None:
        start, _, _ = slice(index, None).indices(len(self))
        if index is None:
            raise TypeError("an index is an integer")
        self._splice(start, start, (module,))

    def pop(self, index: int = -1) -> nn.Module | None:
        module = self[self._at(index)]
        del self[index]
        return module

    def __add__(self, other: Iterable[nn.Module | None]) -> "MyModuleList":
        return MyModuleList(self).extend(other)

    def __iadd__(self, other: Iterable[nn.Module | None]) -> Self:
        return self.extend(other)
