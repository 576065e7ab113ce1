"""NumPy kernels of training, which numba may replace by compiled ones.

An operation calls a kernel like any function. It runs in NumPy, as written here, until the compiled
forms are enabled. Those are in ``kernels_numba.py``, which imports numba.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")
kernels: list[Kernel[..., Any]] = []


class Kernel(Generic[P, R]):
    """A NumPy function of arrays with an optional compiled form of equal results.

    Attributes:
        plain: The function in NumPy.
        compiled: Its compiled form, once enabled; it leaves rare cases to ``plain``.
        run: The one that a call runs.
    """

    __slots__ = ("compiled", "plain", "run")

    def __init__(self, plain: Callable[P, R]) -> None:
        self.plain: Callable[P, R] = plain
        self.compiled: Callable[P, R] = plain
        self.run: Callable[P, R] = plain
        kernels.append(self)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Compute."""
        return self.run(*args, **kwargs)

    def form(self, function: Callable[P, R]) -> Callable[P, R]:
        """Register its compiled form; a decorator."""
        self.compiled = function
        return function


class Numba:
    """The switch of the compiled forms, ``torch.backends.numba``.

    Each is compiled when it is first called with a type (float32, float64), and kept in the
    ``__pycache__`` beside its file, or in ``NUMBA_CACHE_DIR``, for the processes that follow.
    """

    def is_available(self) -> bool:
        """Return whether numba is installed; it is not imported."""
        return importlib.util.find_spec("numba") is not None

    @property
    def enabled(self) -> bool:
        """Return whether the compiled forms run.

        Raises:
            ModuleNotFoundError: It is set, and numba is not installed.
        """
        return any(each.run is not each.plain for each in kernels)

    @enabled.setter
    def enabled(self, wanted: bool) -> None:
        if wanted and not self.is_available():
            raise ModuleNotFoundError(
                "torch.backends.numba.enabled: numba is not installed, so the compiled kernels "
                "cannot be used; install it (pip install numba), or go on with NumPy alone.",
                name="numba",
            )
        if wanted:
            importlib.import_module("torchstone.microtorch.kernels_numba")
        for each in kernels:
            each.run = each.compiled if wanted else each.plain


numba = Numba()
