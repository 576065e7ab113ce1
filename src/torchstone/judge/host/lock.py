"""Lock of a data folder, whose file also contains the address of the host.

The kernel releases a lock when its holder ends, so the content of the file is valid only while a
process holds the lock. A host writes its address when it listens, and clears it before it stops
listening.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK_NAME = "host.lock"


@contextmanager
def hold_lock(data: Path) -> Iterator[int | None]:
    """Hold the lock during a block; yield its descriptor, or None if another process has it."""
    lock = os.open(data / LOCK_NAME, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield None
            return
        os.ftruncate(lock, 0)
        yield lock
    finally:
        os.close(lock)


def write_address(lock: int, address: Path | None) -> None:
    """Write the address of the host; None clears it."""
    os.ftruncate(lock, 0)
    if address is not None:
        os.pwrite(lock, os.fsencode(address), 0)


def read_address(data: Path) -> Path | None:
    """Return the address that the last host wrote, whether or not that host still runs."""
    try:
        written = (data / LOCK_NAME).read_bytes()
    except FileNotFoundError:
        return None
    return Path(os.fsdecode(written)) if written else None


def is_held(data: Path) -> bool:
    """Return whether a host holds the lock of the data folder now."""
    try:
        lock = os.open(data / LOCK_NAME, os.O_RDONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(lock)
    return False
