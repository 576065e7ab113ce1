"""Census of a rehearsal, which has no PID namespace: it counts descendants of this process."""

from __future__ import annotations

import contextlib
import os
import signal

from torchstone.judge.child.confinement.confine import SHARED
from torchstone.judge.child.confinement.libc import LIBC
from torchstone.judge.child.processes.census import Counts, empty
from torchstone.judge.process import usage

_PR_SET_CHILD_SUBREAPER = 36


class DescendantCensus:
    """Census of this process's descendants; orphans become children of this process."""

    def __init__(self, box: str) -> None:
        """Become a subreaper, and record the present entries of shared memory.

        Args:
            box: The folder that `sweep` empties.
        """
        if LIBC.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
            raise OSError("this process cannot become the parent of orphans")
        self._box, self._before = box, frozenset(os.listdir(SHARED))

    def take(self, program: int | None) -> Counts:
        """See `Census.take`; of shared memory it counts new entries, whoever made them."""
        running = ended = threads = 0
        for pid in self._others():
            state = usage.state(pid)
            if state is None:
                continue
            threads += max(0, usage.num_threads(pid) - 1)
            if pid == program:
                continue
            if state == "Z":
                ended += 1
            else:
                running += 1
        num_open = 0 if program is None else len(os.listdir(f"/proc/{program}/fd"))
        return Counts(running, ended, len(self._segments()), threads, num_open)

    def end_others(self) -> None:
        """End every descendant, and remove new shared memory."""
        while others := self._others():
            for pid in others:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.wait()
        empty(SHARED, but=self._before)

    def sweep(self) -> None:
        """End every descendant, and remove new shared memory and the files."""
        self.end_others()
        empty(self._box)

    def _others(self) -> list[int]:
        return [pid for pid in usage.descendants(os.getpid()) if pid != os.getpid()]

    def _segments(self) -> set[str]:
        return set(os.listdir(SHARED)) - self._before
