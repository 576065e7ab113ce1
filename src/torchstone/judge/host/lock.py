"""Lock of a data folder, which also holds the address of its host.

The kernel lets go of a lock when its holder dies, so the file itself proves nothing: what it says
counts only while somebody holds it. A host writes its address once it listens, and wipes it before
it stops listening.
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
    """Hold the lock for the length of a block; give its descriptor, ``None`` when it is taken."""
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
    """Write the address of the holder; ``None`` clears it."""
    os.ftruncate(lock, 0)
    if address is not None:
        os.pwrite(lock, os.fsencode(address), 0)


def read_address(data: Path) -> Path | None:
    """Return the address that the last holder wrote, dead or alive."""
    try:
        written = (data / LOCK_NAME).read_bytes()
    except FileNotFoundError:
        return None
    return Path(os.fsdecode(written)) if written else None


def is_held(data: Path) -> bool:
    """Return whether a host holds the data folder at this moment."""
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
