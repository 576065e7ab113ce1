"""GPU backend selection: Triton kernels, CUDA C++ kernels or plain PyTorch."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import torch

BACKENDS = ("triton", "cuda")
Operators = Mapping[str, Callable[..., Any]]
_chosen: dict[str, Operators] = {}
_registered: set[str] = set()


def use(backend: str, library: torch.library.Library) -> None:
    """Select the GPU backend.

    Triton computes the operators that ``cuda`` lacks; if it is not installed, plain PyTorch does.

    Args:
        backend: ``triton`` or ``cuda``.
        library: The library in which the operators are defined.

    Raises:
        ImportError: Triton is not installed.
        BuildError: There is no nvcc, or it does not compile the kernels.
    """
    if backend not in BACKENDS:
        raise ValueError(f"backend is {backend!r}; expected {' or '.join(BACKENDS)}")
    operators = own_operators(backend)
    if backend == "cuda":
        with suppress(ImportError):
            operators = {**own_operators("triton"), **operators}
    _chosen["now"] = operators
    for name in operators:
        if name not in _registered:
            library.impl(name, partial(_call, name), "CUDA")
            _registered.add(name)


def own_operators(backend: str) -> Operators:
    """Return the functions of a backend by operator name.

    Raises:
        ImportError: Triton is not installed.
        BuildError: There is no nvcc, or it does not compile the kernels.
    """
    operators: Operators = importlib.import_module(f"torchstone.kernels.{backend}").operators()
    return operators


def can_run_triton() -> bool:
    """Return whether Triton kernels run here: on a GPU, or in Triton's interpreter.

    Raises:
        ImportError: Triton is not installed.
    """
    import triton

    # The interpreter runs anywhere, but thousands of times slower.
    return torch.cuda.is_available() or bool(triton.knobs.runtime.interpret)


def _call(name: str, *arguments: Any) -> Any:
    # Kernels are launched on the current GPU, which must be the one of the tensors.
    with torch.cuda.device_of(arguments[0]):
        return _chosen["now"][name](*arguments)
