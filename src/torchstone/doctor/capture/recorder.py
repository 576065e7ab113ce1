"""Record some steps with torch's profiler and all of its options."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import profiler as torch_profiler

from torchstone.doctor.capture.sampler import Sampler

# Captured at import: the program's own profiler may be disabled later.
_PROFILE, _SCHEDULE = torch_profiler.profile, torch_profiler.schedule
_ACTIVITY = torch_profiler.ProfilerActivity
# Duration of the recording of a program without steps.
WHOLE_SECONDS = 5.0


class Recorder:
    """Writer of a trace of some steps.

    Args:
        path: Output file of the trace.
        lines: Output file of the line samples.
    """

    def __init__(self, path: Path, lines: Path) -> None:
        self._path, self._lines = path, lines
        self._sampler = Sampler()
        self._profile: Any = None
        self._left = 0
        self.num_steps = 0
        self.is_written = False

    def begin(self, warm_up: int, steps: int) -> None:
        """Start recording between two steps.

        Args:
            warm_up: Number of steps before events count: the profiler sets itself up in the first
                ones.
            steps: Number of steps to record.
        """
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._profile = self._make(
                schedule=_SCHEDULE(wait=0, warmup=warm_up, active=steps, repeat=1)
            )
            self._left, self.num_steps = warm_up + steps, steps
            self._profile.start()
        if not warm_up:
            self._sampler.start()

    def begin_whole(self, on_end: Callable[[], None]) -> None:
        """Start a recording without steps; call a function when it is long enough."""
        self._profile = self._make(schedule=None)
        self._profile.start()
        signal.signal(signal.SIGALRM, lambda number, frame: on_end())
        signal.setitimer(signal.ITIMER_REAL, WHOLE_SECONDS)

    def step(self) -> bool:
        """Process the end of a step; return whether it was the last one."""
        self._left -= 1
        if self._left:
            self._profile.step()
        else:
            self.end()
        if self._left == self.num_steps:
            self._sampler.start()
        return not self._left

    def end(self) -> None:
        """Stop the recording and write it, unless this was done before."""
        if self._profile is not None:
            self._sampler.stop()
            signal.setitimer(signal.ITIMER_REAL, 0)
            made, self._profile = self._profile, None
            made.stop()
            self._sampler.write(self._lines)

    def _make(self, schedule: Any) -> Any:
        activities = [_ACTIVITY.CPU]
        if torch.cuda.is_available():
            activities.append(_ACTIVITY.CUDA)
        return _PROFILE(
            activities=activities,
            record_shapes=True,
            with_stack=True,
            profile_memory=True,
            schedule=schedule,
            on_trace_ready=self._written,
            **_with_collector(),
        )

    def _written(self, made: Any) -> None:
        made.export_chrome_trace(str(self._path))
        self.is_written = True


def _with_collector() -> dict[str, Any]:
    """Return the option that records Python's garbage collector, if the profiler has it."""
    from torch._C._profiler import _ExperimentalConfig

    try:
        return {"experimental_config": _ExperimentalConfig(record_python_gc_info=True)}
    except TypeError:
        # Before torch 2.8.
        return {}
