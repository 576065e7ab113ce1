"""Window of a diagnosis: the steps, up to the end of the last device work that they launched.

A window from the first to the last kernel would exclude the wait before the first kernel.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torchstone.doctor.correlate import Launches
from torchstone.doctor.events import Events, Floats, Ints
from torchstone.doctor.read.kinds import Kind

# Number of optimizer steps that suffice to derive step boundaries.
_LEAST_UPDATES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Window of a diagnosis.

    Attributes:
        begin: Start in microseconds.
        end: End in microseconds.
        steps: Start and end of each step on the host, (n, 2). Without steps the window is one step.
        cuts: Times at which the device proceeds from one step's work to the next, (n + 1,), from
            ``begin`` to ``end``. A host that never synchronizes is several steps ahead of its
            device.
        how: ``steps``; if the file has none, ``optimizer``, from each optimizer step to the next;
            else ``whole``.
    """

    begin: float
    end: float
    steps: Floats
    cuts: Floats
    how: str

    @property
    def duration(self) -> float:
        """Return the duration in microseconds."""
        return self.end - self.begin

    @property
    def step_us(self) -> float:
        """Return the median time of a step."""
        return float(np.median(step_times(self)))

    def parts(self) -> list[Window]:
        """Return a window for each step."""
        return [
            Window(
                begin=begin,
                end=end,
                steps=np.array([[begin, end]]),
                cuts=np.array([begin, end]),
                how="steps",
            )
            for begin, end in zip(self.cuts[:-1].tolist(), self.cuts[1:].tolist(), strict=True)
            if end > begin
        ]


def step_times(window: Window) -> Floats:
    """Return the duration of each step, up to the first device work of the next step."""
    return np.diff(window.cuts)


def find_window(events: Events, launches: Launches) -> Window | None:
    """Return the window of a rank; None without events."""
    steps = _steps(events)
    if len(steps):
        begins, ends, how = events.t0[steps], events.t1[steps], "steps"
    else:
        updates = events.t1[_updates(events)]
        if len(updates) <= _LEAST_UPDATES:
            return _whole(events)
        # The first step is not warm.
        begins, ends, how = updates[:-1], updates[1:], "optimizer"
    # A step ends at the start of the next one.
    ends[:-1] = np.maximum(ends[:-1], begins[1:])
    begin, end = float(begins[0]), float(ends[-1])
    launched = launches.kernel[(launches.at >= begin) & (launches.at <= end)]
    if len(launched):
        end = max(end, float(events.t1[launched].max()))
    elif len(events.on_device()):
        # Launches are unknown.
        end = max(end, float(events.t1[events.on_device()].max()))
    if end <= begin:
        return _whole(events)
    cuts = np.append(_cuts(events, launches, begins), end)
    return Window(begin=begin, end=end, steps=np.stack([begins, ends], axis=1), cuts=cuts, how=how)


def _steps(events: Events) -> Ints:
    """Return the rows of the steps without duplicates from several threads.

    A step number that recurs later is another step: a program may profile several times.
    """
    ends: dict[int, float] = {}
    found = []
    for row in events.of(Kind.STEP).tolist():
        name = int(events.name[row])
        if events.t0[row] >= ends.get(name, -np.inf):
            found.append(row)
        ends[name] = max(float(events.t1[row]), ends.get(name, -np.inf))
    return np.array(found, dtype=np.int64)


def _cuts(events: Events, launches: Launches, begins: Floats) -> Floats:
    """Return when the device has completed the launches before each step, or the step's start."""
    order = np.argsort(launches.at, kind="stable")
    done = np.maximum.accumulate(events.t1[launches.kernel[order]])
    num_before = np.searchsorted(launches.at[order], begins, side="left")
    cuts = begins.copy()
    # Work launched before the first step does not belong to it.
    is_behind = (num_before > 0) & (np.arange(len(begins)) > 0)
    cuts[is_behind] = np.maximum(cuts[is_behind], done[num_before[is_behind] - 1])
    return np.maximum.accumulate(cuts)


def _updates(events: Events) -> Ints:
    """Return the rows of the optimizer updates."""
    rows = events.of(Kind.OPTIMIZER)
    return rows[np.isin(events.name[rows], events.named("Optimizer.step"))]


def _whole(events: Events) -> Window | None:
    """Return the interval from the first to the last event of host or device."""
    rows = np.flatnonzero(~np.isin(events.kind, (Kind.PYTHON, Kind.ANNOTATION)))
    if not len(rows):
        return None
    begin, end = float(events.t0[rows].min()), float(events.t1[rows].max())
    if end <= begin:
        return None
    whole = np.array([begin, end])
    return Window(begin=begin, end=end, steps=whole[None], cuts=whole, how="whole")
