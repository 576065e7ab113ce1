"""Run a program as Python does, with step detection: ``child ORDERS.json``.

The program gets its own arguments, environment and working directory. It is stopped between two
steps once enough steps were observed; its ``finally`` blocks run.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import runpy
import signal
import sys
import types
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from torchstone.doctor.capture.orders import Orders

if TYPE_CHECKING:
    from torchstone.doctor.capture.watch import Watch

_OURS = {__file__, runpy.__file__, "<frozen runpy>"}
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG


class Enough(BaseException):
    """Raised between two steps to stop a program after enough steps.

    It is not caught by an ``except Exception`` of the program.
    """


def main(path: str) -> None:
    """Run the program that an orders file describes."""
    from torchstone.doctor.capture.watch import Watch

    orders = msgspec.json.decode(Path(path).read_bytes(), type=Orders)
    _end_with_parent()
    watch = Watch(orders, Enough)
    after_import("torch", watch.begin)
    try:
        run_program(orders, watch)
    except Enough:
        return
    except Exception as error:  # noqa: BLE001 - told as Python tells it
        # As Python does, without our own frames.
        error.__traceback__ = _of_program(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)
    finally:
        watch.finish()


def run_program(orders: Orders, watch: Watch) -> None:
    """Run a script or a module as ``__main__``."""
    sys.argv = [orders.script, *orders.words]
    if orders.is_module:
        sys.path.insert(0, os.getcwd())
        if _find(orders.script) is None:
            watch.tell_no_module()
            return
        runpy.run_module(orders.script, run_name="__main__", alter_sys=True)
        return
    path = Path(orders.script)
    sys.path.insert(0, str(path.resolve().parent))
    program = types.ModuleType("__main__")
    program.__dict__.update(__file__=orders.script, __builtins__=__builtins__, __spec__=None)
    # Not removed: exit handlers of the program use these names.
    sys.modules["__main__"] = program
    exec(compile(path.read_bytes(), orders.script, "exec", dont_inherit=True), program.__dict__)


def _of_program(frames: types.TracebackType | None) -> types.TracebackType | None:
    while frames is not None and frames.tb_frame.f_code.co_filename in _OURS:
        frames = frames.tb_next
    return frames


def _find(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except (ModuleNotFoundError, ValueError):
        return None


def after_import(name: str, call: Callable[[], None]) -> None:
    """Call a function after the import of a module.

    An import before the program starts is too early: torch reads the environment at import.
    """
    if name in sys.modules:
        call()
    else:
        sys.meta_path.insert(0, _Finder(name, call))


class _Finder:
    def __init__(self, name: str, call: Callable[[], None]) -> None:
        self._name, self._call = name, call

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            loader, original = spec.loader, spec.loader.exec_module

            def exec_module(module: types.ModuleType) -> None:
                original(module)
                self._call()

            loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def _end_with_parent() -> None:
    """Tell the system to kill this process when the doctor is killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)


if __name__ == "__main__":
    main(sys.argv[1])
