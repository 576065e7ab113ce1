"""File watcher: wait until a file is saved."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

POLL_SECONDS = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Stamp:
    """What changes when a file is saved; None stands for a file that is not there."""

    mtime_ns: int
    size: int
    inode: int


def stamp(path: Path) -> Stamp | None:
    """Look at a file; editors that save by renaming leave a moment without one."""
    try:
        status = path.stat()
    except OSError:
        return None
    return Stamp(mtime_ns=status.st_mtime_ns, size=status.st_size, inode=status.st_ino)


def wait_for_save(
    path: Path, seen: Stamp | None, *, sleep: Callable[[float], None] = time.sleep
) -> Stamp:
    """Wait until a file differs from what was seen and stands still for one look more."""
    while True:
        found = stamp(path)
        sleep(POLL_SECONDS)
        if found is not None and found != seen and stamp(path) == found:
            return found
