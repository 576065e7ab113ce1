"""Read the activity that CUPTI and the OS runtime recorded: device work and host calls.

Each table becomes columns in nanoseconds. Names are converted to those of the PyTorch profiler, so
that rules use one vocabulary: ``cudaLaunchKernel`` for ``cudaLaunchKernel_v7000``, and ``Memcpy
HtoD (Pageable -> Device)`` for a copy of kind 1 from memory of kind 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from torchstone.doctor.events import NONE, Bools, Ints
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.read.kinds import Kind, kind_of, kind_of_call
from torchstone.doctor.read.nsys_tables import MISSING, Tables

# The low bits of a global id are the thread's; the bits above are the process's.
PROCESS_SHIFT = 24
# Machines have fewer devices; a larger number is damaged.
_MOST_DEVICES = 4096
# Reports last hours at most. Times further away from the others are damaged.
_FAR_NS = 7 * 86_400 * 1_000_000_000
_PREFIX = "CUPTI_ACTIVITY_KIND_"
_API_VERSION = re.compile(r"(_ptsz|_ptds)?_v\d{4,5}$|(_ptsz|_ptds)$")
# Kinds of copies and of memory, for files without tables of names.
_COPY_KINDS = {
    **{1: "HTOD", 2: "DTOH", 3: "HTOA", 4: "ATOH", 5: "ATOA", 6: "ATOD", 7: "DTOA", 8: "DTOD"},
    **{9: "HTOH", 10: "PTOP", 11: "UVM_HTOD", 12: "UVM_DTOH", 13: "UVM_DTOD"},
}
_MEMORY_KINDS = {
    **{0: "PAGEABLE", 1: "PINNED", 2: "DEVICE", 3: "ARRAY", 4: "MANAGED", 5: "DEVICE_STATIC"},
    **{6: "MANAGED_STATIC", 7: "UNKNOWN"},
}
_HOST_TO_HOST = "HTOH"
_WAY = re.compile(r"([HDAP])TO([HDAP])$")
# Calls that read or write a file, a pipe or a socket.
_IO = re.compile(
    r"^(p?(read|write)v?2?(64)?|f(read|write|flush|sync|datasync|close)|msync|sync_file_range"
    r"|sendfile(64)?|splice|recv(from|m?msg)?|send(to|m?msg)?)$"
)
# Calls in which a thread sleeps until another thread or a timer wakes it.
_WAIT = re.compile(
    r"^(p?poll|p?select|epoll_p?wait2?|(sem|pthread_cond)_(timed|clock)?wait|pthread_join"
    r"|(clock_)?nanosleep|u?sleep|wait(pid|id|3|4)?|sigwait(info)?|futex)$"
)
# The host waits for an event, a stream or a context; 2 is a stream that waits.
_HOST_WAITS = (1, 3, 4)


@dataclass(slots=True, kw_only=True)
class Piece:
    """Rows of one table; missing values are ``NONE``.

    Attributes:
        begin: Start in nanoseconds.
        end: End in nanoseconds.
        kind: Kind of each event.
        name: Index of the name.
        process: Process id, as in the file.
        lane: Thread, or stream of a device.
        device: Device; ``NONE`` on the host.
        columns: Further columns of ``Events``, by name.
    """

    begin: Ints
    end: Ints
    kind: npt.NDArray[np.int8]
    name: Ints
    process: Ints
    lane: Ints
    device: Ints
    columns: dict[str, Ints] = field(default_factory=dict)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.begin)

    def only(self, is_kept: Bools) -> Piece:
        """Return a subset of the rows."""
        return Piece(
            begin=self.begin[is_kept],
            end=self.end[is_kept],
            kind=self.kind[is_kept],
            name=self.name[is_kept],
            process=self.process[is_kept],
            lane=self.lane[is_kept],
            device=self.device[is_kept],
            columns={name: column[is_kept] for name, column in self.columns.items()},
        )


class Names(dict[str, int]):
    """Dictionary that numbers names in order of first use."""

    def __missing__(self, name: str) -> int:
        """Assign the next number."""
        self[name] = number = len(self)
        return number


def device_pieces(tables: Tables, names: Names) -> list[Piece]:
    """Return device activity: kernels, copies, and graphs recorded as a whole."""
    pieces = [_kernels(tables, names), _copies(tables, names), _memsets(tables, names)]
    if has_graphs(tables):
        found = _columns(tables, "GRAPH_TRACE", "graphId")
        pieces.append(_on_device(found, _same(found, names["CUDA graph"]), Kind.KERNEL))
    return pieces


def has_graphs(tables: Tables) -> bool:
    """Return whether graphs are recorded as a whole, without their kernels."""
    return _PREFIX + "GRAPH_TRACE" in tables


def call_piece(tables: Tables, names: Names) -> Piece:
    """Return the calls of the runtime and the driver."""
    found = tables.numbers(
        _PREFIX + "RUNTIME", "start", "end", "globalTid", "correlationId", "nameId"
    )
    name, kind = _named(tables, names, found["nameId"], kind_of_call, is_versioned=True)
    return _on_host(found, name, kind, correlation=_or_none(found["correlationId"]))


def wait_piece(tables: Tables, names: Names) -> Piece:
    """Return the host's waits for a device, for files without calls."""
    found = tables.numbers(_PREFIX + "SYNCHRONIZATION", "start", "end", "globalPid", "syncType")
    pid = (found["globalPid"] >> PROCESS_SHIFT) & 0xFFFFFF
    # The waiting thread is not recorded; the main thread has the id of its process.
    found["globalTid"] = np.where(
        found["globalPid"] == MISSING, MISSING, found["globalPid"] | np.maximum(pid, 0)
    )
    kind = np.full(len(pid), Kind.SYNC, dtype=np.int8)
    piece = _on_host(found, _same(found, names["cudaStreamSynchronize"]), kind)
    return piece.only(np.isin(found["syncType"], _HOST_WAITS))


def io_piece(tables: Tables, names: Names, calls: Piece) -> Piece:
    """Return the OS calls that read, write or wait for data.

    OS calls within a driver call belong to that call.
    """
    found = tables.numbers("OSRT_API", "start", "end", "globalTid", "nameId")
    name, kind = _named(
        *(tables, names, found["nameId"]),
        lambda text: Kind.IO if _IO.search(text) or is_wait(text) else Kind.OTHER,
    )
    piece = _on_host(found, name, kind)
    piece = piece.only(piece.kind == Kind.IO)
    inside = np.zeros(len(piece), dtype=np.bool_)
    for lane in np.unique(piece.lane):
        on, of = np.flatnonzero(piece.lane == lane), calls.lane == lane
        base = piece.begin[on].min()
        done = Intervals(_since(calls.begin[of], base), _since(calls.end[of], base))
        begins, ends = _since(piece.begin[on], base), _since(piece.end[on], base)
        inside[on] = done.within(begins, ends) >= ends - begins
    return piece.only(~inside)


def is_wait(name: str) -> bool:
    """Return whether a thread sleeps in an OS call."""
    return _WAIT.search(name) is not None


def sane(piece: Piece, middle: int) -> Piece:
    """Return the rows with ordered times near a reference time, and valid devices."""
    is_known = (piece.begin > MISSING) & (piece.end > MISSING) & (piece.end >= piece.begin)
    is_known &= piece.device < _MOST_DEVICES
    low, high = middle - _FAR_NS, middle + _FAR_NS
    return piece.only(is_known & (piece.begin >= low) & (piece.end <= high))


def middle_of(pieces: list[Piece]) -> int:
    """Return a time in the middle of the recording."""
    known = [piece.begin[piece.begin > MISSING] for piece in pieces]
    # The lower median; the mean of two middle values could overflow.
    joined = np.sort(np.concatenate(known)) if known else np.zeros(0, dtype=np.int64)
    middle = int(joined[len(joined) // 2]) if len(joined) else 0
    return max(MISSING // 2, min(-MISSING // 2, middle))


def _kernels(tables: Tables, names: Names) -> Piece:
    found = _columns(tables, "KERNEL", "demangledName", "shortName")
    name = np.where(found["demangledName"] == MISSING, found["shortName"], found["demangledName"])
    number, kind = _named(tables, names, name, lambda text: kind_of("kernel", text))
    return _on_device(found, number, kind)


def _copies(tables: Tables, names: Names) -> Piece:
    found = _columns(tables, "MEMCPY", "bytes", "copyKind", "srcKind", "dstKind")
    ways = _kinds(tables, "ENUM_CUDA_MEMCPY_OPER", _COPY_KINDS)
    places = _kinds(tables, "ENUM_CUDA_MEM_KIND", _MEMORY_KINDS)
    keys = np.stack([found["copyKind"], found["srcKind"], found["dstKind"]], axis=1)
    unique, at = np.unique(keys, axis=0, return_inverse=True)
    texts = [
        _copy_name(ways.get(way, ""), places.get(source, ""), places.get(target, ""))
        for way, source, target in unique.tolist()
    ]
    numbers = np.array([names[text] for text in texts], dtype=np.int64)
    kinds = np.array([kind_of("gpu_memcpy", text) for text in texts], dtype=np.int8)
    is_within = np.array([ways.get(way) == _HOST_TO_HOST for way in unique[:, 0].tolist()], bool)
    at = at.reshape(-1)
    piece = _on_device(found, numbers[at], kinds[at], size=_or_none(found["bytes"]))
    # A copy within host memory does not use a device.
    return piece.only(~is_within[at])


def _copy_name(way: str, source: str, target: str) -> str:
    """Return the name that the PyTorch profiler gives to a copy."""
    found = _WAY.search(way)
    # If the direction is not recorded, it follows from the memory kinds.
    first, last = found.groups() if found else (_side(source), _side(target))
    return (
        f"Memcpy {first.replace('A', 'D')}to{last.replace('A', 'D')}"
        f" ({_place(source, first)} -> {_place(target, last)})"
    )


def _side(kind: str) -> str:
    return "H" if kind in ("PAGEABLE", "PINNED") else "D"


def _place(kind: str, side: str) -> str:
    # Pageable memory is a finding, so it is never assumed.
    return kind.split("_")[0].capitalize() or ("Unknown" if side == "H" else "Device")


def _memsets(tables: Tables, names: Names) -> Piece:
    found = _columns(tables, "MEMSET", "bytes")
    kind = kind_of("gpu_memset", "Memset (Device)")
    name = _same(found, names["Memset (Device)"])
    return _on_device(found, name, kind, size=_or_none(found["bytes"]))


def _columns(tables: Tables, table: str, *others: str) -> dict[str, Ints]:
    usual = ("start", "end", "deviceId", "streamId", "correlationId", "globalPid")
    return tables.numbers(_PREFIX + table, *usual, *others)


def _on_device(
    found: dict[str, Ints], name: Ints, kind: Kind | npt.NDArray[np.int8], **columns: Ints
) -> Piece:
    return Piece(
        begin=found["start"],
        end=found["end"],
        kind=np.broadcast_to(np.asarray(kind, dtype=np.int8), name.shape),
        name=name,
        process=_process(found["globalPid"]),
        lane=_or_none(found["streamId"]),
        device=np.maximum(_or_none(found["deviceId"]), 0),
        columns={"correlation": _or_none(found["correlationId"]), **columns},
    )


def _on_host(
    found: dict[str, Ints], name: Ints, kind: npt.NDArray[np.int8], **columns: Ints
) -> Piece:
    return Piece(
        begin=found["start"],
        end=found["end"],
        kind=kind,
        name=name,
        process=_process(found["globalTid"]),
        lane=_or_none(found["globalTid"]),
        device=np.full(len(name), NONE),
        columns=columns,
    )


def _named(
    tables: Tables,
    names: Names,
    numbers: Ints,
    kind_of_name: Callable[[str], Kind],
    *,
    is_versioned: bool = False,
) -> tuple[Ints, npt.NDArray[np.int8]]:
    """Return name indices for ids of the file, and the names."""
    unique, at = np.unique(numbers, return_inverse=True)
    told = tables.strings(unique)
    texts = [told.get(number, "") for number in unique.tolist()]
    if is_versioned:
        texts = [_API_VERSION.sub("", text) for text in texts]
    found = np.array([names[text] for text in texts], dtype=np.int64)
    kinds = np.array([kind_of_name(text) for text in texts], dtype=np.int8)
    at = at.reshape(-1)
    return found[at], kinds[at]


def _kinds(tables: Tables, table: str, usual: dict[int, str]) -> dict[int, str]:
    """Return the last words of an enumeration's names."""
    told = tables.labels(table)
    return {number: re.sub(r"^.*_KIND_", "", name) for number, name in told.items()} or usual


def _process(numbers: Ints) -> Ints:
    return np.where(numbers <= 0, NONE, numbers >> PROCESS_SHIFT)


def _or_none(numbers: Ints) -> Ints:
    return np.where(numbers == MISSING, NONE, numbers)


def _same(found: dict[str, Any], number: int) -> Ints:
    return np.full(len(found["start"]), number, dtype=np.int64)


def _since(times: Ints, base: int) -> npt.NDArray[np.float64]:
    return (times - base).astype(np.float64)
