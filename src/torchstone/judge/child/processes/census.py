"""Census of a job that starts workers: count its processes and end those that a case leaves.

The leader takes the census. It is process 1 of the job's PID namespace and runs no code of the
submission, so a submission cannot falsify the counts. It has no ``/proc``; it opens a pidfd for
every possible PID and uses ``kcmp`` to count open file descriptors.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import resource
import select
import shutil
import signal
from collections.abc import Collection
from typing import NamedTuple, Protocol

from ..confinement.confine import BOX, SHARED
from ..confinement.libc import LIBC

# PIDs are small in a namespace as young as a job's; `end_others` also reaches processes with larger
# ones.
LAST_PID = 4096
# The number of the system call ``kcmp`` on the machines that the filters support.
_KCMP = {"x86_64": 312, "aarch64": 272}
_KCMP_FILE = 0


class Counts(NamedTuple):
    """Counts of one census, without the leader.

    Attributes:
        running: Running processes except the program.
        ended: Processes that have ended and were not waited for.
        segments: Entries of `SHARED`.
        threads: Threads of all processes except their first.
        descriptors: Open file descriptors of the program.
    """

    running: int
    ended: int
    segments: int
    threads: int
    descriptors: int

    def is_within(self, most: Counts, most_open: float) -> bool:
        """Return whether no count exceeds ``most`` and descriptors do not exceed ``most_open``."""
        pairs = zip(self[:-1], most[:-1], strict=True)
        return all(own <= other for own, other in pairs) and self.descriptors <= most_open


class Census(Protocol):
    """Counter of the processes of a job except the leader; it can also end them."""

    def take(self, program: int | None) -> Counts:
        """Count processes, threads, shared memory, and the descriptors of the program.

        Args:
            program: The process that runs the submission; None if it has ended.

        Raises:
            OSError: The kernel does not show the descriptors.
        """

    def end_others(self) -> None:
        """End every other process of the job, and remove its shared memory."""

    def sweep(self) -> None:
        """End every other process of the job, and remove its shared memory and files."""


class JobCensus:
    """Census of the PID namespace of which this process is process 1."""

    def take(self, program: int | None) -> Counts:
        """See `Census.take`."""
        running = ended = threads = 0
        for pid in range(2, LAST_PID):
            try:
                fd = os.pidfd_open(pid)
            except ProcessLookupError:
                continue
            except OSError:  # it names a thread of a process
                threads += 1
                continue
            poller = select.poll()
            poller.register(fd, select.POLLIN)
            if pid == program:
                pass
            elif poller.poll(0):
                ended += 1
            else:
                running += 1
            os.close(fd)
        num_open = 0 if program is None else _num_descriptors(program)
        return Counts(running, ended, len(os.listdir(SHARED)), threads, num_open)

    def sweep(self) -> None:
        """End every other process of the job, and remove its shared memory and files."""
        self.end_others()
        empty(BOX)

    def end_others(self) -> None:
        """End every other process of the job, and remove its shared memory.

        Orphans become children of this process. One signal to all processes reaches each that
        exists, so none can fork and escape.
        """
        assert os.getpid() == 1, "without a namespace a signal to all would reach others"
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while True:
                os.wait()
        empty(SHARED)


def _num_descriptors(pid: int) -> int:
    """Count the open file descriptors of a process by comparing each with one of our own."""
    own, num_open = os.open("/dev/null", os.O_RDONLY), 0
    kcmp, long = LIBC.syscall, ctypes.c_long
    numbers = [_KCMP[os.uname().machine], os.getpid(), pid, _KCMP_FILE, own]
    arguments = [long(number) for number in numbers]
    limit, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    for fd in range(limit):
        if kcmp(*arguments, long(fd)) >= 0:
            num_open += 1
        elif (code := ctypes.get_errno()) not in (errno.EBADF, errno.ESRCH):
            # The kernel lacks kcmp, or the container reserves it for CAP_SYS_PTRACE.
            raise OSError(code, f"the kernel refuses kcmp ({os.strerror(code)})")
    os.close(own)
    return num_open


def empty(folder: str, *, but: Collection[str] = ()) -> None:
    """Remove the entries of a folder, except those with the names in ``but``."""
    for entry in os.scandir(folder):
        if entry.name in but:
            continue
        if entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path, ignore_errors=True)
        else:
            os.unlink(entry.path)
