"""CPU kernel registration: compiled kernels, or plain PyTorch until they are built.

The dispatcher locks writers against each other but not against readers, so an operator must not get
another kernel while another thread calls it. Hence there are two ways.

- The library exists, or appears within the short wait of the first call: its kernels are registered
  for the operators themselves, before this process calls one. Calls have no overhead.
- Otherwise a Python function is registered that calls the reference implementation. When the
  library appears, its kernels are registered for operators of the same schemas in a separate
  namespace, and the function calls those from then on. This takes effect with the next call in
  every thread, also from graphs compiled by ``torch.compile``. A call has the overhead of one
  Python function, in this process only.
"""

from __future__ import annotations

import ctypes
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import torch

from torchstone.kernels import background, build
from torchstone.kernels.background import BuildError, Recipe

LATE_NAMESPACE = "torchstone_late"
# Longer than the build takes on an idle machine with four cores.
FIRST_CALL_SECONDS = 30.0
# Interval at which the library is looked for while reference implementations run.
LOOK_SECONDS = 1.0


class CpuKernels:
    """Compiled CPU kernels of a process, with reference implementations as a fallback.

    Attributes:
        references: Operator name -> schema and reference implementation.
        library: The loaded library, or None.
    """

    def __init__(self, operators: torch.library.Library) -> None:
        self.references: dict[str, tuple[str, Callable[..., Any]]] = {}
        self.library: ctypes.CDLL | None = None
        self._operators = operators
        # Reentrant, because showing a warning raised under the lock may call an operator.
        self._lock = threading.RLock()
        self._recipe: Recipe | None = None
        self._failure = ""
        self._uses_references = False
        self._deadline: float | None = None
        self._next_look = 0.0
        self._late_operators: torch.library.Library | None = None
        self._late: dict[str, Callable[..., Any]] = {}

    def load(self, timeout: float | None) -> bool:
        """Wait for the library and load it; return whether it is loaded.

        A previous failure is checked again, because the compiler may have changed.
        """
        if self.library is None and self._failure:
            self._recipe = None
        return self.library is not None or self._obtain(timeout)

    def look(self) -> None:
        """Load the library if it exists; the first time, wait for it briefly."""
        if self.library is not None or self._failure:
            return
        now = time.monotonic()
        if not self._uses_references:
            # All threads of the first call wait until the same deadline.
            self._deadline = self._deadline or now + FIRST_CALL_SECONDS
            self._obtain(max(0.0, self._deadline - now))
        elif now >= self._next_look:
            self._next_look = now + LOOK_SECONDS
            self._obtain(0.0)

    def _obtain(self, timeout: float | None) -> bool:
        try:
            self._recipe = self._recipe or build.recipe()
            # Outside the lock, so that a long wait does not block other threads.
            path = background.obtain(self._recipe, timeout)
            with self._lock:
                if self.library is None and path is None:
                    self._serve_meanwhile(self._recipe)
                elif self.library is None:
                    self._take(str(path))
        except (BuildError, OSError) as error:
            with self._lock:
                self._fail(str(error))
        return self.library is not None

    def _take(self, path: str) -> None:
        library = ctypes.CDLL(path)
        library.torchstone_register.restype = ctypes.c_char_p
        if not self._uses_references:
            self._register(library, self._operators.ns)
        else:
            self._define_late()
            self._register(library, LATE_NAMESPACE)
            found = getattr(torch.ops, LATE_NAMESPACE)
            self._late = {name: getattr(found, name).default for name in self.references}
        self.library = library
        self._failure = ""

    def _define_late(self) -> None:
        if self._late_operators is None:
            self._late_operators = torch.library.Library(LATE_NAMESPACE, "DEF")
            for schema, _ in self.references.values():
                self._late_operators.define(schema)

    def _register(self, library: ctypes.CDLL, namespace: str) -> None:
        error: bytes | None = library.torchstone_register(namespace.encode())
        if error is not None:
            raise BuildError(error.decode("utf-8", "replace"))

    def _serve_meanwhile(self, recipe: Recipe) -> None:
        if self._uses_references:
            return
        self._serve()
        warnings.warn(
            "torchstone.kernels computes with plain torch while its own kernels are built in the "
            f"background, once on this machine (log: {recipe.log}). The first call after that "
            "uses them; torchstone.kernels.load() waits for them.",
            RuntimeWarning,
            stacklevel=6,
        )

    def _fail(self, message: str) -> None:
        self._serve()
        if message == self._failure:
            return
        self._failure = message
        warnings.warn(
            "torchstone.kernels computes with plain torch, because its own kernels cannot be "
            f"built: {message}",
            RuntimeWarning,
            stacklevel=5,
        )

    def _serve(self) -> None:
        """Register, for every operator, the function that dispatches to loaded kernels."""
        if self._uses_references or self.library is not None:
            return
        for name in self.references:
            self._operators.impl(name, self._server_of(name), "CPU")
        self._uses_references = True

    def _server_of(self, name: str) -> Callable[..., Any]:
        reference = self.references[name][1]

        def serve(*arguments: Any, **named: Any) -> Any:
            self.look()
            return self._late.get(name, reference)(*arguments, **named)

        return serve
