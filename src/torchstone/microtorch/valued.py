"""Tensor values in Python and NumPy: item, tolist, numpy and ``__array__``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


class Valued:
    """Tensor mixin for values: numbers, lists and arrays."""

    __slots__ = ()
    array: Array
    requires_grad: Any
    lay_in_order: Any
    unbind: Any

    def item(self) -> Any:
        """Return the only element as a Python number."""
        if self.array.size != 1:
            raise RuntimeError(
                f"a Tensor with {self.array.size} elements cannot be converted to Scalar"
            )
        return self.array.item()

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers."""
        return self.array.tolist()

    def numpy(self, *, force: bool = False) -> Array:
        """Return the underlying array, which shares memory with the tensor."""
        if self.requires_grad and not force:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. "
                "Use tensor.detach().numpy() instead."
            )
        return self.lay_in_order()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        array = self.numpy()
        if dtype is None and not copy:
            return array
        return np.array(array, dtype, copy=copy)

    def __len__(self) -> int:
        if self.array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        if self.array.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __bool__(self) -> bool:
        if self.array.size != 1:
            raise RuntimeError(
                "Boolean value of Tensor with "
                f"{'no values' if not self.array.size else 'more than one value'} "
                "is ambiguous"
            )
        return bool(self.array.item())

    def _single(self) -> Any:
        if self.array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return self.item()

    def __float__(self) -> float:
        return float(self._real("double"))

    def __int__(self) -> int:
        return int(self._real("int64_t"))

    def _real(self, name: str) -> Any:
        value = self._single()
        if isinstance(value, complex):
            if value.imag:
                raise RuntimeError(f"value cannot be converted to type {name} without overflow")
            return value.real
        return value

    def __complex__(self) -> complex:
        return complex(self._single())

    def __reversed__(self) -> Any:
        this: Any = self
        return this.flip(0) if self.array.ndim else this

    def __delitem__(self, index: Any) -> None:
        raise TypeError("Tensor does not support deleting items")

    def __index__(self) -> int:
        if self.array.dtype.kind not in "iub" or self.array.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.array.item())

    def __format__(self, spec: str) -> str:
        if self.array.ndim == 0:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    def __repr__(self) -> str:
        from torchstone.microtorch.printing import show

        this: Any = self
        return show(this)
