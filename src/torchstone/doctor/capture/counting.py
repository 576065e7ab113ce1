"""Count what a trace does not have: processes, changes of cores, and bytes in use.

All of it comes from ``/proc`` and ``getrusage``; where there is no ``/proc`` the counts are 0.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path

_PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def num_cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def descendants(pid: int) -> list[int]:
    """Return the processes that a process has started, with those that they have started."""
    parents = {child: parent for child, parent in _parents()}
    found = [pid]
    for each in found:
        found += [child for child, parent in parents.items() if parent == each]
    return found[1:]


def _parents() -> list[tuple[int, int]]:
    if not _PROC.is_dir():
        return []
    found = []
    for folder in _PROC.iterdir():
        if folder.name.isdigit():
            try:
                stat = (folder / "stat").read_text(errors="replace")
            except OSError:
                continue  # it has ended
            # The name, in brackets, may have blanks and brackets in it.
            found.append((int(folder.name), int(stat.rpartition(")")[2].split()[1])))
    return found


def switches(pids: list[int]) -> int:
    """Return how often this process and some others gave up a core, of their own accord or not."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_nvcsw + own.ru_nivcsw + sum(_switches_of(pid) for pid in pids)


def _switches_of(pid: int) -> int:
    count = 0
    for status in (_PROC / str(pid) / "task").glob("*/status"):
        try:
            lines = status.read_text(errors="replace").splitlines()
        except OSError:
            continue  # it has ended
        count += sum(int(line.split()[1]) for line in lines if "ctxt_switches" in line)
    return count


def resident_bytes() -> int:
    """Return the bytes of memory that this process has; 0 where nothing says it."""
    try:
        return int((_PROC / "self/statm").read_bytes().split()[1]) * _PAGE
    except OSError:
        return 0
