"""ctypes bindings of the simulator runtime and of built programs."""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchstone.cudasim.toolchain import Build, Toolchain

HOST_TO_DEVICE = 1
DEVICE_TO_HOST = 2
MEMORY_ALLOCATION = 2


class CParameter(ctypes.Structure):
    """ctypes mirror of ``cusim::Parameter``."""

    _fields_ = (
        ("letter", ctypes.c_char),
        ("pointee", ctypes.c_char),
        ("is_constant", ctypes.c_bool),
        ("size", ctypes.c_uint),
        ("pointee_size", ctypes.c_uint),
    )


class CKernelEntry(ctypes.Structure):
    """ctypes mirror of ``cusim::KernelEntry``."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("identity", ctypes.c_void_p),
        ("parameters", ctypes.POINTER(CParameter)),
        ("num_parameters", ctypes.c_uint),
        ("run", ctypes.c_void_p),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """Type of one kernel parameter.

    Attributes:
        letter: b bool, i signed, u unsigned, f floating point, p pointer, s structure.
        pointee: The letter of the type that a pointer points to; v is void.
        is_constant: Whether the pointer is read-only.
        size: The size of the value in bytes.
        pointee_size: The size in bytes of the type pointed to; 0 where unknown.
    """

    letter: str
    pointee: str
    is_constant: bool
    size: int
    pointee_size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Kernel that can be launched by name."""

    name: str
    pointer: Any
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Launch settings.

    Attributes:
        order: The order in which threads and blocks begin: 0 ascending, 1 descending, 2 random.
        seed: The seed of the random order.
        num_workers: The number of threads that share the blocks; 0 is one for each processor.
        watchdog_ms: The time limit of a kernel in milliseconds; 0 is no limit.
    """

    order: int
    seed: int
    num_workers: int
    watchdog_ms: int


class Runtime:
    """One of the two runtimes, with the memory of its device.

    Attributes:
        build: The build of the runtime.
        lock: Lock to hold from a launch until its result has been read.
    """

    def __init__(self, path: Path, build: Build) -> None:
        self.build = build
        self.lock = threading.RLock()
        self._programs: dict[Path, tuple[ctypes.CDLL, tuple[Entry, ...]]] = {}
        library = self._library = ctypes.CDLL(str(path))
        library.cusim_entry.restype = ctypes.POINTER(CKernelEntry)
        library.cusim_findings.restype = ctypes.c_char_p
        library.cusim_counters.restype = ctypes.c_char_p
        library.cudaGetErrorName.restype = ctypes.c_char_p
        library.cudaGetErrorString.restype = ctypes.c_char_p
        library.cusim_malloc.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_bool)
        library.cudaMemcpy.argtypes = (
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
        )  # fmt: skip
        library.cudaFree.argtypes = (ctypes.c_void_p,)
        library.cusim_run.argtypes = (
            ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_bool, ctypes.c_void_p,
        )  # fmt: skip
        library.cusim_configure.argtypes = (
            ctypes.c_int, ctypes.c_uint64, ctypes.c_uint, ctypes.c_uint,
        )  # fmt: skip

    def load(self, path: Path) -> tuple[ctypes.CDLL, tuple[Entry, ...]]:
        """Load a program, only once; return it with its kernels."""
        with self.lock:
            if path not in self._programs:
                before = self._library.cusim_num_entries()
                program = ctypes.CDLL(str(path))
                after = self._library.cusim_num_entries()
                entries = tuple(self._entry(number) for number in range(before, after))
                self._programs[path] = (program, entries)
            return self._programs[path]

    def _entry(self, number: int) -> Entry:
        pointer = self._library.cusim_entry(number)
        entry = pointer.contents
        parameters = tuple(
            Parameter(
                letter=each.letter.decode(),
                pointee=each.pointee.decode(),
                is_constant=each.is_constant,
                size=each.size,
                pointee_size=each.pointee_size,
            )
            for each in entry.parameters[: entry.num_parameters]
        )
        return Entry(name=entry.name.decode(), pointer=pointer, parameters=parameters)

    def configure(self, settings: Settings) -> None:
        """Set how later launches run."""
        self._library.cusim_configure(
            settings.order, settings.seed, settings.num_workers, settings.watchdog_ms
        )

    def run(
        self,
        entry: Entry,
        *,
        shape: tuple[int, ...],
        shared_bytes: int,
        cooperative: bool,
        values: ctypes.Array[ctypes.c_void_p],
    ) -> int:
        """Launch a kernel and wait for it; return the CUDA error code."""
        dimensions = (ctypes.c_uint * 6)(*shape)
        return int(
            self._library.cusim_run(entry.pointer, dimensions, shared_bytes, cooperative, values)
        )

    def allocate(self, num_bytes: int) -> int:
        """Allocate device memory; return its address, or 0 for no bytes.

        Raises:
            MemoryError: The device memory is exhausted.
        """
        address = ctypes.c_void_p()
        # A pending error of an earlier launch is unrelated to this allocation.
        self._library.cusim_forget_errors()
        if self._library.cusim_malloc(ctypes.byref(address), num_bytes, False):
            self._library.cusim_forget_errors()
            raise MemoryError(
                f"{num_bytes} bytes do not fit into the memory of the device; "
                "free something, or set CUSIM_MEMORY_BYTES before the first use."
            )
        return address.value or 0

    @contextmanager
    def borrow(self, num_bytes: int) -> Iterator[int]:
        """Allocate device memory until the block ends."""
        address = self.allocate(num_bytes)
        try:
            yield address
        finally:
            self.free(address)

    def free(self, address: int) -> None:
        """Free device memory."""
        self._library.cudaFree(address)

    def copy(self, to: int, source: int, num_bytes: int, kind: int) -> None:
        """Copy between host and device."""
        error = self._library.cudaMemcpy(to, source, num_bytes, kind)
        assert error == 0, f"a copy of {num_bytes} bytes fails: {self.name_error(error)}"

    def take_error(self) -> int:
        """Return the pending error, and clear it."""
        error = int(self._library.cudaPeekAtLastError())
        self._library.cusim_forget_errors()
        return error

    def name_error(self, error: int) -> str:
        """Return the name of an error as CUDA spells it."""
        return str(self._library.cudaGetErrorName(error).decode())

    def explain_error(self, error: int) -> str:
        """Return the description of an error as CUDA words it."""
        return str(self._library.cudaGetErrorString(error).decode())

    def take_findings(self) -> str:
        """Return the findings since the last call, as JSON."""
        text = self._library.cusim_findings().decode("utf-8", "replace")
        self._library.cusim_clear_findings()
        return str(text)

    def take_counters(self) -> str:
        """Return the counters since the last call, as JSON."""
        text = self._library.cusim_counters().decode("utf-8", "replace")
        self._library.cusim_clear_counters()
        return str(text)


_runtimes: dict[Path, Runtime] = {}
_lock = threading.Lock()


def load_runtime(toolchain: Toolchain, build: Build) -> Runtime:
    """Load a runtime, only once; build it if needed."""
    path = toolchain.runtime(build)
    with _lock:
        if path not in _runtimes:
            _runtimes[path] = Runtime(path, build)
        return _runtimes[path]
