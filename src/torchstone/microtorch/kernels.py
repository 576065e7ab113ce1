"""NumPy kernels for training, optionally replaced by numba-compiled ones.

Operations call a kernel like a function. It runs in NumPy, as written here, until the compiled
kernels are enabled. Those are in ``kernels_numba.py``, which imports numba.
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
    """NumPy function of arrays with an optional compiled version of equal results.

    Attributes:
        plain: The NumPy function.
        compiled: The compiled function, if any; it delegates unsupported inputs to ``plain``.
        run: The function that a call runs.
    """

    __slots__ = ("compiled", "plain", "run")

    def __init__(self, plain: Callable[P, R]) -> None:
        self.plain: Callable[P, R] = plain
        self.compiled: Callable[P, R] = plain
        self.run: Callable[P, R] = plain
        kernels.append(self)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the selected function."""
        return self.run(*args, **kwargs)

    def form(self, function: Callable[P, R]) -> Callable[P, R]:
        """Register the compiled version. A decorator."""
        self.compiled = function
        return function


class Numba:
    """Switch for the compiled kernels, ``torch.backends.numba``.

    Each kernel is compiled at the first call for a dtype (float32, float64) and cached in the
    ``__pycache__`` beside its file, or in ``NUMBA_CACHE_DIR``.
    """

    def is_available(self) -> bool:
        """Return whether numba is installed, without importing it."""
        return importlib.util.find_spec("numba") is not None

    @property
    def enabled(self) -> bool:
        """Whether the compiled kernels are enabled.

        Raises:
            ModuleNotFoundError: It is set to True and numba is not installed.
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
