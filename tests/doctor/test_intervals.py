"""Sets of time against sets of moments that are counted one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.doctor.intervals import Intervals

pytestmark = pytest.mark.pure

MOST = 30
PAIRS = st.lists(
    st.tuples(st.integers(0, MOST), st.integers(0, MOST)).map(lambda pair: tuple(sorted(pair))),
    max_size=8,
)


def made(pairs: list[tuple[int, ...]]) -> Intervals:
    listed = np.array(pairs, dtype=np.float64).reshape(-1, 2)
    return Intervals(listed[:, 0], listed[:, 1])


def moments(found: Intervals) -> set[int]:
    """The unit steps of time that a set covers; its ends are whole numbers."""
    return {at for begin, end in found.pairs().tolist() for at in range(int(begin), int(end))}


def counted(pairs: list[tuple[int, ...]]) -> set[int]:
    return {at for begin, end in pairs for at in range(begin, end)}


@given(PAIRS)
def test_a_set_covers_what_its_intervals_cover_and_measures_it(
    pairs: list[tuple[int, ...]],
) -> None:
    found = made(pairs)
    assert moments(found) == counted(pairs)
    assert found.length == len(counted(pairs))
    assert bool((found.begins[1:] > found.ends[:-1]).all())


@given(PAIRS, PAIRS)
def test_union_and_intersection(a: list[tuple[int, ...]], b: list[tuple[int, ...]]) -> None:
    assert moments(made(a) | made(b)) == counted(a) | counted(b)
    assert moments(made(a).shared(made(b))) == counted(a) & counted(b)


@given(PAIRS, st.integers(0, MOST), st.integers(0, MOST))
def test_gaps_are_what_is_not_covered(pairs: list[tuple[int, ...]], a: int, b: int) -> None:
    begin, end = sorted((a, b))
    inside = set(range(begin, end))
    assert moments(made(pairs).gaps(begin, end)) == inside - counted(pairs)
    assert moments(made(pairs).clipped(begin, end)) == inside & counted(pairs)


@given(PAIRS, PAIRS)
def test_how_much_lies_within_other_intervals(
    pairs: list[tuple[int, ...]], others: list[tuple[int, ...]]
) -> None:
    listed = np.array(others, dtype=np.float64).reshape(-1, 2)
    found = made(pairs).within(listed[:, 0], listed[:, 1])
    wanted = [len(counted(pairs) & set(range(begin, end))) for begin, end in others]
    assert found.tolist() == wanted
