"""File watcher: wait until a file is saved."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

POLL_SECONDS = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """The attributes of a file that change when it is saved; None if there is no file."""

    mtime_ns: int
    size: int
    inode: int


def stamp(path: Path) -> Stamp | None:
    """Read the attributes of a file; editors that save by renaming remove it for a moment."""
    try:
        status = path.stat()
    except OSError:
        return None
    return Stamp(mtime_ns=status.st_mtime_ns, size=status.st_size, inode=status.st_ino)


def wait_for_save(
    path: Path, seen: Stamp | None, *, sleep: Callable[[float], None] = time.sleep
) -> Stamp:
    """Wait until a file differs from ``seen`` and does not change between two checks."""
    while True:
        found = stamp(path)
        sleep(POLL_SECONDS)
        if found is not None and found != seen and stamp(path) == found:
            return found
