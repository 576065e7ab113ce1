"""Rasterization of a timeline into columns between two moments.

A span wider than a column is drawn individually. Of narrower spans, a column shows the class with
the most time, and its share of the column; equal neighbours are merged into one run. A picture of
10⁶ events is therefore not larger than one of 10³.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torchstone.doctor.charts.account import CLASSES
from torchstone.doctor.charts.tracks import Track
from torchstone.doctor.events import NONE, Events, Floats, Ints
from torchstone.doctor.intervals import Intervals

MOST_COLUMNS = 4096
# Number of levels of a column's coverage.
LEVELS = 8
# Number of levels of a class's share in a column.
STACK_LEVELS = 24
_MOST_LETTERS = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Drawing data of one track.

    Attributes:
        wide: Start, end, class and name index (or ``NONE``) of each wide span, concatenated.
        runs: First column, number of columns, class and level of each run, concatenated.
        stacks: For an account, instead of runs: first column, number of columns, number of classes,
            then each class with its level, concatenated.
    """

    wide: list[float]
    runs: list[int]
    stacks: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """Drawing data between two moments.

    Attributes:
        begin: Start in microseconds.
        end: End in microseconds.
        columns: Number of columns.
        rows: Drawing data of each track.
        names: Names of wide spans.
    """

    begin: float
    end: float
    columns: int
    rows: list[Row]
    names: list[str]


def picture_of(
    tracks: Sequence[Track], events: Events, *, begin: float, end: float, columns: int
) -> Picture:
    """Return the picture of given tracks between two moments."""
    columns = min(max(columns, 1), MOST_COLUMNS)
    numbers: dict[int, int] = {}
    rows = [_row(each, events, begin, end, columns, numbers) for each in tracks]
    names = [events.names[number][:_MOST_LETTERS] for number in numbers]
    return Picture(begin=begin, end=end, columns=columns, rows=rows, names=names)


def _row(
    track: Track, events: Events, begin: float, end: float, columns: int, numbers: dict[int, int]
) -> Row:
    first = int(np.searchsorted(track.reach, begin, side="right"))
    last = int(np.searchsorted(track.t0, end, side="left"))
    t0, t1 = track.t0[first:last], track.t1[first:last]
    classes, rows = track.classes[first:last], track.rows[first:last]
    width = (end - begin) / columns
    is_wide = (t1 - t0 >= width) & (t1 > begin)
    wide: list[float] = []
    has_names = track.group != "account"
    for at in np.flatnonzero(is_wide).tolist():
        name = NONE
        if has_names:
            name = numbers.setdefault(int(events.name[rows[at]]), len(numbers))
        wide += [round(float(t0[at]), 3), round(float(t1[at]), 3), int(classes[at]), name]
    narrow = np.flatnonzero(~is_wide & (t1 > begin))
    if not len(narrow):
        return Row(wide=wide, runs=[], stacks=[])
    spent = _spent(t0[narrow], t1[narrow], classes[narrow].astype(np.int64), begin, width, columns)
    if has_names:
        return Row(wide=wide, runs=_runs(spent, width), stacks=[])
    return Row(wide=wide, runs=[], stacks=_stacks(spent))


def _spent(
    t0: Floats, t1: Floats, classes: Ints, begin: float, width: float, columns: int
) -> Floats:
    """Return the time of narrow spans in each column, by class, (columns, classes).

    Each span belongs to the column of its middle.
    """
    middle = (t0 + t1) / 2
    column = np.clip(((middle - begin) / width).astype(np.int64), 0, columns - 1)
    num = len(CLASSES)
    # An instantaneous event has no duration, but is drawn.
    took = np.maximum(t1 - t0, width / (4 * LEVELS))
    spent = np.bincount(column * num + classes, took, minlength=columns * num)
    found: Floats = spent.reshape(columns, num).astype(np.float64)
    return found


def _runs(spent: Floats, width: float) -> list[int]:
    """Return the class and level of each column."""
    full = spent.sum(1)
    used = np.flatnonzero(full)
    main = spent[used].argmax(1)
    level = np.clip(np.ceil(full[used] / width * LEVELS), 1, LEVELS).astype(np.int64)
    breaks = (np.diff(used) != 1) | (np.diff(main) != 0) | (np.diff(level) != 0)
    starts = np.concatenate(([0], np.flatnonzero(breaks) + 1))
    lengths = np.diff(np.append(starts, len(used)))
    found = np.stack([used[starts], lengths, main[starts], level[starts]], axis=1)
    return [int(each) for each in found.ravel()]


def _stacks(spent: Floats) -> list[int]:
    """Return the classes in each column, with their shares."""
    full = spent.sum(1)
    used = np.flatnonzero(full)
    levels = np.rint(spent[used] / full[used, None] * STACK_LEVELS).astype(np.int64)
    starts = np.flatnonzero(
        np.concatenate(([True], (np.diff(used) != 1) | (np.diff(levels, axis=0) != 0).any(1)))
    )
    lengths = np.diff(np.append(starts, len(used)))
    found: list[int] = []
    for at, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        classes = np.flatnonzero(levels[at])
        found += [int(used[at]), length, len(classes)]
        for each in classes.tolist():
            found += [each, int(levels[at, each])]
    return found


def marked(times: Intervals, *, begin: float, end: float, columns: int) -> list[float]:
    """Return the intervals of a set between two moments, as alternating starts and ends.

    Intervals closer together than a column are merged.
    """
    inside = times.clipped(begin, end)
    if not len(inside):
        return []
    width = (end - begin) / min(max(columns, 1), MOST_COLUMNS)
    is_new = np.concatenate(([True], inside.begins[1:] - inside.ends[:-1] > width))
    last = np.append(np.flatnonzero(is_new)[1:] - 1, len(inside) - 1)
    pairs = np.stack([inside.begins[is_new], inside.ends[last]], axis=1)
    return [round(float(each), 3) for each in pairs.ravel()]
