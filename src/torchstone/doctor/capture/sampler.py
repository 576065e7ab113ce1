"""Sample the current source line: the profiler records only the first line of a function."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path
from types import FrameType

_PERIOD_SECONDS = 1e-3
_MOST_FRAMES, _MOST_SAMPLES = 100, 100_000


class Sampler:
    """Sampler of the main thread's frames, driven by a timer signal.

    Python handles a signal between two instructions. After a long call the sample is late, so a
    sample stands for all the time since the previous one.
    """

    def __init__(self) -> None:
        self._frames: dict[tuple[str, int, str], int] = {}
        self._at: list[float] = []
        self._stacks: list[list[int]] = []
        self._is_on = False
        self._is_taking = False

    def start(self) -> None:
        """Start, unless the program uses the signal itself or runs on another thread."""
        is_main = threading.current_thread() is threading.main_thread()
        if is_main and signal.getsignal(signal.SIGALRM) in (signal.SIG_DFL, signal.SIG_IGN):
            self._is_on = True
            signal.signal(signal.SIGALRM, self._take)
            signal.setitimer(signal.ITIMER_REAL, _PERIOD_SECONDS, _PERIOD_SECONDS)

    def stop(self) -> None:
        """End."""
        if self._is_on:
            self._is_on = False
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, signal.SIG_DFL)

    def write(self, path: Path) -> None:
        """Write the samples, in microseconds of ``perf_counter``."""
        frames = [(os.path.abspath(file), line, name) for file, line, name in self._frames]
        told = {"frames": frames, "at": self._at, "stacks": self._stacks}
        path.write_text(json.dumps(told), encoding="utf-8", errors="backslashreplace")

    def _take(self, number: int, frame: FrameType | None) -> None:
        # On a busy machine the next signal may arrive during a sample; the sample is completed
        # first.
        if not self._is_on or self._is_taking or len(self._at) >= _MOST_SAMPLES:
            return
        self._is_taking = True
        try:
            self._note(frame)
        finally:
            self._is_taking = False

    def _note(self, frame: FrameType | None) -> None:
        stack: list[int] = []
        while frame is not None and len(stack) < _MOST_FRAMES:
            code = frame.f_code
            key = (code.co_filename, frame.f_lineno or code.co_firstlineno, code.co_name)
            stack.append(self._frames.setdefault(key, len(self._frames)))
            frame = frame.f_back
        self._at.append(time.perf_counter() * 1e6)
        self._stacks.append(stack)
