"""Count what a judge could leave behind."""

import os
import tempfile
from collections import Counter
from collections.abc import Collection
from contextlib import ExitStack, suppress
from pathlib import Path

from torchstone.judge.order import Order
from torchstone.judge.pool.worker_pool import WorkerPool

_CGROUPS = Path("/sys/fs/cgroup")


def have_references_wait(worker_pool: WorkerPool, order: Order, *, num: int) -> None:
    """Bring a worker pool into a state that can be counted.

    A reference process ends after some number of jobs, and the next job that misses it starts
    another, so ``num`` of them or fewer wait at a given moment.
    """
    worn = True
    while worn:
        with ExitStack() as stack:
            taken = [stack.enter_context(worker_pool.reference(order)) for _ in range(num)]
            worn = any(reference.is_worn for reference in taken)


def descendants(besides: Collection[int] = ()) -> list[int]:
    """List the processes below this one, but for some and those below them."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has ended meanwhile
            parents[int(entry.name)] = int(fields[1])
    found, strangers = {os.getpid()}, set(besides)
    while more := {pid for pid, parent in parents.items() if parent in found} - found - strangers:
        found |= more
    return sorted(found - {os.getpid()})


def count_what_is_left(besides: Collection[int]) -> Counter[str]:
    """Count processes, threads, descriptors, shared memory, files, groups and mounts.

    Args:
        besides: Processes that have nothing to do with it, as the servers that other tests share:
            neither they nor those below them are counted.
    """
    pids = [os.getpid(), *descendants(besides)]
    found: Counter[str] = Counter(processes=len(pids))
    for pid in pids:
        process = Path(f"/proc/{pid}")
        found["threads"] += len(list((process / "task").iterdir()))
        # The kernel shows those of a process that has changed its user to root alone.
        with suppress(PermissionError):
            found["descriptors"] += len(list((process / "fd").iterdir()))
        found["mounts"] += len((process / "mountinfo").read_text().splitlines())
    found["shared memory"] = len(list(Path("/dev/shm").iterdir()))
    # By the pid of the worker pool in their names, for other judges may run on this machine.
    found["temporary files"] = len(
        list(Path(tempfile.gettempdir()).glob(f"torchstone-judge-{os.getpid()}-*/**/*"))
    )
    # Another judge may remove a group while the tree is read; os.walk leaves it out.
    found["control groups"] = sum(
        folder.startswith(f"torchstone-{os.getpid()}-")
        for _, folders, _ in os.walk(_CGROUPS)
        for folder in folders
    )
    return found
