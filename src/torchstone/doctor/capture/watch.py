"""In-process observation of a program: measure its steps, or record some of them."""

from __future__ import annotations

import os
import threading
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import msgspec

from torchstone.doctor.capture import counting
from torchstone.doctor.capture.orders import LINES, RESULT, STATE, TRACE, Orders, Timed
from torchstone.doctor.capture.steps import FORWARD, KINDS, LOADER, OPTIMIZER, Steps

if TYPE_CHECKING:
    from torchstone.doctor.capture.recorder import Recorder

# The first steps compile, allocate, and fill caches.
WARM_STEPS = 3
# Number of steps and duration that suffice to measure the step time.
_TIMED_STEPS, _TIMED_SECONDS, _MOST_TIMED = 10, 2.0, 200
# Duration of the observation if steps are slow, or no optimizer delimits them.
_LONG_SECONDS, _LEAST_TIMED = 15.0, 3
# If start-up takes longer, the first pass records too and there is no second run.
_SLOW_START_SECONDS = 20.0
# After this share of the time limit, the available steps must suffice.
_LAST_CALL = 0.6
_REFERENCE_STEPS = 5
# Counting the bytes in use would distort shorter steps.
_LEAST_COUNTED_SECONDS = 5e-4
_STATE_SECONDS = 0.25


class Watch:
    """Observer of the program's steps, within its process.

    Args:
        orders: What the pass does.
        enough: Exception raised between two steps to stop the program.
    """

    def __init__(self, orders: Orders, enough: type[BaseException]) -> None:
        self._orders, self._enough = orders, enough
        self._folder = Path(orders.folder)
        self._pid, self._thread = os.getpid(), 0
        self._begun = self._told = time.perf_counter()
        self._at: dict[str, list[float]] = {kind: [] for kind in KINDS}
        self._resident: dict[str, list[int]] = {kind: [] for kind in KINDS}
        self._steps: Steps | None = None
        self._recorder: Recorder | None = None
        self._result: Timed | None = None
        self._timed_before = Timed()
        self._resumed: list[float] = []
        self._count_begun = 0
        self._reference_from = 0
        self._profiles = 0

    def begin(self) -> None:
        """Start the observation after the import of torch."""
        orders = self._orders
        if orders.how == "":
            self._count_profilers()
        if orders.is_silent or orders.how == "whole":
            from torchstone.doctor.capture.silent import silence

            silence()
        if orders.how == "whole":
            self._record().begin_whole(self._end_whole)
            return
        kinds = KINDS if orders.how == "" else (orders.how,)
        self._steps = Steps(self._boundary, kinds)
        self._steps.install()

    def tell_no_module(self) -> None:
        """Report that the module does not exist."""
        self._write(Timed(no_module=True))

    def finish(self) -> None:
        """Report the result if the program ended before it was reported."""
        if os.getpid() != self._pid or self._result is not None:
            return
        if self._recorder is not None:
            self._recorder.end()
        self._write(self._timed(self._kind(), is_enough=False))

    def _boundary(self, kind: str) -> None:
        """Process a step boundary of a kind."""
        now = time.perf_counter()
        if os.getpid() != self._pid:
            return  # a fork of the program
        if self._result is not None:
            raise self._enough  # the program has caught the exception
        self._thread = self._thread or threading.get_ident()
        if threading.get_ident() != self._thread:
            return
        self._at[kind].append(now)
        if self._orders.how or self._recorder is not None:
            self._step_recorded(kind)
        else:
            self._step_timed(kind, now)

    def _step_timed(self, kind: str, now: float) -> None:
        count = len(self._at[kind])
        if kind == OPTIMIZER and count == 1 and self._steps is not None:
            # The kind of steps is decided; other hooks would only cost time.
            self._steps.drop(FORWARD)
            self._steps.drop(LOADER)
        if count > 1 and now - self._at[kind][-2] < _LEAST_COUNTED_SECONDS:
            self._resident[kind].clear()
        else:
            self._resident[kind].append(_bytes_in_use())
        if now - self._told > _STATE_SECONDS:
            self._told = now
            (self._folder / STATE).write_text(str(count))
        if count == WARM_STEPS + 1:
            self._count_begun = counting.switches(counting.descendants(self._pid))
        if self._reference_from:
            if count == self._reference_from + _REFERENCE_STEPS:
                self._end_reference(kind)
        elif self._is_enough(kind):
            self._end_timing(kind)

    def _is_enough(self, kind: str) -> bool:
        at = self._at[kind]
        steps, seconds = len(at) - 1, at[-1] - at[0]
        if kind == OPTIMIZER and steps >= WARM_STEPS + _TIMED_STEPS:
            # All ranks stop at the same step; otherwise the remaining ones would wait forever.
            is_long = seconds >= _TIMED_SECONDS or steps >= _MOST_TIMED
            if is_long or self._orders.ranks > 1:
                return True
        if kind != self._kind():
            return False
        if self._orders.ranks > 1:
            return steps >= _MOST_TIMED
        limit = self._orders.limit_s
        if at[-1] - self._begun > _LAST_CALL * limit:
            return steps >= 1
        return seconds >= min(_LONG_SECONDS, limit / 4) and steps > _LEAST_TIMED

    def _kind(self) -> str:
        """Return the preferred kind of steps among those that occur."""
        if self._orders.how:
            return self._orders.how
        return next((kind for kind in KINDS if len(self._at[kind]) > 1), "whole")

    def _end_timing(self, kind: str) -> None:
        timed = self._timed(kind, is_enough=True)
        if timed.threads * timed.processes > timed.cores and self._orders.ranks == 1:
            # Context switches with one thread per core.
            import torch

            self._timed_before = timed
            torch.set_num_threads(max(1, timed.cores // timed.processes))
            self._reference_from = len(self._at[kind])
            self._count_begun = counting.switches(counting.descendants(self._pid))
            return
        self._go_on(kind, timed)

    def _end_reference(self, kind: str) -> None:
        import torch

        count = counting.switches(counting.descendants(self._pid)) - self._count_begun
        torch.set_num_threads(self._timed_before.threads)
        self._reference_from = 0
        reference = max(1.0, count / _REFERENCE_STEPS)
        self._go_on(kind, msgspec.structs.replace(self._timed_before, reference=reference))

    def _go_on(self, kind: str, timed: Timed) -> None:
        """End the pass; or start recording, if start-up took long."""
        is_slow = time.perf_counter() - self._begun > _SLOW_START_SECONDS
        if is_slow and self._orders.ranks == 1 and not timed.profiles:
            self._timed_before = timed
            self._record().begin(1, self._num_steps(timed))
            self._resumed.append(time.perf_counter())
            return
        self._write(timed)
        raise self._enough

    def _num_steps(self, timed: Timed) -> int:
        return num_steps(self._orders.steps, median(timed.step_us or [0.0]))

    def _step_recorded(self, kind: str) -> None:
        orders = self._orders
        if self._recorder is None:
            if len(self._at[kind]) >= orders.first:
                self._record().begin(orders.warm_up, orders.steps)
                self._resumed.append(time.perf_counter())
            return
        if kind != (orders.how or self._timed_before.how):
            return
        if not self._recorder.step():
            # The profiler's own time between two steps belongs to no step.
            self._resumed.append(time.perf_counter())
            return
        timed = self._timed(kind, is_enough=True) if orders.how else self._timed_before
        begins = self._resumed[-self._recorder.num_steps :]
        ends = self._at[kind][-len(begins) :]
        watched = [(end - begin) * 1e6 for begin, end in zip(begins, ends, strict=True)]
        self._write(
            msgspec.structs.replace(
                timed,
                has_trace=True,
                watched_us=watched,
                step_begins=[begin * 1e6 for begin in begins],
            )
        )
        raise self._enough

    def _record(self) -> Recorder:
        from torchstone.doctor.capture.recorder import Recorder

        self._recorder = Recorder(self._folder / TRACE, self._folder / LINES)
        return self._recorder

    def _end_whole(self) -> None:
        assert self._recorder is not None, "what is recorded has a recorder"
        self._recorder.end()
        self._write(self._timed("whole", is_enough=True))
        raise self._enough

    def _timed(self, kind: str, *, is_enough: bool) -> Timed:
        """Return the current result."""
        at = self._at.get(kind, [])
        steps = len(at) - 1
        skipped = WARM_STEPS if steps > WARM_STEPS + _LEAST_TIMED else 1 if steps > 2 else 0
        times = [(end - begin) * 1e6 for begin, end in pairwise(at)][skipped:]
        children = counting.descendants(self._pid)
        counted = steps - WARM_STEPS
        count = counting.switches(children) - self._count_begun if counted > 0 else 0
        return Timed(
            has_torch=self._steps is not None or self._recorder is not None,
            how=kind,
            boundaries=len(at),
            is_enough=is_enough,
            step_us=times,
            resident=self._resident.get(kind, [])[-len(times) :] if times else [],
            cores=counting.num_cores(),
            threads=_num_threads(),
            processes=1 + len(children),
            switches=count / max(1, counted),
            profiles=self._profiles,
            has_trace=self._recorder is not None and self._recorder.is_written,
        )

    def _count_profilers(self) -> None:
        from torch.autograd import profiler

        profile: Any = profiler.profile
        original = profile._start_trace

        def started(each: Any) -> None:
            self._profiles += 1
            original(each)

        profile._start_trace = started

    def _write(self, timed: Timed) -> None:
        self._result = timed
        path = self._folder / RESULT
        path.with_suffix(".new").write_bytes(msgspec.json.encode(timed))
        path.with_suffix(".new").replace(path)


def num_steps(most: int, step_us: float) -> int:
    """Return the number of steps to record for a given step time: at most three long ones."""
    return most if step_us * most < 1e7 else min(most, 3)


def _num_threads() -> int:
    import sys

    torch = sys.modules.get("torch")
    return int(torch.get_num_threads()) if torch is not None else 1


def _bytes_in_use() -> int:
    import torch

    if torch.cuda.is_initialized():
        return int(torch.cuda.memory_allocated())
    return counting.resident_bytes()
