"""Drawing of a timeline: the account of each device, its streams, and the threads."""

from __future__ import annotations

from torchstone.core.i18n import Lang, text
from torchstone.doctor.charts.account import CLASSES
from torchstone.doctor.charts.drawing import Drawing, fitting
from torchstone.doctor.charts.numbers import said_moment, said_time, ticks
from torchstone.doctor.charts.picture import LEVELS, STACK_LEVELS, Picture, Row, marked, picture_of
from torchstone.doctor.charts.tracks import Track
from torchstone.doctor.charts.view import View

_LEFT, _TOP, _GAP = 116.0, 24.0, 10.0
_HEIGHTS = {"account": 48.0, "device": 20.0, "thread": 16.0}


def timeline_of(
    view: View, begin: float, end: float, width: float, lang: Lang, *, finding: int | None
) -> Drawing:
    """Draw the timeline between two moments, with the evidence of a finding marked."""
    room = width - _LEFT
    columns = int(room)
    picture = picture_of(view.tracks, view.case.events, begin=begin, end=end, columns=columns)
    drawing = Drawing(width)
    first = view.case.window.begin
    scale = room / (end - begin)
    moments = ticks(begin - first, end - first, 8)
    step = moments[1] - moments[0] if len(moments) > 1 else end - begin
    for tick in moments:
        x = _LEFT + (tick + first - begin) * scale
        drawing.words(min(x, width - 48), 12, said_moment(tick, step))
        drawing.line([(x, 16), (x, 21)], "hair")
    y = _TOP
    before: Track | None = None
    for track, row in zip(view.tracks, picture.rows, strict=True):
        is_first = before is None or _lane(before) != _lane(track)
        if is_first and before is not None:
            y += _GAP
        if is_first:
            drawing.words(0, y + 13, fitting(name_of(view, track, lang), _LEFT - 8))
            _mark(drawing, view, track, finding, (begin, end, columns), y)
        _draw_row(drawing, picture, row, track, y)
        y += _HEIGHTS[track.group]
        before = track
    drawing.height = y + 4
    return drawing


def name_of(view: View, track: Track, lang: Lang) -> str:
    """Return the name of a lane."""
    if track.group == "account":
        name = "device" if track.pid else "processor"
    elif track.group == "device":
        name = "stream"
    else:
        name = "main_thread" if track.is_main else "thread"
    tid = track.tid.removeprefix("stream ")
    return text(f"doctor.chart.lane.{name}", lang, pid=track.pid, tid=tid)


def _lane(track: Track) -> tuple[str, str, str]:
    return track.group, track.pid, track.tid


def _mark(
    drawing: Drawing,
    view: View,
    track: Track,
    finding: int | None,
    span: tuple[float, float, int],
    y: float,
) -> None:
    """Mark the evidence by a line above an account or the main thread."""
    if finding is None or not (track.group == "account" or track.is_main):
        return
    begin, end, columns = span
    evidence = view.evidence[finding]
    times = evidence.device if track.group == "account" else evidence.host
    pairs = marked(times, begin=begin, end=end, columns=columns)
    scale = (drawing.width - _LEFT) / (end - begin)
    for t0, t1 in zip(pairs[::2], pairs[1::2], strict=True):
        drawing.rect(_LEFT + (t0 - begin) * scale, y - 4, (t1 - t0) * scale, 3, "ink")


def _draw_row(drawing: Drawing, picture: Picture, row: Row, track: Track, y: float) -> None:
    height = _HEIGHTS[track.group] - 1
    scale = (drawing.width - _LEFT) / (picture.end - picture.begin)
    column = (picture.end - picture.begin) / picture.columns * scale
    prefix = "c" if track.group == "account" else "e"
    for at in range(0, len(row.runs), 4):
        first, num, kind, level = row.runs[at : at + 4]
        size = max(2.0, height * level / LEVELS)
        x, width = _LEFT + first * column, num * column
        drawing.rect(x, y + height - size, width, size, f"{prefix}-{CLASSES[kind]}")
    _draw_stacks(drawing, row, y, height, column)
    for at in range(0, len(row.wide), 4):
        t0, t1, number, name = row.wide[at : at + 4]
        x = _LEFT + (max(t0, picture.begin) - picture.begin) * scale
        width = (min(t1, picture.end) - max(t0, picture.begin)) * scale
        words = picture.names[int(name)] if name >= 0 else ""
        title = f"{words} {said_time(t1 - t0)}".strip()
        shape = f"{prefix}-{CLASSES[int(number)]}"
        drawing.rect(x, y, width - min(1, width / 4), height, shape, title=title)
        drawing.words(x + 4, y + height / 2 + 4, fitting(words, width - 8), "ink")


def _draw_stacks(drawing: Drawing, row: Row, y: float, height: float, column: float) -> None:
    at = 0
    while at < len(row.stacks):
        first, number, num_classes = row.stacks[at : at + 3]
        bottom = y + height
        at += 3
        for kind, level in zip(
            row.stacks[at : at + 2 * num_classes : 2],
            row.stacks[at + 1 : at + 2 * num_classes : 2],
            strict=True,
        ):
            size = height * level / STACK_LEVELS
            bottom -= size
            x, width = _LEFT + first * column, number * column
            drawing.rect(x, bottom, width, size, f"c-{CLASSES[kind]}")
        at += 2 * num_classes
