"""Ground truth of a simulated run's time accounting, computed from its ledger.

This is the definition of the accounting, moment by moment in plain Python; it shares only the
definitions with ``accounting``, not the code.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from torchstone.doctor.simulate.actions import Copy, Exchange
from torchstone.doctor.simulate.machine import AUTOGRAD, LABELS, MAIN, Item, Recording, Segment

_WAYS = {"HtoD": "copy_h2d", "DtoH": "copy_d2h", "DtoD": "copy_d2d"}
BUSY = ("compute", "communication", "copy_h2d", "copy_d2h", "copy_d2d")


def window_of(recording: Recording) -> tuple[int, int]:
    """Return start and end of the window: the steps, and the work that they launched."""
    begin, end = recording.steps[0][0], recording.steps[-1][1]
    return begin, max([end, *(item.end for item in recording.items)])


def shares_of(recording: Recording, *, hidden: tuple[str, ...] = ()) -> dict[str, float]:
    """Return the time shares of the window by name; they sum to 1.

    Args:
        recording: Recording of one rank; without device work, operators compute.
        hidden: Labels that the file does not contain: ``io`` without frames.
    """
    begin, end = window_of(recording)
    found = dict.fromkeys((*BUSY, *(f"idle.{label}" for label in LABELS), "idle.unexplained"), 0)
    blame = _Blame(recording, hidden)
    if not recording.items:
        for label, duration in blame.of(begin, end, end):
            found["compute" if label == "operator" else f"idle.{label}"] += duration
        return {name: duration / (end - begin) for name, duration in found.items()}
    gaps: list[tuple[int, int]] = []
    for start, stop, running in _states(recording.items, begin, end):
        if running is None:
            gaps.append((start, stop))
        else:
            found[running] += stop - start
    for start, stop in gaps:
        for label, duration in blame.of(start, stop, end):
            found[f"idle.{label}"] += duration
    return {name: duration / (end - begin) for name, duration in found.items()}


def _states(items: list[Item], begin: int, end: int) -> list[tuple[int, int, str | None]]:
    """Return the device states in order; the first of ``BUSY`` has priority."""
    changes = [(item.begin, 1, _name_of(item)) for item in items]
    changes += [(item.end, -1, _name_of(item)) for item in items]
    changes.sort(key=lambda change: change[0])
    running = dict.fromkeys(BUSY, 0)
    found: list[tuple[int, int, str | None]] = []
    at = begin
    for moment, change, name in [*changes, (end, 0, BUSY[0])]:
        moment = min(max(moment, begin), end)
        if moment > at:
            now = next((each for each in BUSY if running[each]), None)
            if found and found[-1][2] == now:
                found[-1] = (found[-1][0], moment, now)
            else:
                found.append((at, moment, now))
            at = moment
        running[name] += change
    return found


def _name_of(item: Item) -> str:
    if isinstance(item.work, Copy):
        return _WAYS[item.work.way]
    return "communication" if isinstance(item.work, Exchange) else "compute"


class _Blame:
    """Attribution of gaps to threads and their activities."""

    def __init__(self, recording: Recording, hidden: tuple[str, ...]) -> None:
        self._ledger = recording.ledger
        self._begins = {
            thread: [segment.begin for segment in segments]
            for thread, segments in recording.ledger.items()
        }
        self._first = {item.begin: item for item in reversed(recording.items)}
        self._shown = [(bit, name) for bit, name in enumerate(LABELS) if name not in hidden]

    def of(self, start: int, stop: int, end: int) -> list[tuple[str, int]]:
        """Return the labels of a gap with their durations."""
        item = self._first.get(stop) if stop < end else None
        until = stop if item is None else max(start, min(stop, item.call_end))
        thread = MAIN if item is None else item.thread
        found = [("unexplained", stop - until)]
        # Labels change only where a segment starts or ends.
        cuts = {start, until}
        for each in {MAIN, thread}:
            for segment in self._between(each, start, until):
                cuts |= {segment.begin, segment.end}
        inside = sorted(cut for cut in cuts if start <= cut <= until)
        for left, right in pairwise(inside):
            label = self._label(thread, left)
            if label == "python" and thread == AUTOGRAD:
                label = self._label(MAIN, left)
            found.append((label, right - left))
        return found

    def _between(self, thread: int, start: int, stop: int) -> list[Segment]:
        begins = self._begins[thread]
        first = max(0, bisect_right(begins, start) - 1)
        return self._ledger[thread][first : bisect_right(begins, stop)]

    def _label(self, thread: int, moment: int) -> str:
        at = bisect_right(self._begins[thread], moment) - 1
        if at < 0 or self._ledger[thread][at].end <= moment:
            return "python"
        bits = self._ledger[thread][at].bits
        return next((name for bit, name in self._shown if bits >> bit & 1), "python")
