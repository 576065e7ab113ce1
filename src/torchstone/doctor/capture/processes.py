"""Processes of a pass: a time limit, bounded output, and cleanup of all descendants."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from torchstone.doctor.capture.counting import descendants

# Only the end of the output is kept.
_KEPT_BYTES = 64 << 10
# Time for a program to unwind.
END_SECONDS = 5.0
_POLL_SECONDS = 0.05


@dataclass(kw_only=True)
class Running:
    """A process, and the end of its output."""

    process: subprocess.Popen[bytes]
    _kept: bytearray = field(default_factory=bytearray)
    _reader: threading.Thread | None = None

    def read(self) -> None:
        """Start to read the output; a full pipe would block the process."""
        self._reader = threading.Thread(target=self._keep, daemon=True)
        self._reader.start()

    def last_words(self, *, num_lines: int = 6, most: int = 1000) -> str:
        """Return the last lines of the output."""
        if self._reader is not None:
            # Surviving child processes may hold the pipe open.
            self._reader.join(1.0)
        lines = bytes(self._kept).decode(errors="replace").strip().splitlines()
        return "\n".join(lines[-num_lines:])[-most:] or "-"

    def _keep(self) -> None:
        pipe = self.process.stdout
        assert pipe is not None, "its output is a pipe"
        while piece := os.read(pipe.fileno(), 1 << 16):
            self._kept += piece
            del self._kept[:-_KEPT_BYTES]


@contextmanager
def running(
    command: Sequence[Sequence[str]], environments: Sequence[Mapping[str, str]]
) -> Generator[list[Running], None, None]:
    """Start processes; terminate them and their descendants at the end of the block.

    Args:
        command: Command line of each process.
        environments: Variables of each process in addition to the current environment.
    """
    started: list[Running] = []
    try:
        for words, more in zip(command, environments, strict=True):
            process = subprocess.Popen(
                words,
                env={**os.environ, **more},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                # A separate process group, so that child processes are terminated with it.
                start_new_session=True,
            )
            started.append(Running(process=process))
            started[-1].read()
        yield started
    finally:
        _end([each.process for each in started])


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    """Interrupt the processes so that they unwind; kill the remaining ones."""
    # Collected first: descendants of an exited process can no longer be found.
    family = {each.pid: descendants(each.pid) for each in processes}
    try:
        for each in processes:
            if each.poll() is None:
                each.send_signal(signal.SIGINT)
        until = time.monotonic() + END_SECONDS
        while any(each.poll() is None for each in processes) and time.monotonic() < until:
            time.sleep(_POLL_SECONDS)
    finally:
        for each in processes:
            _kill(each, family[each.pid] + descendants(each.pid))


def _kill(process: subprocess.Popen[bytes], family: list[int]) -> None:
    try:
        # The group contains orphans; descendants outside of the group were collected before.
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # all have ended
    for pid in family:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue  # the process has ended
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
