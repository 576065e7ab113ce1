"""``Case``: the input of all rules for one rank."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from torchstone.doctor.accounting import Accounting, account
from torchstone.doctor.correlate import Launches, find_launches
from torchstone.doctor.events import NONE, Bools, Events, Floats, Ints
from torchstone.doctor.facts import Facts
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.lines import Frames, Places
from torchstone.doctor.read.kinds import EXPLAINING, Kind
from torchstone.doctor.recording import Recording
from torchstone.doctor.roofline.bound import Roofline
from torchstone.doctor.roofline.ledger import Ledger
from torchstone.doctor.roofline.peaks import Peaks, peaks_of
from torchstone.doctor.source import Device, Host
from torchstone.doctor.window import Window, find_window

_PROFILER_STEP = r"(^|/)torch/profiler/profiler\.py\(\d+\): step$"


@dataclass(frozen=True, kw_only=True)
class Case:
    """The run of one rank, and derived quantities.

    Attributes:
        events: Events of the rank.
        launches: Correlation of launch calls and device events.
        window: The window under diagnosis.
        device: The device, as far as the file names it.
        ledger: Attribution of kernels to operators in the whole trace.
        facts: Quantities that do not depend on the window.
        dilation: Ratio of profiled to unprofiled step time, if known.
        others: Cases of the other ranks of the run.
        rank: Index of this rank.
        host: Counters measured outside of the process, if known.
        recording: Further measurements around the trace, if the doctor recorded it.
    """

    events: Events
    launches: Launches
    window: Window
    device: Device
    ledger: Ledger
    facts: Facts
    dilation: float | None = None
    others: tuple[Case, ...] = ()
    rank: int = 0
    host: Host | None = None
    recording: Recording | None = None

    @property
    def step_us(self) -> float:
        """Return the step time, without the profiler if that was measured."""
        measured = None if self.recording is None else self.recording.step_us
        return self.window.step_us if measured is None else measured

    @cached_property
    def accounting(self) -> Accounting:
        """Return the time accounting of the window."""
        return account(self.events, self.launches, self.window)

    @property
    def frames(self) -> Frames:
        """Return the Python frames."""
        return self.facts.frames

    @cached_property
    def main(self) -> int:
        """Return the thread that runs the steps."""
        rows = self.events.of(Kind.STEP)
        rows = rows if len(rows) else self.events.of(Kind.LAUNCH, Kind.OPERATOR)
        return int(np.bincount(self.events.lane[rows]).argmax()) if len(rows) else NONE

    @cached_property
    def kernels(self) -> Ints:
        """Return the rows of the compute kernels in the window."""
        return self.inside(self.events.of(Kind.KERNEL))

    @cached_property
    def operators(self) -> Ints:
        """Return the rows of the operators in the window."""
        return self.inside(self.events.of(Kind.OPERATOR))

    @cached_property
    def operator_of(self) -> Ints:
        """Return for each of ``kernels`` the row of the innermost operator that launched it."""
        return self.facts.operator_of[self.kernels]

    @cached_property
    def roofline(self) -> Roofline:
        """Return the roofline of the window."""
        return self.ledger.roofline(self.window.begin, self.window.end)

    @cached_property
    def spent(self) -> Floats:
        """Return the self time of each of ``facts.operators`` in the window, in microseconds.

        With a device it is the time of the kernels launched by the operator, excluding its
        children.
        """
        operators = self.facts.operators
        if not self.accounting.has_device:
            begins = self.events.t0[operators.rows]
            is_in = (begins >= self.window.begin) & (begins < self.window.end)
            return np.where(is_in, operators.selves, 0.0)
        took = self.events.t1[self.kernels] - self.events.t0[self.kernels]
        is_known = self.operator_of != NONE
        at = np.searchsorted(operators.rows, self.operator_of[is_known])
        found = np.zeros(len(operators.rows))
        np.add.at(found, at, took[is_known])
        return found

    @cached_property
    def preparation(self) -> Intervals:
        """Return the long intervals of Python between two operators in which a device waits."""
        waiting = self.host_gaps() if self.accounting.has_device else self._whole
        found = waiting.shared(self.between_operators)
        # Without frames, Python code cannot be distinguished from the slow start of an operator.
        limit = "stretch_us" if self.frames else "blind_stretch_us"
        is_long = found.ends - found.begins > thresholds("D004")[limit]
        is_long &= ~self._in_engine(found)
        return Intervals(found.begins[is_long], found.ends[is_long])

    @cached_property
    def between_operators(self) -> Intervals:
        """Return the intervals of Python in which no other host activity explains the wait."""
        # Of all threads: during the backward pass on another thread, the main thread only waits.
        explained = (kind for kind in EXPLAINING if kind != Kind.PYTHON)
        rows = self.events.of(*explained, Kind.COLLECTIVE)
        # Profiler work between two steps does not belong to the program.
        busy = self.facts.times_of(np.concatenate((rows, self.facts.named(_PROFILER_STEP))))
        return busy.gaps(self.window.begin, self.window.end)

    def _in_engine(self, stretches: Intervals) -> Bools:
        """Return which intervals lie in the autograd engine, where no Python runs.

        There a thread waits, or is preempted by another process.
        """
        engine = self.facts.times_of(self.on_main(self.facts.named(r"run_backward of ")))
        begins, ends = stretches.begins, stretches.ends
        is_inside = engine.within(begins, ends) >= ends - begins
        frames = self.events.t0[self.on_main(np.flatnonzero(self.events.python != NONE))]
        found: Bools = is_inside & (
            np.searchsorted(frames, begins) == np.searchsorted(frames, ends)
        )
        return found

    @cached_property
    def cold(self) -> Intervals:
        """Return the intervals in which a device waits for long one-time calls of the driver."""
        rows = self.inside(self.events.of(Kind.LAUNCH, Kind.ALLOC))
        is_long = self.events.t1[rows] - self.events.t0[rows] > thresholds("W001")["cold_us"]
        calls = Intervals(self.events.t0[rows[is_long]], self.events.t1[rows[is_long]])
        return self.host_gaps().shared(calls)

    @cached_property
    def collectives(self) -> Ints:
        """Return the rows of the collectives in the window."""
        has_device = self.accounting.has_device
        return self.inside(self.events.of(Kind.COMMUNICATION if has_device else Kind.COLLECTIVE))

    def waited(self, times: Intervals) -> float:
        """Return the microseconds by which given intervals delay the window.

        With a device these are the intervals in which it waits for the host; without one, all.
        """
        if not self.accounting.has_device:
            return times.clipped(self.window.begin, self.window.end).length
        return sum(gaps.host.shared(times).length for gaps in self.accounting.gaps) / len(
            self.accounting.gaps
        )

    @property
    def _whole(self) -> Intervals:
        return Intervals(np.array([self.window.begin]), np.array([self.window.end]))

    @property
    def is_blind(self) -> bool:
        """Return whether no host activity was recorded besides driver calls."""
        return not self.frames and not len(self.events.of(Kind.OPERATOR))

    @property
    def num_steps(self) -> int:
        """Return the number of steps in the window."""
        return len(self.window.steps) if self.window.how != "whole" else 0

    def inside(self, rows: Ints) -> Ints:
        """Return the given rows that start in the window."""
        begins = self.events.t0[rows]
        return rows[(begins >= self.window.begin) & (begins < self.window.end)]

    def on_main(self, rows: Ints) -> Ints:
        """Return the given rows on the main thread."""
        found: Ints = rows[self.events.lane[rows] == self.main]
        return found

    def time(self, rows: Ints) -> float:
        """Return the total time of events, in microseconds."""
        return float((self.events.t1[rows] - self.events.t0[rows]).sum())

    def share(self, microseconds: float) -> float:
        """Return a duration as a share of the window."""
        return microseconds / self.window.duration

    def exposed(self, rows: Ints) -> float:
        """Return the share of the window in which given copies overlap with no other activity."""
        others = self.events.of(Kind.KERNEL, Kind.COMMUNICATION)
        busy = Intervals(self.events.t0[others], self.events.t1[others])
        copies = Intervals(self.events.t0[rows], self.events.t1[rows])
        copies = copies.clipped(self.window.begin, self.window.end)
        alone = copies.length - float(busy.within(copies.begins, copies.ends).sum())
        return self.share(alone) / max(1, len(self.accounting.gaps))

    def during(self, *kinds: Kind) -> Intervals:
        """Return the intervals of given activities on the main thread."""
        rows = self.events.of(*kinds)
        rows = rows[self.events.lane[rows] == self.main]
        return Intervals(self.events.t0[rows], self.events.t1[rows])

    def host_gaps(self) -> Intervals:
        """Return the intervals in which a device waits for the host."""
        found = Intervals.nothing()
        for gaps in self.accounting.gaps:
            found |= gaps.host
        return found

    def calls_of(self, rows: Ints) -> Intervals:
        """Return the intervals of the calls that launched given device events."""
        calls = self.launches.call_of[rows]
        calls = calls[calls != NONE]
        return Intervals(self.events.t0[calls], self.events.t1[calls])

    def places(self, times: Intervals, lane: int | None = None) -> Places:
        """Return the source lines that a thread executes in given intervals."""
        return self.frames.places(times, self.main if lane is None else lane)

    @cached_property
    def step_shares(self) -> list[dict[str, float]]:
        """Return the time accounting of each step."""
        if len(self.window.steps) < 2:
            return [self.accounting.shares]
        return [account(self.events, self.launches, one).shares for one in self.window.parts()]


def make_case(
    events: Events,
    device: Device,
    *,
    dilation: float | None = None,
    peaks: Peaks | None = None,
    rank: int = 0,
    host: Host | None = None,
    recording: Recording | None = None,
) -> Case | None:
    """Create the case of a rank; None if it has no events.

    Args:
        events: Events of the rank.
        device: The device.
        dilation: Ratio of profiled to unprofiled step time, if known.
        peaks: Peak performance of the processor, from a calibration; devices have a table.
        rank: Index of the rank.
        host: Counters measured outside of the process, if known.
        recording: Measurements around the trace; includes dilation and host counters.
    """
    launches = find_launches(events)
    window = find_window(events, launches)
    if window is None:
        return None
    has_kernels = len(events.of(Kind.KERNEL)) > 0
    return Case(
        events=events,
        launches=launches,
        window=window,
        device=device,
        ledger=Ledger(
            events=events, launches=launches, peaks=peaks_of(device) if has_kernels else peaks
        ),
        facts=Facts(events=events, launches=launches),
        dilation=dilation if recording is None else recording.dilation,
        rank=rank,
        host=host if recording is None else recording.host,
        recording=recording,
    )


def thresholds(code: str) -> dict[str, float]:
    """Return the thresholds of a rule by name."""
    return all_thresholds()[code]


@cache
def all_thresholds() -> dict[str, dict[str, float]]:
    """Return the thresholds of all rules, keyed as in ``rules/thresholds.toml``."""
    path = Path(__file__).with_name("rules") / "thresholds.toml"
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return {
        code: {name: float(value) for name, value in values.items()}
        for code, values in table.items()
    }


def median(values: Floats) -> float:
    """Return the median; 0 for empty input."""
    return float(np.median(values)) if len(values) else 0.0
