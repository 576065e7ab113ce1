"""Tensors out of nothing: constants, ranges, copies of what Python holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.tensor import Array, Tensor, device, wrap


def made(array: Any, requires_grad: bool = False) -> Tensor:
    """Make a leaf of an array."""
    tensor = wrap(array)
    if requires_grad:
        tensor.requires_grad = True
    return tensor


def sizes(size: Sequence[Any]) -> tuple[int, ...]:
    """Read a shape that is given as numbers or as one sequence of them."""
    if len(size) == 1 and not isinstance(size[0], int) and hasattr(size[0], "__iter__"):
        if not isinstance(size[0], Tensor) or size[0].array.ndim:
            size = tuple(size[0])
    for place, each in enumerate(size):
        if not hasattr(each, "__index__"):
            raise TypeError(
                f"the size must be tuple of ints, but found element of type {type(each).__name__} "
                f"at pos {place}"
            )
    shape = tuple([each.__index__() for each in size])
    if any(each < 0 for each in shape):
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(shape)}: {list(shape)}"
        )
    return shape


def numpy_dtype(dtype: Dtype | None) -> Any:
    """Give NumPy's dtype; without one the default."""
    return (dtype or dtypes.get_default_dtype()).numpy


# Of what Python holds.


@op(method=False)
def tensor(
    data: Any,
    *,
    dtype: Dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """Make a tensor by copying numbers, nested lists of them, or an array.

    Python's floats become the default type; arrays keep theirs.
    """
    return made(_array_of(data, dtype, copy=True), requires_grad)


def _array_of(data: Any, dtype: Dtype | None, *, copy: bool) -> Any:
    if isinstance(data, Tensor):
        data = data.array
    elif not isinstance(data, np.ndarray) and hasattr(data, "__array__"):
        data = np.asarray(data)
    if isinstance(data, np.ndarray | np.generic):
        dtypes.of_numpy(data.dtype)
        return np.array(data, None if dtype is None else dtype.numpy, copy=copy or None)
    if isinstance(data, list | tuple | range):
        data = _without_tensors(data)
    array = _of_numbers(data, dtype)
    if dtype is not None:
        return array.astype(dtype.numpy)
    if array.dtype.kind in "fc" and not _holds_numpy(data):
        default = dtypes.get_default_dtype()
        return array.astype((default if array.dtype.kind == "f" else default.to_complex()).numpy)
    if not array.size and array.dtype == np.float64:
        return array.astype(numpy_dtype(None))
    dtypes.of_numpy(array.dtype)
    return array


def _of_numbers(data: Any, dtype: Dtype | None) -> Array:
    try:
        array = np.array(data)
    except ValueError:
        raise ValueError(
            "expected sequences of one length at each dimension; these are ragged"
        ) from None
    if array.dtype.kind == "O":
        if dtype is None or dtype.kind == dtypes.INTEGER:
            raise RuntimeError(f"Could not infer dtype of {_first(data)}, or it overflows int64")
        return array.astype(np.float64)
    if array.dtype.kind in "SU":
        kind = TypeError if isinstance(data, str) else ValueError
        raise kind("new(): invalid data type 'str'")
    return array


def _first(data: Any) -> str:
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return type(data).__name__


def _without_tensors(data: Any) -> Any:
    if isinstance(data, list | tuple):
        return [_without_tensors(each) for each in data]
    return data.tolist() if isinstance(data, Tensor) else data


def _holds_numpy(data: Any) -> bool:
    while isinstance(data, list | tuple) and data:
        data = data[0]
    return isinstance(data, np.ndarray | np.generic)


@op(method=False)
def as_tensor(data: Any, dtype: Dtype | None = None, device: Any = None) -> Tensor:
    """Make a tensor, and share the memory of an array or tensor if its type is the wanted one."""
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
    """Make a tensor; of tensors and arrays share the memory where that is possible."""
    is_shared = isinstance(obj, Tensor) and (dtype is None or dtype is obj.dtype) and not copy
    if is_shared:
        return obj if obj.requires_grad or not requires_grad else obj.detach().requires_grad_()
    if isinstance(obj, Tensor):
        found: Tensor = obj.to(dtype or obj.dtype, copy=True)
        return found if requires_grad else found.detach()
    return made(_array_of(obj, dtype, copy=bool(copy)), requires_grad)


@op(method=False)
def from_numpy(ndarray: np.ndarray[Any, Any]) -> Tensor:
    """Make a tensor that shares the memory of an array."""
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(ndarray).__name__})")
    dtypes.of_numpy(ndarray.dtype)
    if any(step < 0 for step in ndarray.strides):
        raise ValueError(
            "At least one stride in the given numpy array is negative, and tensors with negative "
            "strides are not currently supported. (You can probably work around this by making a "
            "copy of your array with array.copy().)"
        )
    return wrap(ndarray)


@op(method=False)
def frombuffer(
    buffer: Any, *, dtype: Dtype, count: int = -1, offset: int = 0, requires_grad: bool = False
) -> Tensor:
    """Make a tensor that shares the memory of a buffer."""
    return made(np.frombuffer(buffer, dtype.numpy, count, offset), requires_grad)


@op(method=False)
def scalar_tensor(s: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """Make a tensor of one number, without dimensions."""
    return made(np.array(s, numpy_dtype(dtype)), options.get("requires_grad", False))


# Constants. Each way to make one is a family: of a size, like another, of its type.

_MAKERS: dict[str, Callable[..., Array]] = {"zeros": np.zeros, "ones": np.ones, "empty": np.empty}
_OPTIONS = {"layout", "device", "pin_memory", "memory_format", "requires_grad", "dtype", "out"}


def _made_of(array: Array, options: dict[str, Any]) -> Tensor:
    """Finish a tensor as the options say."""
    unknown = options.keys() - _OPTIONS
    if unknown:
        raise TypeError(f"got an unexpected keyword argument '{min(unknown)}'")
    if options.get("device") is not None:
        device(options["device"])
    out: Tensor | None = options.get("out")
    if out is not None:
        out.array = array.astype(out.array.dtype, copy=False)
        return out
    return made(array, options.get("requires_grad", False))


def _define_constants(name: str, make: Callable[..., Array]) -> None:
    def of_size(*size: Any, dtype: Dtype | None = None, **options: Any) -> Tensor:
        shape = sizes((options.pop("size"),) if "size" in options else size)
        out = options.get("out")
        numpy = numpy_dtype(dtype) if dtype or out is None else out.array.dtype
        return _made_of(make(shape, numpy), options)

    def like(input: Tensor, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
        array = np.empty_like(input.array, numpy_dtype(dtype or input.dtype), subok=False)
        if name != "empty":
            array.fill(name == "ones")
        return _made_of(array, options)

    def new(self: Tensor, *size: Any, dtype: Dtype | None = None, **options: Any) -> Tensor:
        shape = sizes((options.pop("size"),) if "size" in options else size)
        return _made_of(make(shape, numpy_dtype(dtype or self.dtype)), options)

    for function, own in ((of_size, name), (like, f"{name}_like"), (new, f"new_{name}")):
        function.__name__ = function.__qualname__ = own
        function.__doc__ = f"Make a tensor of {name if name != 'empty' else 'unset elements'}."
        op(method=function is new)(function)


for _name, _make in _MAKERS.items():
    _define_constants(_name, _make)


def _filled(shape: tuple[int, ...], value: Any, dtype: Dtype | None) -> Array:
    if isinstance(value, Tensor):
        value = value.item()
    return np.full(shape, value, (dtype or dtypes.of_scalar(value)).numpy)


@op(method=False)
def full(size: Any, fill_value: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """Make a tensor of one value."""
    if dtype is None and isinstance(fill_value, Tensor):
        dtype = fill_value.dtype
    return _made_of(_filled(sizes((size,)), fill_value, dtype), options)


@op(method=False)
def full_like(
    input: Tensor, fill_value: Any, *, dtype: Dtype | None = None, **options: Any
) -> Tensor:
    """Make a tensor of one value, in the shape and type of another one."""
    return _made_of(_filled(input.array.shape, fill_value, dtype or input.dtype), options)


@op()
def new_full(
    self: Tensor, size: Any, fill_value: Any, *, dtype: Dtype | None = None, **options: Any
) -> Tensor:
    """Make a tensor of one value, of the type of this one."""
    return _made_of(_filled(sizes((size,)), fill_value, dtype or self.dtype), options)


@op()
def new_tensor(self: Tensor, data: Any, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """Make a tensor by copying numbers, of the type of this one."""
    return _made_of(_array_of(data, dtype or self.dtype, copy=True), options)


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
    """Make a tensor of unset elements that lie as the strides say."""
    return _made_of(_with_strides(size, stride, numpy_dtype(dtype)), options)


@op()
def new_empty_strided(
    self: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    dtype: Dtype | None = None,
    **options: Any,
) -> Tensor:
    """Make a tensor of unset elements that lie as the strides say, of the type of this one."""
    return _made_of(_with_strides(size, stride, numpy_dtype(dtype or self.dtype)), options)


@op(method=False)
def empty_permuted(
    size: Sequence[int],
    physical_layout: Sequence[int],
    *,
    dtype: Dtype | None = None,
    **options: Any,
) -> Tensor:
    """Make a tensor of unset elements that lie dense, in the given order of dimensions."""
    if sorted(physical_layout) != list(range(len(size))):
        raise RuntimeError(
            f"Number of dimensions in size and physical_layout must match, each once; got "
            f"{list(size)} and {list(physical_layout)}"
        )
    dense = np.empty([size[dim] for dim in physical_layout], numpy_dtype(dtype))
    return _made_of(dense.transpose(np.argsort(physical_layout)), options)


@op(method=False)
def eye(n: int, m: int | None = None, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """Make a matrix of ones on the diagonal and zeros elsewhere."""
    if min(n, n if m is None else m) < 0:
        raise RuntimeError(f"n must be greater or equal to 0, got {min(n, n if m is None else m)}")
    return _made_of(np.eye(n, m, dtype=numpy_dtype(dtype)), options)
