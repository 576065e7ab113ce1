"""Counters that a trace lacks: processes, context switches and resident memory.

The counts come from ``/proc`` and ``getrusage``; without ``/proc`` they are 0.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path

_PROC = Path("/proc")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def num_cores() -> int:
    """Return the number of cores available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def descendants(pid: int) -> list[int]:
    """Return the child processes of a process, recursively."""
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
                continue  # the process has ended
            # The name in parentheses may contain blanks and parentheses.
            found.append((int(folder.name), int(stat.rpartition(")")[2].split()[1])))
    return found


def switches(pids: list[int]) -> int:
    """Return the number of context switches of this process and others, voluntary or not."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    return own.ru_nvcsw + own.ru_nivcsw + sum(_switches_of(pid) for pid in pids)


def _switches_of(pid: int) -> int:
    count = 0
    for status in (_PROC / str(pid) / "task").glob("*/status"):
        try:
            lines = status.read_text(errors="replace").splitlines()
        except OSError:
            continue  # the process has ended
        count += sum(int(line.split()[1]) for line in lines if "ctxt_switches" in line)
    return count


def resident_bytes() -> int:
    """Return the resident memory of this process in bytes; 0 if unknown."""
    try:
        return int((_PROC / "self/statm").read_bytes().split()[1]) * _PAGE
    except OSError:
        return 0
