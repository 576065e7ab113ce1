"""A module `ctypes` for programs that start workers: what `prctl` takes, and nothing else.

A worker that shall end with its parent asks the kernel for a signal, `PR_SET_PDEATHSIG`. Python
reaches `prctl` only by ctypes, which gives raw memory and is closed. This module has the same names
and makes that one call by a function of torch; any other name ends the program as ctypes itself
would.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, NoReturn

import torch.multiprocessing

PR_SET_PDEATHSIG = 1
# By these names and by None the C library of this process is asked for.
_LIBRARIES = frozenset({None, "", "c", "libc.so.6", "libc.so"})

Stop = Callable[[str], NoReturn]


class Number:
    """Hold a number of any of the types in C."""

    def __init__(self, value: int = 0) -> None:
        """Hold this number."""
        self.value = int(value)

    def __int__(self) -> int:
        """Return the number."""
        return self.value


class Function:
    """Call one function of the C library; the types that it is given are not looked at."""

    def __init__(self, call: Callable[..., int]) -> None:
        """Call this function."""
        self._call = call
        self.argtypes: Any = None
        self.restype: Any = None
        self.errcheck: Any = None

    def __call__(self, *args: Any) -> Any:
        """Return what the function returns."""
        result = self._call(*map(int, args))
        return result if self.errcheck is None else self.errcheck(result, self, args)


class _Error:
    """Hold what `get_errno` returns."""

    code = 0


def _prctl(option: int, *args: int) -> int:
    if option == PR_SET_PDEATHSIG and args:
        torch.multiprocessing._prctl_pr_set_pdeathsig(args[0])  # type: ignore[attr-defined]
        return 0
    _Error.code = errno.EPERM
    return -1


_CALLS: dict[str, Callable[..., int]] = {
    "prctl": _prctl,
    "getpid": os.getpid,
    "getppid": os.getppid,
}


class Library:
    """Offer the functions of the C library that a worker may call."""

    def __init__(self, stop: Stop) -> None:
        """End the program by ``stop`` where it asks for another one."""
        self._stop = stop
        for name, call in _CALLS.items():
            setattr(self, name, Function(call))

    def __getattr__(self, name: str) -> Any:
        """End the program, unless only Python itself asks."""
        return _refuse(self._stop, f"ctypes.CDLL.{name}", name)

    def __getitem__(self, name: str) -> Any:
        """Return a function by its name."""
        return getattr(self, name)


class _Loader:
    """Open the C library by one of its names, as ``ctypes.cdll`` does."""

    def __init__(self, open_library: Callable[..., Library]) -> None:
        self.LoadLibrary = open_library

    def __getitem__(self, name: str) -> Library:
        return self.LoadLibrary(name)


class _Module(ModuleType):
    """Stand in the place of ctypes."""


def use(stop: Stop) -> None:
    """Put the module into the place of ctypes; ``stop`` ends the program and names why."""
    library = Library(stop)

    def open_library(name: str | None = None, *args: Any, **options: Any) -> Library:
        if name not in _LIBRARIES:
            stop(f"ctypes.CDLL({name!r})")
        return library

    module, util = _Module("ctypes"), ModuleType("ctypes.util")
    vars(module).update(
        CDLL=open_library,
        PyDLL=open_library,
        cdll=_Loader(open_library),
        util=util,
        get_errno=lambda: _Error.code,
        set_errno=lambda code: setattr(_Error, "code", code),
        __path__=[],
        __getattr__=lambda name: _refuse(stop, f"ctypes.{name}", name),
    )
    for name in ("int", "uint", "long", "ulong", "longlong", "ulonglong", "size_t"):
        setattr(module, f"c_{name}", Number)
    vars(util).update(find_library=lambda name: "libc.so.6" if name == "c" else None)
    sys.modules["ctypes"], sys.modules["ctypes.util"] = module, util


def denied_modules() -> list[str]:
    """Return the modules of ctypes that a submission may not import."""
    is_replaced = isinstance(sys.modules.get("ctypes"), _Module)
    return ["_ctypes"] if is_replaced else ["ctypes", "_ctypes"]


def _refuse(stop: Stop, full_name: str, name: str) -> NoReturn:
    if not name.startswith("__"):
        stop(full_name)
    raise AttributeError(name)
