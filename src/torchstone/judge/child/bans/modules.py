"""Modules that stay open where a problem bans something; all others are closed.

``native/modules.toml`` lists the open modules. Any other module cannot be imported, and its files
cannot be read unless it is loaded already. If it is installed beside torch, a call of its functions
ends the process.
"""

from __future__ import annotations

import builtins
import contextlib
import importlib
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import BuiltinFunctionType, ModuleType
from typing import Any

from ..protocol.records import Scope
from . import surface

_LIBRARY = os.path.dirname(os.__file__)


class AllowedModules:
    """Table of the open modules.

    Args:
        table: Contents of ``native/modules.toml``.
        site: The folder of torch and the packages beside it.
        library: The folder of the standard library.
    """

    def __init__(
        self, table: Mapping[str, Sequence[str]], site: str, library: str = _LIBRARY
    ) -> None:
        self.site, self._library = site, library
        _load_lazy(table["loaded"])
        self.extensions = list(table["extensions"])
        self._importable = frozenset(table["importable"])
        self._packages = frozenset(table["packages"])
        self._readable = self._importable | frozenset(table["readable"])
        self._beside: list[tuple[str, ModuleType]] = []
        self._symbolic = frozenset(table["symbolic"])
        self._closed = table["closed"]
        # A name that does not exist stays a ModuleNotFoundError: it is a typing mistake.
        known = {name.partition(".")[0] for name in sys.modules} | set(sys.stdlib_module_names)
        known |= {each.name for each in pkgutil.iter_modules([site])}
        self.denied = sorted(known - self._readable)

    def keeps_code(self, file: str) -> bool:
        """Return whether the functions of a file beside torch keep their code."""
        first = file.removeprefix(f"{self.site}/").partition("/")[0].removesuffix(".py")
        return first in self._packages or first in self._symbolic

    def hidden_paths(self) -> Iterator[str]:
        """Yield the paths of modules that are not open; shared libraries stay readable.

        Call it after the imports of all jobs: files of loaded modules stay readable.
        """
        for each in pkgutil.iter_modules([self.site]):
            path = os.path.join(self.site, each.name if each.ispkg else f"{each.name}.py")
            if each.name not in self._packages and os.path.exists(path):
                yield path
        # Debian's Python has two names for one file, and a Landlock rule applies to the file.
        loaded = set(map(os.path.realpath, _files_of(list(sys.modules.values()))))
        for path in self._unloaded(self._library, ""):
            if os.path.realpath(path) not in loaded:
                yield path

    def _unloaded(self, folder: str, prefix: str) -> Iterator[str]:
        """Yield the standard library's files that belong to no listed and no loaded module."""
        for each in pkgutil.iter_modules([folder]):
            path = os.path.join(folder, each.name if each.ispkg else f"{each.name}.py")
            if (not prefix and each.name in self._readable) or not os.path.exists(path):
                continue
            if f"{prefix}{each.name}" not in sys.modules:
                yield path
            elif each.ispkg:
                yield from self._unloaded(path, f"{prefix}{each.name}.")

    def forget(self) -> None:
        """Remove the closed modules beside torch from ``sys.modules``."""
        for name, _ in self._beside:
            del sys.modules[name]

    def closed_parts(self) -> tuple[list[tuple[Any, str]], list[type]]:
        """Return the builtin functions and the C++ classes to close."""
        functions: list[tuple[Any, str]] = []
        types: list[type] = []
        for name in self._closed:
            if name in sys.builtin_module_names:
                importlib.import_module(name)
        # References keep the modules alive: freeing them after a fork would copy their pages.
        self._beside = self._beside_torch()
        closed = [(name, sys.modules[name]) for name in self._closed if name in sys.modules]
        native = [(name, module) for name, module in self._beside if _is_native(module)]
        for name, module in (*closed, *native):
            for attribute, item in list(vars(module).items()):
                if _is_own(item):
                    functions.append((item, f"{name}.{attribute}"))
                elif surface.is_bound_class(item):
                    types.append(item)
                    functions.extend(surface.methods_of(item, f"{name}.{attribute}"))
        return functions, types

    def _beside_torch(self) -> list[tuple[str, ModuleType]]:
        found = []
        for name, module in list(sys.modules.items()):
            file = getattr(module, "__file__", None)
            first = name.partition(".")[0]
            parent = getattr(sys.modules.get(first), "__file__", None)
            below = any(each and each.startswith(f"{self.site}/") for each in (file, parent))
            if below and first not in self._packages and first in self.denied:
                found.append((name, module))
        return found


def _files_of(modules: Sequence[object]) -> Iterator[str]:
    """Yield the source files of modules."""
    for each in modules:
        file = getattr(each, "__file__", None)
        if isinstance(file, str):
            yield file


def _load_lazy(names: Sequence[str]) -> None:
    """Import modules that Python and listed modules would import later, from hidden files."""
    for name in names:
        with contextlib.suppress(ModuleNotFoundError):  # a module of another version of Python
            importlib.import_module(name)


def submission_builtins(stop: Callable[[str], object], denied_modules: Sequence[str]) -> Scope:
    """Return builtins whose ``__import__`` reports a denied module instead of importing it."""
    denied, real_import = frozenset(denied_modules), builtins.__import__

    def __import__(
        name: str,
        globals: Mapping[str, object] | None = None,
        locals: Mapping[str, object] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        for wanted in (name, *(f"{name}.{item}" for item in fromlist or ())):
            parts = wanted.split(".") if not level else ()
            if any(".".join(parts[: i + 1]) in denied for i in range(len(parts))):
                stop(f"import {wanted}")
        return real_import(name, globals, locals, fromlist, level)

    return {**builtins.__dict__, "__import__": __import__}


def _is_native(module: ModuleType) -> bool:
    return (getattr(module, "__file__", None) or "").endswith(".so")


def _is_own(item: Any) -> bool:
    """Return whether a builtin function belongs to an extension module and is not a method."""
    owner = getattr(item, "__self__", None)
    is_function = isinstance(item, BuiltinFunctionType)
    return is_function and (isinstance(owner, ModuleType) or type(owner).__name__ == "PyCapsule")
