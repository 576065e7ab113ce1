"""What the doctor answers about a run that it has opened: the records of a view."""

from __future__ import annotations

import msgspec

from torchstone.app.programs.doctor import Accounting, Diagnosis, Place, Source, Window


class TrackHead(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the timeline: an ``account``, a ``device`` or a ``thread``, and its depth.

    Attributes:
        group: Which of the three.
        pid: The process, or the device.
        tid: The thread, or the stream.
        is_main: It is of the thread that the steps are on.
        depth: How many calls are around those of this row.
        spans: How many spans it has.
    """

    group: str
    pid: str
    tid: str
    is_main: bool
    depth: int
    spans: int


class PictureRow(msgspec.Struct, frozen=True, kw_only=True):
    """What is drawn of a track.

    Attributes:
        wide: Begin, end, class and number of the name (or -1) of each wide span, in turn.
        runs: First column, number of columns, class and level (to 8) of narrow spans, in turn.
        stacks: Of an account, first column, number of columns, number of classes, then each class
            and its level (to 24), in turn.
    """

    wide: list[float]
    runs: list[int]
    stacks: list[int]


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """When the evidence of a finding is, on the host and on the device: begin and end in turn."""

    host: list[float]
    device: list[float]


class Picture(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="picture"):
    """The timeline between two moments, in microseconds.

    Attributes:
        begin: The first moment.
        end: The last one.
        columns: How many columns that are.
        rows: What is drawn of each track.
        names: The names of wide spans.
        marks: When the evidence of the chosen finding is.
    """

    begin: float
    end: float
    columns: int
    rows: list[PictureRow]
    names: list[str]
    marks: Marks


class TraceOverview(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="overview"):
    """What is known as soon as a run is read, before any rule has looked at it.

    Attributes:
        source: What was read.
        window: The time that is accounted for.
        accounting: Where it goes.
        classes: What a moment can be charged to; spans have the number of one.
        num_events: How many events were recorded.
        tracks: The rows of the timeline, from top to bottom.
        left_out: How many lanes have no row.
        threads: The threads that have a flame graph.
        steps: Where steps begin and end, if these are few enough to be drawn.
        picture: The whole timeline.
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
    """What a finding is about.

    Attributes:
        operators: The positions of operators in the roofline.
        thread: The number of the thread in the overview.
        focus: Begin and end of a typical step.
        host_ms: How much time of the host it is.
        device_ms: How much time of the devices.
    """

    operators: list[int]
    thread: int
    focus: tuple[float, float]
    host_ms: float
    device_ms: float


class Links(msgspec.Struct, frozen=True, kw_only=True):
    """What connects findings with the charts, and the roofs of the card.

    Attributes:
        evidence: Of each finding.
        bandwidth: Bytes a second, if known.
        peaks: Operations a second by type, as far as known.
        is_measured: Whether they were measured, and not read from a data sheet.
    """

    evidence: list[Evidence]
    bandwidth: float | None
    peaks: dict[str, float]
    is_measured: bool


class Reported(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="report"):
    """The diagnosis, and what connects it with the charts."""

    report: Diagnosis
    links: Links


class FlameNode(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of one path; ``own`` is the time in which nothing that is drawn was called.

    Attributes:
        parent: The number of the node that called it, or -1.
        name: The name of the call.
        kind: The number of its class.
        time: The microseconds of all calls.
        own: Those in which nothing that is drawn was called.
        evidence: Those that the chosen finding is about.
        calls: How many they are.
    """

    parent: int
    name: str
    kind: int
    time: float
    own: float
    evidence: float
    calls: int


class Flame(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="flame"):
    """The calls of a thread between two moments; callers come before what they call."""

    time: float
    nodes: list[FlameNode]


class Doing(msgspec.Struct, frozen=True, kw_only=True):
    """What a thread did in a gap: calls of one name, without what they called."""

    name: str
    kind: int
    time: float
    calls: int


class Gap(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="gap"):
    """Why a device did nothing.

    Attributes:
        number: Which gap of the device, in order of time.
        begin: In microseconds.
        end: In microseconds.
        host_end: Until when the host is what was late.
        charged: The microseconds by what they are charged to.
        thread: The thread that launched what ends it.
        ended_by: The name of what ends it.
        launched_by: The name of the call that launched that.
        launched_at: When that call began.
        doings: What the thread did, the longest first.
        places: The lines of code in which it was.
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
    """A gap as a line of a table; ``share`` is what ``charged_to`` has of it."""

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
    """What is at a moment of a track; ``gap`` is the number of the gap, or -1.

    Attributes:
        name: The name of the event; empty in an account.
        kind: The number of its class.
        begin: In microseconds.
        end: In microseconds.
        gap: The number of the gap, or -1.
        launched_by: The call that launched it, if it is known.
        launched_at: When that call began.
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
    """What is at a moment of a track, if anything is."""

    found: FoundEvent | None


Answer = TraceOverview | Reported | Picture | Flame | Gap | GapList | Found
