"""The window of a diagnosis: the steps, up to the last work of a device that they launched.

A window from the first to the last kernel would leave out what a device waits for before it begins.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torchstone.doctor.correlate import Launches
from torchstone.doctor.events import Events, Floats, Ints
from torchstone.doctor.read.kinds import Kind

# So many steps of an optimiser tell where steps begin.
_LEAST_UPDATES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Hold which time is accounted for.

    Attributes:
        begin: In microseconds.
        end: In microseconds.
        steps: Begin and end of each step on the host, (n, 2). Without steps the whole is one.
        cuts: Where the device goes from the work of one step to that of the next, (n + 1,), from
            ``begin`` to ``end``. A host that never waits is some steps ahead of its device.
        how: ``steps``; where the file has none, ``optimizer``, one step from each step of the
            optimiser to the next; else ``whole``.
    """

    begin: float
    end: float
    steps: Floats
    cuts: Floats
    how: str

    @property
    def duration(self) -> float:
        """Return its length in microseconds."""
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
    """Return the time of each step, until the device begins with what the next one has launched."""
    return np.diff(window.cuts)


def find_window(events: Events, launches: Launches) -> Window | None:
    """Return the window of a rank; nothing where no event is."""
    steps = _steps(events)
    if len(steps):
        begins, ends, how = events.t0[steps], events.t1[steps], "steps"
    else:
        updates = events.t1[_updates(events)]
        if len(updates) <= _LEAST_UPDATES:
            return _whole(events)
        # The first ends what is not warm yet.
        begins, ends, how = updates[:-1], updates[1:], "optimizer"
    # A step lasts until the next one begins.
    ends[:-1] = np.maximum(ends[:-1], begins[1:])
    begin, end = float(begins[0]), float(ends[-1])
    launched = launches.kernel[(launches.at >= begin) & (launches.at <= end)]
    if len(launched):
        end = max(end, float(events.t1[launched].max()))
    elif len(events.on_device()):
        # Nothing says what was launched when.
        end = max(end, float(events.t1[events.on_device()].max()))
    if end <= begin:
        return _whole(events)
    cuts = np.append(_cuts(events, launches, begins), end)
    return Window(begin=begin, end=end, steps=np.stack([begins, ends], axis=1), cuts=cuts, how=how)


def _steps(events: Events) -> Ints:
    """Return the rows of the steps, each once: several threads may tell of the same one.

    A number that comes again later is another step: a program may profile several times.
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
    """Return when the device has done what was launched before each step, or the step's begin."""
    order = np.argsort(launches.at, kind="stable")
    done = np.maximum.accumulate(events.t1[launches.kernel[order]])
    num_before = np.searchsorted(launches.at[order], begins, side="left")
    cuts = begins.copy()
    # Nothing that was launched before the first step belongs to it.
    is_behind = (num_before > 0) & (np.arange(len(begins)) > 0)
    cuts[is_behind] = np.maximum(cuts[is_behind], done[num_before[is_behind] - 1])
    return np.maximum.accumulate(cuts)


def _updates(events: Events) -> Ints:
    """Return the rows in which an optimiser updates its parameters."""
    rows = events.of(Kind.OPTIMIZER)
    return rows[np.isin(events.name[rows], events.named("Optimizer.step"))]


def _whole(events: Events) -> Window | None:
    """Return the time from the first event of the host, or of a device, to the last."""
    rows = np.flatnonzero(~np.isin(events.kind, (Kind.PYTHON, Kind.ANNOTATION)))
    if not len(rows):
        return None
    begin, end = float(events.t0[rows].min()), float(events.t1[rows].max())
    if end <= begin:
        return None
    whole = np.array([begin, end])
    return Window(begin=begin, end=end, steps=whole[None], cuts=whole, how="whole")
