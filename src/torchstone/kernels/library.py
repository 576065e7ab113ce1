"""Operator registration in the namespace ``torchstone``, and loading of the compiled kernels.

Each operator has a reference implementation in plain PyTorch, which works on every device. On CPUs,
compiled kernels replace it when a function of this package is first called, or as soon as they are
built (``cpu_registration.py``). Without a compiler the reference implementation is used, with one
warning.
"""

from __future__ import annotations

import ctypes
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch._library.autograd import Info, make_autograd_impl
from torch.autograd import forward_ad

from torchstone.kernels import gpu
from torchstone.kernels.background import BuildError
from torchstone.kernels.cpu_registration import CpuKernels

NAMESPACE = "torchstone"
# Device type -> the dtype to which its autocast casts an argument; None to leave it.
Policy = Callable[[str], torch.dtype | None]
# As in PyTorch's autocast, float64 is not cast.
_CAST = (torch.float32, torch.bfloat16, torch.float16)
# Dispatch key of the torch.func transforms; a kernel registered for it takes precedence.
_TRANSFORMED = "FuncTorchDynamicLayerFrontMode"
_library = torch.library.Library(NAMESPACE, "DEF")
_cpu = CpuKernels(_library)
_gpu: list[str] = []


def define(
    schema: str,
    *,
    reference: Callable[..., Any],
    fake: Callable[..., Any],
    backward: Callable[..., Any],
    setup_context: Callable[..., None],
    autocast: tuple[Policy, int] | None = None,
    definition: Callable[..., Any] | None = None,
) -> Any:
    """Define an operator and return ``torch.ops.torchstone.name.default``.

    Args:
        schema: Its schema: name, arguments and results.
        reference: Its implementation in plain PyTorch.
        fake: Its implementation on fake tensors, which have only shapes and dtypes.
        backward: Computes the gradients of its arguments from those of its results.
        setup_context: Saves what ``backward`` needs.
        autocast: The autocast policy, and the number of leading arguments that it applies to; by
            default dtypes are not changed.
        definition: Its implementation by operations that every transform can differentiate and
            map; by default the reference.
    """
    name = schema.partition("(")[0]
    qualified = f"{NAMESPACE}::{name}"
    _library.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    _library.impl(name, reference, "CompositeExplicitAutograd")
    _cpu.references[name] = (schema, reference)
    torch.library.register_fake(qualified, fake, lib=_library)
    operator = getattr(getattr(torch.ops, NAMESPACE), name).default
    _register_derivatives(name, operator, definition or reference, Info(backward, setup_context))
    if autocast is not None:
        for device in ("cpu", "cuda"):
            _cast_on(device, name, operator, *autocast)
    return operator


def _register_derivatives(
    name: str, operator: Any, definition: Callable[..., Any], info: Info
) -> None:
    """Register the backward formula, and the definition where it is not sufficient.

    A kernel has no forward-mode formula and no ``vmap`` rule, and PyTorch would assume a zero
    tangent. So the definition is used inside ``torch.func`` transforms and for arguments with a
    tangent.
    """
    record = make_autograd_impl(operator, info)

    def kernel(keys: torch._C.DispatchKeySet, *arguments: Any) -> Any:
        if has_tangent(arguments):
            return definition(*arguments)
        return record(keys, *arguments)

    _library.impl(name, kernel, "Autograd", with_keyset=True)
    _library.impl(name, definition, _TRANSFORMED)


def has_tangent(arguments: Sequence[Any]) -> bool:
    """Return whether any argument is a dual tensor of ``torch.autograd.forward_ad``."""
    if forward_ad._current_level < 0:
        return False
    tensors = (each for each in arguments if isinstance(each, torch.Tensor))
    return any(forward_ad.unpack_dual(each).tangent is not None for each in tensors)


def refusal(message: str) -> Callable[..., Any]:
    """Create the definition of an operator without transform support; it raises the message."""

    def refuse(*_: Any, **__: Any) -> Any:
        raise RuntimeError(message)

    return refuse


def lowered(device: str) -> torch.dtype | None:
    """Return the autocast dtype of the device, as PyTorch does for matrix products."""
    return torch.get_autocast_dtype(device)


def widened_on_gpu(device: str) -> torch.dtype | None:
    """Return float32 on GPUs and None on CPUs, as PyTorch does for norms, softmax and losses."""
    return torch.float32 if device == "cuda" else None


def _cast_on(device: str, name: str, operator: Any, policy: Policy, count: int) -> None:
    key = getattr(torch._C.DispatchKey, f"Autocast{device.upper()}")

    def cast(argument: Any, dtype: torch.dtype | None) -> Any:
        is_cast = isinstance(argument, torch.Tensor) and argument.dtype in _CAST
        return argument.to(dtype) if is_cast and dtype is not None else argument

    def kernel(*arguments: Any) -> Any:
        dtype = policy(device)
        with torch._C._ExcludeDispatchKeyGuard(torch._C.DispatchKeySet(key)):
            first = (cast(argument, dtype) for argument in arguments[:count])
            return operator(*first, *arguments[count:])

    _library.impl(name, kernel, f"Autocast{device.upper()}")


def define_in_place(schema: str, *, reference: Callable[..., None], num_changed: int) -> Any:
    """Define an operator that modifies its arguments, returns nothing and has no gradient.

    Args:
        schema: Its schema: name and arguments.
        reference: Its implementation in plain PyTorch.
        num_changed: The number of leading arguments that it modifies. Their version counters are
            incremented, so that a backward pass that needs the old values raises an error.
    """
    name = schema.partition("(")[0]
    _library.define(schema, tags=(torch.Tag.pt2_compliant_tag,))
    _library.impl(name, reference, "CompositeExplicitAutograd")
    _cpu.references[name] = (schema, reference)
    torch.library.register_fake(f"{NAMESPACE}::{name}", lambda *_: None, lib=_library)
    operator = getattr(getattr(torch.ops, NAMESPACE), name).default

    refuse = refusal(
        f"torchstone::{name} changes its arguments, and has no derivative: it runs in no transform "
        "of torch.func, and with no tangent"
    )
    _library.impl(name, refuse, _TRANSFORMED)

    def change(keys: torch._C.DispatchKeySet, *arguments: Any) -> None:
        if has_tangent(arguments):
            refuse()
        torch.autograd.graph.increment_version(arguments[:num_changed])
        with torch._C._AutoDispatchBelowADInplaceOrView():
            operator.redispatch(keys & torch._C._after_ADInplaceOrView_keyset, *arguments)

    _library.impl(name, change, "ADInplaceOrView", with_keyset=True)
    return operator


def load(timeout: float | None = None) -> bool:
    """Wait until the CPU kernels are built, and enable them; return whether they are used.

    They are built once per machine, in the background, by a process that survives this one. A
    failure is not raised: there is one warning, and the reference implementations are used.

    Args:
        timeout: Seconds to wait; None waits until the build has ended. A call of an operator waits
            for half a minute once, and then uses plain PyTorch.
    """
    _choose_on_gpu()
    return _cpu.load(timeout)


def _choose_on_gpu() -> None:
    if not _gpu and torch.cuda.is_available():
        use_on_gpu("triton")


def use_on_gpu(backend: str) -> None:
    """Select the GPU backend: ``triton`` (the default), or ``cuda``, which needs nvcc."""
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
    """Return the instruction set of the CPU kernels; with a name, set it.

    Args:
        name: ``avx512_bf16``, ``avx512``, ``avx2`` or ``plain``.

    Returns:
        The previous instruction set; ``reference`` if there are no kernels.

    Raises:
        ValueError: The library does not have it: the processor does not support it, or it is not
            the best one, and ``TORCHSTONE_KERNEL_SETS`` is not ``all``.
    """
    if not load():
        return "reference"
    assert _cpu.library is not None
    tell = _cpu.library.torchstone_instruction_set
    tell.restype, tell.argtypes = ctypes.c_char_p, [ctypes.c_char_p]
    until_now: bytes | None = tell(name.encode() if name is not None else None)
    if until_now is None:
        raise ValueError(
            f"no kernels of the instruction set {name!r}: this processor lacks it, "
            "or TORCHSTONE_KERNEL_SETS=all was not set when they were compiled"
        )
    return until_now.decode()


def ready() -> None:
    """Load the kernels, unless the call is traced and only needs the fake implementation."""
    if not torch.compiler.is_compiling():
        _choose_on_gpu()
        _cpu.look()
