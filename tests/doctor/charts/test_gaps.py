"""Why a gap is charged as it is: what the host did in it, until which call, on which line."""

from __future__ import annotations

import numpy as np
import pytest

from tests.doctor.charts.seen import view_of
from torchstone.doctor.accounting import Gaps
from torchstone.doctor.charts.account import CLASSES
from torchstone.doctor.charts.gaps import explain, gap_at, list_gaps
from torchstone.doctor.charts.view import View

pytestmark = pytest.mark.pure


def gaps_of(view: View) -> Gaps:
    gaps = view.accounts[0].gaps
    assert gaps is not None
    return gaps


def test_a_gap_of_the_loader_names_the_loader_its_line_and_what_ends_it() -> None:
    view = view_of("loader")
    longest = list_gaps(view.case, gaps_of(view))[0]
    gap = explain(view.case, gaps_of(view), longest.number)
    assert longest.charged_to == "loader"
    assert max(gap.charged, key=lambda name: gap.charged[name]) == "loader"
    assert "DataLoader" in gap.doings[0].name
    assert CLASSES[gap.doings[0].kind] == "loader"
    assert gap.ended_by.startswith("Memcpy HtoD")
    assert gap.launched_by == "cudaMemcpyAsync"
    assert gap.launched_at is not None
    assert gap.begin < gap.launched_at < gap.host_end <= gap.end
    assert (gap.places[0].file, gap.places[0].line) == ("dataset.py", 31)


@pytest.mark.parametrize("patient", ["loader", "launch", "synchronisation", "unexplained"])
def test_what_is_charged_is_the_gap(patient: str) -> None:
    view = view_of(patient)
    gaps = gaps_of(view)
    for number in range(len(gaps.begin)):
        gap = explain(view.case, gaps, number)
        assert sum(gap.charged.values()) == pytest.approx(gap.end - gap.begin)
        late = gap.host_end - gap.begin
        assert sum(gap.charged.values()) - gap.charged.get("unexplained", 0) <= late + 1e-6


def test_the_longest_gaps_are_listed_first() -> None:
    view = view_of("launch")
    listed = list_gaps(view.case, gaps_of(view))
    times = [each.time for each in listed]
    assert times == sorted(times, reverse=True)
    assert all(0 < each.share <= 1 + 1e-9 for each in listed)


def test_a_moment_is_in_a_gap_or_in_none() -> None:
    view = view_of("loader")
    account, gaps = view.accounts[0], gaps_of(view)
    middle = (gaps.begin + gaps.end) / 2
    assert [gap_at(account, float(each)) for each in middle] == list(range(len(middle)))
    kernels = view.case.kernels
    busy = (view.case.events.t0[kernels] + view.case.events.t1[kernels]) / 2
    assert np.all([gap_at(account, float(each)) is None for each in busy])
