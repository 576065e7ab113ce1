"""Pictures: wide spans by themselves, narrow ones by column, and no more than the columns."""

from __future__ import annotations

import numpy as np
import pytest

from tests.doctor.charts.seen import view_of
from torchstone.doctor.charts.account import CLASSES
from torchstone.doctor.charts.picture import LEVELS, STACK_LEVELS, marked, picture_of
from torchstone.doctor.charts.tracks import Track
from torchstone.doctor.events import Floats
from torchstone.doctor.intervals import Intervals

pytestmark = pytest.mark.pure

COMPUTE, LOADER = CLASSES.index("compute"), CLASSES.index("loader")


def track(t0: list[float], t1: list[float], classes: list[int], group: str = "account") -> Track:
    return Track(
        group=group,
        pid="0",
        tid="7",
        t0=np.array(t0),
        t1=np.array(t1),
        classes=np.array(classes, dtype=np.int8),
        rows=np.zeros(len(t0), dtype=np.int64),
    )


def test_a_wide_span_is_drawn_with_its_times_and_its_name() -> None:
    events = view_of("loader").case.events
    of = track([0.0, 10.0], [10.0, 100.0], [LOADER, COMPUTE], "device")
    picture = picture_of([of], events, begin=0, end=100, columns=50)
    (row,) = picture.rows
    assert row.wide == [0.0, 10.0, LOADER, 0, 10.0, 100.0, COMPUTE, 0]
    assert picture.names == [events.names[int(events.name[0])]]
    assert row.runs == []


def test_narrow_spans_are_runs_of_columns_that_look_alike() -> None:
    # A microsecond of each two, in columns of ten.
    begins = np.arange(0.0, 60.0, 2.0).tolist()
    of = track(begins, [each + 1 for each in begins], [COMPUTE] * len(begins), "device")
    (row,) = picture_of([of], view_of("loader").case.events, begin=0, end=100, columns=10).rows
    assert row.runs == [0, 6, COMPUTE, LEVELS // 2]
    assert row.wide == []


def test_a_column_of_an_account_is_shared_by_its_classes() -> None:
    begins: Floats = np.arange(0.0, 100.0, 1.0)
    classes = [COMPUTE if at % 4 else LOADER for at in range(100)]
    of = track(begins.tolist(), (begins + 1).tolist(), classes)
    (row,) = picture_of([of], view_of("loader").case.events, begin=0, end=100, columns=5).rows
    share = STACK_LEVELS // 4
    assert row.stacks == [0, 5, 2, COMPUTE, STACK_LEVELS - share, LOADER, share]


def test_only_what_is_between_the_moments_is_drawn() -> None:
    of = track([0.0, 40.0, 80.0], [30.0, 70.0, 90.0], [COMPUTE] * 3, "device")
    (row,) = picture_of([of], view_of("loader").case.events, begin=35, end=75, columns=10).rows
    assert row.wide[:2] == [40.0, 70.0]
    assert len(row.wide) == 4


def test_a_picture_of_many_events_is_not_larger_than_its_columns() -> None:
    begins: Floats = np.arange(0.0, 2e5)
    rng = np.random.default_rng(1)
    classes = rng.integers(0, len(CLASSES), len(begins)).tolist()
    of = track(begins.tolist(), (begins + rng.random(len(begins))).tolist(), classes, "device")
    (row,) = picture_of([of], view_of("loader").case.events, begin=0, end=2e5, columns=300).rows
    assert sum(row.runs[1::4]) == 300
    assert len(row.runs) <= 4 * 300


def test_marks_that_are_closer_than_a_column_are_one() -> None:
    times = Intervals(np.array([0.0, 1.5, 50.0]), np.array([1.0, 2.0, 60.0]))
    assert marked(times, begin=0, end=100, columns=50) == [0.0, 2.0, 50.0, 60.0]
    assert marked(times, begin=0, end=100, columns=1000) == [0.0, 1.0, 1.5, 2.0, 50.0, 60.0]
    assert marked(times, begin=70, end=100, columns=50) == []
