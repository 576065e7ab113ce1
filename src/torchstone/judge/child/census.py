"""Census of a job that starts workers: count its processes, and end what is left of a case.

The leader takes it, which is process 1 of the job's PID namespace and runs no code of the
submission. What it counts no submission can change. It has no ``/proc``, so it asks for a
descriptor of every process that a PID can name.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal

from .confine import BOX, SHARED

# In a namespace that is as old as a job, PIDs are small; a process that hides behind a larger one
# ends with the others.
LAST_PID = 4096


def take(program: int) -> tuple[int, int, int]:
    """Count the processes besides this one and the program, ended ones apart, and shared memory.

    Args:
        program: The process that runs the submission.

    Returns:
        How many run, how many have ended without being waited for, and the entries of `SHARED`.
    """
    running = ended = 0
    for pid in range(2, LAST_PID):
        if pid == program:
            continue
        try:
            fd = os.pidfd_open(pid)
        except OSError:  # there is none, or it is a thread
            continue
        poller = select.poll()
        poller.register(fd, select.POLLIN)
        if poller.poll(0):
            ended += 1
        else:
            running += 1
        os.close(fd)
    return running, ended, len(os.listdir(SHARED))


def sweep() -> None:
    """End every other process of the job, and remove its shared memory and files."""
    end_others()
    _empty(BOX)


def end_others() -> None:
    """End every other process of the job, and remove its shared memory.

    Orphans become children of this process. A signal to all reaches each process that exists, and
    none of them can fork any more.
    """
    assert os.getpid() == 1, "without a namespace a signal to all would reach others"
    with contextlib.suppress(ProcessLookupError):
        os.kill(-1, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()
    _empty(SHARED)


def _empty(folder: str) -> None:
    for entry in os.scandir(folder):
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            os.unlink(entry.path)
