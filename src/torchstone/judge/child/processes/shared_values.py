"""Shared values and arrays of `multiprocessing` for programs that may not use ctypes.

`multiprocessing.Value`, `Array`, `RawValue` and `RawArray` keep numbers in shared memory. Python
implements them with ctypes, which gives access to raw memory. Here the same memory is read and
written through a ``memoryview``. As in Python, a fork passes them to another process.
"""

from __future__ import annotations

import multiprocessing
import struct
from collections.abc import Iterable
from multiprocessing import context, heap, resource_tracker
from typing import Any

import torch.multiprocessing


class RawArray:
    """Array of numbers of one type in shared memory."""

    def __init__(self, typecode: str, size_or_initializer: int | Iterable[Any]) -> None:
        """Allocate an array of zeros of a given length, or of the given numbers."""
        is_size = isinstance(size_or_initializer, int)
        numbers: list[Any] = [] if is_size else list(size_or_initializer)  # type: ignore[arg-type]
        length = size_or_initializer if is_size else len(numbers)
        size = struct.calcsize(typecode)
        self._wrapper = heap.BufferWrapper(max(1, length * size))  # type: ignore[operator]
        # A block of the heap may have been used before, so clear it.
        memory = self._wrapper.create_memoryview()[: length * size]  # type: ignore[operator]
        memory[:] = bytes(len(memory))
        self._cells: Any = memory.cast(typecode)  # type: ignore[call-overload]
        for position, number in enumerate(numbers):
            self._cells[position] = number

    def __len__(self) -> int:
        """Return the length of the array."""
        return len(self._cells)

    def __getitem__(self, position: Any) -> Any:
        """Return a number, or a list for a slice."""
        found = self._cells[position]
        return found.tolist() if isinstance(found, memoryview) else found

    def __setitem__(self, position: Any, value: Any) -> None:
        """Write a number, or several for a slice."""
        if not isinstance(position, slice):
            self._cells[position] = value
            return
        for each, number in zip(range(len(self))[position], value, strict=True):
            self._cells[each] = number


class RawValue:
    """One number in shared memory."""

    def __init__(self, typecode: str, value: Any = 0) -> None:
        """Allocate the number and set its initial value."""
        self._array = RawArray(typecode, [value])

    @property
    def value(self) -> Any:
        """Return the value."""
        return self._array[0]

    @value.setter
    def value(self, value: Any) -> None:
        self._array[0] = value


class _Locked:
    """Shared object guarded by a lock between processes."""

    def __init__(self, obj: Any, lock: Any) -> None:
        self._obj, self._lock = obj, lock
        self.acquire, self.release = lock.acquire, lock.release

    def get_obj(self) -> Any:
        """Return the object without its lock."""
        return self._obj

    def get_lock(self) -> Any:
        """Return the lock."""
        return self._lock

    def __enter__(self) -> Any:
        """Acquire the lock."""
        return self._lock.__enter__()

    def __exit__(self, *args: Any) -> Any:
        """Release the lock."""
        return self._lock.__exit__(*args)


class Value(_Locked):
    """One number in shared memory, with a lock."""

    @property
    def value(self) -> Any:
        """Return the number."""
        with self._lock:
            return self._obj.value

    @value.setter
    def value(self, value: Any) -> None:
        with self._lock:
            self._obj.value = value


class Array(_Locked):
    """Array of numbers of one type in shared memory, with a lock."""

    def __len__(self) -> int:
        """Return the length of the array."""
        return len(self._obj)

    def __getitem__(self, position: Any) -> Any:
        """Return a number, or a list for a slice."""
        with self._lock:
            return self._obj[position]

    def __setitem__(self, position: Any, value: Any) -> None:
        """Write a number, or several for a slice."""
        with self._lock:
            self._obj[position] = value


def use() -> None:
    """Install these classes in `multiprocessing`, and disable its resource tracker.

    The tracker is another program, which a job cannot start; leaked segments end with the case.
    """

    def value(self: Any, typecode: str, *args: Any, lock: Any = True) -> Any:
        raw = RawValue(typecode, *args)
        return raw if lock is False else Value(raw, self.RLock() if lock is True else lock)

    def array(self: Any, typecode: str, numbers: Any, *, lock: Any = True) -> Any:
        raw = RawArray(typecode, numbers)
        return raw if lock is False else Array(raw, self.RLock() if lock is True else lock)

    kind: Any = context.BaseContext
    kind.Value, kind.Array = value, array
    kind.RawValue = lambda self, typecode, *args: RawValue(typecode, *args)
    kind.RawArray = lambda self, typecode, numbers: RawArray(typecode, numbers)
    # These attributes are methods already bound to the default context.
    for module in (multiprocessing, torch.multiprocessing):
        for name in ("Value", "Array", "RawValue", "RawArray"):
            setattr(module, name, getattr(multiprocessing.get_context(), name))
    tracker: Any = resource_tracker
    tracker.register = tracker.unregister = tracker.ensure_running = lambda *args: None
