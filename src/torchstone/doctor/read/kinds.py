"""Kinds of events: classification of an event's time, for all schemas and vendors."""

from __future__ import annotations

import re
from enum import IntEnum


class Kind(IntEnum):
    """Kind of an event.

    The first five run on a device. Among host kinds, a lower number has priority in the explanation
    of a gap. A ``COLLECTIVE`` runs on the host itself, as with gloo, on a separate thread.
    """

    KERNEL = 0
    COMMUNICATION = 1
    COPY_H2D = 2
    COPY_D2H = 3
    COPY_D2D = 4
    LOADER = 5
    SYNC = 6
    ALLOC = 7
    GC = 8
    IO = 9
    LAUNCH = 10
    OPERATOR = 11
    PYTHON = 12
    STEP = 13
    OPTIMIZER = 14
    ANNOTATION = 15
    OTHER = 16
    COLLECTIVE = 17


ON_DEVICE = (Kind.KERNEL, Kind.COMMUNICATION, Kind.COPY_H2D, Kind.COPY_D2H, Kind.COPY_D2D)
COPIES = (Kind.COPY_H2D, Kind.COPY_D2H, Kind.COPY_D2D)
# Host kinds that explain a gap, in order of priority.
EXPLAINING = (
    Kind.LOADER,
    Kind.SYNC,
    Kind.ALLOC,
    Kind.GC,
    Kind.IO,
    Kind.LAUNCH,
    Kind.OPERATOR,
    Kind.PYTHON,
)

_KERNELS = {"kernel", "Kernel", "Concurrent Kernel"}
_COPIES = {"gpu_memcpy", "Memcpy", "gpu_memset", "Memset"}
_VENDORS = ("cuda", "hip", "xpu", "mtia", "privateuse1")
_CALLS = {f"{vendor}_{side}" for vendor in _VENDORS for side in ("runtime", "driver")} | {"Runtime"}
_OPERATORS = {"cpu_op", "Operator"}
_ANNOTATIONS = {"user_annotation", "Operator", None}
_STACKS = {"python_function", "Python"}

_COLLECTIVE = re.compile(
    r"nccl|rccl|mscclpp?|AllReduce|AllGather|ReduceScatter|all_?reduce_kernel|cross_device_reduce"
    r"|one_?shot_|two_?shot_",
    re.IGNORECASE,
)
_SYNC = re.compile(
    r"^(cuda|hip|cu)(Device|Stream|Event|Ctx)Synchronize|^(cuda|hip)(Memcpy|MemcpyWithStream)$"
    r"|^(cuda|hip)Memcpy(2D|3D)?$|^cuMemcpy(DtoH|HtoD)(_v\d)?$"
)
_ALLOC = re.compile(
    r"^(cuda|hip)(Malloc|Free|HostAlloc|HostFree|HostMalloc|ExtMalloc|FreeHost|HostRegister)"
    r"|^cuMem(Alloc|Free|Create|Map|Unmap|Release|SetAccess|AddressReserve)"
)
_STEP = re.compile(r"^ProfilerStep\s*#\d+$")
_LOADER = re.compile(r"DataLoader.*__next__|^(enumerate|iter)\(DataLoader\)")
# Workers are started by ``__iter__``, and joined when their iterator is deleted.
_LOADER_FRAME = re.compile(
    r"(^|/)torch/utils/data/dataloader\.py\(\d+\): (__next__|__iter__|_shutdown_workers)$"
)
_WRITERS = (
    r"save|save_file|save_pretrained|save_checkpoint|save_image|savez|savez_compressed|savetxt"
    r"|imsave|imwrite|to_csv|to_parquet|fsync"
)
# Writes to memory do not wait for a disk.
_IO_FRAME = re.compile(
    r"<built-in (function|method) (fsync|fdatasync|write|flush|print)\b"
    rf"(?! of _io\.(BytesIO|StringIO))|\(\d+\): ({_WRITERS})$"
)
_EXCHANGE = re.compile(r"^(gloo|mpi|ucc):")
_GC = re.compile(r"^(Python GC|gc[:.]|<built-in function collect>)|\bgc\.collect\b")


def kind_of(category: str | None, name: str) -> Kind:
    """Return the kind of an event by category and name."""
    if category in _KERNELS:
        return Kind.COMMUNICATION if _COLLECTIVE.search(name) else Kind.KERNEL
    if category in _COPIES:
        return _kind_of_copy(name)
    if category in _CALLS:
        return kind_of_call(name)
    if category in _STACKS:
        return _kind_of_frame(name)
    if category in ("python_gc", "gc"):
        return Kind.GC
    if _STEP.match(name) and category in _ANNOTATIONS:
        return Kind.STEP
    if category in _OPERATORS or category == "user_annotation":
        return _kind_on_host(name, is_operator=category != "user_annotation")
    return Kind.OTHER


def kind_of_call(name: str) -> Kind:
    """Return the kind of a CUDA or HIP runtime or driver call."""
    if _SYNC.search(name):
        return Kind.SYNC
    # Calls that neither wait nor allocate enqueue work, or prepare it.
    return Kind.ALLOC if _ALLOC.search(name) else Kind.LAUNCH


def _kind_of_copy(name: str) -> Kind:
    if "HtoD" in name or "HostToDevice" in name or "CopyHostToDevice" in name:
        return Kind.COPY_H2D
    if "DtoH" in name or "DeviceToHost" in name or "CopyDeviceToHost" in name:
        return Kind.COPY_D2H
    return Kind.COPY_D2D


def _kind_of_frame(name: str) -> Kind:
    if _LOADER_FRAME.search(name):
        return Kind.LOADER
    if _GC.search(name):
        return Kind.GC
    return Kind.IO if _IO_FRAME.search(name) else Kind.PYTHON


def _kind_on_host(name: str, *, is_operator: bool) -> Kind:
    if _LOADER.search(name):
        return Kind.LOADER
    if name.startswith(("Optimizer.step", "Optimizer.zero_grad")):
        return Kind.OPTIMIZER
    if _GC.search(name):
        return Kind.GC
    if _EXCHANGE.search(name):
        return Kind.COLLECTIVE
    return Kind.OPERATOR if is_operator else Kind.ANNOTATION
