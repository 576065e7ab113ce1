"""Numbers of charts: three digits, their unit, and ticks that are round."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.doctor.charts.numbers import (
    said_count,
    said_moment,
    said_share,
    said_time,
    three,
    ticks,
)

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("microseconds", "said"),
    [
        *((0.0, "0"), (0.05, "50 ns"), (1.0, "1 µs"), (999.4, "999 µs")),
        *((999.9, "1 ms"), (25_730.0, "25.7 ms"), (1.6e8, "160 s")),
    ],
)
def test_a_time_has_its_fitting_unit(microseconds: float, said: str) -> None:
    assert said_time(microseconds) == said


def test_counts_and_shares_are_short() -> None:
    assert [said_count(each) for each in (0.5, 12, 1e3, 3.12e14)] == ["0.5", "12", "1 k", "312 T"]
    assert [said_share(each) for each in (0.0, 0.0341, 0.0996, 1.0)] == [
        *("0.0%", "3.4%", "10%", "100%"),
    ]
    assert [three(each) for each in (0.0, 0.08333, 9.5635, 153.016, 1365.3)] == [
        *("0", "0.0833", "9.56", "153", "1365"),
    ]


def test_moments_far_from_zero_are_told_apart() -> None:
    said = [said_moment(84.47e6 + at * 500, 500) for at in range(5)]
    assert said[0] == "84.4700 s"
    assert len(set(said)) == 5


@given(st.floats(0, 1e9), st.floats(1e-3, 1e9), st.integers(min_value=1, max_value=20))
def test_ticks_are_inside_and_not_too_many(begin: float, length: float, most: int) -> None:
    found = ticks(begin, begin + length, most)
    margin = 1e-6 * (begin + length)
    assert all(begin - margin <= each <= begin + length + margin for each in found)
    assert len(found) <= most + 2
