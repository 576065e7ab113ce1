"""Copies and type conversion: clone, contiguous, to, type_as, copy_, fill, resize_, set_."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.autograd.inplace import (
    check_writable,
    refuse_overlap,
    refuse_sources,
    replace,
)
from torchstone.microtorch.autograd.node import wants_gradient
from torchstone.microtorch.device import device as Device
from torchstone.microtorch.device import expect_cpu
from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.ops.creation import order_of, sizes
from torchstone.microtorch.ops.namespace import functions, named, op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.shape import expand
from torchstone.microtorch.ops.views import storage, strided
from torchstone.microtorch.tensor import Array, Tensor, alias, constructed, wrap
from torchstone.microtorch.typed import NAMES, expect_in_order


@primitive(exact=True, self=lambda grad: grad)
def _clone(self: Array, order: Any) -> Array:
    return self.copy(order=order)


@primitive(exact=True, self=lambda grad: grad)
def _to_copy(self: Array, dtype: Any) -> Array:
    return self.astype(dtype, order_of(self))


@op()
def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    """Return a copy of a tensor."""
    return _clone(input, order_of(input.array, memory_format))


@op()
def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
    """Return a contiguous tensor: the tensor itself if it is contiguous, otherwise a copy."""
    expect_in_order(memory_format)
    return self if self.lay_in_order().flags.c_contiguous else _clone(self, "C")


def _cast(self: Tensor, dtype: Any) -> Tensor:
    return _to_copy(self, dtype)


@op()
def to(
    self: Tensor,
    *args: Any,
    dtype: Dtype | None = None,
    device: Any = None,
    non_blocking: bool = False,
    copy: bool | None = None,
    memory_format: Any = None,
) -> Tensor:
    """Convert a tensor to another dtype; return the tensor itself if nothing changes."""
    flags = [each for each in args if isinstance(each, bool)]
    copy = (len(flags) == 2 and flags[1]) if copy is None else copy
    for each in args:
        if isinstance(each, Dtype):
            dtype = each
        elif isinstance(each, Tensor):
            dtype = each.dtype
        elif isinstance(each, str | Device):
            expect_cpu(each)
    expect_cpu(device)
    expect_in_order(memory_format)
    if dtype is not None and dtype.numpy is not self.array.dtype:
        return _to_copy(self, dtype.numpy)
    return clone(self) if copy else self


@op()
def type_as(self: Tensor, other: Tensor) -> Tensor:
    """Convert a tensor to the dtype of another one."""
    return to(self, other.dtype)


for _name, _dtype in {
    "float": dtypes.float32, "double": dtypes.float64, "half": dtypes.float16,
    "long": dtypes.int64, "int": dtypes.int32, "short": dtypes.int16, "char": dtypes.int8,
    "byte": dtypes.uint8, "bool": dtypes.bool_, "cfloat": dtypes.complex64,
    "cdouble": dtypes.complex128,
}.items():  # fmt: skip

    def _convert(self: Tensor, memory_format: Any = None, dtype: Dtype = _dtype) -> Tensor:
        return to(self, dtype, memory_format=memory_format)

    setattr(Tensor, _name, named(_convert, _name, f"Convert the tensor to {_dtype}."))


def _type(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """Return the legacy type name, or convert the tensor to another type."""
    if dtype is None:
        return f"torch.{self.dtype.title}Tensor"
    kind = NAMES.get(dtype.removeprefix("torch.")) if isinstance(dtype, str) else dtype
    if kind is None:
        raise ValueError(f"invalid type: '{dtype}'")
    # Legacy types such as torch.FloatTensor have a dtype.
    return to(self, getattr(kind, "dtype", kind))


# In-place writes.


@primitive(
    exact=True,
    self=lambda grad, self_shape: grad.new_zeros(self_shape),
    source=lambda grad: grad,
)
def _copy(self: Array, source: Array) -> Array:
    return np.broadcast_to(source, self.shape).astype(self.dtype, copy=False)


_copy.node.__name__ = "CopyBackwards"


def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    """Copy a tensor or a number into this one, with broadcasting and conversion of the dtype."""
    if isinstance(src, int | float | complex):
        src = wrap(np.asarray(src))
    check_writable(self, src, may_overlap=self is src)
    if not isinstance(src, Tensor):
        raise TypeError(
            f"copy_(): argument 'other' (position 1) must be Tensor, not {type(src).__name__}"
        )
    refuse_sources(self, src)
    if src.array.shape != self.array.shape:
        expand(src, self.array.shape)
    if state.levels or (state.enabled and (wants_gradient(self) or wants_gradient(src))):
        return replace(self, _copy(self, src))
    np.copyto(self.array, src.array, casting="unsafe")
    self.bump_version()
    return self


@primitive(self=lambda grad, self_shape: grad.new_zeros(self_shape), value=lambda grad: grad.sum())
def _fill(self: Array, value: Any) -> Array:
    result = np.empty_like(self)
    result[...] = np.asarray(value).astype(self.dtype, copy=False)
    return result


@op(inplace=True)
def fill(input: Tensor, value: Any) -> Tensor:
    """Return a tensor of the same shape with every element set to one value."""
    if isinstance(value, Tensor) and value.array.ndim:
        raise RuntimeError(
            "fill_ only supports 0-dimension value tensor but got tensor with "
            f"{value.array.ndim} dimensions."
        )
    if not isinstance(value, Tensor):
        dtypes.refuse_loss(value, input.dtype)
    return _fill(input, value)


def zero_(self: Tensor) -> Tensor:
    """Set every element to zero."""
    check_writable(self, may_overlap=True)
    if state.levels or (state.enabled and wants_gradient(self)):
        return replace(self, _fill(self, 0))
    self.array.fill(0)
    self.bump_version()
    return self


functions["torch"]["zero_"] = zero_


def into_apart(out: Tensor | None, result: Tensor, *sources: Tensor) -> Tensor:
    """Copy into ``out`` like ``into``, but raise an error if it shares memory with a source."""
    if out is None:
        return result
    refuse_overlap(out.array)
    refuse_shared(out, *sources)
    return into(out, result)


def refuse_shared(out: Tensor, *sources: Tensor) -> None:
    """Raise an error if a result shares memory with its operands."""
    for each in sources:
        if np.may_share_memory(out.array, each.array):
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the written-to "
                "tensor refer to a single memory location. Please clone() the tensor before "
                "performing the operation."
            )


# Storage.


def resize_(self: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Resize the tensor in place; new elements are uninitialized.

    If the storage is too small, it is replaced; other tensors keep the old one.
    """
    expect_in_order(memory_format)
    if wants_gradient(self):
        raise RuntimeError("cannot resize variables that require grad")
    shape, array = sizes(size), self.array
    like = np.empty(shape, array.dtype)
    memory = storage(array)
    offset = self.storage_offset()
    if memory.size - offset >= like.size:
        self.array = strided(memory[offset:], shape, like.strides)
    else:
        like.reshape(-1)[: memory.size - offset] = memory[offset:]
        self.array = like
    return self


def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """Resize the tensor to the shape of another one."""
    return resize_(self, the_template.array.shape, memory_format=memory_format)


functions["torch"]["resize_as_"] = resize_as_


def set_(self: Tensor, source: Tensor | None = None) -> Tensor:
    """Make the tensor share the memory of another tensor."""
    if wants_gradient(self) and state.enabled:
        raise RuntimeError("set_: can't change the memory of a tensor that requires grad")
    made = alias(source) if source is not None else wrap(np.empty(0, self.array.dtype))
    self.array, self._counter = made.array, made._counter
    return self


for _name, _method in {
    "new": lambda self, *args: wrap(constructed(args, self.dtype)), "_cast": _cast,
    "type": _type, "copy_": copy_, "zero_": zero_, "resize_": resize_, "resize_as_": resize_as_,
    "set_": set_, "cpu": lambda self: self, "is_cpu": True,
    "get_device": lambda self: -1, "_is_view": lambda self: self._base is not None,
}.items():  # fmt: skip
    setattr(Tensor, _name, _method)


functions["torch"].update(
    numel=Tensor.numel, detach=Tensor.detach, detach_=Tensor.detach_, get_device=lambda input: -1
)


# Generated variants of view operations: copying, and changing the tensor's shape in place.


def _copying(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    def variant(*args: Any, out: Any = None, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        if not isinstance(found, tuple):
            return into(out, _clone(found, "C"))
        targets = [None] * len(found) if out is None else out
        return tuple(into(to, _clone(each, "C")) for to, each in zip(targets, found, strict=True))

    return named(variant, name, f"Return a copy of the result of ``{function.__name__}``.")


def define_copies(*names: str) -> None:
    """Register the ``*_copy`` variants of views, which return copies."""
    for name in names:
        functions["torch"][f"{name}_copy"] = _copying(functions["torch"][name], f"{name}_copy")


def _reshaping(function: Callable[..., Tensor], name: str) -> Callable[..., Tensor]:
    def variant(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        check_writable(self, may_overlap=True)
        found = function(self, *args, **kwargs)
        self.bump_version()
        self.array = found.array
        self._accumulator = None
        if found._edge is not None and self._base is None:
            self._edge = found._edge
        return self

    return named(variant, name, f"Apply ``{function.__name__}`` in place.")


def define_reshaping(*names: str) -> None:
    """Register the in-place variants of views, which change the shape of the tensor itself."""
    for name in names:
        setattr(Tensor, f"{name}_", _reshaping(functions["torch"][name], f"{name}_"))


functions["torch"]["alias_copy"] = _copying(contiguous, "alias_copy")
define_copies(
    "as_strided", "diagonal", "expand", "permute", "select", "slice", "squeeze", "t",
    "transpose", "unfold", "unsqueeze", "view",
)  # fmt: skip
define_reshaping("as_strided", "squeeze", "swapaxes", "swapdims", "t", "transpose", "unsqueeze")


@op()
def narrow_copy(input: Tensor, dim: int, start: int, length: int) -> Tensor:
    """Return a copy of ``length`` slices along a dimension, from ``start`` on."""
    if dim >= input.array.ndim:
        raise RuntimeError(f"narrow_copy(): there is no dimension {dim}")
    return clone(functions["torch"]["narrow"](input, dim, start, length))
