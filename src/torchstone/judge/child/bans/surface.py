"""Surface of torch that stays open where a problem bans something; everything else is closed.

A list of forbidden names is never complete: torch has 23,000 Python functions and 1,700 C++ names
below ``torch._C``, and some of them compute any operator from others, or read any address.
``native/allowed.toml`` lists what correct answers call, directly or through torch.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import torch

from . import survey


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """Objects to close, as `closing.Closer` takes them.

    Args:
        stubs: Python functions, each with the code that ends the process.
        builtin_functions: C++ builtin functions, each with its name.
        types: C++ classes of which no instance may be created.
        with_constants: Builtin functions that work with constant arguments only.
        to_judge: Builtin functions that work for the judge's own code only.
    """

    stubs: list[tuple[FunctionType, CodeType]]
    builtin_functions: list[tuple[Any, str]]
    types: list[type]
    with_constants: list[tuple[Any, str]]
    to_judge: list[tuple[Any, str]]


class Allowed:
    """Table of the allowed names.

    Args:
        table: Contents of ``native/allowed.toml``.
        folder: The folder of torch.
    """

    def __init__(self, table: Mapping[str, Sequence[str]], folder: str) -> None:
        self.folder = folder
        self._files = {name for name in table["files"] if not name.endswith("/")}
        self._folders = tuple(name for name in table["files"] if name.endswith("/"))
        self._functions, self.closed = set(table["functions"]), tuple(table["closed"])
        self.unchecked = tuple(table["unchecked"])
        self._builtins = re.compile("|".join(map(fnmatch.translate, table["builtins"])))
        self.with_constants = frozenset(table["with_constants"])
        self.to_judge = frozenset(table["to_judge"])
        self.judge_calls = tuple(table["judge_calls"])
        self._classes = re.compile("|".join(map(fnmatch.translate, table["classes"])))

    def has_file(self, path: str) -> bool:
        """Return whether functions of a file of torch stay open."""
        name = path.removeprefix(f"{self.folder}/")
        return name in self._files or name.startswith(self._folders)

    def hidden_paths(self) -> Iterator[str]:
        """Yield the Python files of torch that are not allowed; a folder of such files as one."""
        for folder, folders, files in os.walk(self.folder):
            for name in tuple(folders):
                inner = f"{os.path.relpath(os.path.join(folder, name), self.folder)}/"
                if not self._has_some_below(inner):
                    # A folder without Python files, such as that of the libraries, needs no hiding.
                    if _has_python(os.path.join(folder, name)):
                        yield os.path.join(folder, name)
                    folders.remove(name)
                elif inner.startswith(self._folders):
                    folders.remove(name)
            for name in files:
                path = os.path.join(folder, name)
                if name.endswith(".py") and not self.has_file(path):
                    yield path

    def _has_some_below(self, folder: str) -> bool:
        return folder.startswith(self._folders) or any(
            name.startswith(folder) for name in (*self._files, *self._folders)
        )

    def has_function(self, function: FunctionType) -> bool:
        """Return whether a Python function of torch stays open."""
        if self.has_file(function.__code__.co_filename):
            return True
        return f"{function.__module__}.{function.__qualname__}" in self._functions

    def has_builtin(self, name: str) -> bool:
        """Return whether a builtin function stays open; its name is relative to ``torch._C``."""
        return self._builtins.match(name) is not None

    def has_class(self, name: str) -> bool:
        """Return whether a C++ class stays open; its name is relative to ``torch._C``."""
        return self._classes.match(name) is not None


def builtins_of_torch() -> Iterator[tuple[str, Any]]:
    """Yield every builtin function and pybind11 class below ``torch._C``, with its name.

    Names are relative to ``torch._C``.
    """
    waiting: list[tuple[str, ModuleType]] = [("", torch._C)]
    seen = {id(torch._C)}
    while waiting:
        prefix, module = waiting.pop()
        for name, item in vars(module).items():
            if isinstance(item, ModuleType):
                if item.__name__.startswith("torch._C") and id(item) not in seen:
                    seen.add(id(item))
                    waiting.append((f"{prefix}{name}.", item))
            elif isinstance(item, BuiltinFunctionType) or is_bound_class(item):
                yield f"{prefix}{name}", item


def is_bound_class(item: object) -> bool:
    """Return whether an object is a class created by pybind11."""
    return isinstance(item, type) and type(item).__name__ == "pybind11_type"


def plan(allowed: Allowed, functions: survey.Functions, stub: Any) -> Surface:
    """Return the objects to close.

    Args:
        allowed: The table of allowed names.
        functions: The live functions of torch, by file.
        stub: Returns the code that ends the process, given a function and its name.
    """
    stubs = [
        (function, stub(function, f"{function.__module__}.{function.__qualname__}"))
        for found in functions.values()
        for function in found
        if not allowed.has_function(function)
    ]
    surface = Surface(stubs=stubs, builtin_functions=[], types=[], with_constants=[], to_judge=[])
    for name, item in builtins_of_torch():
        full_name = f"torch._C.{name}"
        if is_bound_class(item):
            if not allowed.has_class(name):
                surface.types.append(item)
                surface.builtin_functions.extend(methods_of(item, full_name))
        elif name in allowed.with_constants:
            surface.with_constants.append((item, full_name))
        elif name in allowed.to_judge:
            surface.to_judge.append((item, full_name))
        elif not allowed.has_builtin(name):
            surface.builtin_functions.append((item, full_name))
    return surface


def _has_python(folder: str) -> bool:
    return any(name.endswith(".py") for _, _, names in os.walk(folder) for name in names)


def methods_of(kind: type, prefix: str) -> Iterator[tuple[Any, str]]:
    """Yield the builtin functions in a C++ class, each with its name."""
    for name, item in vars(kind).items():
        parts: list[Any] = [item]
        if isinstance(item, property):
            parts = [item.fget, item.fset]
        for part in parts:
            # Methods of pybind11 and static methods wrap the builtin function.
            function = getattr(part, "__func__", part)
            if isinstance(function, BuiltinFunctionType):
                yield function, f"{prefix}.{name}"
