"""Launches and nesting, against what a search through all events finds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.doctor.simulated import Row, made
from torchstone.doctor.correlate import enclosing, find_launches, nesting
from torchstone.doctor.events import NONE
from torchstone.doctor.read.kinds import Kind

pytestmark = pytest.mark.pure


def call(begin: float, correlation: int, kind: Kind = Kind.LAUNCH, end: float = 0) -> Row:
    return Row(kind=kind, begin=begin, end=end or begin + 2, correlation=correlation)


def kernel(begin: float, correlation: int) -> Row:
    return Row(kind=Kind.KERNEL, begin=begin, end=begin + 5, correlation=correlation, lane=17)


def test_a_kernel_belongs_to_the_call_with_its_number() -> None:
    events = made([call(0, 4), call(3, 5, Kind.SYNC), kernel(10, 5), kernel(20, 4), kernel(30, 6)])
    found = find_launches(events)
    assert found.kernel.tolist() == [2, 3]
    assert found.call.tolist() == [1, 0]
    assert found.at.tolist() == [3, 0]
    assert found.call_of.tolist() == [NONE, NONE, 1, 0, NONE]
    assert found.found == pytest.approx(2 / 3)


def test_of_two_calls_with_one_number_the_last_one_launches() -> None:
    events = made([call(0, 4, end=9), call(2, 4), kernel(10, 4)])
    assert find_launches(events).call.tolist() == [1]


def test_numbers_that_say_nothing_join_nothing() -> None:
    for number in (0, NONE):
        assert not len(find_launches(made([call(0, number), kernel(9, number)])).kernel)


def test_one_call_may_launch_many_kernels() -> None:
    events = made([call(0, 4), kernel(9, 4), kernel(19, 4), kernel(29, 4)])
    assert find_launches(events).call.tolist() == [0, 0, 0]


def test_where_nothing_runs_nothing_is_missing() -> None:
    assert find_launches(made([call(0, 4)])).found == 1.0


TREES = st.recursive(st.just([]), lambda inner: st.lists(inner, max_size=3), max_leaves=12)


def spans(tree: list, begin: int = 0) -> tuple[list[tuple[int, int]], int]:
    """Nested intervals with room between them; the end of the whole."""
    found, at = [], begin + 1
    for inner in tree:
        inside, at = spans(inner, at)
        found += inside
        at += 1
    return [(begin, at), *found], at


@given(st.lists(TREES, min_size=1, max_size=3))
def test_nested_intervals_know_what_is_around_them(trees: list) -> None:
    listed: list[tuple[int, int]] = []
    at = 0
    for tree in trees:
        inside, at = spans(tree, at)
        listed += inside
        at += 1
    t0, t1 = np.array(listed, dtype=np.float64).T
    around = [
        [j for j, (b, e) in enumerate(listed) if b <= begin and end <= e and j != i]
        for i, (begin, end) in enumerate(listed)
    ]
    innermost = [max(each, key=lambda j: listed[j][0]) if each else NONE for each in around]
    assert nesting(t0, t1).tolist() == innermost


@given(st.lists(TREES, min_size=1, max_size=3), st.lists(st.integers(0, 60), max_size=9))
def test_the_innermost_operator_around_a_call_is_found(trees: list, calls: list[int]) -> None:
    rows, at = [], 0
    for lane, tree in enumerate(trees):
        inside, _ = spans(tree, at)
        rows += [Row(kind=Kind.OPERATOR, begin=b, end=e, lane=lane) for b, e in inside]
        rows += [Row(kind=Kind.LAUNCH, begin=c, end=c + 0.5, lane=lane) for c in calls]
    events = made(rows)
    inner, outer = events.of(Kind.LAUNCH), events.of(Kind.OPERATOR)
    found = enclosing(events, inner, outer).tolist()
    for row, answer in zip(inner.tolist(), found, strict=True):
        around = [
            o
            for o in outer.tolist()
            if events.lane[o] == events.lane[row]
            and events.t0[o] <= events.t0[row]
            and events.t1[o] >= events.t1[row]
        ]
        shortest = min(around, key=lambda o: events.t1[o] - events.t0[o], default=NONE)
        assert answer == shortest
