"""Memory layout for fork: fewer resident pages, page table entries to copy, and page faults."""

from __future__ import annotations

import ctypes

from ..confinement.libc import LIBC

_HUGE = 2 << 20
_MADV_DONTNEED = 4
_MADV_HUGEPAGE = 14
_MADV_COLLAPSE = 25
_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD, _M_PERTURB = -1, -2, -3, -6
# A nonzero value whose lowest byte is 0: malloc fills memory with the complement of that byte.
_FILL_WITH_ONES = 0x100

_madvise = LIBC.madvise
_madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_malloc, _free = LIBC.malloc, LIBC.free
_malloc.argtypes, _malloc.restype = [ctypes.c_size_t], ctypes.c_size_t
_free.argtypes, _free.restype = [ctypes.c_size_t], None
# None where the C library has no such function.
_malloc_trim = getattr(LIBC, "malloc_trim", None)
_mallopt = getattr(LIBC, "mallopt", None)


def trim() -> None:
    """Return freed memory to the kernel."""
    if _malloc_trim is not None:
        _malloc_trim(0)


def release_files() -> int:
    """Unmap the unmodified pages of mapped files; return the number of bytes that were resident.

    Importing torch runs much code once, and most of its libraries would stay resident. Pages that
    are read again come from the page cache with a minor fault; a fork copies no page table of file
    mappings in any case.
    """
    num_bytes = 0
    area, resident = (0, 0), 0
    with open("/proc/self/smaps") as file:
        lines = file.readlines()
    for line in lines:
        key, *rest = line.split(maxsplit=5)
        if not key.endswith(":"):
            access, _, _, inode = rest[:4]
            is_file = access[1] == "-" and access[3] == "p" and inode != "0"
            start, end = (int(each, 16) for each in key.split("-"))
            area, resident = ((start, end) if is_file else (0, 0)), 0
        elif key == "Rss:":
            resident = int(rest[0]) << 10
        # A relocated or otherwise modified page of a file is anonymous and would be lost.
        elif key == "Anonymous:" and rest[0] == "0" and area[1] and resident:
            start, end = area
            if _madvise(start, end - start, _MADV_DONTNEED) == 0:
                num_bytes += resident
    return num_bytes


def collapse() -> int:
    """Collapse private writable memory into huge pages; return their number.

    A fork copies one page table entry for a huge page instead of 512; a later write still copies
    only 4 KiB. Where the kernel does not support it (before Linux 6.1, or with huge pages off),
    nothing happens.
    """
    count = 0
    with open("/proc/self/maps") as file:
        lines = file.readlines()
    for line in lines:
        area, access, _, _, inode, *name = line.split(maxsplit=5)
        if access != "rw-p" or inode != "0" or (name and name[0].startswith("[stack")):
            continue
        start, end = (int(each, 16) for each in area.split("-"))
        for at in range(-(-start // _HUGE) * _HUGE, end - _HUGE + 1, _HUGE):
            count += _madvise(at, _HUGE, _MADV_COLLAPSE) == 0
    return count


def make_room(num_bytes: int) -> None:
    """Extend the heap by untouched memory that is backed by huge pages.

    Forks allocate their tensors there: one page fault for each 2 MiB instead of 512, and no copies
    of pages that were freed before the fork.

    Args:
        num_bytes: Size in bytes, below malloc's threshold for separate mappings.
    """
    begin = _malloc(num_bytes)
    _free(begin)
    first = -(-begin // _HUGE) * _HUGE
    _madvise(first, (begin + num_bytes - first) // _HUGE * _HUGE, _MADV_HUGEPAGE)


def fill_blocks() -> None:
    """Make malloc fill allocated memory with ones: NaN in floating dtypes, -1 in integers.

    The memory of a new process is mostly zero, so a program that accumulates into ``torch.empty``
    would pass here and fail in its user's process. Where the C library cannot fill, memory stays
    unchanged.
    """
    if _mallopt is not None:
        _mallopt(_M_PERTURB, _FILL_WITH_ONES)


def map_large_blocks(num_bytes: int = 32 << 10) -> None:
    """Make malloc map blocks of this size separately and return freed blocks to the kernel.

    The resident memory of the process is then its live memory, to within a block or two. Otherwise
    the heap keeps freed memory, and the peak depends on the order in which blocks are freed.

    Raises:
        OSError: The C library refuses it, so that peak memory would have no meaning.
    """
    options = {
        _M_MMAP_THRESHOLD: num_bytes,
        _M_TRIM_THRESHOLD: num_bytes,
        _M_TOP_PAD: num_bytes,
    }
    if _mallopt is None or not all(_mallopt(*option) for option in options.items()):
        raise OSError("malloc does not map large blocks apart; the peak memory has no meaning")
    # Memory reserved by `make_room` would also serve large blocks.
    trim()
