"""Kernel launches from Python, with arguments checked against the kernel's parameters."""

from __future__ import annotations

import ctypes
import math
import operator
import struct
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

from torchstone.cudasim.arrays import (
    DeviceArray,
    HostArray,
    is_swapped,
    itemsize_of,
    look_at,
    name_dtype,
)
from torchstone.cudasim.library import DEVICE_TO_HOST, HOST_TO_DEVICE, Entry, Parameter, Runtime

Dimensions = int | Sequence[int]
_NAMES = {"b": "bool", "i": "int", "u": "uint", "f": "float"}
_INTEGERS = {1: ctypes.c_int8, 2: ctypes.c_int16, 4: ctypes.c_int32, 8: ctypes.c_int64}
_FLOATS = {4: ctypes.c_float, 8: ctypes.c_double, 16: ctypes.c_longdouble}


@dataclass(frozen=True, slots=True)
class Kernel:
    """Launchable kernel: ``kernel(grid, block)(*arguments)`` launches it and waits for it.

    Attributes:
        entry: Its entry in the runtime.
        names: Its parameters as in the source; empty where unknown.
        runtime: The runtime that runs it.
        before: Function called before each launch.
        after: Function called with the name and the error code of each launch; raises on an error.
    """

    entry: Entry
    names: tuple[str, ...]
    runtime: Runtime
    before: Callable[[], None]
    after: Callable[[str, int], None]

    def __repr__(self) -> str:
        return f"Kernel({self.entry.name}({', '.join(self.names)}))"

    def __call__(
        self,
        grid: Dimensions,
        block: Dimensions,
        shared_bytes: int = 0,
        cooperative: bool = False,
    ) -> Launch:
        """Return the launch configuration.

        Args:
            grid: The number of blocks: a number, or up to three of them.
            block: The number of threads of a block: a number, or up to three of them.
            shared_bytes: The dynamic shared memory of a block, in bytes.
            cooperative: Whether the blocks may wait for each other (``grid.sync()``).

        Raises:
            TypeError: A size is not an integer.
            ValueError: There are none or more than three sizes, or one is out of range.
        """
        name = self.entry.name
        shape = (*_three(grid, name, "grid"), *_three(block, name, "block"))
        wanted = operator.index(shared_bytes)
        if not 0 <= wanted < 1 << 32:
            raise ValueError(f"{name}: shared_bytes is {wanted}; expected 0 to 2**32 - 1.")
        return Launch(self, shape, wanted, bool(cooperative))


def _three(sizes: Dimensions, kernel: str, what: str) -> tuple[int, int, int]:
    given = tuple(sizes) if isinstance(sizes, Sequence) else (sizes,)
    try:
        whole = tuple(operator.index(size) for size in given)
    except TypeError:
        raise TypeError(
            f"{kernel}: {what} is {sizes!r}; expected a whole number or up to three of them."
        ) from None
    if not 1 <= len(whole) <= 3 or any(not 0 <= size < 1 << 32 for size in whole):
        raise ValueError(f"{kernel}: {what} is {sizes!r}; expected one to three sizes from 1 on.")
    x, y, z = (*whole, 1, 1)[:3]
    return x, y, z


@dataclass(frozen=True, slots=True)
class Launch:
    """Kernel with its grid and block; calling it with the arguments runs it."""

    kernel: Kernel
    shape: tuple[int, ...]
    shared_bytes: int
    cooperative: bool

    def __call__(self, *arguments: object) -> None:
        """Run the kernel; copy host arrays to the device, and back if it may write them.

        Raises:
            TypeError: An argument is missing or surplus, or its type does not match the parameter.
            ValueError: A number is out of range, or an array is not contiguous, or read-only where
                the kernel may write.
            MemoryError: The arrays do not fit into device memory.
            KernelError: The launch was refused, or the kernel ended in an error.
        """
        kernel = self.kernel
        entry, runtime = kernel.entry, kernel.runtime
        if len(arguments) != len(entry.parameters):
            declared = f" ({', '.join(kernel.names)})" if kernel.names else ""
            raise TypeError(
                f"{entry.name} takes {len(entry.parameters)} arguments{declared}; "
                f"{len(arguments)} came."
            )
        places = [_Place(kernel, number) for number in range(len(arguments))]
        with runtime.lock, ExitStack() as stack:
            # This comes first, because a pending error of the program also makes allocations fail.
            kernel.before()
            transfer = _Transfer(runtime, stack)
            values = [
                place.convert(argument, transfer)
                for place, argument in zip(places, arguments, strict=True)
            ]
            transfer.copy_in()
            resolved = transfer.resolve(values)  # referenced until the launch is over
            pointers = (ctypes.c_void_p * max(len(values), 1))(*map(ctypes.addressof, resolved))
            error = runtime.run(
                entry,
                shape=self.shape,
                shared_bytes=self.shared_bytes,
                cooperative=self.cooperative,
                values=pointers,
            )
            kernel.after(entry.name, error)
            transfer.copy_out()


Value = ctypes.Array[ctypes.c_char] | ctypes._SimpleCData  # type: ignore[type-arg]


@dataclass(slots=True)
class _Region:
    """Host array that a launch copies to the device and back."""

    array: HostArray
    place: _Place
    is_written: bool
    address: int = 0


class _Transfer:
    """Array transfers of one launch; an array given twice is copied once."""

    def __init__(self, runtime: Runtime, stack: ExitStack) -> None:
        self.runtime = runtime
        self._stack = stack
        self._regions: dict[tuple[int, int], _Region] = {}

    def add(self, array: HostArray, place: _Place, *, is_written: bool) -> _Region:
        """Add an array; it must not overlap another one if either is written."""
        key = (array.address, array.num_bytes)
        region = self._regions.setdefault(key, _Region(array, place, is_written))
        region.is_written |= is_written
        for other in self._regions.values():
            if other is not region and _overlap(other.array, array):
                if other.is_written or region.is_written:
                    raise ValueError(
                        f"{place} overlaps argument {other.place.number + 1} and one of them is "
                        "written; put the whole into a cudasim.to_device(...) or pass copies."
                    )
        return region

    def copy_in(self) -> None:
        for region in self._regions.values():
            num_bytes = region.array.num_bytes
            region.address = self._stack.enter_context(self.runtime.borrow(num_bytes))
            if num_bytes:
                self.runtime.copy(region.address, region.array.address, num_bytes, HOST_TO_DEVICE)

    def resolve(self, values: list[Value | _Region]) -> list[Value]:
        """Replace arrays by their device addresses."""
        return [
            ctypes.c_void_p(each.address) if isinstance(each, _Region) else each for each in values
        ]

    def copy_out(self) -> None:
        for region in self._regions.values():
            if region.is_written and region.array.num_bytes:
                array = region.array
                self.runtime.copy(array.address, region.address, array.num_bytes, DEVICE_TO_HOST)


def _overlap(one: HostArray, other: HostArray) -> bool:
    return (
        one.address < other.address + other.num_bytes
        and other.address < one.address + one.num_bytes
    )


@dataclass(frozen=True, slots=True)
class _Place:
    """One kernel parameter, which converts its argument and words error messages."""

    kernel: Kernel
    number: int

    def __str__(self) -> str:
        names = self.kernel.names
        declared = f" ({names[self.number]})" if names else ""
        return f"{self.kernel.entry.name}: argument {self.number + 1}{declared}"

    @property
    def parameter(self) -> Parameter:
        return self.kernel.entry.parameters[self.number]

    def convert(self, argument: object, transfer: _Transfer) -> Value | _Region:
        """Convert an argument to a ctypes value, or to an array to be copied first."""
        letter = self.parameter.letter
        if letter == "p":
            return self._pointer(argument, transfer)
        if letter == "s":
            return self._structure(argument)
        if getattr(argument, "ndim", None) == 0 and hasattr(argument, "item"):
            argument = argument.item()  # a scalar of NumPy or torch
        return self._floating(argument) if letter == "f" else self._integer(argument)

    def _wants(self, argument: object, wanted: str) -> TypeError:
        came = type(argument).__name__
        return TypeError(f"{self} is {came}; expected {wanted}.")

    def _integer(self, argument: object) -> Value:
        parameter = self.parameter
        bits = 8 * parameter.size
        if parameter.letter == "b":
            if not isinstance(argument, bool):
                raise self._wants(argument, "a bool")
            return ctypes.c_bool(argument)
        name = f"{_NAMES[parameter.letter]}{bits}"
        try:
            number = operator.index(argument)  # type: ignore[arg-type]
        except TypeError:
            raise self._wants(argument, f"a whole number ({name})") from None
        is_signed = parameter.letter == "i"
        least = -(1 << bits - 1) if is_signed else 0
        most = (1 << bits - is_signed) - 1
        if not least <= number <= most:
            raise ValueError(f"{self} is {number}; expected {least} to {most} ({name}).")
        # ctypes keeps the bits, which are the same for signed and unsigned types.
        return _INTEGERS[parameter.size](number)

    def _floating(self, argument: object) -> Value:
        size = self.parameter.size
        if isinstance(argument, bool) or not isinstance(argument, (int, float)):
            raise self._wants(argument, f"a number (float{8 * size})")
        number = float(argument)
        if size == 4 and math.isfinite(number):
            try:
                struct.pack("<f", number)  # the native format gives infinity instead
            except OverflowError:
                raise ValueError(f"{self} is {number}; that is too large for float32.") from None
        return _FLOATS[size](number)

    def _structure(self, argument: object) -> Value:
        size = self.parameter.size
        wanted = f"{size} bytes (of struct.pack, a ctypes.Structure or a scalar of NumPy)"
        try:
            view = memoryview(argument)  # type: ignore[arg-type]
        except TypeError:
            raise self._wants(argument, wanted) from None
        if view.nbytes != size:
            raise ValueError(f"{self} has {view.nbytes} bytes; expected {wanted}.")
        return ctypes.create_string_buffer(view.tobytes(), size)

    def _pointer(self, argument: object, transfer: _Transfer) -> Value | _Region:
        if argument is None:
            return ctypes.c_void_p()
        if isinstance(argument, DeviceArray):
            if argument.runtime is not transfer.runtime:
                here, there = transfer.runtime.build.value, argument.runtime.build.value
                raise ValueError(
                    f"{self} lies in the memory of the {there} build, and the module is of the "
                    f"{here} build; use cudasim.to_device(..., check={here == 'check'})."
                )
            self._judge_dtype(argument.dtype, argument.nbytes)
            return ctypes.c_void_p(argument.address)
        wanted = f"an array of {self._pointee()}"
        try:
            array = look_at(argument)
        except TypeError as error:
            raise TypeError(f"{self} is {type(argument).__name__}: {error}.") from None
        if array is None:
            raise self._wants(argument, wanted)
        self._judge_dtype(array.dtype, array.num_bytes)
        if not array.is_contiguous:
            raise ValueError(f"{self} is not contiguous; pass a contiguous copy of it.")
        is_written = not self.parameter.is_constant
        if is_written and array.is_readonly:
            raise ValueError(
                f"{self} is read-only, and the parameter is not const; make it const, or pass an "
                "array that can be written."
            )
        return transfer.add(array, self, is_written=is_written)

    def _pointee(self) -> str:
        parameter = self.parameter
        if parameter.pointee in _NAMES:
            bits = "" if parameter.pointee == "b" else str(8 * parameter.pointee_size)
            return f"{_NAMES[parameter.pointee]}{bits}"
        return f"{parameter.pointee_size}-byte values" if parameter.pointee_size else "any type"

    def _judge_dtype(self, dtype: str, num_bytes: int) -> None:
        kind, itemsize = dtype[1], itemsize_of(dtype)
        pointee, size = self.parameter.pointee, self.parameter.pointee_size
        if pointee == "v" or size == 0:
            fits = kind != "O"
        elif pointee in ("s", "p"):
            # float4 is given as floats, half as any 2-byte type, a structure as its bytes.
            fits = size % itemsize == 0 and num_bytes % size == 0 and kind != "O"
        elif size == 1 and pointee != "b":
            fits = itemsize == 1 and kind in "iuSV"  # char may be signed or not
        else:
            fits = kind == pointee and itemsize == size
        if not fits or is_swapped(dtype):
            raise TypeError(
                f"{self} is an array of {name_dtype(dtype)}; expected an array of "
                f"{self._pointee()}."
            )
