"""Define the operators of namespace ``torchstone``, and load what computes them.

Each operator has its twin in plain torch, which serves every device. On the CPU compiled kernels
take its place when a function of this package is first called (``load``); without a compiler the
twin goes on serving, and says so once.
"""

from __future__ import annotations

import ctypes
import threading
import warnings
from collections.abc import Callable
from typing import Any

import torch

from torchstone.kernels import gpu
from torchstone.kernels.build import BuildError, build

NAMESPACE = "torchstone"
_library = torch.library.Library(NAMESPACE, "DEF")
_lock = threading.Lock()
_compiled: list[ctypes.CDLL] = []
_failure: list[str] = []
_gpu: list[str] = []


def define(
    schema: str,
    *,
    twin: Callable[..., Any],
    fake: Callable[..., Any],
    backward: Callable[..., Any],
    setup_context: Callable[..., None],
) -> Any:
    """Define an operator and return it, as ``torch.ops.torchstone.name.default``.

    Args:
        schema: Its name, arguments and results, as torch writes them.
        twin: What it computes, in plain torch.
        fake: Its results without numbers.
        backward: The gradients of its arguments from those of its results.
        setup_context: Keeps what ``backward`` needs.
    """
    name = schema.partition("(")[0]
    qualified = f"{NAMESPACE}::{name}"
    _library.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    _library.impl(name, twin, "CompositeExplicitAutograd")
    torch.library.register_fake(qualified, fake, lib=_library)
    torch.library.register_autograd(qualified, backward, setup_context=setup_context, lib=_library)
    return getattr(getattr(torch.ops, NAMESPACE), name).default


def define_in_place(schema: str, *, twin: Callable[..., None]) -> Any:
    """Define an operator that changes its arguments, returns nothing, and has no gradient."""
    name = schema.partition("(")[0]
    _library.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    _library.impl(name, twin, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{NAMESPACE}::{name}", lambda *_: None, lib=_library)
    return getattr(getattr(torch.ops, NAMESPACE), name).default


def load() -> bool:
    """Build the CPU kernels, if need be, and let them take their place; tell whether they have.

    The first time this takes seconds, once on a machine. Nothing is raised: what cannot be built is
    told by one warning, and computed by the twins.
    """
    if not _gpu and torch.cuda.is_available():
        use_on_gpu("triton")
    if _compiled:
        return True
    with _lock:
        if _compiled or _failure:
            return bool(_compiled)
        try:
            path = str(build())
            torch.ops.load_library(path)
            _compiled.append(ctypes.CDLL(path))
        except (BuildError, OSError) as error:
            _failure.append(str(error))
            warnings.warn(
                f"torchstone.kernels computes with plain torch, for its own kernels cannot be "
                f"built: {error}",
                RuntimeWarning,
                stacklevel=3,
            )
            return False
    return True


def use_on_gpu(backend: str) -> None:
    """Choose what computes on GPUs: ``triton``, as by default, or ``cuda``, which needs nvcc."""
    try:
        gpu.use(backend, _library)
    except (ImportError, BuildError) as error:
        warnings.warn(
            f"torchstone.kernels computes with plain torch on GPUs: {error}",
            RuntimeWarning,
            stacklevel=3,
        )
    _gpu.append(backend)


def instruction_set(name: str | None = None) -> str:
    """Tell with which instruction set the CPU kernels compute; with a name, change it.

    Args:
        name: ``avx512_bf16``, ``avx512``, ``avx2`` or ``plain``.

    Returns:
        The one until now; ``twin`` where there are no kernels.

    Raises:
        ValueError: This processor does not have it.
    """
    if not load():
        return "twin"
    tell = _compiled[0].torchstone_instruction_set
    tell.restype, tell.argtypes = ctypes.c_char_p, [ctypes.c_char_p]
    until_now: bytes | None = tell(name.encode() if name is not None else None)
    if until_now is None:
        raise ValueError(f"this processor does not run the instruction set {name!r}")
    return until_now.decode()


def ready() -> None:
    """Load, unless this call is only being traced: then the fake does."""
    if not torch.compiler.is_compiling():
        load()
