"""Replacement of the module `ctypes` for programs that start workers; it offers only `prctl`.

A worker that must end with its parent asks the kernel for a parent-death signal
(`PR_SET_PDEATHSIG`). Python reaches `prctl` only through ctypes, which gives access to raw memory
and is closed. This module has the same names and makes that one call through a function of torch;
any other name ends the program, as a use of ctypes itself would.
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
# Names under which a program opens the C library of its own process.
_LIBRARIES = frozenset({None, "", "c", "libc.so.6", "libc.so"})

Stop = Callable[[str], NoReturn]


class Number:
    """Integer of any C type."""

    def __init__(self, value: int = 0) -> None:
        """Convert the value to an int."""
        self.value = int(value)

    def __int__(self) -> int:
        """Return the number."""
        return self.value


class Function:
    """One function of the C library; its declared types are ignored."""

    def __init__(self, call: Callable[..., int]) -> None:
        """Store the Python callable that implements the function."""
        self._call = call
        self.argtypes: Any = None
        self.restype: Any = None
        self.errcheck: Any = None

    def __call__(self, *args: Any) -> Any:
        """Call the function and return its result, passed through ``errcheck`` if one is set."""
        result = self._call(*map(int, args))
        return result if self.errcheck is None else self.errcheck(result, self, args)


class _Error:
    """The value that `get_errno` returns."""

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
    """The functions of the C library that a worker may call."""

    def __init__(self, stop: Stop) -> None:
        """Create the allowed functions; a request for another one calls ``stop``."""
        self._stop = stop
        for name, call in _CALLS.items():
            setattr(self, name, Function(call))

    def __getattr__(self, name: str) -> Any:
        """End the program; for dunder names, which Python itself looks up, raise AttributeError."""
        return _refuse(self._stop, f"ctypes.CDLL.{name}", name)

    def __getitem__(self, name: str) -> Any:
        """Return a function by name."""
        return getattr(self, name)


class _Loader:
    """Loader of the C library by one of its names, as ``ctypes.cdll`` is."""

    def __init__(self, open_library: Callable[..., Library]) -> None:
        self.LoadLibrary = open_library

    def __getitem__(self, name: str) -> Library:
        return self.LoadLibrary(name)


class _Module(ModuleType):
    """Replacement of the module ctypes."""


def use(stop: Stop) -> None:
    """Install the replacement for ctypes; ``stop`` ends the program with a reason."""
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
    """Return the ctypes modules that a submission may not import."""
    is_replaced = isinstance(sys.modules.get("ctypes"), _Module)
    return ["_ctypes"] if is_replaced else ["ctypes", "_ctypes"]


def _refuse(stop: Stop, full_name: str, name: str) -> NoReturn:
    if not name.startswith("__"):
        stop(full_name)
    raise AttributeError(name)
