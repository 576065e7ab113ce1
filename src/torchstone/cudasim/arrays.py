"""Host arrays without a copy, and device arrays in the simulator's memory."""

import ctypes
import math
import operator
import re
import sys
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torchstone.cudasim.library import DEVICE_TO_HOST, HOST_TO_DEVICE, Runtime, load_runtime
from torchstone.cudasim.toolchain import Build, find_toolchain

_NATIVE = "<" if sys.byteorder == "little" else ">"
_KINDS = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
_FORMATS = {
    **dict.fromkeys("bhilqn", "i"),
    **dict.fromkeys("BHILQN", "u"),
    **dict.fromkeys("efdg", "f"),
    **dict.fromkeys(("Zf", "Zd"), "c"),
    "?": "b",
    "c": "S",
    "O": "O",
}
_DLPACK_KINDS = {0: "i", 1: "u", 2: "f", 4: "V", 5: "c", 6: "b"}
_DLPACK_CPU = (1, 3)  # host memory, and pinned host memory
_BY_KIND = {"b": {1: "?"}, "f": {4: "f", 8: "d"}, "i": {1: "b", 2: "h", 4: "i", 8: "q"},
            "u": {1: "B", 2: "H", 4: "I", 8: "Q"}}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class HostArray:
    """Address and layout of a host array.

    Attributes:
        address: The address of the first byte.
        shape: The shape.
        dtype: The type as ``__array_interface__`` spells it: "<f4".
        strides: Bytes from one element to the next along each dimension; None if C-contiguous.
        is_readonly: Whether the memory is read-only.
        owner: The object that keeps the memory alive.
    """

    address: int
    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...] | None
    is_readonly: bool
    owner: object

    @property
    def num_bytes(self) -> int:
        """Return the number of bytes of all elements."""
        return math.prod(self.shape) * itemsize_of(self.dtype)

    @property
    def is_contiguous(self) -> bool:
        """Return whether the array is C-contiguous."""
        if self.strides is None or 0 in self.shape:
            return True
        wanted = itemsize_of(self.dtype)
        for size, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if size != 1 and stride != wanted:
                return False
            wanted *= size
        return True


def itemsize_of(dtype: str) -> int:
    """Return the number of bytes of an element.

    Raises:
        ValueError: ``dtype`` is not spelled as ``__array_interface__`` spells it.
    """
    if len(dtype) < 3 or dtype[0] not in "<>|=" or not dtype[2:].isascii():
        raise ValueError(f"dtype is {dtype!r}; expected a type such as '<f4', '<i8' or '|b1'.")
    try:
        return int(dtype[2:]) * (4 if dtype[1] == "U" else 1)
    except ValueError:
        raise ValueError(f"dtype is {dtype!r}; expected a type such as '<f4'.") from None


def name_dtype(dtype: str) -> str:
    """Return the readable name of a type, such as float32."""
    kind, size = dtype[1], itemsize_of(dtype)
    name = f"{_KINDS[kind]}{8 * size}" if kind in _KINDS else f"{size}-byte values"
    name = "bool" if name == "bool8" else name
    return f"{name} in the other byte order" if is_swapped(dtype) else name


def is_swapped(dtype: str) -> bool:
    """Return whether the byte order of an element is not the native one."""
    return dtype[0] in "<>" and dtype[0] != _NATIVE and itemsize_of(dtype) > 1


def look_at(value: object) -> HostArray | None:
    """Describe an array by the array interface, the buffer protocol or DLPack.

    Returns:
        Its address and layout; None if the value is no array.

    Raises:
        TypeError: The array is on another device, or does not expose its memory.
    """
    interface = getattr(value, "__array_interface__", None)
    if isinstance(interface, dict) and interface.get("data") is not None:
        address, is_readonly = interface["data"]
        strides = interface.get("strides")
        return HostArray(
            address=address or 0,
            shape=tuple(interface["shape"]),
            dtype=interface["typestr"],
            strides=None if strides is None else tuple(strides),
            is_readonly=bool(is_readonly),
            owner=value,
        )
    try:
        view = memoryview(value)  # type: ignore[arg-type]
    except TypeError:
        return _look_by_dlpack(value) if hasattr(value, "__dlpack__") else None
    except (BufferError, ValueError) as error:
        raise TypeError(f"it does not show its memory ({error})") from None
    return _look_by_buffer(view)


class _Buffer(ctypes.Structure):
    """ctypes mirror of ``Py_buffer``."""

    _fields_ = (
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("itemsize", ctypes.c_ssize_t),
        ("readonly", ctypes.c_int),
        ("ndim", ctypes.c_int),
        ("format", ctypes.c_char_p),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("suboffsets", ctypes.c_void_p),
        ("internal", ctypes.c_void_p),
    )


_FULL_READ_ONLY = 0x11C  # PyBUF_FULL_RO


def _look_by_buffer(view: memoryview) -> HostArray:
    buffer = _Buffer()
    api = ctypes.pythonapi
    api.PyObject_GetBuffer(ctypes.py_object(view), ctypes.byref(buffer), _FULL_READ_ONLY)
    address = buffer.buf or 0
    # The view keeps the memory alive; this second buffer was needed only for the address.
    api.PyBuffer_Release(ctypes.byref(buffer))
    order = {">": ">", "!": ">", "<": "<"}.get(view.format[:1], _NATIVE)
    kind = _FORMATS.get(view.format.lstrip("@=<>!"), "V")
    return HostArray(
        address=address,
        shape=tuple(view.shape or ()),
        dtype=f"{order if view.itemsize > 1 else '|'}{kind}{view.itemsize}",
        strides=None if view.c_contiguous else tuple(view.strides or ()),
        is_readonly=view.readonly,
        owner=view,
    )


class _DLTensor(ctypes.Structure):
    """ctypes mirror of ``DLTensor``."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


def _look_by_dlpack(value: Any) -> HostArray:
    device = int(value.__dlpack_device__()[0])
    if device not in _DLPACK_CPU:
        raise TypeError("it lies on another device; move it to the CPU first")
    try:
        capsule = value.__dlpack__()
    except (BufferError, RuntimeError, ValueError) as error:
        raise TypeError(f"it does not show its memory ({error})") from None
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    tensor = _DLTensor.from_address(get(capsule, b"dltensor"))
    itemsize = tensor.bits * tensor.lanes // 8
    kind = _DLPACK_KINDS.get(tensor.code, "V") if tensor.lanes == 1 else "V"
    strides = None
    if tensor.strides:
        strides = tuple(each * itemsize for each in tensor.strides[: tensor.ndim])
    return HostArray(
        address=(tensor.data or 0) + tensor.byte_offset,
        shape=tuple(tensor.shape[: tensor.ndim]),
        dtype=f"{_NATIVE if itemsize > 1 else '|'}{kind}{itemsize}",
        strides=strides,
        is_readonly=False,
        # Nothing has consumed the capsule, so it returns the tensor when it is freed.
        owner=(value, capsule),
    )


class DeviceArray:
    """Array in device memory; the memory is freed with the object.

    Attributes:
        address: The device address of the first byte.
        shape: The shape.
        dtype: The type as ``__array_interface__`` spells it.
        runtime: The runtime that owns the memory.
    """

    def __init__(self, runtime: Runtime, shape: tuple[int, ...], dtype: str) -> None:
        self.runtime = runtime
        self.shape = shape
        self.dtype = dtype
        self.address = runtime.allocate(self.nbytes)
        # ctypes passes this value when the array is an argument.
        self._as_parameter_ = ctypes.c_void_p(self.address)
        weakref.finalize(self, runtime.free, self.address)

    def __repr__(self) -> str:
        where = self.runtime.build.value
        return f"DeviceArray(shape={self.shape}, dtype={self.dtype!r}, build={where!r})"

    @property
    def nbytes(self) -> int:
        """Return the number of bytes of all elements."""
        return math.prod(self.shape) * itemsize_of(self.dtype)

    @property
    def __array_interface__(self) -> dict[str, object]:
        """Return the interface through which NumPy and others read the elements in place."""
        return {
            "version": 3,
            "shape": self.shape,
            "typestr": self.dtype,
            "data": (self.address, True),
            "strides": None,
        }

    def copy_from_host(self, source: object) -> None:
        """Copy a host array of the same number of bytes into this array.

        Raises:
            TypeError: The source is no array.
            ValueError: The source is not contiguous, or has another number of bytes.
        """
        host = _contiguous(source, "the source")
        if host.num_bytes != self.nbytes:
            raise ValueError(f"the source has {host.num_bytes} bytes, the array {self.nbytes}.")
        self.runtime.copy(self.address, host.address, self.nbytes, HOST_TO_DEVICE)

    def copy_to_host(self, out: Any = None) -> Any:
        """Copy the elements into a host array.

        Args:
            out: A contiguous array of the same number of bytes. By default, a new NumPy array if
                NumPy is imported, otherwise a ``memoryview`` (of bytes if it lacks the type).

        Returns:
            ``out``, or the new array.

        Raises:
            ValueError: ``out`` is not contiguous, is read-only, or has another number of bytes.
        """
        out = self._new_host_array() if out is None else out
        host = _contiguous(out, "out")
        if host.is_readonly or host.num_bytes != self.nbytes:
            raise ValueError(
                f"out has {host.num_bytes} bytes{' and is read-only' * host.is_readonly}; expected "
                f"{self.nbytes} writable bytes."
            )
        if self.nbytes:
            self.runtime.copy(host.address, self.address, self.nbytes, DEVICE_TO_HOST)
        return out

    def _new_host_array(self) -> Any:
        numpy = sys.modules.get("numpy")
        if numpy is not None:
            return numpy.empty(self.shape, self.dtype)
        flat = memoryview(bytearray(self.nbytes))
        code = _BY_KIND.get(self.dtype[1], {}).get(itemsize_of(self.dtype))
        if code is None or 0 in self.shape:
            return flat
        return flat.cast(code, self.shape) if self.shape else flat.cast(code)  # type: ignore[call-overload]


def _contiguous(value: object, name: str) -> HostArray:
    host = look_at(value)
    if host is None:
        raise TypeError(f"{name} is {type(value).__name__}; expected an array.")
    if not host.is_contiguous:
        raise ValueError(f"{name} is not contiguous; pass a contiguous copy.")
    return host


def to_device(source: object, *, check: bool = False) -> DeviceArray:
    """Copy an array to device memory.

    Args:
        source: Anything with the buffer protocol, ``__array_interface__`` or DLPack on the CPU.
        check: Whether the array is for modules of the check build; each build has its own memory.

    Raises:
        TypeError: ``source`` is no array.
        ValueError: ``source`` is not contiguous.
        MemoryError: The device memory is exhausted.
    """
    host = _contiguous(source, "the source")
    array = empty(host.shape, host.dtype, check=check)
    if array.nbytes:
        array.copy_from_host(source)
    return array


def empty(shape: int | Sequence[int], dtype: str | object, *, check: bool = False) -> DeviceArray:
    """Create an uninitialized array in device memory.

    Args:
        shape: The shape.
        dtype: The type: a string as in ``__array_interface__``, a name such as "float32", or a
            NumPy type.
        check: Whether the array is for modules of the check build; each build has its own memory.

    Raises:
        ValueError: A size is negative, or the type is unknown.
        MemoryError: The device memory is exhausted.
    """
    sizes = shape if isinstance(shape, Sequence) else (shape,)
    whole = tuple(operator.index(size) for size in sizes)
    if any(size < 0 for size in whole):
        raise ValueError(f"shape is {whole}; no size may be negative.")
    text = _spell_dtype(dtype)
    itemsize_of(text)
    build = Build.CHECK if check else Build.FAST
    return DeviceArray(load_runtime(find_toolchain(), build), whole, text)


def _spell_dtype(dtype: object) -> str:
    """Return a type in the spelling of ``__array_interface__``."""
    if not isinstance(dtype, str):
        numpy = sys.modules.get("numpy")
        return str(getattr(dtype, "str", None) or (numpy and numpy.dtype(dtype).str) or dtype)
    named = re.fullmatch(r"(bool|int|uint|float|complex)(\d*)", dtype)
    if named is None:
        return dtype
    kind, size = named[1][0], int(named[2] or 8) // 8
    return f"{_NATIVE if size > 1 else '|'}{kind}{size}"
