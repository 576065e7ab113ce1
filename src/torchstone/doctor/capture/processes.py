"""Run the processes of a pass: with a limit, a cap on what they print, and nothing left behind."""

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

# Of what a program prints, only the end is kept.
_KEPT_BYTES = 64 << 10
# What a program has to unwind in.
END_SECONDS = 5.0
_POLL_SECONDS = 0.05


@dataclass(kw_only=True)
class Running:
    """Hold a process, and the end of what it has printed."""

    process: subprocess.Popen[bytes]
    _kept: bytearray = field(default_factory=bytearray)
    _reader: threading.Thread | None = None

    def read(self) -> None:
        """Begin to read what it prints; a pipe that is not read would stop it."""
        self._reader = threading.Thread(target=self._keep, daemon=True)
        self._reader.start()

    def last_words(self, *, num_lines: int = 6, most: int = 1000) -> str:
        """Return the last lines that it has printed."""
        if self._reader is not None:
            # What it has left running may hold the pipe open.
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
    """Start processes, and end them with all that they have started when the block ends.

    Args:
        command: The command of each.
        environments: What each has in its environment beside that of this process.
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
                # A group of its own: what it starts is ended with it.
                start_new_session=True,
            )
            started.append(Running(process=process))
            started[-1].read()
        yield started
    finally:
        _end([each.process for each in started])


def _end(processes: list[subprocess.Popen[bytes]]) -> None:
    """Interrupt the processes, so that they unwind; kill what is left."""
    # Once a process is gone, nothing says any longer what it has started.
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
        # The group holds what a dead process has left; a process outside of it is in the family.
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # all of it has ended
    for pid in family:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            continue  # it has ended
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
