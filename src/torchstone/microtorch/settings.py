"""Global settings: number of threads, matmul precision, deterministic algorithms, compile."""

from __future__ import annotations

import ctypes
import importlib
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

from torchstone.microtorch.device import CPU, device, expect_cpu

_precision = "highest"
_deterministic = (False, False)
_num_interop_threads = 1


@cache
def _openblas(verb: str) -> Callable[..., int] | None:
    """Return a function of the OpenBLAS library that NumPy has loaded, by its possible names."""
    # Symbols are looked up in a library and in those that it is linked with.
    products = importlib.import_module("numpy._core._multiarray_umath")
    library = ctypes.CDLL(products.__file__)
    for name in ("scipy_openblas_{}64_", "scipy_openblas_{}", "openblas_{}64_", "openblas_{}"):
        function = getattr(library, name.format(verb), None)
        if function is not None:
            return function
    return None


def get_num_threads() -> int:
    """Return the number of threads for matrix products; 1 if NumPy does not use OpenBLAS."""
    function = _openblas("get_num_threads")
    return function() if function else 1


def set_num_threads(num: int) -> None:
    """Set the number of threads for matrix products, up to the limit of the OpenBLAS build."""
    _check_count("set_num_threads", num)
    function = _openblas("set_num_threads")
    if function:
        function(num)


def get_num_interop_threads() -> int:
    """Return the value that was set; it has no effect."""
    return _num_interop_threads


def set_num_interop_threads(num: int) -> None:
    """Set the value that ``get_num_interop_threads`` returns; operations run one at a time."""
    global _num_interop_threads
    _check_count("set_num_interop_threads", num)
    _num_interop_threads = num


def _check_count(name: str, num: Any) -> None:
    if type(num) is not int:
        raise RuntimeError(f"{name} expects an int, but got {type(num).__name__}")
    if num <= 0:
        raise RuntimeError(f"{name} expects a positive integer")


def get_float32_matmul_precision() -> str:
    """Return the value that was set."""
    return _precision


def set_float32_matmul_precision(precision: str) -> None:
    """Set the precision of float32 matrix products; the products are always in full precision."""
    global _precision
    if precision not in ("highest", "high", "medium"):
        # PyTorch also ignores an invalid value with a warning.
        warnings.warn(
            f"{precision} is not one of 'highest', 'high', or 'medium'; the current "
            "setFloat32MatmulPrecision call has no effect.",
            stacklevel=2,
        )
        return
    _precision = precision


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Set whether deterministic algorithms are required; all algorithms here are deterministic."""
    global _deterministic
    _deterministic = (mode, warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """Return whether deterministic algorithms are required."""
    return _deterministic[0]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """Return whether nondeterministic operations would only warn."""
    return _deterministic[1]


def get_default_device() -> device:
    """Return the default device of new tensors."""
    return CPU


def set_default_device(device: Any) -> None:
    """Raise an error for every device but the CPU."""
    expect_cpu(device)


def compile(model: Any = None, **options: Any) -> Any:
    """Return the model unchanged; called with options alone, return a decorator."""
    return model if model is not None else lambda model: model
