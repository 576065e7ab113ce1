"""The rows of a timeline: lanes in their order, calls by how deep they are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doctor.charts.seen import view_of
from tests.doctor.made import OTHER, Made
from torchstone.doctor.charts.account import accounts_of
from torchstone.doctor.charts.tracks import MOST_LANES, depth_of, num_left_out, tracks_of
from torchstone.doctor.correlate import nesting
from torchstone.doctor.events import NONE
from torchstone.doctor.read.kinds import Kind

pytestmark = pytest.mark.pure


def test_the_account_comes_first_then_devices_then_the_main_thread() -> None:
    tracks = view_of("loader").tracks
    groups = [each.group for each in tracks]
    assert groups == sorted(groups)
    threads = [each.is_main for each in tracks if each.group == "thread"]
    assert threads == sorted(threads, reverse=True)
    assert threads[0]


def test_frames_are_in_no_row() -> None:
    view = view_of("loader")
    events = view.case.events
    rows = np.concatenate([each.rows for each in view.tracks if each.group != "account"])
    assert len(rows) == (events.kind != Kind.PYTHON).sum()
    assert not (events.kind[rows] == Kind.PYTHON).any()


@given(st.recursive(st.just([]), lambda inside: st.lists(inside, max_size=4), max_leaves=20))
def test_depths_are_how_many_calls_are_around(tree: list[object]) -> None:
    spans: list[tuple[float, float]] = []

    def write(node: list[object], begin: float, end: float) -> None:
        spans.append((begin, end))
        width = (end - begin) / (len(node) + 1)
        for at, child in enumerate(node):
            assert isinstance(child, list)
            # The first begins with its caller, and each when the one before ends.
            write(child, begin + at * width, begin + (at + 1) * width)

    write(tree, 0.0, 2.0**40)
    spans.sort(key=lambda span: (span[0], -span[1]))
    t0, t1 = (np.array(column) for column in zip(*spans, strict=True))
    parents = nesting(t0, t1)
    depths: list[int] = []
    for parent in parents.tolist():
        depths.append(0 if parent == NONE else depths[parent] + 1)
    assert depth_of(t0, t1).tolist() == depths


def test_a_step_that_begins_a_trifle_before_the_last_one_ends_follows_it() -> None:
    # What digits of microseconds since 1970 leave of a time.
    t0, t1 = np.array([0.0, 9.999, 20.0]), np.array([10.0, 20.0, 30.0])
    assert depth_of(t0, t1).tolist() == [0, 0, 0]


def test_lanes_beyond_the_most_are_counted() -> None:
    made = Made()
    for lane in range(MOST_LANES + 5):
        made.span("aten::add", "cpu_op", 100, 200, tid=OTHER + lane)
    case = made.case()
    tracks = tracks_of(case, accounts_of(case))
    lanes = {(each.group, each.pid, each.tid) for each in tracks if each.group != "account"}
    assert len(lanes) == MOST_LANES
    # The thread of the steps is one of them.
    assert num_left_out(case) == 6
