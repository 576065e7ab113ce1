"""Tensor creation: tensor, as_tensor, from_numpy, zeros, ones, empty, full, eye."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.autograd.inplace import is_expanded
from torchstone.microtorch.device import expect_cpu
from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.ops.lists import of_numbers, without_tensors
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.tensor import Array, Tensor, wrap
from torchstone.microtorch.typed import NAMES, expect_in_order


def made(array: Any, requires_grad: bool = False) -> Tensor:
    """Create a leaf tensor from an array."""
    tensor = wrap(array)
    if requires_grad:
        tensor.requires_grad = True
    return tensor


def shape_argument(size: Sequence[Any]) -> tuple[int, ...]:
    """Return a shape, which may contain -1, from integers or from one sequence of them."""
    if len(size) == 1 and not isinstance(size[0], int) and hasattr(size[0], "__iter__"):
        if not isinstance(size[0], Tensor) or size[0].array.ndim:
            size = tuple(size[0])
    try:
        return tuple([each.__index__() for each in size])
    except AttributeError:
        wrong = [hasattr(each, "__index__") for each in size].index(False)
        raise TypeError(
            f"the size must be tuple of ints, but found element of type "
            f"{type(size[wrong]).__name__} at pos {wrong}"
        ) from None


def sizes(size: Sequence[Any]) -> tuple[int, ...]:
    """Return a shape, from integers or from one sequence of them."""
    shape = shape_argument(size)
    if any(each < 0 for each in shape):
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
        )
    return shape


def numpy_dtype(dtype: Dtype | None) -> Any:
    """Return the NumPy dtype of a dtype; None means the default dtype."""
    return (dtypes.get_default_dtype() if dtype is None else dtypes.given(dtype, "empty")).numpy


_OPTIONS = {"layout", "device", "pin_memory", "memory_format", "requires_grad", "dtype", "out"}


def finished(array: Array, options: dict[str, Any]) -> Tensor:
    """Create a tensor according to the options, or copy the array into ``out``.

    Raises:
        TypeError: An option is unknown.
    """
    if not options:
        return wrap(array)
    unknown = options.keys() - _OPTIONS
    if unknown:
        raise TypeError(f"got an unexpected keyword argument '{min(unknown)}'")
    expect_cpu(options.get("device"))
    expect_in_order(options.get("memory_format"))
    out: Tensor | None = options.get("out")
    if out is not None:
        return into(out, wrap(array.astype(out.array.dtype, copy=False)))
    return made(array, options.get("requires_grad", False))


def dtype_of(dtype: Dtype | None, options: dict[str, Any]) -> Dtype | None:
    """Return the dtype of a new tensor; by default that of ``out``."""
    out = options.get("out")
    return out.dtype if dtype is None and out is not None else dtype


def shape_of(size: Sequence[Any], options: dict[str, Any]) -> tuple[int, ...]:
    """Return the shape of a new tensor, from the arguments or the keyword ``size``."""
    return sizes((options.pop("size"),) if "size" in options else size)


def order_of(array: Array, memory_format: Any = None) -> Any:
    """Return the memory order of a ``*_like`` result: that of the tensor if it is dense."""
    expect_in_order(memory_format)
    is_ordered = memory_format is NAMES["contiguous_format"]
    return "C" if is_ordered or is_expanded(array) else "K"


# From Python data.


@op(method=False)
def tensor(data: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """Create a tensor by copying numbers, nested lists of them, or an array.

    Python floats get the default dtype; arrays keep theirs.
    """
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use "
            "sourceTensor.detach().clone() or sourceTensor.detach().clone().requires_grad_(True), "
            "rather than torch.tensor(sourceTensor).",
            UserWarning,
            stacklevel=2,
        )
    if not isinstance(options.get("requires_grad", False), bool):
        kind = type(options["requires_grad"]).__name__
        raise TypeError(f"tensor(): argument 'requires_grad' must be bool, not {kind}")
    return finished(_array_of(data, dtype, copy=True), options)


def _array_of(data: Any, dtype: Dtype | None, *, copy: bool) -> Any:
    dtype = None if dtype is None else dtypes.given(dtype, "tensor")
    if isinstance(data, Tensor):
        data = data.array
    elif not isinstance(data, np.ndarray) and hasattr(data, "__array__"):
        data = np.asarray(data)
    if isinstance(data, np.ndarray | np.generic):
        dtypes.of_numpy(data.dtype)
        if not copy:
            _refuse_backwards(data)
        return np.array(data, None if dtype is None else dtype.numpy, copy=copy or None)
    found: dict[Any, Any] = {}
    array = of_numbers(without_tensors(data, found), dtype, found)
    if dtype is None:
        types = [
            dtypes.of_numpy(each.dtype) if hasattr(each, "dtype") else dtypes.of_scalar(each)
            for each in found.values()
        ]
        dtype = functools.reduce(dtypes.promote_types, types) if types else None
        return array.astype(numpy_dtype(dtype))
    if array.dtype.kind == "c" and dtype.kind < dtypes.COMPLEX:
        raise TypeError("must be real number, not complex")
    if dtype.kind == dtypes.INTEGER and array.size:
        for each in (array.min(), array.max()):
            dtypes.refuse_loss(each.item(), dtype, dtype.name)
    return array.astype(dtype.numpy)


def _refuse_backwards(array: Any) -> None:
    if any(step < 0 for step in array.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative "
            "strides are not currently supported. (You can probably work around this by making a "
            "copy of your array with array.copy().)"
        )


@op(method=False)
def as_tensor(data: Any, dtype: Dtype | None = None, device: Any = None) -> Tensor:
    """Create a tensor that shares the memory of an array or tensor if the dtypes are equal."""
    expect_cpu(device)
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    return wrap(_array_of(data, dtype, copy=False))


@op(method=False)
def asarray(
    obj: Any,
    *,
    dtype: Dtype | None = None,
    device: Any = None,
    copy: bool | None = None,
    requires_grad: bool = False,
) -> Tensor:
    """Create a tensor that shares memory with a tensor or array where possible.

    Raises:
        ValueError: Sharing is impossible and ``copy`` is False.
    """
    expect_cpu(device)
    found: Tensor
    if isinstance(obj, Tensor):
        found = obj.to(dtype or obj.dtype, copy=bool(copy))
        if requires_grad and not found.requires_grad:
            found = found.detach().requires_grad_()
    else:
        found = made(_array_of(obj, dtype, copy=bool(copy)), requires_grad)
    if copy is False and not np.may_share_memory(found.array, getattr(obj, "array", obj)):
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    return found


@op(method=False)
def from_numpy(ndarray: np.ndarray[Any, Any]) -> Tensor:
    """Create a tensor that shares the memory of an array."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    dtypes.of_numpy(ndarray.dtype)
    _refuse_backwards(ndarray)
    return wrap(ndarray)


@op(method=False)
def frombuffer(
    buffer: Any, *, dtype: Dtype, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """Create a tensor that shares the memory of a buffer."""
    return made(np.frombuffer(buffer, dtype.numpy, count, offset), requires_grad)


@op(method=False)
def scalar_tensor(s: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """Create a 0-d tensor from a number."""
    return finished(np.array(s, numpy_dtype(dtype)), options)


# Constants: for each, the plain function, ``*_like`` and ``new_*``.

_MAKERS: dict[str, Callable[..., Array]] = {"zeros": np.zeros, "ones": np.ones, "empty": np.empty}


def _define_constants(name: str, make: Callable[..., Array]) -> None:
    def of_size(*size: Any, dtype: Dtype | None = None, **options: Any) -> Tensor:
        shape = shape_of(size, options)
        return finished(make(shape, numpy_dtype(dtype_of(dtype, options))), options)

    def like(input: Tensor, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
        order = order_of(input.array, options.get("memory_format"))
        array = np.empty_like(input.array, numpy_dtype(dtype or input.dtype), order, subok=False)
        if name != "empty":
            array.fill(name == "ones")
        return finished(array, options)

    def new(self: Tensor, *size: Any, dtype: Dtype | None = None, **options: Any) -> Tensor:
        shape = shape_of(size, options)
        return finished(make(shape, numpy_dtype(dtype or self.dtype)), options)

    for function, own in ((of_size, name), (like, f"{name}_like"), (new, f"new_{name}")):
        what = f"Create a tensor of {name if name != 'empty' else 'uninitialized elements'}."
        op(method=function is new)(named(function, own, what))


for _name, _make in _MAKERS.items():
    _define_constants(_name, _make)


def _checked_value(value: Any, dtype: Dtype | None) -> Array:
    """Convert a fill value to a 0-d array of the dtype."""
    if isinstance(value, Tensor):
        value = value.item()
    kind = dtypes.of_scalar(value) if dtype is None else dtypes.given(dtype, "full")
    dtypes.refuse_loss(value, kind)
    return np.asarray(value).astype(kind.numpy)


@op(method=False)
def full(size: Any, fill_value: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """Create a tensor filled with one value."""
    if dtype is None and isinstance(fill_value, Tensor):
        dtype = fill_value.dtype
    return finished(np.full(sizes((size,)), _checked_value(fill_value, dtype)), options)


@op(method=False)
def full_like(
    input: Tensor, fill_value: Any, *, dtype: Dtype | None = None, **options: Any
) -> Tensor:
    """Create a tensor filled with one value, with the shape and dtype of another tensor."""
    order = order_of(input.array, options.get("memory_format"))
    value = _checked_value(fill_value, dtype or input.dtype)
    return finished(np.full_like(input.array, value, value.dtype, order, subok=False), options)


@op()
def new_full(
    self: Tensor, size: Any, fill_value: Any, *, dtype: Dtype | None = None, **options: Any
) -> Tensor:
    """Create a tensor filled with one value, with the dtype of this tensor."""
    value = _checked_value(fill_value, dtype or self.dtype)
    return finished(np.full(sizes((size,)), value), options)


@op()
def new_tensor(self: Tensor, data: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """Create a tensor by copying data, with the dtype of this tensor."""
    return finished(_array_of(data, dtype or self.dtype, copy=True), options)


def _with_strides(size: Sequence[int], stride: Sequence[int], dtype: Any) -> Array:
    if len(size) != len(stride):
        raise RuntimeError(
            f"dimensionality of sizes ({len(size)}) must match dimensionality of strides "
            f"({len(stride)})"
        )
    reach = 1 + sum((s - 1) * step for s, step in zip(size, stride, strict=True))
    memory = np.empty(reach if math.prod(size) else 0, dtype)
    steps = tuple(step * memory.itemsize for step in stride)
    return np.ndarray(tuple(size), dtype, memory, 0, steps)


@op(method=False)
def empty_strided(
    size: Sequence[int], stride: Sequence[int], *, dtype: Dtype | None = None, **options: Any
) -> Tensor:
    """Create an uninitialized tensor with the given strides."""
    return finished(_with_strides(size, stride, numpy_dtype(dtype)), options)


@op()
def new_empty_strided(
    self: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    dtype: Dtype | None = None,
    **options: Any,
) -> Tensor:
    """Create an uninitialized tensor with the given strides and the dtype of this tensor."""
    return finished(_with_strides(size, stride, numpy_dtype(dtype or self.dtype)), options)


@op(method=False)
def empty_permuted(
    size: Sequence[int],
    physical_layout: Sequence[int],
    *,
    dtype: Dtype | None = None,
    **options: Any,
) -> Tensor:
    """Create an uninitialized dense tensor with the given physical order of dimensions."""
    if sorted(physical_layout) != list(range(len(size))):
        raise RuntimeError(
            f"Number of dimensions in size and physical_layout must match, each once; got "
            f"{list(size)} and {list(physical_layout)}"
        )
    dense = np.empty([size[dim] for dim in physical_layout], numpy_dtype(dtype))
    return finished(dense.transpose(np.argsort(physical_layout)), options)


@op(method=False)
def eye(n: int, m: int | None = None, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """Create a matrix with ones on the diagonal and zeros elsewhere."""
    if min(n, n if m is None else m) < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {min(n, n if m is None else m)}")
    return finished(np.eye(n, m, dtype=numpy_dtype(dtype)), options)
