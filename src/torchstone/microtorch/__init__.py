"""MicroTorch: a deep-learning framework on NumPy with PyTorch's API.

``import torchstone.microtorch as torch`` runs ordinary scripts. ``README.md`` beside this file is
the tour: how a tensor, a node, a backward pass, a module and an optimiser step work.
"""

# ruff: noqa: E402, F401 - the names of this package are there to be used by others.

from importlib import import_module as _import_module
from math import e, inf, nan, pi
from typing import Any as _Any

import numpy as _np

from torchstone.microtorch.memory import keep_freed_memory as _keep_freed_memory

_keep_freed_memory()

# IEEE 754 semantics as in PyTorch: 1 / 0 is inf without a warning; NumPy would warn.
_np.seterr(all="ignore")

from torchstone.microtorch import ops
from torchstone.microtorch.dtypes import (
    bfloat16,
    can_cast,
    complex64,
    complex128,
    dtype,
    finfo,
    float16,
    float32,
    float64,
    get_default_dtype,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    promote_types,
    result_type,
    set_default_dtype,
    uint8,
    uint16,
    uint32,
    uint64,
)
from torchstone.microtorch.dtypes import bool_ as bool
from torchstone.microtorch.dtypes import complex64 as cfloat
from torchstone.microtorch.dtypes import complex128 as cdouble
from torchstone.microtorch.dtypes import float16 as half
from torchstone.microtorch.dtypes import float32 as float
from torchstone.microtorch.dtypes import float64 as double
from torchstone.microtorch.dtypes import int16 as short
from torchstone.microtorch.dtypes import int32 as int
from torchstone.microtorch.dtypes import int64 as long
from torchstone.microtorch.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)
from torchstone.microtorch.ops.namespace import show as _show
from torchstone.microtorch.tensor import Size, Tensor, device

# Resolves the functions that modules under ops/ register for the package: some four hundred names.
_find = _show("torch", globals())

from torchstone.microtorch import autograd, linalg, nn, optim, random, special
from torchstone.microtorch.alias import install as _install_alias
from torchstone.microtorch.generator import Generator
from torchstone.microtorch.serialization import load, save

_install_alias()
# Imported lazily, at first use.
_MODULES = (
    "accelerator", "amp", "backends", "cuda", "distributed", "distributions", "func", "jit",
    "onnx", "return_types", "settings", "testing", "utils", "version",
)  # fmt: skip
_ELSEWHERE = {
    "func": ("vmap",),
    "version": ("__version__",),
    "amp": ("GradScaler", "autocast", "is_autocast_enabled"),
    "settings": (
        "are_deterministic_algorithms_enabled", "compile", "get_float32_matmul_precision",
        "get_num_interop_threads", "get_num_threads",
        "is_deterministic_algorithms_warn_only_enabled", "set_float32_matmul_precision",
        "set_num_interop_threads", "set_num_threads", "use_deterministic_algorithms",
        "get_default_device", "set_default_device",
    ),
    "typed": (
        "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor",
        "IntTensor", "LongTensor", "ShortTensor", "channels_last", "channels_last_3d",
        "contiguous_format", "layout", "memory_format", "preserve_format", "strided",
    ),
}  # fmt: skip
_OWNERS = {name: module for module, names in _ELSEWHERE.items() for name in names}


def __getattr__(name: _Any) -> _Any:
    """Import a submodule or a function at first use."""
    if name in _MODULES:
        return _import_module(f"{__name__}.{name}")
    if name in _OWNERS:
        return getattr(_import_module(f"{__name__}.{_OWNERS[name]}"), name)
    return _find(name)
