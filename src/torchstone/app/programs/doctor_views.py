"""Answers of the doctor about an open run: the records of a view."""

from __future__ import annotations

import msgspec

from torchstone.app.programs.doctor import Accounting, Diagnosis, Place, Source, Window


class TrackHead(msgspec.Struct, frozen=True, kw_only=True):
    """Row of the timeline: an ``account``, a ``device`` or a ``thread``, and its depth.

    Attributes:
        group: ``account``, ``device`` or ``thread``.
        pid: Process or device.
        tid: Thread or stream.
        is_main: Whether it belongs to the thread that runs the steps.
        depth: Nesting depth of the calls in this row.
        spans: Number of spans.
    """

    group: str
    pid: str
    tid: str
    is_main: bool
    depth: int
    spans: int


class PictureRow(msgspec.Struct, frozen=True, kw_only=True):
    """Drawing data of a track.

    Attributes:
        wide: Start, end, class and name index (or -1) of each wide span, concatenated.
        runs: First column, number of columns, class and level (to 8) of narrow spans, concatenated.
        stacks: For an account, first column, number of columns, number of classes, then each class
            and its level (to 24), concatenated.
    """

    wide: list[float]
    runs: list[int]
    stacks: list[int]


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """Evidence intervals of a finding, on host and device, as alternating starts and ends."""

    host: list[float]
    device: list[float]


class Picture(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="picture"):
    """Timeline between two moments, in microseconds.

    Attributes:
        begin: Start.
        end: End.
        columns: Number of columns.
        rows: Drawing data of each track.
        names: Names of wide spans.
        marks: Evidence intervals of the selected finding.
    """

    begin: float
    end: float
    columns: int
    rows: list[PictureRow]
    names: list[str]
    marks: Marks


class TraceOverview(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="overview"):
    """Overview of a parsed run, before any rule is applied.

    Attributes:
        source: Origin of the run.
        window: Window under diagnosis.
        accounting: Time accounting of the window.
        classes: Names of the classes; spans refer to them by index.
        num_events: Number of recorded events.
        tracks: Rows of the timeline, from top to bottom.
        left_out: Number of lanes without a row.
        threads: Threads that have a flame graph.
        steps: Step boundaries, if they are few enough to be drawn.
        picture: Whole timeline.
    """

    source: Source
    window: Window
    accounting: Accounting
    classes: list[str]
    num_events: int
    tracks: list[TrackHead]
    left_out: int
    threads: list[str]
    steps: list[float]
    picture: Picture


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """Evidence of a finding.

    Attributes:
        operators: Positions of operators in the roofline.
        thread: Index of the thread in the overview.
        focus: Start and end of a typical step.
        host_ms: Total host time.
        device_ms: Total device time.
    """

    operators: list[int]
    thread: int
    focus: tuple[float, float]
    host_ms: float
    device_ms: float


class Links(msgspec.Struct, frozen=True, kw_only=True):
    """Links between findings and charts, and the roofs of the device.

    Attributes:
        evidence: Evidence of each finding.
        bandwidth: Bytes per second, if known.
        peaks: Operations per second by dtype, as far as known.
        is_measured: Whether the peaks were measured rather than read from a data sheet.
    """

    evidence: list[Evidence]
    bandwidth: float | None
    peaks: dict[str, float]
    is_measured: bool


class Reported(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="report"):
    """Diagnosis, with its links to the charts."""

    report: Diagnosis
    links: Links


class FlameNode(msgspec.Struct, frozen=True, kw_only=True):
    """Calls with the same path; ``own`` is the self time.

    Attributes:
        parent: Index of the caller's node, or -1.
        name: The name of the call.
        kind: Index of the class.
        time: Total time of all calls, in microseconds.
        own: Self time: without the time of children that are drawn.
        evidence: Time that belongs to the selected finding.
        calls: Number of calls.
    """

    parent: int
    name: str
    kind: int
    time: float
    own: float
    evidence: float
    calls: int


class Flame(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="flame"):
    """Flame graph of a thread between two moments; parents precede children."""

    time: float
    nodes: list[FlameNode]


class Doing(msgspec.Struct, frozen=True, kw_only=True):
    """Activity of a thread in a gap: self time of calls with one name."""

    name: str
    kind: int
    time: float
    calls: int


class Gap(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="gap"):
    """Idle gap of a device, with its cause.

    Attributes:
        number: Index of the gap on the device, in order of time.
        begin: Start in microseconds.
        end: End in microseconds.
        host_end: End of the part in which the host is late.
        charged: Microseconds by cause.
        thread: Thread that launched the event that ends the gap.
        ended_by: Name of the event that ends the gap.
        launched_by: Name of its launch call.
        launched_at: Start of this call.
        doings: Activities of the thread, longest first.
        places: Source lines executed in the gap.
    """

    number: int
    begin: float
    end: float
    host_end: float
    charged: dict[str, float]
    thread: str
    ended_by: str
    launched_by: str
    launched_at: float | None
    doings: list[Doing]
    places: list[Place]


class ListedGap(msgspec.Struct, frozen=True, kw_only=True):
    """Gap as a row of a table; ``share`` is the part attributed to ``charged_to``."""

    number: int
    begin: float
    time: float
    charged_to: str
    share: float
    ended_by: str


class GapList(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="gaps"):
    """The longest gaps of a device."""

    gaps: list[ListedGap]


class FoundEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Event at a moment of a track; ``gap`` is the index of the gap, or -1.

    Attributes:
        name: The name of the event; empty in an account.
        kind: Index of its class.
        begin: Start in microseconds.
        end: End in microseconds.
        gap: Index of the gap, or -1.
        launched_by: Launch call, if known.
        launched_at: Start of this call.
        size: The bytes of a copy, or -1.
    """

    name: str
    kind: int
    begin: float
    end: float
    gap: int
    launched_by: str
    launched_at: float | None
    size: int


class Found(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="found"):
    """Event at a moment of a track, if there is one."""

    found: FoundEvent | None


Answer = TraceOverview | Reported | Picture | Flame | Gap | GapList | Found
