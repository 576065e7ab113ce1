"""View of a recorded run: answers the queries of an interactive page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from torchstone.core.i18n import Lang
from torchstone.doctor.case import Case
from torchstone.doctor.charts.account import CLASSES, Account, accounts_of
from torchstone.doctor.charts.evidence import Evidence, evidence_of, lane_name
from torchstone.doctor.charts.flame import Calls, Flame, calls_of, flame_of, threads_of
from torchstone.doctor.charts.gaps import Gap, Listed, explain, list_gaps
from torchstone.doctor.charts.picture import Picture, marked, picture_of
from torchstone.doctor.charts.tracks import Track, num_left_out, tracks_of
from torchstone.doctor.events import NONE, Floats
from torchstone.doctor.findings import Finding
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.read.run import Run
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.report import Report, open_run, report_of
from torchstone.doctor.roofline.kept_peaks import KeptPeaks

_MOST_THREADS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Event at a moment of a track.

    Attributes:
        name: Name of the event; empty in an account.
        kind: Index of its class.
        begin: Start in microseconds.
        end: End in microseconds.
        gap: Index of the gap, or ``NONE``.
        launched_by: Launch call, if known.
        launched_at: Start of this call.
        size: Bytes of a copy, or ``NONE``.
    """

    name: str
    kind: int
    begin: float
    end: float
    gap: int = NONE
    launched_by: str = ""
    launched_at: float | None = None
    size: int = NONE


class View:
    """A run, with queries.

    Args:
        paths: Files, one per rank; the view shows the first rank.
        peaks: Peak performance of the processor, from a calibration.

    Raises:
        Refusal: The files contain nothing to show.
    """

    def __init__(self, paths: Sequence[Path], *, peaks: KeptPeaks | None = None) -> None:
        opened = open_run(paths, peaks=peaks)
        self._run: Run = opened.run
        self.case: Case = opened.case
        self._opened = opened
        self._calls: dict[int, Calls] = {}

    @cached_property
    def accounts(self) -> list[Account]:
        """Return the account of each device."""
        return accounts_of(self.case)

    @cached_property
    def tracks(self) -> list[Track]:
        """Return the rows of the timeline."""
        return tracks_of(self.case, self.accounts)

    @cached_property
    def findings(self) -> list[Finding]:
        """Return the findings of all rules; the slowest query."""
        return self._opened.findings

    @cached_property
    def evidence(self) -> list[Evidence]:
        """Return the evidence of each finding."""
        return evidence_of(self.case, self.findings, self.accounts)

    @cached_property
    def threads(self) -> list[int]:
        """Return the threads that have a flame graph."""
        return threads_of(self.case)[:_MOST_THREADS]

    def overview(self, columns: int) -> dict[str, Any]:
        """Return the time accounting and the whole timeline, which need no rule."""
        window = self.case.window
        return {
            "source": self._opened.source,
            "window": self._opened.window,
            "accounting": self._opened.accounting,
            "classes": list(CLASSES),
            "num_events": len(self.case.events),
            "tracks": [_told(each) for each in self.tracks],
            "left_out": num_left_out(self.case),
            "threads": [lane_name(self.case, each) for each in self.threads],
            "steps": _thinned(window.cuts),
            "picture": self.drawn(window.begin, window.end, columns, None),
        }

    def report(self, lang: Lang) -> Report:
        """Return the report, as by ``diagnose``."""
        return report_of(self._opened, lang)

    def links(self) -> dict[str, Any]:
        """Return the links between the findings and the three charts."""
        peaks = self.case.roofline.peaks
        threads = self.threads
        return {
            "evidence": [
                {
                    "operators": each.operators,
                    "thread": threads.index(each.lane) if each.lane in threads else 0,
                    "focus": list(each.focus),
                    "host_ms": each.host.length / 1e3,
                    "device_ms": each.device.length / 1e3,
                }
                for each in self.evidence
            ],
            "bandwidth": None if peaks is None else peaks.bandwidth,
            "peaks": {} if peaks is None else peaks.flops,
            "is_measured": peaks is not None and peaks.is_measured,
        }

    def picture(self, begin: float, end: float, columns: int) -> Picture:
        """Return the timeline between two moments."""
        begin, end = self._between(begin, end)
        return picture_of(self.tracks, self.case.events, begin=begin, end=end, columns=columns)

    def drawn(self, begin: float, end: float, columns: int, finding: int | None) -> dict[str, Any]:
        """Draw the timeline between two moments, with the evidence of a finding marked."""
        picture = self.picture(begin, end, columns)
        nothing = Intervals.nothing()
        found = None if finding is None else self._evidence(finding)
        times = (nothing, nothing) if found is None else (found.host, found.device)
        marks = [
            marked(each, begin=picture.begin, end=picture.end, columns=columns) for each in times
        ]
        return {
            "event": "picture",
            **asdict(picture),
            "marks": dict(zip(("host", "device"), marks, strict=True)),
        }

    def flame(self, thread: int, begin: float, end: float, finding: int | None) -> Flame:
        """Return the flame graph of a thread between two moments."""
        lane = _at(self.threads, thread, "thread")
        begin, end = self._between(begin, end)
        if lane not in self._calls:
            self._calls[lane] = calls_of(self.case.events, lane)
        evidence: Intervals | None = None if finding is None else self._evidence(finding).host
        return flame_of(self.case, self._calls[lane], lane, begin=begin, end=end, evidence=evidence)

    def gap(self, account: int, number: int) -> Gap:
        """Return the cause of a device's gap."""
        gaps = _at(self.accounts, account, "account").gaps
        if gaps is None or not 0 <= number < len(gaps.begin):
            raise Refusal("no_part", part="gap", came=number)
        return explain(self.case, gaps, number)

    def gaps(self, account: int) -> list[Listed]:
        """Return the longest gaps of a device."""
        gaps = _at(self.accounts, account, "account").gaps
        return [] if gaps is None else list_gaps(self.case, gaps)

    def event(self, track: int, moment: float) -> Found | None:
        """Return the event at a moment of a track, or the nearest earlier one."""
        of = _at(self.tracks, track, "track")
        at = int(np.searchsorted(of.t0, moment, side="right")) - 1
        if at < 0:
            return None
        found = Found(
            name="", kind=int(of.classes[at]), begin=float(of.t0[at]), end=float(of.t1[at])
        )
        row = int(of.rows[at])
        if of.group == "account":
            return Found(kind=found.kind, name="", begin=found.begin, end=found.end, gap=row)
        events = self.case.events
        call = int(self.case.launches.call_of[row])
        return Found(
            name=events.names[int(events.name[row])],
            kind=found.kind,
            begin=found.begin,
            end=found.end,
            launched_by="" if call == NONE else events.names[int(events.name[call])],
            launched_at=None if call == NONE else float(events.t0[call]),
            size=int(events.size[row]),
        )

    def _evidence(self, finding: int) -> Evidence:
        found: Evidence = _at(self.evidence, finding, "finding")
        return found

    def _between(self, begin: float, end: float) -> tuple[float, float]:
        """Return two moments of the window, in ascending order."""
        window = self.case.window
        begin = min(max(begin, window.begin), window.end)
        end = min(max(end, window.begin), window.end)
        return (begin, end) if end > begin else (window.begin, window.end)


def _at(all_: Sequence[Any], number: int, part: str) -> Any:
    if not 0 <= number < len(all_):
        raise Refusal("no_part", part=part, came=number)
    return all_[number]


def _told(track: Track) -> dict[str, Any]:
    return {
        "group": track.group,
        "pid": track.pid,
        "tid": track.tid,
        "is_main": track.is_main,
        "depth": track.depth,
        "spans": len(track.t0),
    }


def _thinned(cuts: Floats) -> list[float]:
    """Return the step boundaries, if they are few enough to be drawn."""
    return [round(float(each), 3) for each in cuts] if len(cuts) <= 400 else []
