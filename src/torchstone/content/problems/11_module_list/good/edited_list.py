# style: a decorator lets each method edit a temporary list, and writes it back
import functools
import operator
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from torch import nn


def edits(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapped(self: Any, *args: Any) -> Any:
        items = list(self)
        result = method(self, items, *args)
        if not all(isinstance(item, nn.Module | None) for item in items):
            raise TypeError("a MyModuleList holds modules and None")
        self._modules = OrderedDict(zip(map(str, range(len(items))), items, strict=True))
        return result

    return wrapped


def of_item(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapped(self: Any, items: list[Any], idx: Any, *args: Any) -> Any:
        if isinstance(idx, slice):
            raise TypeError("this takes an index, not a slice")
        return method(self, items, idx, *args)

    return wrapped


class MyModuleList(nn.Module):
    def __init__(self, modules: Iterable[nn.Module | None] | None = None) -> None:
        super().__init__()
        self.extend([] if modules is None else modules)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __iter__(self) -> Iterator[nn.Module | None]:
        return iter([*self._modules.values()])

    def __reversed__(self) -> Iterator[nn.Module | None]:
        return iter([*self._modules.values()][::-1])

    def __contains__(self, module: object) -> bool:
        return any(map(functools.partial(operator.is_, module), self))

    def __getitem__(self, idx: int | slice) -> "nn.Module | MyModuleList | None":
        found = list(self)[idx]
        return MyModuleList(found) if isinstance(found, list) else found

    @edits
    @of_item
    def __setitem__(self, items: list[Any], idx: int, module: nn.Module | None) -> None:
        items[idx] = module

    @edits
    def __delitem__(self, items: list[Any], idx: int | slice) -> None:
        del items[idx]

    @edits
    def append(self, items: list[Any], module: nn.Module | None) -> Self:
        items.append(module)
        return self

    @edits
    def extend(self, items: list[Any], modules: Iterable[nn.Module | None]) -> Self:
        items.extend(modules)
        return self

    @edits
    @of_item
    def insert(self, items: list[Any], index: int, module: nn.Module | None) -> None:
        items.insert(index, module)

    @edits
    def pop(self, items: list[Any], index: int = -1) -> nn.Module | None:
        return items.pop(index)

    def __add__(self, other: Iterable[nn.Module | None]) -> "MyModuleList":
        both = MyModuleList(self)
        both += other
        return both

    @edits
    def __iadd__(self, items: list[Any], other: Iterable[nn.Module | None]) -> Self:
        items += other
        return self
