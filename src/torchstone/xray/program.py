"""The user's program: run its text as a main program, and say how it ended."""

from __future__ import annotations

import builtins
import contextlib
import errno
import hashlib
import linecache
import random
import sys
import threading
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

# Audit events of a start of another process.
_STARTS = ("os.fork", "os.forkpty", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.system")
# Folders of torch: what it starts itself is not the program's doing.
_LIBRARY = "/torch/"
# The first compilation replaces it.
_WRAPPED_BY_TORCH = ("torch.manual_seed",)
SEED = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program: its name for people, its text, and which of its functions is looked at."""

    name: str
    text: str
    function: str | None = None

    @property
    def compiles(self) -> bool:
        """Return whether it may start a compiler, as ``torch.compile`` does."""
        return "compile" in self.text

    @property
    def source(self) -> dict[str, Any]:
        """Return what a scene says about it."""
        return {
            "file": self.name,
            "sha256": hashlib.sha256(self.text.encode()).hexdigest(),
            "lines": len(self.text.splitlines()),
        }


@dataclass(slots=True, kw_only=True)
class Ran:
    """How a program ran.

    Attributes:
        space: Its global names afterwards.
        raised: The exception that ended it, with its line.
        fault: What it did that the sandbox refuses: the key of a sentence and its values.
        num_threads: How many threads it started; what they call is not followed.
    """

    space: dict[str, Any] = field(default_factory=dict)
    raised: dict[str, Any] | None = None
    fault: dict[str, Any] | None = None
    num_threads: int = 0


class Runner:
    """Run a program once in this process, under extractors."""

    def __init__(self, program: Program) -> None:
        """Compile the program.

        Raises:
            SyntaxError: It is no Python.
            ValueError: Its text has a null byte.
        """
        self._program = program
        self._code = compile(program.text, program.name, "exec", dont_inherit=True)
        lines = program.text.splitlines(keepends=True)
        # So that torch finds the text of a line; there is no such file in the sandbox.
        linecache.cache[program.name] = (len(program.text), None, lines, program.name)
        self._ran = Ran()
        self._is_on = False
        self._before = _torch_names()

    def run(self, extractor: contextlib.AbstractContextManager[Any]) -> Ran:
        """Run it, and its function if that has not been called."""
        seed(SEED)
        ran, module = self._ran, types.ModuleType("__main__")
        module.__dict__.update(__file__=self._program.name, __builtins__=builtins)
        ran.space = module.__dict__
        called = _Called(self._program)
        sys.addaudithook(self._audit)
        with _hidden(module), self._threads_counted(), called.watched(), extractor:
            self._is_on = True
            try:
                exec(self._code, module.__dict__)
                called.call(module.__dict__)
            except SystemExit as error:
                ran.raised = None if error.code in (None, 0) else self._describe(error)
            except BaseException as error:  # noqa: BLE001  the program's, which is shown
                ran.raised = self._describe(error)
            finally:
                self._is_on = False
        if ran.fault is None:
            ran.fault = called.fault or self._patched()
        return ran

    def _audit(self, event: str, args: tuple[Any, ...]) -> None:
        if self._is_on and event in _STARTS and (line := self._line()) is not None:
            self._ran.fault = {"code": "starts", "line": line, "what": event}
            raise PermissionError(errno.EPERM, f"{event} is not permitted in the sandbox")

    @contextlib.contextmanager
    def _threads_counted(self) -> Iterator[None]:
        start = threading.Thread.start

        def counted(thread: threading.Thread) -> None:
            if self._line() is not None:
                self._ran.num_threads += 1
            start(thread)

        threading.Thread.start = counted  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            threading.Thread.start = start  # type: ignore[method-assign]

    def _line(self) -> int | None:
        """Return the line of the program that is running, unless torch runs by itself."""
        frame: types.FrameType | None = sys._getframe(2)
        while frame is not None:
            if frame.f_code.co_filename == self._program.name:
                return frame.f_lineno
            if _LIBRARY in frame.f_code.co_filename:
                return None
            frame = frame.f_back
        return None

    def _describe(self, error: BaseException) -> dict[str, Any]:
        line = None
        trace = error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == self._program.name:
                line = trace.tb_lineno
            trace = trace.tb_next
        if isinstance(error, ModuleNotFoundError) and self._ran.fault is None:
            self._ran.fault = {"code": "missing", "line": line, "module": error.name or str(error)}
        if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
            self._ran.fault = {"code": "memory", "line": line}
        return {"type": type(error).__name__, "message": str(error)[:2000], "line": line}

    def _patched(self) -> dict[str, Any] | None:
        now = _torch_names()
        for name, value in self._before.items():
            if now.get(name) is not value:
                return {"code": "patches", "name": name}
        return None


def _torch_names() -> dict[str, Any]:
    """Return the functions of torch by the names under which a program may replace them."""
    import torch._ops

    kinds = reversed(torch.Tensor.__mro__)
    tensor = {name: each for kind in kinds for name, each in vars(kind).items() if callable(each)}
    owners: dict[str, Any] = {
        "torch": dict(_own(torch)),
        "torch.Tensor": tensor,
        "torch.nn.functional": dict(_own(torch.nn.functional)),
        "torch._ops.OpOverload": {
            name: vars(torch._ops.OpOverload).get(name) for name in ("__call__", "_get_dispatch")
        },
    }
    for name, layer in _own(torch.nn):
        if isinstance(layer, type):
            owners[f"torch.nn.{name}"] = dict(_own(layer))
    return {
        f"{owner}.{name}": each
        for owner, inside in owners.items()
        for name, each in inside.items()
        if f"{owner}.{name}" not in _WRAPPED_BY_TORCH
    }


def _own(owner: Any) -> Iterator[tuple[str, Any]]:
    """Yield the public functions of a module or class; Dynamo replaces some of the others."""
    for name, each in list(vars(owner).items()):
        if callable(each) and (name == "__call__" or not name.startswith("_")):
            yield name, each


class _Called:
    """The function that is looked at: whether the program has called it."""

    def __init__(self, program: Program) -> None:
        self._program, self._was_called = program, False
        self.fault: dict[str, Any] | None = None

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Note a call in this thread; without a function nothing is watched."""
        if self._program.function is None:
            yield
            return
        before = sys.getprofile()
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(before)

    def _note(self, frame: types.FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if code.co_name == self._program.function and code.co_filename == self._program.name:
            self._was_called = True
            sys.setprofile(None)

    def call(self, space: dict[str, Any]) -> None:
        """Call the function if the program has not, and if it needs no argument."""
        name = self._program.function
        if name is None or self._was_called:
            return
        function: Callable[[], Any] | None = space.get(name)
        if not callable(function):
            known = [key for key, value in space.items() if isinstance(value, types.FunctionType)]
            self.fault = {"code": "no_function", "function": name, "known": ", ".join(known) or "-"}
            return
        try:
            function()
        except TypeError as error:
            if "required positional argument" not in str(error):
                raise
            self.fault = {"code": "needs_arguments", "function": name}


@contextlib.contextmanager
def _hidden(module: types.ModuleType) -> Iterator[None]:
    """Hide the x-ray from the program: it is the main program, and sees nothing of ours."""
    ours = {name: each for name, each in sys.modules.items() if name.startswith("torchstone")}
    main = sys.modules["__main__"]
    for name in ours:
        del sys.modules[name]
    sys.modules["__main__"] = module
    argv, sys.argv = sys.argv, [str(module.__dict__["__file__"])]
    try:
        yield
    finally:
        sys.argv = argv
        sys.modules["__main__"] = main
        sys.modules.update(ours)


def seed(number: int) -> None:
    """Seed all generators that a program may draw from."""
    torch.manual_seed(number)
    random.seed(number)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(number)
