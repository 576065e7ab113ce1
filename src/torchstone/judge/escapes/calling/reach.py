"""Enumeration of the callables that a submission can reach.

The garbage collector lists functions, builtin functions, descriptors, heap types and instances.
Static types of the interpreter are found as subclasses of ``object``, operators by their names.
Callables of a module that is not loaded yet are enumerated on import, see `importable_modules`.
"""

from __future__ import annotations

import gc
import inspect
import os
import pkgutil
import sys
import weakref
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

import torch

_DESCRIPTORS: tuple[Any, ...] = (
    type(str.join), type(object.__init__), type(dict.__dict__["fromkeys"]), type(object().__str__),
)  # fmt: skip
_STUB = "<closed>"
# A class stores functions in these wrappers; the functions themselves are called.
_WRAPPERS = ("staticmethod", "classmethod", "instancemethod", "GenericAlias")
_OURS = ("torch", "torchgen", "torchstone", "torch_ops")
# A closed builtin function has its name as ``__self__``, see native/closed_functions.h.
_NAMES_OF_CLOSED = ("torch.", "numpy.", "ctypes.")


@dataclass(frozen=True, slots=True)
class Reached:
    """One callable.

    Attributes:
        name: Where it is found, for the report.
        target: The object.
        is_closed: Whether it is a stub that ends the process on any call.
        is_torch: Whether it belongs to torch or to the judge.
    """

    name: str
    target: Any
    is_closed: bool
    is_torch: bool


def make_operators() -> list[Any]:
    """Return every operator's overload packet; call it before anything is banned."""
    packets = []
    for name in sorted({full.partition(".")[0] for full in torch._C._dispatch_get_all_op_names()}):
        namespace, _, operator = name.partition("::")
        try:
            packets.append(getattr(getattr(torch.ops, namespace), operator))
        except AttributeError:  # a submission cannot reach it by this name either
            continue
    return packets


def enumerate_callables(operators: Iterable[Any], *, without: tuple[str, ...]) -> list[Reached]:
    """Return every callable once.

    Args:
        operators: Result of `make_operators`.
        without: Prefixes of the modules of the search itself.
    """
    gc.unfreeze()
    seen: set[int] = set()
    operators = list(operators)
    names = {**_names_of_calls(operators), **_names_in_modules()}
    found: list[Reached] = []

    def add(item: Any, label: str = "") -> None:
        if id(item) in seen or type(item).__name__ in _WRAPPERS:
            return
        seen.add(id(item))
        module = _module_of(item)
        if callable(item) and not module.startswith(without):
            name = names.get(id(item)) or label or _name_of(item, module)
            is_torch = (label or module).split(".")[0] in _OURS
            found.append(Reached(name, item, is_closed(item), is_torch))

    for item in [*gc.get_objects(), *_types_below(object), *operators]:
        kind = type(item)
        if kind is dict or kind is list or kind is tuple:
            continue
        if isinstance(item, type):
            for label, member in _members(item):
                add(member, label)
        if kind is ModuleType:
            for member in tuple(vars(item).values()):
                add(member)
        add(item)
    return found


def is_closed(item: Any) -> bool:
    """Return whether an object is a stub that ends the process when it is called."""
    if type(item) is FunctionType:
        return bool(item.__code__.co_filename == _STUB)
    if type(item) is MethodType:
        return is_closed(item.__func__)
    if type(item) is BuiltinFunctionType:
        return type(item.__self__) is str and item.__self__.startswith(_NAMES_OF_CLOSED)
    # Not isinstance, which may look up ``__class__`` through a closed function.
    if issubclass(type(item), type):
        init = inspect.getattr_static(item, "__init__", None)
        return is_closed(getattr(init, "__func__", init)) if init is not item else False
    return False


def distinct(items: Sequence[Reached]) -> list[int]:
    """Return the indices of the callables to call: of weak references only one per class.

    The referents of the other weak references are in the list themselves.
    """
    first: dict[Any, int] = {}
    for number, item in enumerate(items):
        kind = type(item.target)
        first.setdefault(kind if issubclass(kind, weakref.ref) else id(item.target), number)
    return list(first.values())


def in_share(name: str, share: tuple[int, int]) -> bool:
    """Return whether a name belongs to a share, given as (index, number of shares)."""
    number, of = share
    return zlib.crc32(name.encode()) % of == number


def importable_modules(hidden: Sequence[str]) -> list[str]:
    """Return the names of modules that can still be imported: torch's and top-level ones.

    Nothing is imported to find them.

    Args:
        hidden: Files and folders that no submission can read.
    """
    folder = os.path.dirname(torch.__file__)
    found = [entry.name for entry in pkgutil.iter_modules() if not entry.name.startswith("__")]
    for path, _, files in os.walk(folder):
        package = os.path.relpath(path, os.path.dirname(folder)).replace(os.sep, ".")
        for name in files:
            whole = os.path.realpath(os.path.join(path, name))
            is_hidden = any(whole == each or whole.startswith(f"{each}/") for each in hidden)
            if name.endswith(".py") and not is_hidden:
                found.append(f"{package}.{name[:-3]}".removesuffix(".__init__"))
    return sorted(name for name in set(found) - {"torchstone"} if name not in sys.modules)


def callables_of(name: str, module: ModuleType) -> Iterator[Reached]:
    """Yield the callables that a freshly imported module defines."""
    is_torch = name.partition(".")[0] == "torch"
    for key, item in tuple(vars(module).items()):
        if callable(item) and _module_of(item) == name:
            yield Reached(f"{name}.{key}", item, is_closed(item), is_torch)
            if isinstance(item, type):
                for label, member in _members(item):
                    if callable(member):
                        yield Reached(label, member, is_closed(member), is_torch)


def _types_below(root: type) -> list[type]:
    waiting, seen = [root], {root}
    while waiting:
        below: list[type] = type.__subclasses__(waiting.pop())
        for kind in below:
            if kind not in seen:
                seen.add(kind)
                waiting.append(kind)
    return list(seen)


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    for name, item in tuple(vars(kind).items()):
        label = f"{kind.__module__}.{kind.__qualname__}.{name}"
        if isinstance(item, property):
            for part in filter(None, (item.fget, item.fset)):
                yield label, part
        else:
            # pybind11 methods, static methods and class methods wrap the function.
            yield label, getattr(item, "__func__", item)


def _names_in_modules() -> dict[int, str]:
    """Return the shortest dotted name of each callable in a module, by its id."""
    found: dict[int, str] = {}
    for name, module in sorted(sys.modules.items(), key=lambda pair: (len(pair[0]), pair[0])):
        if type(module) is ModuleType:
            for key, item in vars(module).items():
                if callable(item):
                    found.setdefault(id(item), f"{name}.{key}")
    return found


def _names_of_calls(packets: Iterable[Any]) -> dict[int, str]:
    """Return names of the builtin functions that call an operator or one of its overloads.

    The functions of overloads have no name of their own.
    """
    kind = torch._ops.OpOverload
    overloads = [item for item in gc.get_objects() if type(item) is kind]
    return {
        id(getattr(item, name)): f"torch.ops.{item}.{name}"
        for item in (*packets, *overloads)
        for name in ("_op", "_op_dk")
        if type(getattr(item, name, None)) is BuiltinFunctionType
    }


def _module_of(item: Any) -> str:
    if type(item) in (torch._ops.OpOverload, torch._ops.OpOverloadPacket):
        return "torch_ops"
    if isinstance(item, _DESCRIPTORS):
        return str(getattr(item.__objclass__, "__module__", "?"))
    if type(item) is BuiltinFunctionType:
        owner = item.__self__
        if type(owner) is str and "." in owner:
            return owner
        # A pybind11 function's ``__self__`` is a record, so its module is in ``__module__``.
        named: Any = item.__module__
        if type(named) is str:
            return named
        if owner is not None:
            kind = owner if isinstance(owner, type) else type(owner)
            return str(kind.__module__)
    module = getattr(type(item), "__module__", "?") if not _has_own(item) else item.__module__
    return module if isinstance(module, str) else "?"


def _has_own(item: Any) -> bool:
    return isinstance(item, type | FunctionType) and isinstance(item.__module__, str)


def _name_of(item: Any, module: str) -> str:
    if type(item) in (torch._ops.OpOverload, torch._ops.OpOverloadPacket):
        return f"torch.ops.{item}"
    if isinstance(item, _DESCRIPTORS):
        return f"{module}.{item.__objclass__.__qualname__}.{item.__name__}"
    if type(item) is BuiltinFunctionType:
        owner = item.__self__
        if type(owner) is str and "." in owner:
            return owner
        kind = owner if isinstance(owner, type) else type(owner)
        is_function = isinstance(owner, ModuleType | None) or isinstance(item.__module__, str)
        middle = "" if is_function else f"{kind.__qualname__}."
        return f"{module}.{middle}{item.__name__}"
    if _has_own(item):
        return f"{module}.{item.__qualname__}"
    return f"{module}.{type(item).__qualname__} object"
