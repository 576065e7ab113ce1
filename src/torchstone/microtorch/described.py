"""Tensor metadata: dtype, shape, strides, storage offset and memory layout."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.device import CPU, device
from torchstone.microtorch.size import Size

Array = np.ndarray[Any, Any]


class Described:
    """Tensor mixin for metadata: dtype, shape, strides and layout."""

    __slots__ = ()
    array: Array
    _base: Any
    _inference = False

    @property
    def dtype(self) -> dtypes.dtype:
        """Return the dtype of the elements."""
        return dtypes.of_numpy(self.array.dtype)

    @property
    def shape(self) -> Size:
        """Return the number of elements along each dimension."""
        return Size(self.array.shape)

    @property
    def ndim(self) -> int:
        """Return the number of dimensions."""
        return self.array.ndim

    @property
    def device(self) -> device:
        """Return the device."""
        return CPU

    @property
    def layout(self) -> Any:
        """Return the layout: strided."""
        return importlib.import_module("torchstone.microtorch.typed").NAMES["strided"]

    is_sparse = is_quantized = is_cuda = is_nested = is_meta = False

    @property
    def itemsize(self) -> int:
        """Return the size of one element in bytes."""
        return self.array.itemsize

    @property
    def nbytes(self) -> int:
        """Return the size of all elements in bytes."""
        return self.array.nbytes

    def size(self, dim: int | None = None) -> Any:
        """Return the shape, or the size of one dimension."""
        return self.shape if dim is None else _at(self.array.shape, dim)

    def dim(self) -> int:
        """Return the number of dimensions."""
        return self.array.ndim

    ndimension = dim

    def numel(self) -> int:
        """Return the number of elements."""
        return self.array.size

    nelement = numel

    def element_size(self) -> int:
        """Return the size of one element in bytes."""
        return self.array.itemsize

    def lay_in_order(self) -> Array:
        """Return the array with PyTorch's strides, copying a channels-last array if needed.

        Convolutions and pools keep their outputs channels-last, for speed. The user does not see
        this: every function that reads strides calls this method first.
        """
        array = self.array
        if array.ndim > 3 and self._base is None and not array.flags.c_contiguous:
            if array.transpose(0, *range(2, array.ndim), 1).flags.c_contiguous:
                this: Any = self
                this.array = array = np.ascontiguousarray(array)
        return array

    def stride(self, dim: int | None = None) -> Any:
        """Return the strides, in elements."""
        array = self.lay_in_order()
        if not array.size:
            # NumPy's strides of an empty array are meaningless.
            array = np.empty([max(each, 1) for each in array.shape], array.dtype)
        strides = [step // array.itemsize for step in array.strides]
        for place in reversed(range(array.ndim)) if 0 in strides else ():
            if array.shape[place] == 1 and not strides[place]:
                # NumPy's stride is also meaningless for size 1; PyTorch derives it from the next
                # dimension.
                behind = place + 1
                strides[place] = array.shape[behind] * strides[behind] if behind < array.ndim else 1
        return tuple(strides) if dim is None else _at(strides, dim)

    def data_ptr(self) -> int:
        """Return the address of the first element."""
        return int(self.lay_in_order().__array_interface__["data"][0])

    def storage_offset(self) -> int:
        """Return the offset of the first element from the start of the storage, in elements."""
        owner: Any = self.lay_in_order()
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        start = int(owner.__array_interface__["data"][0])
        return (self.data_ptr() - start) // self.array.itemsize

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Return whether the elements are contiguous in the given memory format."""
        array = self.lay_in_order()
        if str(memory_format).startswith("torch.channels_last"):
            if array.ndim != (5 if str(memory_format).endswith("3d") else 4):
                return False
            array = np.moveaxis(array, 1, -1)
        return bool(array.flags.c_contiguous)

    def is_floating_point(self) -> bool:
        """Return whether the dtype is floating-point."""
        return self.array.dtype.kind == "f"

    def is_complex(self) -> bool:
        """Return whether the dtype is complex."""
        return self.array.dtype.kind == "c"

    def is_inference(self) -> bool:
        """Return whether the tensor was created in inference mode."""
        return self._inference


def _at(numbers: Sequence[int], dim: int) -> int:
    """Return the entry for a dimension; unlike ``wrap_dim``, reject 0-d."""
    if not numbers:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return numbers[wrap_dim(dim, len(numbers))]


def dim_error(dim: int, ndim: int) -> IndexError:
    """Create the error for a dimension out of range."""
    low, high = (-ndim, ndim - 1) if ndim else (-1, 0)
    return IndexError(
        f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})"
    )


def wrap_dim(dim: int, ndim: int) -> int:
    """Convert a negative dimension to a non-negative one; a 0-d tensor counts as 1-d."""
    reach = ndim or 1
    if not -reach <= dim < reach:
        raise dim_error(dim, ndim)
    return dim % reach
