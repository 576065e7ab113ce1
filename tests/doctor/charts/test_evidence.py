"""Evidence: the times, the operators and the typical step that a finding is about."""

from __future__ import annotations

import numpy as np
import pytest

from tests.doctor.charts.seen import view_of
from torchstone.doctor.charts.evidence import contains
from torchstone.doctor.charts.view import View
from torchstone.doctor.intervals import Intervals

pytestmark = pytest.mark.pure


def finding(view: View, code: str) -> int:
    return [each.code for each in view.findings].index(code)


def test_the_evidence_of_a_slow_loader_is_its_calls_and_the_waiting_of_the_device() -> None:
    view = view_of("loader")
    found = view.evidence[finding(view, "TS-D001")]
    share = view.findings[finding(view, "TS-D001")].share
    assert found.device.length / view.case.window.duration == pytest.approx(share, rel=0.01)
    assert found.host.length >= found.device.length
    assert found.operators == []
    assert found.lane == view.case.main


def test_the_evidence_of_slow_kernels_is_their_operators_and_what_these_launched() -> None:
    view = view_of("float32")
    found = view.evidence[finding(view, "TS-K002")]
    operators = view.case.roofline.operators
    assert {operators[at].name for at in found.operators} == {"aten::mm"}
    share = view.findings[finding(view, "TS-K002")].share
    assert found.device.length / view.case.window.duration == pytest.approx(share, rel=0.05)


@pytest.mark.parametrize("patient", ["loader", "launch", "float32", "communication", "upload"])
def test_the_focus_is_a_step_with_evidence_in_it(patient: str) -> None:
    view = view_of(patient)
    window, found = view.case.window, view.evidence[0]
    begin, end = found.focus
    assert window.begin <= begin < end <= window.end
    assert end - begin == pytest.approx(window.step_us, rel=0.3)
    times = found.host if len(found.host) else found.device
    assert times.clipped(begin, end).length > 0


def test_a_moment_is_in_a_set_if_one_of_its_intervals_has_it() -> None:
    times = Intervals(np.array([1.0, 5.0]), np.array([2.0, 6.0]))
    assert contains(times, np.array([0.0, 1.0, 2.0, 3.0, 5.5, 9.0])).tolist() == [
        *(False, True, True, False, True, False)
    ]
    assert contains(Intervals.nothing(), np.array([0.0])).tolist() == [False]
