"""From PyTorch to MicroTorch and back, and whether two results are the same."""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch.utils import _pytree as pytree

import torchstone.microtorch as micro

# dtype -> (rtol, atol): single precision leaves room for another order of summation.
TOLERANCES = {
    torch.float16: (1e-2, 1e-2),
    torch.float32: (1e-4, 2e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex64: (1e-4, 2e-5),
    torch.complex128: (1e-7, 1e-7),
}


MAX_NUMPY_DIMS = 64


class Missing(Exception):
    """MicroTorch has no such name."""


class Unaskable(Exception):
    """NumPy has no such array: of more than 64 dimensions, or without memory."""


def to_array(tensor: torch.Tensor) -> np.ndarray[Any, Any]:
    """Copy a tensor's memory and look at it with the same strides."""
    if tensor.ndim > MAX_NUMPY_DIMS or tensor.device.type != "cpu":
        raise Unaskable(f"a tensor of {tensor.ndim} dimensions on {tensor.device}")
    if tensor._is_zerotensor():
        # A gradient that PyTorch knows to be zero, and has not written anywhere.
        return torch.zeros(tensor.shape, dtype=tensor.dtype).numpy()
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor.is_contiguous():
        return tensor.numpy().copy()
    whole = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage())  # type: ignore[call-overload]
    copied = whole.numpy().copy()
    size = tensor.element_size()
    return np.lib.stride_tricks.as_strided(
        copied[tensor.storage_offset() :],
        tensor.shape,
        [step * size for step in tensor.stride()],
    )


def to_micro(value: Any, known: dict[int, Any] | None = None) -> Any:
    """Turn a tensor, a dtype, or a structure of them into ours; what was one tensor stays one."""
    known = {} if known is None else known
    if isinstance(value, torch.Size):
        return micro.Size(value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(to_micro(each, known) for each in value))
    if isinstance(value, list | tuple):
        return type(value)(to_micro(each, known) for each in value)
    if isinstance(value, dict):
        return {key: to_micro(each, known) for key, each in value.items()}
    if isinstance(value, torch.Tensor):
        if id(value) not in known:
            made = micro.from_numpy(to_array(value))
            known[id(value)] = made.requires_grad_() if value.requires_grad else made
        return known[id(value)]
    return _without_parts(value)


def _without_parts(value: Any) -> Any:
    if isinstance(value, torch.dtype):
        return named(micro, str(value).removeprefix("torch."))
    if isinstance(value, torch.layout):
        return None if value == torch.strided else str(value)
    if isinstance(value, torch.device | torch.memory_format):
        return None
    if isinstance(value, torch.nn.Module):
        # A module without state is what its constructor was given.
        taken = inspect.signature(type(value)).parameters
        options = {name: getattr(value, name) for name in taken if hasattr(value, name)}
        return named(micro.nn, type(value).__name__)(**options)
    return translate(value) if isinstance(value, types.FunctionType) else value


def named(space: Any, path: str) -> Any:
    """Look a dotted name up."""
    for part in path.split("."):
        try:
            space = getattr(space, part)
        except AttributeError:
            raise Missing(path) from None
    return space


def resolve(name: str) -> Callable[..., Any]:
    """Find the function of a name as PyTorch's user does: in the package, or as a method."""
    try:
        found = named(micro, name)
    except Missing:
        found = None
    # Some names are those of types in the package, and of methods that convert to them.
    if found is None or isinstance(found, micro.dtype):
        if "." in name:
            raise Missing(name)
        found = named(micro.Tensor, name)
    return found  # type: ignore[no-any-return]


def translate(function: Any, name: str | None = None) -> Any:
    """Return the function that has the same name with us.

    OpInfo writes some operations as small functions that call PyTorch: these are kept as they
    are, and find MicroTorch where they look for ``torch``.
    """
    if isinstance(function, functools.partial):
        keywords = {key: to_micro(value) for key, value in function.keywords.items()}
        return functools.partial(translate(function.func, name), *function.args, **keywords)
    module = getattr(function, "__module__", None) or ""
    if isinstance(function, types.FunctionType) and module.startswith("torch.testing"):
        return _rebound(function)
    own = getattr(function, "__name__", "")
    if module in ("torch.nn.functional", "torch.functional", "torch.linalg", "torch.special"):
        path = f"{module.removeprefix('torch.').removeprefix('functional')}.{own}".lstrip(".")
        return resolve(path)
    return resolve(name or own)


def _rebound(function: types.FunctionType) -> Any:
    cells = tuple(
        types.CellType(
            translate(cell.cell_contents) if callable(cell.cell_contents) else cell.cell_contents
        )
        for cell in function.__closure__ or ()
    )
    spaces = {key: value for key, value in function.__globals__.items()}
    # The last sets the random stream back, by means that are PyTorch's own affair.
    spaces |= {
        "torch": micro,
        "F": micro.nn.functional,
        "freeze_rng_state": micro.random.fork_rng,
    }
    for key in function.__code__.co_names:
        found = spaces.get(key)
        if isinstance(found, types.FunctionType) and found.__module__.startswith("torch.testing"):
            spaces[key] = _rebound(found) if found is not function else found
    made = types.FunctionType(
        function.__code__, spaces, function.__name__, function.__defaults__, cells
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def leaves(value: Any) -> list[Any]:
    """List what a result consists of."""
    if isinstance(value, micro.Tensor | torch.Tensor):
        return [value]
    if isinstance(value, dict):
        return [leaf for each in value.values() for leaf in leaves(each)]
    if isinstance(value, list | tuple):
        return [leaf for each in value for leaf in leaves(each)]
    return [value]


def difference(got: Any, wanted: Any) -> str | None:
    """Return how our result differs from PyTorch's; None if it does not."""
    ours, theirs = leaves(got), leaves(wanted)
    if len(ours) != len(theirs):
        return f"{len(ours)} results, wanted {len(theirs)}"
    for mine, other in zip(ours, theirs, strict=True):
        found = _difference(mine, other)
        if found is not None:
            return found
    return None


def is_as_exact(got: Any, wanted: Any, exact: Any) -> bool:
    """Return whether our float32 result is as near to the exact one as PyTorch's own.

    Where large terms cancel, both are beyond the tolerance of each other, by what the matrix
    kernels of this machine happen to round.

    Args:
        got: Ours.
        wanted: PyTorch's.
        exact: PyTorch's in float64; one that is far from its float32 result (other random
            numbers, another branch) excuses nothing. PyTorch's own matrix_exp is off by 5e-7 of
            the largest element with the kernels of one machine, and by more with others'.
    """
    for mine, other, truth in zip(leaves(got), leaves(wanted), leaves(exact), strict=True):
        if difference(mine, other) is None:
            continue
        if not isinstance(other, torch.Tensor) or other.dtype != torch.float32:
            return False
        if tuple(mine.shape) != tuple(other.shape) or str(mine.dtype) != str(other.dtype):
            return False
        right = to_array(truth)
        ours, theirs = (np.abs(each - right).max() for each in (mine.array, to_array(other)))
        largest = np.abs(right).max()
        if not (ours <= min(2 * theirs, 1e-6 * largest) and theirs <= 1e-5 * largest):
            return False
    return True


def _difference(got: Any, wanted: Any) -> str | None:
    if not isinstance(wanted, torch.Tensor):
        if isinstance(wanted, float | complex) and isinstance(got, float | complex | int):
            same = np.isclose(got, wanted, rtol=1e-5, atol=1e-6, equal_nan=True)
            return None if same else f"{got} is not {wanted}"
        wanted = to_micro(wanted)
        return None if got == wanted else f"{got!r} is not {wanted!r}"
    if not isinstance(got, micro.Tensor):
        return f"a {type(got).__name__}, wanted a Tensor"
    if str(got.dtype) != str(wanted.dtype):
        return f"dtype {got.dtype}, wanted {wanted.dtype}"
    if tuple(got.shape) != tuple(wanted.shape):
        return f"shape {tuple(got.shape)}, wanted {tuple(wanted.shape)}"
    rtol, atol = TOLERANCES.get(wanted.dtype, (0, 0))
    theirs = to_array(wanted)
    close = np.isclose(got.array, theirs, rtol=rtol, atol=atol, equal_nan=True)
    if close.all():
        return None
    place = tuple(np.argwhere(~np.atleast_1d(close))[0])
    mine, other = np.atleast_1d(got.array)[place], np.atleast_1d(theirs)[place]
    return f"{(~close).sum()} of {close.size} values, at {place}: {mine}, wanted {other}"


def tree_tensors(value: Any) -> list[Any]:
    """List the tensors of a structure, PyTorch's or ours."""
    return [
        each for each in pytree.tree_leaves(value) if isinstance(each, torch.Tensor | micro.Tensor)
    ]
