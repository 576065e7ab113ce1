"""Memory layout for fork: fewer pages held, fewer page tables to copy, fewer page faults."""

from __future__ import annotations

import ctypes

from .libc import LIBC

_HUGE = 2 << 20
_MADV_DONTNEED = 4
_MADV_HUGEPAGE = 14
_MADV_COLLAPSE = 25
_M_TRIM_THRESHOLD, _M_TOP_PAD, _M_MMAP_THRESHOLD, _M_PERTURB = -1, -2, -3, -6
# Anything but 0, whose lowest byte is 0: what is handed out holds the complement of that byte.
_FILL_WITH_ONES = 0x100

_madvise = LIBC.madvise
_madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
_malloc, _free = LIBC.malloc, LIBC.free
_malloc.argtypes, _malloc.restype = [ctypes.c_size_t], ctypes.c_size_t
_free.argtypes, _free.restype = [ctypes.c_size_t], None
# None where the C library has no such call.
_malloc_trim = getattr(LIBC, "malloc_trim", None)
_mallopt = getattr(LIBC, "mallopt", None)


def trim() -> None:
    """Return freed memory to the kernel."""
    if _malloc_trim is not None:
        _malloc_trim(0)


def release_files() -> int:
    """Unmap the unmodified pages of mapped files; return how many bytes were resident.

    To import torch runs code that is not needed again: most of its libraries would stay resident.
    What is read again comes from the page cache, with a minor fault; a fork copies no page table
    of such memory in any case.
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
        # A relocated or otherwise modified page of the file is anonymous, and would be lost.
        elif key == "Anonymous:" and rest[0] == "0" and area[1] and resident:
            start, end = area
            if _madvise(start, end - start, _MADV_DONTNEED) == 0:
                num_bytes += resident
    return num_bytes


def collapse() -> int:
    """Collapse private writable memory of this process into huge pages; return how many there are.

    A fork copies one entry for a huge page instead of 512, and as many fewer go when it ends; a
    write afterwards still copies 4 KiB only. Where the kernel cannot (before Linux 6.1, or with
    huge pages off) nothing happens.
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
    """Extend the heap by memory that is untouched yet, and let it come in huge pages.

    The tensors of the forks are allocated there: one page fault for each 2 MiB instead of 512, and
    no copy of a page that only looks used because it was freed before the fork.

    Args:
        num_bytes: Less than what malloc would map apart from the heap.
    """
    begin = _malloc(num_bytes)
    _free(begin)
    first = -(-begin // _HUGE) * _HUGE
    _madvise(first, (begin + num_bytes - first) // _HUGE * _HUGE, _MADV_HUGEPAGE)


def fill_blocks() -> None:
    """Let malloc fill what it hands out with ones: NaN in every floating dtype, -1 in integers.

    The memory of a new process is mostly zero. A program that adds into ``torch.empty`` would be
    right there, and wrong in the process of its user. Where the C library cannot fill, what was
    there stays.
    """
    if _mallopt is not None:
        _mallopt(_M_PERTURB, _FILL_WITH_ONES)


def map_large_blocks(num_bytes: int = 32 << 10) -> None:
    """Let malloc map blocks of this size apart, and return every freed block to the kernel.

    The resident memory of the process is then what is alive, to a block or two. Without it the heap
    keeps what was freed, and the peak depends on the order in which blocks were freed.

    Raises:
        OSError: The C library refuses it, so that a peak would mean nothing.
    """
    options = {
        _M_MMAP_THRESHOLD: num_bytes,
        _M_TRIM_THRESHOLD: num_bytes,
        _M_TOP_PAD: num_bytes,
    }
    if _mallopt is None or not all(_mallopt(*option) for option in options.items()):
        raise OSError("malloc does not map large blocks apart; the peak memory has no meaning")
    # The room that `make_room` left would serve large blocks as well.
    trim()
