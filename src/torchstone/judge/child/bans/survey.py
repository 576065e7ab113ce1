"""Survey of the live functions of torch, taken once for all zygotes.

The garbage collector lists every function, under whatever alias, but listing touches every object,
and a forked process copies the pages that it touches: 30 MiB for each zygote. So the zygote parent
lists them before it forks, and a zygote lists only the objects of its own later imports.
"""

from __future__ import annotations

import gc
from collections import defaultdict
from types import FunctionType
from typing import Any

Functions = dict[str, list[FunctionType]]

_functions: Functions = {}
_overloads: list[Any] = []


def take() -> None:
    """Record the live functions and overloads; afterwards the objects may be frozen."""
    _functions.update(_by_file(gc.get_objects()))
    _overloads.extend(_overloads_among(gc.get_objects()))


def functions_below(folder: str) -> Functions:
    """Return all live functions whose source lies below a folder, by file."""
    found = {file: list(items) for file, items in _functions.items() if file.startswith(folder)}
    # Frozen objects are not listed, so these are newer ones.
    for file, items in _by_file(gc.get_objects()).items():
        if file.startswith(folder):
            known = {id(item) for item in found.get(file, ())}
            found.setdefault(file, []).extend(item for item in items if id(item) not in known)
    return found


def overloads() -> list[Any]:
    """Return all live operator overloads."""
    known = {id(item) for item in _overloads}
    later = [item for item in _overloads_among(gc.get_objects()) if id(item) not in known]
    return [*_overloads, *later]


def _by_file(objects: list[Any]) -> Functions:
    found: Functions = defaultdict(list)
    for item in objects:
        if type(item) is FunctionType:
            found[item.__code__.co_filename].append(item)
    return found


def _overloads_among(objects: list[Any]) -> list[Any]:
    import torch

    return [item for item in objects if type(item) is torch._ops.OpOverload]
